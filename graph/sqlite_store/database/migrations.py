"""Bringing a file to the current version, however many processes open it at once."""

import sqlite3
import time
from pathlib import Path
from typing import Final

from core.errors import Conflict, Unavailable
from graph.sqlite_store.database.connections import BUSY_SECONDS, connect, translated
from graph.sqlite_store.database.schema import MIGRATIONS
from graph.sqlite_store.database.term_counts import rebuild_terms

#: RETURNING, built-in JSON, and the trigram tokenizer.
_OLDEST_SQLITE: Final = (3, 38, 0)


def prepare(path: Path) -> None:
    """Create the file or bring it to the current version.

    Raises:
        Conflict: a newer Remembrancer wrote the file.
        Unavailable: it can't be created, opened or read.
    """
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        raise Unavailable(f"SQLite {sqlite3.sqlite_version} is too old: use a Python with SQLite 3.38 or later.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
    except OSError as error:
        raise Unavailable(f"The record {str(path)!r} can't be created ({error}): check the folder.") from error
    with translated(path):
        connection = connect(path)
        try:
            _migrate(connection, path)
            _use_log(connection)
        finally:
            connection.close()


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > len(MIGRATIONS):
            raise Conflict(
                f"The record {str(path)!r} has version {version}, and this program knows {len(MIGRATIONS)}: update it."
            )
        for migration in MIGRATIONS[version:]:
            for statement in _statements(migration):
                connection.execute(statement)
        if version < len(MIGRATIONS):
            rebuild_terms(connection)
            connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
            _erase_words_at_once(connection)
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _statements(script: str) -> list[str]:
    """Cut a script into statements: `executescript` would commit the transaction first."""
    statements, pending = [], ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            statements.append(pending)
            pending = ""
    return statements


def _erase_words_at_once(connection: sqlite3.Connection) -> None:
    """Have FTS5 overwrite the entries of deleted rows, where SQLite knows how (3.42).

    Before that graph.sqlite_store.database.purge has them leave.
    """
    if sqlite3.sqlite_version_info >= (3, 42, 0):
        for table in ("words", "trigrams", "grams"):
            connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('secure-delete', 1)")


def _use_log(connection: sqlite3.Connection) -> None:
    """Switch to the write-ahead log; SQLite answers at once when another process is switching, so this waits itself."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if not error.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
