"""The embedded engine of the record: one SQLite file."""

from graph.sqlite_store.store import SqliteStore
from graph.sqlite_store.transfer import incoming
from graph.sqlite_store.vacuum import vacuum

__all__ = ["SqliteStore", "incoming", "vacuum"]
