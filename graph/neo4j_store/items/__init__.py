"""Artifacts with their text, chunks, turns and embeddings."""
