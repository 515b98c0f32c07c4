"""Giving back the space of what was deleted, and rewriting rows of earlier releases in the form of today's.

Rows of both forms are read side by side, so that they are rewritten a batch at a time: a process that is killed leaves
the rest to the next one. The file itself is rewritten in one transaction of SQLite.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Final

from core.vector_format import is_half, pack_vector, unpack_vectors
from graph.disk_space import check_room
from graph.sqlite_store.database.connection import connect, free_bytes, translated
from graph.sqlite_store.database.rows import HASH_CHARS, MODEL, USUALLY_GIVEN
from graph.sqlite_store.migrations import prepare

#: Rows of one transaction.
_BATCH: Final = 2_000
#: Bytes of a page of a large file: rows of about 1.5 kB leave less unused in it than in SQLite's default of 4,096, but
#: each of the 140 tables and indexes has one.
_PAGE: Final = 8_192
_LARGE: Final = 50_000_000
_CHUNKS: Final = "SELECT id FROM chunks WHERE id > ? ORDER BY id LIMIT ?"
_DROP_WHOLE_TEXTS: Final = """
UPDATE chunks SET text = '' WHERE id BETWEEN ? AND ? AND text <> ''
    AND text = (SELECT o.content FROM contents o WHERE o.item = chunks.item)
"""
_SHORTEN_GIVEN: Final = tuple(
    f"""
    UPDATE artifacts SET given = json_remove(given, '$.{name}')
    WHERE given ->> '$.{name}' = {value!r} AND item IN (SELECT item FROM chunks WHERE id BETWEEN ? AND ?)
    """
    for name, value in USUALLY_GIVEN.items()
)
_LONG_HASHES: Final = f"""
SELECT DISTINCT hash FROM chunks WHERE id BETWEEN ? AND ? AND length(hash) > {HASH_CHARS}
"""
# All rows of a text at once: they are found by each other's hash.
_SHORTEN_HASH: Final = tuple(
    f"UPDATE {table} SET hash = substr(hash, 1, {HASH_CHARS}) WHERE hash = ?" for table in ("chunks", "embeddings")
)
# All rows of a model at once, too.
_NUMBER_MODELS: Final = (
    "INSERT INTO models (name) SELECT DISTINCT model FROM embeddings WHERE typeof(model) = 'text'",
    f"UPDATE embeddings SET model = {MODEL.format('model')} WHERE typeof(model) = 'text'",
)
_EMBEDDINGS: Final = (
    f"SELECT rowid, vector, model = {MODEL.format('?1')} FROM embeddings WHERE rowid > ?2 ORDER BY rowid LIMIT ?3"
)
_REWRITE: Final = "UPDATE embeddings SET vector = ? WHERE rowid = ?"


def vacuum(path: Path, model: str | None, show: Callable[[int, int], object]) -> None:
    """Rewrite a file that no other process has open; `model` is the one of its embeddings.

    `show` is called with how many rows are done, and how many there are. A killed process leaves the file whole.

    Raises:
        Unavailable: the disk has not enough free space for it, or another process has the file open.
    """
    prepare(path)
    _check_space(path)
    with translated(path), closing(connect(path)) as connection:
        counts = "SELECT (SELECT count(*) FROM chunks), (SELECT count(*) FROM embeddings)"
        total = sum(connection.execute(counts).fetchone())
        done = 0
        for rows in chain(_shorten_chunks(connection), _shorten_embeddings(connection, model)):
            done += rows
            show(done, 2 * total)
        _number_models(connection)
        _rewrite(connection, path)
        show(2 * total, 2 * total)


def _check_space(path: Path) -> None:
    # A copy of the file, and a log of all its pages.
    if (free := free_bytes(path)) is not None:
        check_room(f"the record {str(path)!r}", 2 * path.stat().st_size, free)


def _shorten_chunks(connection: sqlite3.Connection) -> Iterator[int]:
    """Drop texts of chunks that are their items' contents, and usual values of items, and shorten hashes, a batch at a
    time; yield the number of rows of each."""
    last = 0
    while ids := [row[0] for row in connection.execute(_CHUNKS, (last, _BATCH))]:
        connection.execute("BEGIN IMMEDIATE")
        for statement in (_DROP_WHOLE_TEXTS, *_SHORTEN_GIVEN):
            connection.execute(statement, (ids[0], ids[-1]))
        hashes = connection.execute(_LONG_HASHES, (ids[0], ids[-1])).fetchall()
        for statement in _SHORTEN_HASH:
            connection.executemany(statement, hashes)
        connection.execute("COMMIT")
        yield len(ids)
        last = ids[-1]


def _shorten_embeddings(connection: sqlite3.Connection, model: str | None) -> Iterator[int]:
    """Halve the precision of the model's embeddings; yield the number of rows of each batch."""
    last = 0
    while rows := connection.execute(_EMBEDDINGS, (model, last, _BATCH)).fetchall():
        whole = [(row, vector) for row, vector, is_of_model in rows if is_of_model and not is_half(vector)]
        halved = [(pack_vector(unpack_vectors([vector])[0]), row) for row, vector in whole]
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(_REWRITE, halved)
        connection.execute("COMMIT")
        yield len(rows)
        last = rows[-1][0]


def _number_models(connection: sqlite3.Connection) -> None:
    """Have the rows of models by name have their numbers."""
    connection.execute("BEGIN IMMEDIATE")
    for statement in _NUMBER_MODELS:
        connection.execute(statement)
    connection.execute("COMMIT")


def _rewrite(connection: sqlite3.Connection, path: Path) -> None:
    # Without a log of its own the file may get another size of pages.
    [(mode,)] = connection.execute("PRAGMA journal_mode = DELETE")
    try:
        if mode == "delete" and path.stat().st_size >= _LARGE:
            connection.execute(f"PRAGMA page_size = {_PAGE}")
        # A temporary copy as large as the file: in its folder, not in memory.
        connection.execute("PRAGMA temp_store = FILE")
        connection.execute(f"PRAGMA temp_store_directory = '{str(path.parent).replace(chr(39), 2 * chr(39))}'")
        connection.execute("VACUUM")
    finally:
        connection.execute("PRAGMA temp_store_directory = ''")
        connection.execute("PRAGMA journal_mode = WAL")
