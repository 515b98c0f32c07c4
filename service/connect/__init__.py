"""Connecting clients: what is written into their settings, how, and how it is taken back."""
