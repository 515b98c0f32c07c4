"""What callers teach: knowledge of a text that they have read, and which entities are the same."""
