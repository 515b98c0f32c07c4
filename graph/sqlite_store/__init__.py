"""The embedded engine of the record: one SQLite file."""

from graph.sqlite_store.database.backup import incoming
from graph.sqlite_store.store import SqliteStore

__all__ = ["SqliteStore", "incoming"]
