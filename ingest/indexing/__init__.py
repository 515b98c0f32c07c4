"""The vector index kept in step with the record: indexing, erasure, drift, and rebuilds."""
