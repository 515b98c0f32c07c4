"""The one process that has an embedded home open, and the thin ones that connect clients to it."""
