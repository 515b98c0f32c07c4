"""Items whose time has come: past their `expires_at`, or kept until what is in them is settled, and that is."""

import sqlite3
from datetime import datetime
from typing import Any, Final

from core.knowledge.ledger import SETTLED
from core.records import SETTLED_FOR
from graph.sqlite_store.database.filters import id_list
from graph.timestamps import to_microseconds

# Every decision and commitment in the item was declared settled last, long enough ago. Only declarations count. Read by
# the items, which go when they are settled; resolutions of others stay for good. Nothing is read before the first
# resolution is old enough.
_SETTLED: Final = """
SELECT a.item FROM artifacts a
WHERE a.given ->> '$.retention_policy' = 'until_resolved' AND EXISTS (SELECT 1 FROM resolutions WHERE at <= :settled_at)
AND EXISTS (
    SELECT 1 FROM evidence v CROSS JOIN events e ON e.node = v.event
    CROSS JOIN resolutions r ON r.project_id = e.project_id AND r.event_id = e.id
    WHERE v.item = a.item AND r.at <= :settled_at
) AND NOT EXISTS (
    SELECT 1 FROM evidence w JOIN events e ON e.node = w.event WHERE w.item = a.item AND e.status IS NOT NULL
    AND NOT coalesce((
        SELECT s.at <= :settled_at AND s.status IN (SELECT value FROM json_each(:settled)) FROM resolutions s
        WHERE s.project_id = e.project_id AND s.event_id = e.id ORDER BY s.at DESC, s.number DESC LIMIT 1
    ), 0)
)
"""
_EXPIRED: Final = f"""
SELECT a.project_id, a.id FROM artifacts a
WHERE a.item IN (
    SELECT item FROM (SELECT item FROM artifacts WHERE expires_at <= :at ORDER BY expires_at LIMIT :limit)
    UNION {_SETTLED}
) ORDER BY a.item LIMIT :limit
"""
#: No limit.
_ALL: Final = -1


def expired(connection: sqlite3.Connection, at: datetime, limit: int) -> tuple[str, list[str]] | None:
    """Return a project and up to `limit` of its items whose time has come; None if there are none."""
    rows = connection.execute(_EXPIRED, _parameters(at, limit)).fetchall()
    return (rows[0][0], [id_ for project_id, id_ in rows if project_id == rows[0][0]]) if rows else None


def num_expired(connection: sqlite3.Connection, at: datetime) -> int:
    """Return how many items of all projects there are whose time had come by then."""
    return int(connection.execute(f"SELECT count(*) FROM ({_EXPIRED})", _parameters(at, _ALL)).fetchone()[0])


def _parameters(at: datetime, limit: int) -> dict[str, Any]:
    return {
        "limit": limit,
        "at": to_microseconds(at),
        "settled_at": to_microseconds(at - SETTLED_FOR),
        "settled": id_list(SETTLED),
    }
