"""`KnowledgeGraph` on SQLite: entities, events, and capped steps between them."""

import json
import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, Literal

from core.filters import Filters
from core.knowledge.findings import Category, Entity, Event, Link, normalise_name
from core.records import Scored
from graph.sqlite_store import history
from graph.sqlite_store.database.connection import Database
from graph.sqlite_store.database.rows import (
    CURRENT,
    NAMED,
    NEWEST,
    Parameters,
    as_events,
    current,
    filter_condition,
    id_list,
)

_IDS: Final = "(SELECT value FROM json_each(:ids))"
_ENTITIES: Final = """
SELECT n.id, e.name, e.type, e.aliases, e.role, e.organization, e.mention_count
FROM nodes n JOIN entities e ON e.node = n.node
"""
_NAMED: Final = """
SELECT DISTINCT x.normalised, n.id, e.name, e.type, e.aliases, e.role, e.organization, e.mention_count
FROM {names} j CROSS JOIN names x ON x.project_id = :project_id AND x.normalised = j.value
CROSS JOIN nodes n ON n.node = x.entity CROSS JOIN entities e ON e.node = n.node
ORDER BY e.mention_count DESC, e.name, n.id
"""
_NAMED_SO: Final = _NAMED.format(names="(SELECT :name AS value)")
_ALL_NAMED: Final = _NAMED.format(names="json_each(:names)")
_CALLED_LIKE: Final = f"""
{_ENTITIES} WHERE n.node IN (
    SELECT entity FROM names WHERE project_id = :project_id
        AND (substr(normalised, 1, length(:text)) = :text OR instr(normalised, ' ' || :text))
) ORDER BY e.mention_count DESC, e.name, n.id LIMIT :limit
"""
_MOST_MENTIONED: Final = """
SELECT n.id, e.name, e.type, e.aliases, e.role, e.organization, e.mention_count
FROM entities e CROSS JOIN nodes n ON n.node = e.node
WHERE e.project_id = :project_id ORDER BY e.mention_count DESC, e.name, n.id LIMIT :limit
"""
_ENTITIES_OF: Final = f"""
WITH mentioned AS (
    SELECT m.entity, count(*) AS times FROM artifacts a JOIN mentions m ON m.item = a.item
    WHERE a.project_id = :project_id AND a.id IN {_IDS} GROUP BY m.entity
)
{_ENTITIES} JOIN mentioned ON mentioned.entity = n.node ORDER BY mentioned.times DESC, e.name, n.id LIMIT :limit
"""
_MENTIONED: Final = f"""
SELECT DISTINCT a.id, n.id FROM artifacts a JOIN mentions m ON m.item = a.item JOIN nodes n ON n.node = m.entity
WHERE a.project_id = :project_id AND a.id IN {_IDS} ORDER BY a.id, n.id
"""
_NODE_IDS: Final[dict[str, str]] = {
    kind: f"""
SELECT n.id FROM nodes n JOIN {table} t ON t.node = n.node
WHERE n.project_id = :project_id AND n.id > :after AND EXISTS (
    SELECT 1 FROM {witnesses} w JOIN artifacts a ON a.item = w.item WHERE w.{kind} = n.node AND {CURRENT})
ORDER BY n.id LIMIT :limit
"""
    for kind, table, witnesses in (("entity", "entities", "claims"), ("event", "events", "evidence"))
}
_EVENTS: Final = """
SELECT e.node, e.id, e.category, e.summary, e.confidence, e.event_time, e.due, e.status, e.origin, e.bears_on,
    e.time_offset, e.due_offset
FROM json_each(:nodes) wanted CROSS JOIN events e ON e.node = wanted.value
ORDER BY wanted.key
"""
_PARTICIPANTS: Final = """
SELECT p.event, n.id, p.relation, e.name, p.role, p.original FROM json_each(:nodes) wanted
CROSS JOIN participants p ON p.event = wanted.value JOIN nodes n ON n.node = p.entity
JOIN entities e ON e.node = p.entity ORDER BY p.event, p.position
"""
_EVIDENCE: Final = """
SELECT v.event, a.id, v.quote, v.start_char, v.end_char FROM json_each(:nodes) wanted
CROSS JOIN evidence v ON v.event = wanted.value JOIN artifacts a ON a.item = v.item ORDER BY v.event, v.position
"""
_EVENTS_OF: Final = f"""
SELECT id, event FROM (
    SELECT a.id, v.event, row_number() OVER (
        PARTITION BY a.item ORDER BY e.confidence DESC, min(v.start_char), min(v.end_char), e.id
    ) AS place
    FROM {NAMED} CROSS JOIN evidence v ON v.item = a.item CROSS JOIN events e ON e.node = v.event
    WHERE a.project_id = :project_id GROUP BY a.item, v.event
) WHERE place <= :limit ORDER BY id, place
"""
_LIST: Final = """
SELECT e.node FROM events e WHERE e.project_id = :project_id
    AND e.category IN (SELECT value FROM json_each(:categories))
    AND EXISTS (SELECT 1 FROM evidence v JOIN artifacts a ON a.item = v.item WHERE v.event = e.node AND {condition})
ORDER BY e.event_time DESC, e.id LIMIT :limit OFFSET :offset
"""
# A chunk mentions an entity if the name begins in it: overlapping chunks may both do, two as a rule. Only the last that
# begin before it are looked at, since who is named all through a long text is named in thousands of its chunks.
_MENTIONING: Final = """
m.start_char < c.end_char AND c.id IN (
    SELECT id FROM chunks WHERE item = m.item AND start_char <= m.start_char ORDER BY start_char DESC LIMIT 8)
"""
_MENTIONS: Final = f"""
SELECT a.id, c.position, count(DISTINCT m.entity) AS entities
FROM nodes n JOIN mentions m ON m.entity = n.node JOIN artifacts a ON a.item = m.item
CROSS JOIN chunks c ON {_MENTIONING}
WHERE n.project_id = :project_id AND n.id IN (SELECT value FROM json_each(:ids)) AND {{condition}}
GROUP BY c.id ORDER BY entities DESC, {NEWEST}, c.position LIMIT :limit
"""
#: How many mentions an entity has, and chunks its project.
_MENTIONED_TIMES: Final = """
SELECT e.node, e.mention_count, p.num_chunks FROM nodes n JOIN entities e ON e.node = n.node
JOIN projects p ON p.project_id = n.project_id WHERE n.project_id = :project_id AND n.id = :id
"""
#: The same of one entity, in some items.
_MENTIONS_IN: Final = f"""
SELECT a.id, c.position, 1 FROM (
    SELECT a.item, a.id, a.happened_at, a.created_at FROM {{items}} WHERE {{condition}} ORDER BY {NEWEST} LIMIT :items
) a
CROSS JOIN mentions m ON m.item = a.item AND m.entity = :entity
CROSS JOIN chunks c ON {_MENTIONING}
GROUP BY c.id ORDER BY {NEWEST}, c.position LIMIT :limit
"""
_MENTIONING_ITEMS: Final = """
(SELECT DISTINCT item FROM mentions WHERE entity = :entity) m CROSS JOIN artifacts a ON a.item = m.item
"""
#: How many times as many of the newest items are read as have enough mentions if these are spread evenly.
_MARGIN: Final = 2
_NODES: Final = f"SELECT id, node FROM nodes WHERE project_id = :project_id AND id IN {_IDS}"
_STEPS: Final = """
SELECT n.id, s.relation, s.kind, s.weight FROM adjacency s CROSS JOIN nodes n ON n.node = s.target
WHERE s.source = ? {of_kind} ORDER BY s.kind, s.weight DESC LIMIT ?
"""
_EVERY_STEP: Final = _STEPS.format(of_kind="")
_STEPS_OF_KIND: Final = _STEPS.format(of_kind="AND s.kind = ?")


class SqliteKnowledge:
    """Fulfils `graph.protocols.knowledge.KnowledgeGraph`."""

    _database: Database

    def events(self, project_id: str, ids: Sequence[str], *, as_of: datetime | None = None) -> dict[str, Event]:
        with self._database.reading() as connection:
            rows = connection.execute(_NODES, {"project_id": project_id, "ids": id_list(ids)})
            found = _events(connection, [row[1] for row in rows], as_of)
        return {event.id: event for event in found.values()}

    def events_of(
        self, project_id: str, artifact_ids: Sequence[str], limit: int = 50, *, as_of: datetime | None = None
    ) -> dict[str, list[Event]]:
        nodes: dict[str, list[int]] = {id_: [] for id_ in artifact_ids}
        asked = {"project_id": project_id, "ids": id_list(artifact_ids), "limit": limit}
        with self._database.reading() as connection:
            for id_, node in connection.execute(_EVENTS_OF, asked):
                nodes[id_].append(node)
            found = _events(connection, sorted({node for listed in nodes.values() for node in listed}), as_of)
        known = {id_: [found[node] for node in listed if node in found] for id_, listed in nodes.items()}
        return {id_: listed for id_, listed in known.items() if listed}

    def list_events(
        self, project_id: str, categories: Sequence[Category], filters: Filters, limit: int, offset: int = 0
    ) -> list[Event]:
        condition, parameters = filter_condition(project_id, filters)
        parameters |= {"categories": json.dumps(list(categories)), "limit": limit, "offset": offset}
        with self._database.reading() as connection:
            rows = connection.execute(_LIST.format(condition=condition), parameters).fetchall()
            return list(_events(connection, [row[0] for row in rows], filters.as_of).values())

    def entities(
        self, project_id: str, ids: Sequence[str], *, as_of: datetime | None = None, counted: bool = True
    ) -> dict[str, Entity]:
        sql = f"{_ENTITIES} WHERE n.project_id = :project_id AND n.id IN {_IDS}"
        with self._database.reading() as connection:
            if as_of is not None:
                return history.entities(connection, project_id, ids, as_of, counted=counted)
            rows = connection.execute(sql, {"project_id": project_id, "ids": id_list(ids)}).fetchall()
        return {row[0]: _entity(row) for row in rows}

    def entities_of(
        self,
        project_id: str,
        artifact_ids: Sequence[str],
        limit: int,
        *,
        as_of: datetime | None = None,
        counted: bool = True,
    ) -> list[Entity]:
        parameters = {"project_id": project_id, "ids": id_list(artifact_ids), "limit": limit}
        with self._database.reading() as connection:
            if as_of is not None:
                return history.entities_of(connection, project_id, artifact_ids, limit, as_of, counted=counted)
            return [_entity(row) for row in connection.execute(_ENTITIES_OF, parameters)]

    def mentioned_entities(self, project_id: str, artifact_ids: Sequence[str]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        with self._database.reading() as connection:
            for item, entity in connection.execute(
                _MENTIONED, {"project_id": project_id, "ids": id_list(artifact_ids)}
            ):
                found.setdefault(item, []).append(entity)
        return found

    def node_ids(self, project_id: str, kind: Literal["entity", "event"], limit: int, after: str = "") -> list[str]:
        parameters = current(project_id) | {"after": after, "limit": limit}
        with self._database.reading() as connection:
            return [row[0] for row in connection.execute(_NODE_IDS[kind], parameters)]

    def graph_version(self, project_id: str) -> str:
        with self._database.reading() as connection:
            row = connection.execute("SELECT changes FROM projects WHERE project_id = ?", (project_id,)).fetchone()
        return str(row[0]) if row else ""

    def entities_by_name(self, project_id: str, names: Sequence[str]) -> dict[str, list[Entity]]:
        wanted, found = list(dict.fromkeys(map(normalise_name, names))), dict[str, list[Entity]]()
        with self._database.reading() as connection:
            rows = connection.execute(_ALL_NAMED, {"project_id": project_id, "names": id_list(wanted)}).fetchall()
            for name in (name for name in wanted if "\0" in name):  # which an array would cut
                rows += connection.execute(_NAMED_SO, {"project_id": project_id, "name": name})
            for name, *row in rows:
                found.setdefault(name, []).append(_entity(row))
        return {name: found[name] for name in wanted if name in found}

    def entities_by_prefix(self, project_id: str, text: str, limit: int) -> list[Entity]:
        parameters = {"project_id": project_id, "text": normalise_name(text), "limit": limit}
        with self._database.reading() as connection:
            sql = _CALLED_LIKE if parameters["text"] else _MOST_MENTIONED
            return [_entity(row) for row in connection.execute(sql, parameters)]

    def mentions(self, project_id: str, entity_ids: Sequence[str], filters: Filters, limit: int) -> list[Scored]:
        condition, parameters = filter_condition(project_id, filters)
        parameters |= {"ids": id_list(entity_ids), "limit": limit}
        with self._database.reading() as connection:
            rows = _of_one(connection, entity_ids[0], condition, parameters) if len(entity_ids) == 1 else []
            if len(rows) < limit:
                rows = connection.execute(_MENTIONS.format(condition=condition), parameters).fetchall()
        return [Scored(id_, position, float(entities)) for id_, position, entities in rows]

    def links(
        self, project_id: str, ids: Sequence[str], kinds: Sequence[str], limit: int, *, as_of: datetime | None = None
    ) -> list[Link]:
        steps: list[Link] = []
        with self._database.reading() as connection:
            nodes: dict[str, int] = dict(
                connection.execute(_NODES, {"project_id": project_id, "ids": id_list(ids)}).fetchall()
            )
            sources = {id_: nodes[id_] for id_ in ids if id_ in nodes}
            if as_of is not None:
                return list(history.links(connection, project_id, sources, kinds, limit, as_of))
            for source, node in sources.items():
                steps += _steps(connection, source, node, kinds, limit)
        return steps


def _of_one(connection: sqlite3.Connection, id_: str, condition: str, asked: Parameters) -> list[tuple[str, int, int]]:
    """Return the newest mentions of one entity, of no more items than needed; too few if some of these have none.

    None are where no more are stored than are asked for. Where very many items mention it, they are looked for among
    the newest of the project first.
    """
    entity, times, num_chunks = connection.execute(_MENTIONED_TIMES, asked | {"id": id_}).fetchone() or (0, 0, 0)
    if times <= asked["limit"]:
        return []
    ways = [(_MENTIONING_ITEMS, asked["limit"])]
    newest = _MARGIN * asked["limit"] * num_chunks // times
    if condition == CURRENT and newest < times:
        ways.insert(0, ("artifacts a", newest))
    rows: list[tuple[str, int, int]] = []
    for items, number in ways:
        sql = _MENTIONS_IN.format(items=items, condition=condition)
        rows = connection.execute(sql, asked | {"entity": entity, "items": number}).fetchall()
        if len(rows) == asked["limit"]:
            break
    return rows


def _steps(connection: sqlite3.Connection, source: str, node: int, kinds: Sequence[str], limit: int) -> list[Link]:
    """Return up to `limit` links of each kind from a node, which in most cases has no more in all."""
    rows = connection.execute(_EVERY_STEP, (node, limit + 1)).fetchall()
    of_kinds = dict.fromkeys(kinds)
    if len(rows) <= limit:
        found = [row for kind in of_kinds for row in rows if row[2] == kind]
    else:
        found = [row for kind in of_kinds for row in connection.execute(_STEPS_OF_KIND, (node, kind, limit))]
    return [Link(source, *row) for row in found]


def _entity(row: Sequence[Any]) -> Entity:
    id_, name, type_, aliases, role, organization, mention_count = row
    return Entity(id_, name, type_, tuple(json.loads(aliases)), role, organization, mention_count)


def _events(connection: sqlite3.Connection, nodes: Sequence[int], as_of: datetime | None = None) -> dict[int, Event]:
    """Return whole events by their node, in the order given."""
    if as_of is not None:
        return history.events(connection, nodes, as_of)
    wanted = {"nodes": json.dumps(list(nodes))}
    parts, proofs = connection.execute(_PARTICIPANTS, wanted), connection.execute(_EVIDENCE, wanted)
    return as_events(connection.execute(_EVENTS, wanted), parts, proofs)
