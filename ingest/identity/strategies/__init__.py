"""Strategies: whom a name means by the other names of its text, or by the names that the project knows."""
