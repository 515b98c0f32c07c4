"""How text becomes terms, the same in every engine."""
