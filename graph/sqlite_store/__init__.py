"""The embedded engine of the record: one SQLite file."""

from graph.sqlite_store.store import SqliteStore
from graph.sqlite_store.transfer import incoming

__all__ = ["SqliteStore", "incoming"]
