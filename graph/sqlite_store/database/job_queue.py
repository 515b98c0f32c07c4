"""Putting jobs into the ledger inside another part's transaction."""

import sqlite3
from typing import Final

from core.records import JobKind

# A new row each time: what still holds the row it replaces can no longer finish it.
_PUT: Final = """
INSERT OR REPLACE INTO jobs (project_id, artifact_id, kind, num_chunks, due_at) VALUES (?, ?, ?, ?, 0)
"""


def put_job(connection: sqlite3.Connection, project_id: str, artifact_id: str, kind: JobKind, num_chunks: int) -> None:
    """Set an artifact's job to pending with no attempts, whatever it was."""
    connection.execute(_PUT, (project_id, artifact_id, kind, num_chunks))


def drop_job(connection: sqlite3.Connection, project_id: str, artifact_id: str, kind: JobKind) -> None:
    """Remove an artifact's job, if it has one."""
    connection.execute(
        "DELETE FROM jobs WHERE project_id = ? AND artifact_id = ? AND kind = ?", (project_id, artifact_id, kind)
    )
