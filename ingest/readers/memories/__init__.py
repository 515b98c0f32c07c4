"""Memories of other systems: what they keep about people and things, and notes."""
