"""How text becomes sentences and terms, the same in every engine."""
