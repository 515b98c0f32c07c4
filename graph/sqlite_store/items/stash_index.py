"""The substring indexes over stashed items."""

import sqlite3
from typing import Final

from graph.sqlite_store.database.text_folding import folded, grams

_CONTENT: Final = "SELECT content FROM contents WHERE item = ?"
_ADD_TRIGRAMS: Final = "INSERT INTO trigrams (rowid, content) VALUES (?, ?)"
_ADD_GRAMS: Final = "INSERT INTO grams (rowid, grams_of) VALUES (?, ?)"
# A contentless index forgets an entry only if it is told again what it holds.
_DROP_TRIGRAMS: Final = "INSERT INTO trigrams (trigrams, rowid, content) VALUES ('delete', ?, ?)"
_DROP_GRAMS: Final = "INSERT INTO grams (grams, rowid, grams_of) VALUES ('delete', ?, ?)"


def index_stashed(connection: sqlite3.Connection, item: int, content: str) -> None:
    """Enter an item that is not in the indexes."""
    text = folded(content)
    connection.execute(_ADD_TRIGRAMS, (item, text))
    connection.execute(_ADD_GRAMS, (item, grams(text)))


def unindex_stashed(connection: sqlite3.Connection, item: int) -> None:
    """Take out an item that is in the indexes and still has its content."""
    text = folded(connection.execute(_CONTENT, (item,)).fetchone()[0])
    connection.execute(_DROP_TRIGRAMS, (item, text))
    connection.execute(_DROP_GRAMS, (item, grams(text)))


def set_stashed(connection: sqlite3.Connection, item: int, *, stashed: bool) -> None:
    """Move an item of the other tier to this one."""
    connection.execute("UPDATE artifacts SET stashed = ? WHERE item = ?", (stashed, item))
    if stashed:
        content = connection.execute(_CONTENT, (item,)).fetchone()[0]
        index_stashed(connection, item, content)
    else:
        unindex_stashed(connection, item)


def rebuild_stashed(connection: sqlite3.Connection) -> None:
    """Rebuild both indexes."""
    for table in ("trigrams", "grams"):
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('delete-all')")
    stashed = "SELECT item FROM artifacts WHERE stashed = 1 AND replaced_by IS NULL"
    for (item,) in connection.execute(stashed).fetchall():
        index_stashed(connection, item, connection.execute(_CONTENT, (item,)).fetchone()[0])
