"""Decisions, promises, reports and risks, as patterns find them in a sentence."""
