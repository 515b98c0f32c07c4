"""Verdicts as rows. Runs inside one transaction."""

import sqlite3
from dataclasses import asdict
from typing import Final

from core.knowledge.identities import MergeDecision, orphaned
from graph.sqlite_store.database.filters import id_list
from graph.sqlite_store.database.rows import by_column
from graph.timestamps import from_microseconds, to_microseconds

_TIMES: Final = ("at", "undone_at")
_ALL: Final = """
SELECT id, kind, one, other, at, by, note, name_hash, artifact_id, undone_at, undone_by
FROM verdicts WHERE project_id = ? ORDER BY number
"""
_INSERT: Final = """
INSERT INTO verdicts (project_id, id, kind, one, other, at, by, note, name_hash, artifact_id, undone_at, undone_by)
VALUES (:project_id, :id, :kind, :one, :other, :at, :by, :note, :name_hash, :artifact_id, :undone_at, :undone_by)
"""
_NAMED: Final = """
SELECT w.value FROM json_each(:ids) w WHERE EXISTS (
    SELECT 1 FROM claims k JOIN entities e ON e.node = k.entity
    WHERE k.original = w.value AND k.original <> '' AND e.project_id = :project_id
) OR EXISTS (
    SELECT 1 FROM nodes n JOIN claims k ON k.entity = n.node
    WHERE n.project_id = :project_id AND n.id = w.value AND k.original = ''
)
"""


def decisions_of(connection: sqlite3.Connection, project_id: str) -> list[MergeDecision]:
    """Return all merge decisions of a project in the order they were made."""
    rows = by_column(connection.execute(_ALL, (project_id,)))
    return [MergeDecision(**row | {name: from_microseconds(row[name]) for name in _TIMES}) for row in rows]


def insert_decision(connection: sqlite3.Connection, project_id: str, decision: MergeDecision) -> None:
    """Store a merge decision."""
    times = {name: to_microseconds(getattr(decision, name)) for name in _TIMES}
    connection.execute(_INSERT, asdict(decision) | times | {"project_id": project_id})


def delete_orphaned_decisions(connection: sqlite3.Connection, project_id: str) -> None:
    """Drop merge decisions, and notes of merge decisions, on entities that no artifact names any more."""
    given = decisions_of(connection, project_id)
    if not given:
        return
    ids = sorted({id_ for decision in given for id_ in (decision.one, decision.other)})
    rows = connection.execute(_NAMED, {"project_id": project_id, "ids": id_list(ids)})
    gone, muted = orphaned(given, {row[0] for row in rows})
    for statement, some in (
        ("DELETE FROM verdicts WHERE project_id = ? AND id = ?", gone),
        ("UPDATE verdicts SET note = NULL WHERE project_id = ? AND id = ?", muted),
    ):
        connection.executemany(statement, [(project_id, id_) for id_ in some])
