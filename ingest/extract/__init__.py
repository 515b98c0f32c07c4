"""Extraction: from an artifact's words to events and entities, with evidence that is checked."""
