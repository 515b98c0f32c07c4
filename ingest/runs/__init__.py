"""Extraction, step by step: of one item in the background, or of many in a run that can be rolled back."""
