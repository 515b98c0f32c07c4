"""The full-text indexes: preparing text for them, entries of stashed items, rebuilding, and erasing removed words.

FTS5 marks the entries of deleted rows and keeps them in its segments, out of reach but in the file, until those are
merged; from SQLite 3.42 on it can overwrite them at once (graph.sqlite_store.migrations).
"""

import re
import sqlite3
import unicodedata
from itertools import pairwise
from typing import Final

from graph.sqlite_store.database.ahead import ahead
from graph.text.languages import FORM_MARK
from graph.text.term_vectors import sign_word
from graph.text.tokens import separate_unspaced

_SURROGATES = re.compile(r"[\ud800-\udfff]")
#: The replacement of NUL, at which SQLite's trigram tokenizer would stop: a code point that Unicode never assigns.
_NUL_STAND_IN = "\U0010ffff"


def quoted(term: str) -> str | None:
    """Return `term` as an FTS5 phrase; None if it has no letter or digit to look for."""
    if term.startswith(FORM_MARK):
        return f'"{sign_word(term)}"'
    plain = _SURROGATES.sub(" ", term).replace("\0", " ")
    if not any(unicodedata.category(sign)[0] in "LN" or unicodedata.category(sign) == "Co" for sign in plain):
        return None
    return '"' + separate_unspaced(plain).replace('"', '""') + '"'


def folded(text: str) -> str:
    """Return `text` with its case folded, as the substring indexes hold it."""
    return text.casefold().replace("\0", _NUL_STAND_IN)


def trigram_phrase(fragment: str) -> str:
    """Return a folded fragment of three characters or more as an FTS5 phrase."""
    return '"' + fragment.replace('"', '""') + '"'


def gram(fragment: str) -> str:
    """Return the word by which a folded fragment of one or two characters is indexed."""
    return "z".join(f"{ord(sign):x}" for sign in fragment)


@ahead
def grams(text: str) -> str:
    """Return the words of all single characters and pairs in folded text."""
    found = set[str]()
    for start in range(0, len(text), _PIECE):  # all at once would keep the interpreter from others for a second
        piece = text[start : start + _PIECE + 1]
        found.update(piece, map("".join, pairwise(piece)))
    return " ".join(map(gram, found))


#: Characters.
_PIECE: Final = 100_000

_INDEXES: Final = ("words", "trigrams", "grams")
#: Index leaves of about 4 KiB up to which all segments are merged at each removal: about 4,000 notes, and 0.03 s.
_FEW_LEAVES: Final = 400
#: Levels of segments from which an index is rebuilt instead: SQLite 3.40 adds one or two at each merge, and takes
#: an index of more than 2,000 for damaged.
_MANY_LEVELS: Final = 500
#: The marker of a file whose segments hold words of removed rows.
_UNMERGED: Final = "sqlite: forgotten words"
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


def rebuild_full_text(connection: sqlite3.Connection) -> None:
    """Rebuild all indexes, whatever state they are in."""
    for index in _INDEXES:
        # The structure of an empty index: FTS5 does not open one whose structure it can't read, not even to rebuild it.
        connection.execute(f"UPDATE {index}_data SET block = zeroblob(7) WHERE id = 10")
    connection.execute("INSERT INTO words (words) VALUES ('rebuild')")
    for table in ("trigrams", "grams"):
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('delete-all')")
    stashed = "SELECT item FROM artifacts WHERE stashed = 1 AND replaced_by IS NULL"
    for (item,) in connection.execute(stashed).fetchall():
        index_stashed(connection, item)


def erase_words(connection: sqlite3.Connection) -> None:
    """Erase the words of removed rows with this transaction if the indexes are small, else note that they are left."""
    if connection.execute("SELECT v FROM words_config WHERE k = 'secure-delete'").fetchone() == (1,):
        return
    some = (f"SELECT count(*) FROM (SELECT 1 FROM {index}_data LIMIT {_FEW_LEAVES + 1})" for index in _INDEXES)
    if sum(connection.execute(one).fetchone()[0] for one in some) <= _FEW_LEAVES:
        merge_words(connection)
    else:
        connection.execute("INSERT OR REPLACE INTO markers VALUES (?, '')", (_UNMERGED,))


def are_words_noted(connection: sqlite3.Connection) -> bool:
    """Return whether `merge_words` has something to erase, noted by this process or another."""
    return connection.execute("SELECT 1 FROM markers WHERE name = ?", (_UNMERGED,)).fetchone() is not None


def merge_words(connection: sqlite3.Connection) -> None:
    """Merge all segments of each index into one, which holds no entry of a deleted row: 0.8 s for 60,000 chunks."""
    if max(_num_levels(connection, index) for index in _INDEXES) >= _MANY_LEVELS:
        rebuild_full_text(connection)
    else:
        for index in _INDEXES:
            connection.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")
    connection.execute("DELETE FROM markers WHERE name = ?", (_UNMERGED,))


def _num_levels(connection: sqlite3.Connection, index: str) -> int:
    """Return the number of levels in an index's structure: after a cookie of 4 bytes, a varint of at most two."""
    structure: bytes = connection.execute(f"SELECT block FROM {index}_data WHERE id = 10").fetchone()[0]
    high, low = structure[4:6]
    return (high & 0x7F) << 7 | low if high & 0x80 else high


def _change(connection: sqlite3.Connection, item: int, of_trigrams: str, of_grams: str) -> None:
    text = folded(connection.execute(_CONTENT, (item,)).fetchone()[0])
    connection.execute(of_trigrams, (item, text))
    connection.execute(of_grams, (item, grams(text)))
