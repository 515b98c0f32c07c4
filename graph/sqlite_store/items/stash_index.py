"""The substring indexes over stashed items."""

import sqlite3
from typing import Final

from graph.sqlite_store.database.text_folding import folded, grams

_CONTENT: Final = "SELECT content FROM contents WHERE item = ?"
_ADD_TRIGRAMS: Final = "INSERT INTO trigrams (rowid, content) VALUES (?, ?)"
_ADD_GRAMS: Final = "INSERT INTO grams (rowid, grams_of) VALUES (?, ?)"
# A contentless index needs the old values to delete an entry.
_DROP_TRIGRAMS: Final = "INSERT INTO trigrams (trigrams, rowid, content) VALUES ('delete', ?, ?)"
_DROP_GRAMS: Final = "INSERT INTO grams (grams, rowid, grams_of) VALUES ('delete', ?, ?)"


def index_stashed(connection: sqlite3.Connection, item: int) -> None:
    """Enter an item that is not in the indexes."""
    _change(connection, item, _ADD_TRIGRAMS, _ADD_GRAMS)


def unindex_stashed(connection: sqlite3.Connection, item: int) -> None:
    """Take out an item that is in the indexes and still has its content."""
    _change(connection, item, _DROP_TRIGRAMS, _DROP_GRAMS)


def rebuild_stashed(connection: sqlite3.Connection) -> None:
    """Rebuild both indexes."""
    for table in ("trigrams", "grams"):
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('delete-all')")
    stashed = "SELECT item FROM artifacts WHERE stashed = 1 AND replaced_by IS NULL"
    for (item,) in connection.execute(stashed).fetchall():
        index_stashed(connection, item)


def _change(connection: sqlite3.Connection, item: int, of_trigrams: str, of_grams: str) -> None:
    text = folded(connection.execute(_CONTENT, (item,)).fetchone()[0])
    connection.execute(of_trigrams, (item, text))
    connection.execute(of_grams, (item, grams(text)))
