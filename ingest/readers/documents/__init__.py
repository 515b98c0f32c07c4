"""Documents: files that are one text each."""
