"""Extractors: from an artifact's text to entities and events."""
