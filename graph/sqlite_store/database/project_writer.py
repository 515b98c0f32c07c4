"""A transaction that writes to one project, with what each part of the record needs in it."""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Final

from core.interface.audit import AuditEntry
from core.records import JobKind
from graph.sqlite_store.database.audit_trail import write_entries
from graph.sqlite_store.database.filters import id_list
from graph.sqlite_store.database.rows import NAMED

# A new row each time: what still holds the row it replaces can no longer finish it.
_PUT_JOB: Final = """
INSERT OR REPLACE INTO jobs (project_id, artifact_id, kind, num_chunks, due_at) VALUES (?, ?, ?, ?, 0)
"""
_DROP_JOB: Final = "DELETE FROM jobs WHERE project_id = ? AND artifact_id = ? AND kind = ?"
_WAITS: Final = """
SELECT 1 FROM jobs WHERE project_id = ? AND artifact_id = ? AND kind = 'extract' AND state <> 'done'
"""
_ITEMS: Final = f"SELECT a.item FROM {NAMED} WHERE a.project_id = :project_id"


class SqliteProjectWriter:
    """Fulfils `graph.writers.knowledge_writer.ProjectWriter`."""

    def __init__(self, connection: sqlite3.Connection, project_id: str) -> None:
        self._connection = connection
        self.project_id = project_id

    def put_jobs(self, num_chunks: Mapping[str, int], kinds: Sequence[JobKind]) -> None:
        rows = [(self.project_id, id_, kind, chunks) for id_, chunks in num_chunks.items() for kind in kinds]
        self._connection.executemany(_PUT_JOB, rows)

    def drop_jobs(self, artifact_ids: Sequence[str], kinds: Sequence[JobKind]) -> None:
        rows = [(self.project_id, id_, kind) for id_ in artifact_ids for kind in kinds]
        self._connection.executemany(_DROP_JOB, rows)

    def awaits_extraction(self, artifact_id: str) -> bool:
        return self._connection.execute(_WAITS, (self.project_id, artifact_id)).fetchone() is not None

    def write_entries(self, entries: Sequence[AuditEntry]) -> None:
        write_entries(self._connection, entries)

    def items(self, artifact_ids: Sequence[str], condition: str = "true") -> list[int]:
        """Return the numbers of those items `a` that are stored and of which the condition is true."""
        asked = {"project_id": self.project_id, "ids": id_list(artifact_ids)}
        return [row[0] for row in self._connection.execute(f"{_ITEMS} AND {condition}", asked)]

    def item(self, artifact_id: str) -> int:
        """Return the number of an item that is stored."""
        [item] = self.items([artifact_id])
        return item
