"""`Audit` on SQLite, and what adds entries inside another part's transaction. Triggers refuse changes."""

import json
import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from core.interface.audit import Act, AuditEntry, make_audit_entries
from graph.sqlite_store.database.connections import Database
from graph.timestamps import from_microseconds, to_microseconds

_INSERT: Final = "INSERT INTO audit (at, act, by, client, project_id, things, ids) VALUES (?, ?, ?, ?, ?, ?, ?)"
_READ: Final = """
SELECT at, act, by, client, project_id, things, ids FROM audit {where} ORDER BY number DESC LIMIT :limit
"""
# Entries are numbered in the order of writing; the first to stay ends what goes, also where the clock was set back.
_ROTATE: Final = """
DELETE FROM audit WHERE number < max(
    coalesce((SELECT min(number) FROM audit WHERE at >= :before), 9223372036854775807),
    coalesce((SELECT number + 1 FROM audit ORDER BY number DESC LIMIT 1 OFFSET :most), 0)
)
"""


def write_entries(connection: sqlite3.Connection, entries: Sequence[AuditEntry]) -> None:
    """Add entries with this transaction."""
    rows = [
        (to_microseconds(one.at), one.act, one.by, one.client, one.project_id, one.number, json.dumps(one.ids))
        for one in entries
    ]
    connection.executemany(_INSERT, rows)


class SqliteAudit:
    """Fulfils `graph.protocols.administration.Audit`."""

    _database: Database

    def record_act(self, act: Act, project_id: str, ids: Sequence[str] = (), *, number: int | None = None) -> None:
        with self._database.writing() as connection:
            write_entries(connection, make_audit_entries(act, project_id, ids, number=number))

    def audit_trail(
        self, project_id: str | None = None, *, since: datetime | None = None, limit: int = 100
    ) -> list[AuditEntry]:
        conditions = ["project_id = :project_id"] * (project_id is not None) + ["at >= :since"] * (since is not None)
        where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        asked = {"project_id": project_id, "since": to_microseconds(since), "limit": limit}
        with self._database.reading() as connection:
            return [_entry(row) for row in connection.execute(_READ.format(where=where), asked)]

    def rotate_audit(self, before: datetime, most: int) -> int:
        with self._database.writing() as connection:
            asked = {"before": to_microseconds(before), "most": most}
            return connection.execute(_ROTATE, asked).rowcount


def _entry(row: Sequence[Any]) -> AuditEntry:
    moment, act, by, client, project_id, number, ids = row
    return AuditEntry(
        at=from_microseconds(moment),
        act=act,
        by=by,
        client=client,
        project_id=project_id,
        number=number,
        ids=tuple(json.loads(ids)),
    )
