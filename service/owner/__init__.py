"""The one process that has an embedded home open, and the bridges that connect clients to it."""
