"""Given knowledge: its quotes placed in the text, and put in the place of what extractors find there."""
