"""Passes of extraction: over one item in the background, or over many as a run that can be rolled back."""
