"""The server: connection, schema, errors, and how values are kept in nodes."""
