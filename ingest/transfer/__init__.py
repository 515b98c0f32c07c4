"""A memory as a file of JSON Lines, and back."""
