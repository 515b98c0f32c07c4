"""The two shapes of an answer: brief, and full."""
