"""`Ledger` on SQLite."""

import json
import sqlite3
from collections.abc import Sequence
from typing import Final

from core.filters import Filters
from core.interface.audit import entries_of
from core.knowledge.findings import EventLink, EventStatus
from core.knowledge.ledger import EventSearch, LedgerQuery, Origin, Resolution
from graph.sqlite_store.database.audit_trail import write_entries
from graph.sqlite_store.database.bounds import before, since, until
from graph.sqlite_store.database.connections import Database
from graph.sqlite_store.database.filters import Parameters, id_list, passing
from graph.sqlite_store.knowledge.statuses import CURRENT_THEN, STATUS_THEN, refresh_statuses
from graph.text.ledger_words import MOST_READ, ledger_stems, telling
from graph.text.term_vectors import term
from graph.timestamps import bounds_of, from_microseconds, to_microseconds

_NODES: Final = """
SELECT n.id, n.node FROM json_each(:ids) w CROSS JOIN nodes n ON n.project_id = :project_id AND n.id = w.value
JOIN events e ON e.node = n.node
"""
_LINKS: Final = """
WITH asked (node) AS (SELECT value FROM json_each(:nodes)),
found (source, target, relation, confidence) AS (
    SELECT l.* FROM asked CROSS JOIN event_links l ON l.source = asked.node
    UNION SELECT l.* FROM asked CROSS JOIN event_links l ON l.target = asked.node
)
SELECT s.id, t.id, f.relation, f.confidence, f.source, f.target FROM found f
JOIN events s ON s.node = f.source JOIN events t ON t.node = f.target ORDER BY 1, 2, 3
"""
_UNLINK: Final = "DELETE FROM event_links WHERE source = ? AND target = ? AND relation = ?"
_LINK: Final = "INSERT OR REPLACE INTO event_links (source, target, relation, confidence) VALUES (?, ?, ?, ?)"
_POSTINGS: Final = """
SELECT count(*) FROM (SELECT 1 FROM event_terms WHERE project_id = ? AND term = ? LIMIT ?)
"""
_LIKE: Final = """
SELECT e.id FROM (
    SELECT t.event, sum(w.value ->> 1) AS score FROM json_each(:weights) w
    CROSS JOIN event_terms t ON t.project_id = :project_id AND t.term = w.value ->> 0
    GROUP BY t.event
) f CROSS JOIN events e ON e.node = f.event
WHERE e.id <> :event_id AND e.category IN (SELECT value FROM json_each(:categories)) AND EXISTS (
    SELECT 1 FROM evidence v JOIN artifacts a ON a.item = v.item WHERE v.event = e.node AND a.replaced_by IS NULL)
ORDER BY f.score DESC, e.id LIMIT :limit
"""
_ORIGINS: Final = """
SELECT n.id, a.id, a.happened_at, a.utc_offset, a.context, coalesce(a.key, a.given ->> '$.title'), a.replaced_by,
    a.file_path, a.given ->> '$.title'
FROM json_each(:ids) w CROSS JOIN nodes n ON n.project_id = :project_id AND n.id = w.value
CROSS JOIN evidence v ON v.event = n.node AND v.position = (SELECT min(position) FROM evidence WHERE event = n.node)
JOIN artifacts a ON a.item = v.item
"""
_NEWEST_RESOLUTION: Final = """
SELECT status, note FROM resolutions WHERE project_id = ? AND event_id = ? ORDER BY at DESC, number DESC LIMIT 1
"""
_RESOLVE: Final = """
INSERT INTO resolutions (project_id, event_id, artifact_id, status, at, note)
SELECT n.project_id, n.id, a.id, ?, ?, ? FROM nodes n
JOIN evidence v ON v.event = n.node JOIN artifacts a ON a.item = v.item
WHERE n.project_id = ? AND n.id = ? ORDER BY v.position LIMIT 1
"""
_RESOLUTIONS: Final = """
SELECT r.event_id, r.status, r.at, r.note FROM json_each(:ids) w
CROSS JOIN resolutions r ON r.project_id = :project_id AND r.event_id = w.value ORDER BY r.at, r.number
"""
_STATUSES: Final = """
SELECT e.id, {status} FROM json_each(:ids) w CROSS JOIN nodes n ON n.project_id = :project_id AND n.id = w.value
JOIN events e ON e.node = n.node
"""
#: Replaces the condition that an item is no revision.
_CURRENT: Final = "a.replaced_by IS NULL"
_CURRENT_OR_LINKED: Final = """
({current} OR EXISTS (
    SELECT 1 FROM event_links l JOIN evidence s ON s.event = l.source JOIN artifacts w ON w.item = s.item
    WHERE l.target = e.node AND w.replaced_by IS NULL
))
"""
_PAGE: Final = """
{topic} {what} FROM events e {joined} WHERE e.project_id = :project_id AND e.category = :category {conditions}
    AND EXISTS (SELECT 1 FROM evidence v JOIN artifacts a ON a.item = v.item WHERE v.event = e.node AND {passing})
"""
_TOPIC: Final = """
WITH topic (event, shared) AS (
    SELECT event, max(shared) FROM (
        SELECT t.event, count(*) AS shared FROM json_each(:terms) w
        CROSS JOIN event_terms t ON t.project_id = :project_id AND t.term = w.value
        GROUP BY t.event HAVING count(*) >= :shared
        UNION ALL
        SELECT p.event, :num_terms FROM json_each(:about) w
        CROSS JOIN nodes n ON n.project_id = :project_id AND n.id = w.value
        CROSS JOIN participants p ON p.entity = n.node AND p.relation = 'ABOUT'
    ) GROUP BY event
)
"""
_PART: Final = """
AND EXISTS (SELECT 1 FROM participants p JOIN nodes n ON n.node = p.entity
    WHERE p.event = e.node AND p.relation = 'ACTED_IN' AND n.id IN (SELECT value FROM json_each(:actors)) {owners})
"""
_OWNERS: Final = """
AND (p.role = 'owner' OR p.role = 'contributor' AND NOT EXISTS (
    SELECT 1 FROM participants o WHERE o.event = e.node AND o.role = 'owner'))
"""
_RECEIVED: Final = """
AND EXISTS (SELECT 1 FROM participants p JOIN nodes n ON n.node = p.entity
    WHERE p.event = e.node AND p.role = 'recipient' AND n.id IN (SELECT value FROM json_each(:recipients)))
"""
_MOMENTS: Final = {
    "date_from": since("e.event_time", "e.time_offset", "ledger_date_from"),
    "date_to": until("e.event_time", "e.time_offset", "ledger_date_to"),
    "due_before": before("e.due", "e.due_offset", "ledger_due_before"),
}
_NEWEST: Final = "e.event_time DESC, e.id"
_SOONEST: Final = "e.due IS NULL, e.due, e.id"


class SqliteLedger:
    """Fulfils `graph.protocols.ledger.Ledger`."""

    _database: Database

    def set_event_links(self, project_id: str, event_ids: Sequence[str], links: Sequence[EventLink]) -> bool:
        named = {*event_ids, *(link.source for link in links), *(link.target for link in links)}
        with self._database.writing() as connection:
            nodes = _nodes(connection, project_id, sorted(named))
            stored = _links(connection, [nodes[id_] for id_ in event_ids if id_ in nodes])
            wanted = {
                link: (nodes[link.source], nodes[link.target])
                for link in links
                if link.source in nodes and link.target in nodes
            }
            gone = {link: ends for link, ends in stored.items() if link not in wanted}
            added = {link: ends for link, ends in wanted.items() if link not in stored}
            connection.executemany(_UNLINK, [(*ends, link.relation) for link, ends in gone.items()])
            connection.executemany(_LINK, [(*ends, link.relation, link.confidence) for link, ends in added.items()])
            refresh_statuses(connection, {target for _, target in (*gone.values(), *added.values())})
        return bool(gone or added)

    def event_links(self, project_id: str, event_ids: Sequence[str]) -> list[EventLink]:
        with self._database.reading() as connection:
            return links_of(connection, project_id, event_ids)

    def similar_events(self, project_id: str, searches: Sequence[EventSearch], limit: int) -> list[list[str]]:
        with self._database.reading() as connection:
            return [_like(connection, project_id, search, limit) for search in searches]

    def origins(self, project_id: str, event_ids: Sequence[str]) -> dict[str, Origin]:
        parameters = {"project_id": project_id, "ids": id_list(event_ids)}
        with self._database.reading() as connection:
            rows = connection.execute(_ORIGINS, parameters).fetchall()
        return {row[0]: Origin(row[1], from_microseconds(row[2], row[3]), *row[4:]) for row in rows}

    def add_resolution(self, project_id: str, resolution: Resolution) -> bool:
        event = (project_id, resolution.event_id)
        with self._database.writing() as connection:
            nodes = _nodes(connection, project_id, [resolution.event_id])
            newest = connection.execute(_NEWEST_RESOLUTION, event).fetchone()
            if nodes and newest != (resolution.status, resolution.note):
                values = (resolution.status, to_microseconds(resolution.at), resolution.note)
                connection.execute(_RESOLVE, values + event)
                refresh_statuses(connection, nodes.values())
                write_entries(connection, entries_of("resolve", project_id, [resolution.event_id]))
        return bool(nodes)

    def resolutions(self, project_id: str, event_ids: Sequence[str]) -> dict[str, list[Resolution]]:
        found: dict[str, list[Resolution]] = {}
        with self._database.reading() as connection:
            parameters = {"project_id": project_id, "ids": id_list(list(dict.fromkeys(event_ids)))}
            for id_, status, moment, note in connection.execute(_RESOLUTIONS, parameters):
                found.setdefault(id_, []).append(Resolution(id_, status, from_microseconds(moment), note))
        return found

    def statuses(self, project_id: str, event_ids: Sequence[str], filters: Filters) -> dict[str, EventStatus]:
        parameters: Parameters = {"project_id": project_id, "ids": id_list(event_ids)}
        with self._database.reading() as connection:
            rows = connection.execute(_STATUSES.format(status=_status(filters, parameters)), parameters).fetchall()
        return {id_: status for id_, status in rows if status is not None}

    def ledger_page(self, project_id: str, query: LedgerQuery, limit: int, offset: int = 0) -> tuple[list[str], int]:
        sql, parameters = _page(project_id, query)
        order = _SOONEST if query.by_due else _NEWEST
        best = "topic.shared DESC, " if query.words or query.about else ""
        with self._database.reading() as connection:
            total = connection.execute(sql.replace("{what}", "SELECT count(*)"), parameters).fetchone()[0]
            page = sql.replace("{what}", "SELECT e.id") + f"ORDER BY {best}{order} LIMIT :limit OFFSET :offset"
            rows = connection.execute(page, parameters | {"limit": limit, "offset": offset}).fetchall()
        return [row[0] for row in rows], int(total)


def links_of(connection: sqlite3.Connection, project_id: str, event_ids: Sequence[str]) -> list[EventLink]:
    """Do what `Ledger.event_links` promises."""
    return list(_links(connection, list(_nodes(connection, project_id, event_ids).values())))


def _nodes(connection: sqlite3.Connection, project_id: str, ids: Sequence[str]) -> dict[str, int]:
    return dict(connection.execute(_NODES, {"project_id": project_id, "ids": id_list(ids)}).fetchall())


def _links(connection: sqlite3.Connection, nodes: Sequence[int]) -> dict[EventLink, tuple[int, int]]:
    """Return the links from and to events, with the nodes at their ends."""
    rows = connection.execute(_LINKS, {"nodes": json.dumps(list(nodes))})
    return {EventLink(*row[:4]): (row[4], row[5]) for row in rows}


def _like(connection: sqlite3.Connection, project_id: str, search: EventSearch, limit: int) -> list[str]:
    counted: list[tuple[int, int]] = []
    for stem in ledger_stems(search.text):
        number = connection.execute(_POSTINGS, (project_id, term(stem), MOST_READ)).fetchone()[0]
        counted.append((number, term(stem)))
    parameters = {
        "project_id": project_id,
        "weights": json.dumps(telling(counted)),
        "event_id": search.event_id,
        "categories": json.dumps(search.categories),
        "limit": limit,
    }
    return [row[0] for row in connection.execute(_LIKE, parameters)]


def _status(filters: Filters, parameters: Parameters) -> str:
    """Return the status of an event `e` as SQL."""
    if filters.as_of is None:
        return "e.status"
    parameters |= bounds_of("as_of", filters.as_of)
    return STATUS_THEN


def _page(project_id: str, query: LedgerQuery) -> tuple[str, Parameters]:
    """Return the statement of a page, with a place for what it selects, and its parameters."""
    condition, parameters = passing(project_id, query.filters)
    parameters["category"] = query.category
    conditions: list[str] = []
    if query.statuses:
        conditions.append(f"AND {_status(query.filters, parameters)} IN (SELECT value FROM json_each(:statuses))")
        parameters["statuses"] = json.dumps(query.statuses)
    if query.actors is not None:
        conditions.append(_PART.format(owners=_OWNERS if query.owners else ""))
        parameters["actors"] = id_list(query.actors)
    if query.recipients is not None:
        conditions.append(_RECEIVED)
        parameters["recipients"] = id_list(query.recipients)
    for name, condition_of in _MOMENTS.items():
        if (moment := getattr(query, name)) is not None:
            conditions.append(f"AND {condition_of}")
            parameters |= bounds_of(f"ledger_{name}", moment)
    if query.min_confidence:
        conditions.append("AND e.confidence >= :min_confidence")
        parameters["min_confidence"] = query.min_confidence
    has_topic = bool(query.words or query.about)
    if has_topic:
        wanted = [term(stem) for stem in ledger_stems(" ".join(query.words))]
        shared = {"terms": json.dumps(wanted), "num_terms": len(wanted), "shared": query.shared}
        parameters |= shared | {"about": id_list(query.about)}
    current = _CURRENT if query.filters.as_of is None else CURRENT_THEN.format(item="a")
    sql = _PAGE.format(
        topic=_TOPIC if has_topic else "",
        what="{what}",
        joined="JOIN topic ON topic.event = e.node" if has_topic else "",
        conditions=" ".join(conditions),
        passing=condition.replace(_CURRENT, _CURRENT_OR_LINKED.format(current=current)),
    )
    return sql, parameters
