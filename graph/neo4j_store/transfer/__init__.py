"""A project copied out of the record or into it."""
