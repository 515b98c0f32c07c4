"""The store: its parts over one file."""

import copy
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from graph.sqlite_store.administration import SqliteAccessTokens, SqliteAudit, SqliteJobs
from graph.sqlite_store.database.connection import Database
from graph.sqlite_store.database.full_text import are_words_noted, merge_words
from graph.sqlite_store.integrity import SqliteSoundness
from graph.sqlite_store.item_writer import SqliteEmbeddings
from graph.sqlite_store.knowledge_graph import SqliteKnowledge
from graph.sqlite_store.ledger import SqliteLedger
from graph.sqlite_store.migrations import prepare
from graph.sqlite_store.records import SqliteRecords, SqliteRules
from graph.sqlite_store.search import SqliteCandidates, SqliteWords
from graph.sqlite_store.transfer import SqliteTransfer


class SqliteStore(
    SqliteRecords,
    SqliteEmbeddings,
    SqliteWords,
    SqliteCandidates,
    SqliteJobs,
    SqliteKnowledge,
    SqliteLedger,
    SqliteTransfer,
    SqliteRules,
    SqliteSoundness,
    SqliteAudit,
    SqliteAccessTokens,
):
    """Fulfils `graph.store.Store` in one SQLite file, which several threads and processes may use at once.

    An acknowledged write survives `kill -9` and power loss: the log is synced at each commit.
    """

    engine = "sqlite"

    def __init__(self, path: Path) -> None:
        """Open the file, creating it and its folder (for this user alone) if need be.

        Raises:
            Conflict: a newer Remembrancer wrote the file.
            Unavailable: it can't be created, opened or read.
        """
        prepare(path)
        self._database = Database(path)

    def ping(self) -> str:
        with self._database.reading() as connection:
            connection.execute("SELECT 1 FROM artifacts LIMIT 1").fetchone()
        return f"SQLite {sqlite3.sqlite_version} at {self._database.path}"

    def write_obstacle(self) -> str | None:
        return self._database.write_obstacle()

    @contextmanager
    def snapshot(self) -> Iterator["SqliteStore"]:
        with self._database.snapshot() as database:
            store = copy.copy(self)
            store._database = database
            yield store

    def close(self) -> None:
        if self._database.is_closed:
            return
        try:
            with self._database.reading() as connection:
                noted = are_words_noted(connection)
            if noted and self._database.write_obstacle() is None:
                with self._database.writing() as connection:
                    merge_words(connection)
                self._database.checkpoint()
        finally:
            self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
