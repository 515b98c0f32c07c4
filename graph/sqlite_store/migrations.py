"""Bringing a file to the current version, however many processes open it at once."""

import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from core.errors import Conflict, Unavailable
from graph.sqlite_store.database.connection import BUSY_SECONDS, connect, is_read_only, translated
from graph.sqlite_store.database.schema import MIGRATIONS

#: RETURNING, built-in JSON, and the trigram tokenizer.
_OLDEST_SQLITE: Final = (3, 38, 0)


def prepare(path: Path, migrations: Sequence[str] = MIGRATIONS) -> None:
    """Create the file, or bring it to the version that is the number of `migrations`, in one transaction.

    Raises:
        Conflict: a newer Remembrancer wrote the file.
        Unavailable: it can't be created, opened or read.
    """
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        raise Unavailable(f"SQLite {sqlite3.sqlite_version} is too old: use a Python with SQLite 3.38 or later.")
    if is_read_only(path):
        _check_version(path, len(migrations))
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
    except OSError as error:
        raise Unavailable(f"The record {str(path)!r} can't be created ({error}): check the folder.") from error
    with translated(path):
        connection = connect(path)
        try:
            _migrate(connection, path, migrations)
            _switch_to_wal(connection)
        finally:
            connection.close()


def _check_version(path: Path, wanted: int) -> None:
    """Check a file that can't be brought to another version."""
    with translated(path), closing(connect(path)) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > wanted:
        raise _of_a_newer_release(path, version, wanted)
    if version < wanted:
        raise Unavailable(
            f"The record {str(path)!r} is read-only and has version {version}, and this program reads version "
            f"{wanted}: open it once where it may be written, or use the release that wrote it."
        )


def _of_a_newer_release(path: Path, version: int, known: int) -> Conflict:
    return Conflict(f"The record {str(path)!r} has version {version}, and this program knows {known}: update it.")


def _migrate(connection: sqlite3.Connection, path: Path, migrations: Sequence[str]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > len(migrations):
            raise _of_a_newer_release(path, version, len(migrations))
        for migration in migrations[version:]:
            for statement in _statements(migration):
                connection.execute(statement)
        if version < len(migrations):
            connection.execute(f"PRAGMA user_version = {len(migrations)}")
            _enable_secure_delete(connection)
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


def _enable_secure_delete(connection: sqlite3.Connection) -> None:
    """Have FTS5 overwrite the entries of deleted rows, where SQLite supports that (3.42).

    In earlier releases graph.sqlite_store.database.full_text removes them.
    """
    if sqlite3.sqlite_version_info >= (3, 42, 0):
        for table in ("words", "trigrams", "grams"):
            connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('secure-delete', 1)")


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """Switch to the write-ahead log; SQLite does not wait for another process that is switching, so this does."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if not error.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
