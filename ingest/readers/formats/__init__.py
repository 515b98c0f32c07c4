"""Formats: what a reader is, what it is given and what it yields, which there are, and which one a file is for."""
