"""Statuses of events: what resolutions and links make of them. Runs inside one transaction."""

import json
import sqlite3
from collections.abc import Iterable
from typing import Final

from core.knowledge.ledger import LINKED_STATUS
from graph.sqlite_store.database.bounds import LATER, THEN

_LINKED: Final = " ".join(f"WHEN '{relation}' THEN '{status}'" for relation, status in LINKED_STATUS.items())
_FIRST: Final = " ".join(f"WHEN '{relation}' THEN {place}" for place, relation in enumerate(LINKED_STATUS))
_STATUS: Final = f"""
coalesce(
    (SELECT r.status FROM resolutions r WHERE r.project_id = e.project_id AND r.event_id = e.id {{declared}}
        ORDER BY r.at DESC, r.number DESC LIMIT 1),
    (SELECT CASE l.relation {_LINKED} END FROM event_links l WHERE l.target = e.node AND EXISTS (
        SELECT 1 FROM evidence s JOIN artifacts w ON w.item = s.item
        WHERE s.event = l.source AND {{written}}
    ) ORDER BY CASE l.relation {_FIRST} END LIMIT 1),
    e.first_status
)
"""
#: That an item was no revision as of `:as_of`.
CURRENT_THEN: Final = f"""
({{item}}.replaced_by IS NULL OR EXISTS (
    SELECT 1 FROM artifacts n WHERE n.project_id = {{item}}.project_id AND n.id = {{item}}.replaced_by
        AND {LATER.format("n")}))
"""
#: The status of an event `e`.
STATUS: Final = _STATUS.format(declared="", written="w.replaced_by IS NULL")
#: The same as of `:as_of`.
STATUS_THEN: Final = _STATUS.format(
    declared="AND r.at <= :as_of", written=f"{THEN.format('w')} AND {CURRENT_THEN.format(item='w')}"
)
_REFRESH: Final = f"""
UPDATE events AS e SET status = {STATUS} WHERE e.node IN (SELECT value FROM json_each(:nodes))
"""
_LINKED_FROM: Final = "SELECT DISTINCT target FROM event_links WHERE source IN (SELECT value FROM json_each(:nodes))"


def linked_from(connection: sqlite3.Connection, events: Iterable[int]) -> set[int]:
    """Return the events that links from these lead to."""
    rows = connection.execute(_LINKED_FROM, {"nodes": json.dumps(list(events))})
    return {row[0] for row in rows}


def refresh_statuses(connection: sqlite3.Connection, events: Iterable[int]) -> None:
    """Recompute the statuses of these events."""
    nodes = list(events)
    if nodes:
        connection.execute(_REFRESH, {"nodes": json.dumps(nodes)})
