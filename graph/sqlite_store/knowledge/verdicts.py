"""MergeDecisions as rows. Runs inside one transaction."""

import sqlite3
from typing import Final

from core.knowledge.identities import MergeDecision
from graph.sqlite_store.database.rows import by_column
from graph.timestamps import from_microseconds

_TIMES: Final = ("at", "undone_at")
_ALL: Final = """
SELECT id, kind, one, other, at, by, note, name_hash, artifact_id, undone_at, undone_by
FROM verdicts WHERE project_id = ? ORDER BY number
"""


def decisions_of(connection: sqlite3.Connection, project_id: str) -> list[MergeDecision]:
    """Return all merge decisions of a project in the order they were made."""
    rows = by_column(connection.execute(_ALL, (project_id,)))
    return [MergeDecision(**row | {name: from_microseconds(row[name]) for name in _TIMES}) for row in rows]
