"""Erasing the words of removed rows from the full-text indexes.

FTS5 marks the entries of deleted rows and keeps them in its segments, out of reach but in the file, until those are
merged; from SQLite 3.42 on it can overwrite them at once (graph.sqlite_store.database.migrations).
"""

import sqlite3
from typing import Final

_INDEXES: Final = ("words", "trigrams", "grams")
#: Index leaves of about 4 KiB up to which all segments are merged at each removal: about 10,000 chunks, and 0.2 s.
_FEW_LEAVES: Final = 1_500
#: The marker of a file whose segments hold words of removed rows.
_UNMERGED: Final = "sqlite: forgotten words"


def erase_words(connection: sqlite3.Connection) -> None:
    """Erase the words of removed rows with this transaction if the indexes are small, else note that they are left."""
    if connection.execute("SELECT v FROM words_config WHERE k = 'secure-delete'").fetchone() == (1,):
        return
    leaves = sum(connection.execute(f"SELECT count(*) FROM {index}_idx").fetchone()[0] for index in _INDEXES)
    if leaves <= _FEW_LEAVES:
        merge_words(connection)
    else:
        connection.execute("INSERT OR REPLACE INTO markers VALUES (?, '')", (_UNMERGED,))


def are_words_noted(connection: sqlite3.Connection) -> bool:
    """Return whether `merge_words` has something to erase, noted by this process or another."""
    return connection.execute("SELECT 1 FROM markers WHERE name = ?", (_UNMERGED,)).fetchone() is not None


def merge_words(connection: sqlite3.Connection) -> None:
    """Merge all segments of each index into one, which holds no entry of a deleted row: 0.8 s for 60,000 chunks."""
    for index in _INDEXES:
        connection.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")
    connection.execute("DELETE FROM markers WHERE name = ?", (_UNMERGED,))
