"""The file: connections, schema and migrations, and how values are kept in rows."""
