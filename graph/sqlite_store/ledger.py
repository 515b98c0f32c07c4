"""`Ledger` on SQLite."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import cache, partial
from typing import Final, get_args

from core.filters import Filters
from core.knowledge.findings import EventLink, EventStatus
from core.knowledge.ledger import EventSearch, LedgerPage, LedgerQuery, Origin, Resolution
from graph.sqlite_store.administration import SqliteProjectWriter
from graph.sqlite_store.artifact_knowledge import CURRENT_THEN, STATUS_THEN, refresh_statuses
from graph.sqlite_store.database.connection import Database
from graph.sqlite_store.database.rows import (
    LISTED,
    NOT_CURRENT,
    Parameters,
    before,
    filter_condition,
    id_list,
    since,
    until,
)
from graph.text.term_vectors import term
from graph.text.tokens import MOST_READ, fair_share, ledger_stems, rarest_stems
from graph.timestamps import bounds_of, from_microseconds, to_microseconds
from graph.writers.knowledge_writer import LedgerWriter

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
SELECT s.id, t.id, f.relation, f.confidence FROM found f
JOIN events s ON s.node = f.source JOIN events t ON t.node = f.target ORDER BY 1, 2, 3
"""
_ENDS: Final = """
(SELECT node FROM nodes WHERE project_id = :project_id AND id = :source),
(SELECT node FROM nodes WHERE project_id = :project_id AND id = :target)
"""
_UNLINK: Final = f"DELETE FROM event_links WHERE (source, target, relation) = ({_ENDS}, :relation)"
_LINK: Final = f"""
INSERT OR REPLACE INTO event_links (source, target, relation, confidence) VALUES ({_ENDS}, :relation, :confidence)
"""
_POSTINGS: Final = """
SELECT count(*) FROM (SELECT 1 FROM event_terms WHERE project_id = ? AND term = ? LIMIT ?)
"""
# Of a word the events stored last. LIMIT -1 keeps the order, in which evidence is looked at until there are enough.
_LIKE: Final = """
SELECT f.id FROM (
    SELECT e.node, e.id FROM (
        SELECT t.event, sum(w.value ->> 1) AS score FROM json_each(:weights) w
        CROSS JOIN event_terms t ON t.project_id = :project_id AND t.term = w.value ->> 0
            AND t.event > coalesce((SELECT event FROM event_terms WHERE project_id = :project_id
                AND term = w.value ->> 0 ORDER BY event DESC LIMIT 1 OFFSET :most_read), 0)
        GROUP BY t.event
    ) s CROSS JOIN events e ON e.node = s.event
    WHERE e.id <> :event_id AND e.category IN (SELECT value FROM json_each(:categories))
    ORDER BY s.score DESC, e.id LIMIT -1
) f WHERE EXISTS (
    SELECT 1 FROM evidence v JOIN artifacts a ON a.item = v.item WHERE v.event = f.node AND a.replaced_by IS NULL)
LIMIT :limit
"""
_ORIGINS: Final = """
SELECT n.id, a.id, a.happened_at, a.utc_offset, a.context, coalesce(a.key, a.given ->> '$.title'), a.replaced_by,
    a.file_path, a.given ->> '$.title'
FROM json_each(:ids) w CROSS JOIN nodes n ON n.project_id = :project_id AND n.id = w.value
CROSS JOIN evidence v ON v.event = n.node AND v.position = (SELECT min(position) FROM evidence WHERE event = n.node)
JOIN artifacts a ON a.item = v.item
"""
_RESOLVE: Final = """
INSERT INTO resolutions (project_id, event_id, artifact_id, status, at, note)
VALUES (:project_id, :event_id, :artifact_id, :status, :at, :note)
"""
# To another item with evidence for the event, if there is one.
_GIVE_TO_OTHERS: Final = """
UPDATE resolutions SET artifact_id = w.artifact_id FROM (
    SELECT n.id AS event_id, min(a.id) AS artifact_id FROM resolutions r
    CROSS JOIN nodes n ON n.project_id = r.project_id AND n.id = r.event_id
    CROSS JOIN evidence v ON v.event = n.node CROSS JOIN artifacts a ON a.item = v.item AND a.id <> :id
    WHERE r.project_id = :project_id AND r.artifact_id = :id GROUP BY n.id
) w WHERE resolutions.project_id = :project_id AND resolutions.event_id = w.event_id
"""
_DROP_RESOLUTIONS: Final = "DELETE FROM resolutions WHERE project_id = :project_id AND artifact_id = :id"
_RESOLUTIONS: Final = """
SELECT r.event_id, r.status, r.at, r.note FROM json_each(:ids) w
CROSS JOIN resolutions r ON r.project_id = :project_id AND r.event_id = w.value ORDER BY r.at, r.number
"""
_STATUSES: Final = """
SELECT e.id, {status} FROM json_each(:ids) w CROSS JOIN nodes n ON n.project_id = :project_id AND n.id = w.value
JOIN events e ON e.node = n.node
"""
# Few events were declared anything of, or are linked to; of the others the status never changed.
_CHANGED: Final = """
SELECT n.node FROM resolutions r CROSS JOIN nodes n ON n.project_id = r.project_id AND n.id = r.event_id
WHERE r.project_id = :project_id UNION ALL SELECT target FROM event_links
"""
_STATUS_THEN_OF_MANY: Final = f"CASE WHEN e.node IN ({_CHANGED}) THEN {STATUS_THEN} ELSE e.status END"
_NO_REVISION: Final = "a.replaced_by IS NULL"
#: Instead of `rows.CURRENT`.
_CURRENT_OR_LINKED: Final = f"""
({{current}} OR EXISTS (
    SELECT 1 FROM event_links l JOIN evidence s ON s.event = l.source JOIN artifacts w ON w.item = s.item
    WHERE l.target = e.node AND w.replaced_by IS NULL
)) AND {LISTED}
"""
# A plus keeps SQLite from its index of the ledger.
_FOUND: Final = """
FROM events e {joined} WHERE {plus}e.project_id = :project_id AND {plus}e.category = :category {conditions}
    AND {passing}
"""
# Read once: what is not sure enough, and what is stale, is counted with what is listed.
_COUNTS: Final = """
SELECT count(*) FILTER (WHERE is_sure AND is_asked), count(*) FILTER (WHERE NOT is_sure AND is_asked),
    count(*) FILTER (WHERE is_sure AND NOT is_asked)
FROM (SELECT {is_sure} AS is_sure, {is_asked} AS is_asked {found})
"""
_RESTS_ON_ITEMS: Final = """
EXISTS (SELECT 1 FROM evidence v JOIN artifacts a ON a.item = v.item WHERE v.event = e.node AND {passing})
"""
# Without filters nearly all events pass: only those are looked for that don't.
_NOT_PASSING: Final = f"""
e.node NOT IN (
    SELECT e.node FROM ({NOT_CURRENT}) g CROSS JOIN evidence h ON h.item = g.item
    CROSS JOIN events e ON e.node = h.event WHERE NOT {_RESTS_ON_ITEMS})
"""
# The same of many as of a day: of nearly all the time of their earliest item, and their status now, tell all.
_PASSING_THEN: Final = f"""
e.since <= :as_of_last AND CASE WHEN e.since > :as_of_first OR e.node IN (
    {_CHANGED} UNION ALL SELECT h.event FROM ({NOT_CURRENT}) g CROSS JOIN evidence h ON h.item = g.item
) THEN {{status_then}} AND {_RESTS_ON_ITEMS} ELSE {{status}} END
"""
# By the status that each has now, in the order of the index of the ledger: without it events are read one by one.
_WITH_STATUS_NOW: Final = """
SELECT * FROM (
    SELECT e.id, e.event_time {found} AND e.status = '{status}' ORDER BY {newest} LIMIT :limit + :offset)
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
AND e.node IN (SELECT p.event FROM json_each(:actors) w
    CROSS JOIN nodes n ON n.project_id = :project_id AND n.id = w.value
    CROSS JOIN participants p ON p.entity = n.node AND p.relation = 'ACTED_IN' {owners})
"""
_OWNERS: Final = """
AND (p.role = 'owner' OR p.role = 'contributor' AND NOT EXISTS (
    SELECT 1 FROM participants o WHERE o.event = p.event AND o.role = 'owner'))
"""
_RECEIVED: Final = """
AND e.node IN (SELECT p.event FROM json_each(:recipients) w
    CROSS JOIN nodes n ON n.project_id = :project_id AND n.id = w.value
    CROSS JOIN participants p ON p.entity = n.node AND p.role = 'recipient')
"""
#: Events of so many participants are read one by one; of more it is faster to go through the ledger.
_FEW: Final = 2_000
_PARTS: Final = """
SELECT count(*) FROM (SELECT 1 FROM json_each(:people) w
    CROSS JOIN nodes n ON n.project_id = :project_id AND n.id = w.value
    CROSS JOIN participants p ON p.entity = n.node LIMIT :most)
"""
_MOMENTS: Final = {
    "date_from": since("e.event_time", "e.time_offset", "ledger_date_from"),
    "date_to": until("e.event_time", "e.time_offset", "ledger_date_to"),
    "due_before": f"""
        ({before("e.due", "e.due_offset", "ledger_due_before")} OR :weekly <> '[]' AND e.due IS NULL AND EXISTS (
            SELECT 1 FROM evidence w, json_each(:weekly) said
            WHERE w.event = e.node AND instr(lower(w.quote), said.value)))
    """,
}
_STALE: Final = f"""
CASE WHEN e.due IS NOT NULL THEN {before("e.due", "e.due_offset", "ledger_stale_before")}
    ELSE {before("e.event_time", "e.time_offset", "ledger_stale_before")} END
"""
_NEWEST: Final = "e.event_time DESC, e.id"
_SOONEST: Final = "e.due IS NULL, e.due, e.id"


class SqliteLedger:
    """Fulfils `graph.protocols.knowledge.Ledger`."""

    _database: Database

    def similar_events(
        self, project_id: str, searches: Sequence[EventSearch], limit: int, most_read: int | None = None
    ) -> list[list[str]]:
        with self._database.reading() as connection:
            count = cache(partial(_num_postings, connection, project_id))
            counted = [[(count(one), one) for one in map(term, ledger_stems(search.text))] for search in searches]
            asked: Parameters = {"project_id": project_id, "limit": limit, "most_read": fair_share(counted, most_read)}
            return [_like(connection, search, of_it, asked) for search, of_it in zip(searches, counted, strict=True)]

    def statuses(self, project_id: str, event_ids: Sequence[str], filters: Filters) -> dict[str, EventStatus]:
        parameters: Parameters = {"project_id": project_id, "ids": id_list(event_ids)}
        status = _status(filters, parameters, STATUS_THEN)
        with self._database.reading() as connection:
            rows = connection.execute(_STATUSES.format(status=status), parameters).fetchall()
        return {id_: status for id_, status in rows if status is not None}

    def ledger_page(self, project_id: str, query: LedgerQuery, limit: int, offset: int = 0) -> LedgerPage:
        with self._database.reading() as connection:
            of_few = _take_part_in_few(connection, project_id, query)
            topic, counts, page, parameters = _statements(project_id, query, of_few=of_few)
            total, held_back, stale = connection.execute(f"{topic} {counts}", parameters).fetchone()
            rows = []
            if limit and total > offset:
                paged = parameters | {"limit": limit, "offset": offset}
                rows = connection.execute(f"{topic} {page}", paged).fetchall()
        return LedgerPage([row[0] for row in rows], total, held_back, stale if query.stale is False else 0)


class SqliteLedgerWriter(SqliteProjectWriter, LedgerWriter):
    """Fulfils `graph.writers.knowledge_writer.LedgerWriter`."""

    def links(self, event_ids: Sequence[str]) -> list[EventLink]:
        rows = self._connection.execute(_LINKS, {"nodes": json.dumps(list(self._nodes(event_ids).values()))})
        return [EventLink(*row) for row in rows]

    def origins(self, event_ids: Sequence[str]) -> dict[str, Origin]:
        rows = self._connection.execute(_ORIGINS, self._asked(event_ids))
        return {row[0]: Origin(row[1], from_microseconds(row[2], row[3]), *row[4:]) for row in rows}

    def resolutions(self, event_ids: Sequence[str]) -> dict[str, list[Resolution]]:
        found: dict[str, list[Resolution]] = {}
        for id_, status, moment, note in self._connection.execute(_RESOLUTIONS, self._asked(event_ids)):
            found.setdefault(id_, []).append(Resolution(id_, status, from_microseconds(moment), note))
        return found

    def drop_resolutions(self, artifact_ids: Sequence[str]) -> None:
        for id_ in artifact_ids:
            for sql in (_GIVE_TO_OTHERS, _DROP_RESOLUTIONS):
                self._connection.execute(sql, {"project_id": self.project_id, "id": id_})

    def _stored_events(self, event_ids: Iterable[str]) -> set[str]:
        return set(self._nodes(event_ids))

    def _link(self, links: Iterable[EventLink]) -> None:
        self._connection.executemany(_LINK, [asdict(link) | {"project_id": self.project_id} for link in links])

    def _unlink(self, links: Iterable[EventLink]) -> None:
        self._connection.executemany(_UNLINK, [asdict(link) | {"project_id": self.project_id} for link in links])

    def _insert_resolution(self, resolution: Resolution, artifact_id: str) -> None:
        given = asdict(resolution) | {"at": to_microseconds(resolution.at)}
        place = {"project_id": self.project_id, "artifact_id": artifact_id}
        self._connection.execute(_RESOLVE, given | place)

    def _refresh_statuses(self, event_ids: Iterable[str]) -> None:
        refresh_statuses(self._connection, self._nodes(event_ids).values())

    def _nodes(self, event_ids: Iterable[str]) -> dict[str, int]:
        return dict(self._connection.execute(_NODES, self._asked(event_ids)).fetchall())

    def _asked(self, event_ids: Iterable[str]) -> Parameters:
        return {"project_id": self.project_id, "ids": id_list(list(dict.fromkeys(event_ids)))}


def _num_postings(connection: sqlite3.Connection, project_id: str, number: int) -> int:
    return int(connection.execute(_POSTINGS, (project_id, number, MOST_READ)).fetchone()[0])


def _like(
    connection: sqlite3.Connection, search: EventSearch, counted: Sequence[tuple[int, int]], asked: Parameters
) -> list[str]:
    parameters = asked | {
        "weights": json.dumps(rarest_stems(counted, asked["most_read"])),
        "event_id": search.event_id,
        "categories": json.dumps(search.categories),
    }
    return [row[0] for row in connection.execute(_LIKE, parameters)]


def _status(filters: Filters, parameters: Parameters, then: str = _STATUS_THEN_OF_MANY) -> str:
    """Return the status of an event `e` as SQL."""
    if filters.as_of is None:
        return "e.status"
    parameters |= bounds_of("as_of", filters.as_of)
    return then


def _take_part_in_few(connection: sqlite3.Connection, project_id: str, query: LedgerQuery) -> bool:
    """Whether the people that a query is about, if any, take part in few events."""
    if query.actors is None and query.recipients is None:
        return False
    people = id_list([*(query.actors or ()), *(query.recipients or ())])
    asked = {"project_id": project_id, "people": people, "most": _FEW + 1}
    return int(connection.execute(_PARTS, asked).fetchone()[0]) <= _FEW


def _statements(project_id: str, query: LedgerQuery, *, of_few: bool) -> tuple[str, str, str, Parameters]:
    """Return what finds the events of a topic, then what counts events and what reads a page, and the parameters."""
    topic, found, parameters = _found(project_id, query, of_few=of_few)
    is_sure, is_asked = _listed(query, parameters)
    best = "topic.shared DESC, " if query.words or query.about else ""
    order = f"{best}{_SOONEST if query.by_due else _NEWEST}"
    counts = _COUNTS.format(found=found, is_sure=is_sure, is_asked=is_asked)
    listed = f"{found} AND {is_sure} AND {is_asked}"
    if query.filters.as_of is not None and query.statuses and order == _NEWEST and not of_few:
        each = (_WITH_STATUS_NOW.format(found=listed, status=one, newest=_NEWEST) for one in get_args(EventStatus))
        listed = f"FROM ({' UNION ALL '.join(each)}) e"
    return topic, counts, f"SELECT e.id {listed} ORDER BY {order} LIMIT :limit OFFSET :offset", parameters


def _listed(query: LedgerQuery, parameters: Parameters) -> tuple[str, str]:
    """Return the conditions that an event is sure enough, and stale or not as asked for."""
    parameters["min_confidence"] = query.min_confidence
    is_sure = "e.confidence >= :min_confidence" if query.min_confidence else "1"
    if query.stale is None or query.stale_before is None:
        return is_sure, "1"
    parameters |= bounds_of("ledger_stale_before", query.stale_before)
    sign = "" if query.stale else "NOT "
    return is_sure, f"{sign}coalesce({_STALE} AND {_status(query.filters, parameters)} = 'open', 0)"


def _found(project_id: str, query: LedgerQuery, *, of_few: bool) -> tuple[str, str, Parameters]:
    """Return what comes before and after what is selected of all that match but for `_listed`, and the parameters.

    Those `of_few` are found by who takes part in them.
    """
    current = _NO_REVISION if query.filters.as_of is None else CURRENT_THEN.format(item="a")
    condition, parameters = filter_condition(
        project_id, query.filters, among=_CURRENT_OR_LINKED.format(current=current)
    )
    parameters |= {"category": query.category, "weekly": json.dumps(query.weekly)}
    parameters["statuses"] = json.dumps(query.statuses)
    conditions: list[str] = []
    has_topic = bool(query.words or query.about)
    if query.statuses and query.filters.as_of is not None and not has_topic:
        conditions.append("AND e.status IS NOT NULL")  # as each has: the index of the ledger can be read
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
    if has_topic:
        wanted = [term(stem) for stem in ledger_stems(" ".join(query.words))]
        shared = {"terms": json.dumps(wanted), "num_terms": len(wanted), "shared": query.shared}
        parameters |= shared | {"about": id_list(query.about)}
    joined = "JOIN topic ON topic.event = e.node" if has_topic else ""
    passing = _passing(query, condition, of_few=of_few)
    plus = "+" if of_few else ""
    found = _FOUND.format(plus=plus, joined=joined, conditions=" ".join(conditions), passing=passing)
    return _TOPIC if has_topic else "", found, parameters


def _passing(query: LedgerQuery, condition: str, *, of_few: bool) -> str:
    """Return the condition that an event has a status asked for, and rests on items of which this one is true."""
    at, as_of = query.filters.at, query.filters.as_of
    asked = "{} IN (SELECT value FROM json_each(:statuses))" if query.statuses else "1"
    status, then = asked.format("e.status"), asked.format(STATUS_THEN)
    if as_of is not None and not of_few and query.filters == Filters(at=at, as_of=as_of):
        return _PASSING_THEN.format(status=status, status_then=then, passing=condition)
    rests = _NOT_PASSING if query.filters == Filters(at=at) else _RESTS_ON_ITEMS
    return f"{status if as_of is None else then} AND {rests.format(passing=condition)}"
