"""What callers record: annotations of texts that they have read, and decisions about which entities are the same."""
