"""What was known at a time: names, counts, events and steps without the items that came later."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain, islice
from typing import Any, Final

from core.knowledge.findings import GIVEN, Entity, Event, Link
from core.search import TermStatistics
from graph.sqlite_store.artifact_knowledge import STATUS_THEN
from graph.sqlite_store.database.rows import LATER, THEN, as_events, id_list
from graph.sqlite_store.database.schema import FORETOLD
from graph.text.term_vectors import MOST_COUNTED, counted, estimated, without
from graph.timestamps import MICROSECONDS_A_DAY, bounds_of

#: An item that was there then; what has replaced one since is no part of the past (docs/decisions).
_KNOWN: Final = f"a.replaced_by IS NULL AND {THEN.format('a')}"
_RESTS_ON_KNOWN: Final = f"""
EXISTS (SELECT 1 FROM evidence v JOIN artifacts a ON a.item = v.item WHERE v.event = e.node AND {_KNOWN})
"""
_WAS_NAMED: Final = f"k.entity = {{entity}} AND k.main > 0 AND {THEN.format('k')}"
# As `graph.derivations.main_name` chooses; what a person decided holds for the past, too.
_NAMED: Final = f"""
SELECT coalesce((SELECT given_name FROM entities WHERE node = {{entity}}), k.name) FROM claims k WHERE {_WAS_NAMED}
"""
# Of an entity that never had another name no claims are counted.
_NAME: Final = f"""
CASE WHEN (SELECT min(name) FROM claims WHERE entity = {{entity}}) = (
    SELECT max(name) FROM claims WHERE entity = {{entity}})
THEN ({_NAMED} LIMIT 1)
ELSE ({_NAMED}
    GROUP BY k.name ORDER BY max(k.main) >= {GIVEN} DESC, fullness(k.name) DESC, sum(k.main) DESC,
    length(k.name) DESC, k.name LIMIT 1)
END
"""
_NEWEST: Final = f"""
(SELECT k.{{said}} FROM claims k WHERE k.entity = e.node AND k.{{said}} IS NOT NULL AND {THEN.format("k")}
    ORDER BY k.happened_at DESC, k.item DESC LIMIT 1)
"""
# One probe of the index a name, however many artifacts give it.
_NAMES: Final = f"""
(WITH RECURSIVE given (name) AS (
    SELECT min(name) FROM claims WHERE entity = e.node
    UNION ALL
    SELECT (SELECT min(name) FROM claims WHERE entity = e.node AND name > given.name)
    FROM given WHERE given.name IS NOT NULL
)
SELECT json_group_array(name) FROM given WHERE EXISTS (
    SELECT 1 FROM claims k WHERE k.entity = e.node AND k.name = given.name AND {THEN.format("k")}))
"""
# Claims have the times of their items, and those of one entity lie together, unlike the items.
_MENTION_COUNT: Final = f"""
(SELECT count(*) FROM (SELECT DISTINCT k.item FROM claims k WHERE k.entity = e.node AND {THEN.format("k")}) w
    CROSS JOIN mentions m ON m.entity = e.node AND m.item = w.item
    WHERE w.item NOT IN (SELECT item FROM artifacts WHERE project_id = :project_id AND replaced_by IS NOT NULL))
"""
_ENTITIES: Final = f"""
SELECT n.id, {_NAME.format(entity="e.node")} AS name, e.type, {_NAMES}, {_NEWEST.format(said="role")},
    {_NEWEST.format(said="organization")}, {{mention_count}}
FROM nodes n JOIN entities e ON e.node = n.node
"""
_ENTITIES_BY_ID: Final = f"""
{_ENTITIES} WHERE n.project_id = :project_id AND n.id IN (SELECT value FROM json_each(:ids))
"""
_ENTITIES_OF: Final = f"""
WITH mentioned AS (
    SELECT m.entity, count(*) AS times FROM artifacts a JOIN mentions m ON m.item = a.item
    WHERE a.project_id = :project_id AND a.id IN (SELECT value FROM json_each(:ids)) GROUP BY m.entity
)
{_ENTITIES} JOIN mentioned ON mentioned.entity = n.node ORDER BY mentioned.times DESC, name, n.id LIMIT :limit
"""
_EVENTS: Final = f"""
SELECT e.node, e.id, e.category, e.summary, e.confidence, e.event_time, e.due, {STATUS_THEN},
    e.origin, e.bears_on, e.time_offset, e.due_offset
FROM json_each(:nodes) wanted CROSS JOIN events e ON e.node = wanted.value ORDER BY wanted.key
"""
_PARTICIPANTS: Final = f"""
SELECT p.event, n.id, p.relation, {_NAME.format(entity="p.entity")}, p.role, p.original
FROM json_each(:nodes) wanted CROSS JOIN participants p ON p.event = wanted.value JOIN nodes n ON n.node = p.entity
ORDER BY p.event, p.position
"""
_EVIDENCE: Final = f"""
SELECT v.event, a.id, v.quote, v.start_char, v.end_char FROM json_each(:nodes) wanted
CROSS JOIN evidence v ON v.event = wanted.value JOIN artifacts a ON a.item = v.item AND {THEN.format("a")}
ORDER BY v.event, v.position
"""
# The time of an event's earliest item tells of most that were not known.
_STEPS: Final = f"""
SELECT n.id, s.relation, s.weight FROM adjacency s
CROSS JOIN events e ON e.node = CASE WHEN :is_event THEN s.source ELSE s.target END AND e.since <= :as_of_last
CROSS JOIN nodes n ON n.node = s.target
WHERE s.source = :source AND s.kind = :kind {{bound}} AND {_RESTS_ON_KNOWN}
ORDER BY s.weight DESC LIMIT :limit
"""
_BOUND: Final = "AND s.weight <= :most"
# A hub's newest events are its heaviest: those of later days than `:most` are found by an index of their own.
_STEPS_AHEAD: Final = f"""
SELECT DISTINCT p.entity, e.category, n.id, p.relation, e.weight FROM events e INDEXED BY events_foretold
CROSS JOIN participants p ON p.event = e.node AND p.entity IN (SELECT value FROM json_each(:sources))
CROSS JOIN nodes n ON n.node = e.node
WHERE e.project_id = :project_id AND e.weight > :most AND e.since <= :as_of_last AND e.{FORETOLD} AND {_RESTS_ON_KNOWN}
ORDER BY e.weight DESC, e.node, p.relation
"""
_TOTALS: Final = "SELECT num_chunks, num_terms FROM projects WHERE project_id = :project_id"
_CURRENT: Final = "a.project_id = :project_id AND a.replaced_by IS NULL"
_LATER: Final = f"{_CURRENT} AND {LATER.format('a')}"
_EARLIER: Final = f"{_CURRENT} AND {THEN.format('a')}"
_NUM_ITEMS: Final = "SELECT count(*) FROM (SELECT 1 FROM artifacts a WHERE {condition} LIMIT :most)"
_VECTORS: Final = "SELECT c.terms FROM artifacts a CROSS JOIN chunks c ON c.item = a.item WHERE {condition}"
#: Sorting so many items by id takes a few milliseconds.
_FEW: Final = 4_000
# As in `graph.sqlite_store.search`: by id, a digest, and of a long document each eighth chunk.
_SAMPLE: Final = f"""
SELECT {THEN.format("a")}, c.terms FROM artifacts a CROSS JOIN chunks c ON c.item = a.item
WHERE {_CURRENT} AND c.position % 8 = 0 ORDER BY a.id, c.position LIMIT :most
"""


def entities(
    connection: sqlite3.Connection, project_id: str, ids: Sequence[str], as_of: datetime, *, counted: bool
) -> dict[str, Entity]:
    """Return the entities that were named by then, under the names they had."""
    parameters = {"project_id": project_id, "ids": id_list(ids), **bounds_of("as_of", as_of)}
    rows = connection.execute(_ENTITIES_BY_ID.format(mention_count=_MENTION_COUNT if counted else "0"), parameters)
    return {row[0]: _entity(row) for row in rows if row[1] is not None}


def entities_of(
    connection: sqlite3.Connection,
    project_id: str,
    artifact_ids: Sequence[str],
    limit: int,
    as_of: datetime,
    *,
    counted: bool,
) -> list[Entity]:
    """Return the entities that artifacts mention, most mentioned in them first, ties by the name of then."""
    parameters = {
        "project_id": project_id,
        "ids": id_list(artifact_ids),
        "limit": limit,
        **bounds_of("as_of", as_of),
    }
    rows = connection.execute(_ENTITIES_OF.format(mention_count=_MENTION_COUNT if counted else "0"), parameters)
    return [_entity(row) for row in rows if row[1] is not None]


def events(connection: sqlite3.Connection, nodes: Sequence[int], as_of: datetime) -> dict[int, Event]:
    """Return by their node those of the events that rest on an item of then, with that evidence and the status then."""
    wanted = {"nodes": json.dumps(list(nodes)), **bounds_of("as_of", as_of)}
    parts, proofs = connection.execute(_PARTICIPANTS, wanted), connection.execute(_EVIDENCE, wanted)
    found = as_events(connection.execute(_EVENTS, wanted), parts, proofs)
    return {node: event for node, event in found.items() if event.evidence}


def links(
    connection: sqlite3.Connection,
    project_id: str,
    sources: Mapping[str, int],
    kinds: Sequence[str],
    limit: int,
    as_of: datetime,
) -> Iterator[Link]:
    """Yield the heaviest steps of nodes, numbers by id, over events with evidence in a current item of then."""
    moments = bounds_of("as_of", as_of)
    asked = {
        "project_id": project_id,
        "most": (moments["as_of_last"] or 0) / MICROSECONDS_A_DAY + 1,
        "limit": limit,
        **moments,
    }
    ahead = defaultdict[tuple[int, str], list[tuple[str, str, float]]](list)
    entities = [node for id_, node in sources.items() if not id_.startswith("evt_")]
    if entities:
        rows = connection.execute(_STEPS_AHEAD, asked | {"sources": json.dumps(entities)})
        for entity, kind, target, relation, weight in rows:
            ahead[entity, kind].append((target, relation, weight))
    for id_, node in sources.items():
        is_event = id_.startswith("evt_")
        sql = _STEPS.format(bound="" if is_event else _BOUND)
        for kind in dict.fromkeys(kinds):
            rows = connection.execute(sql, asked | {"source": node, "kind": kind, "is_event": is_event})
            for target, relation, weight in islice(chain(ahead[node, kind], rows), limit):
                yield Link(id_, target, relation, kind, weight)


def term_statistics(
    connection: sqlite3.Connection, project_id: str, terms: Sequence[int], num_with: Mapping[int, int], as_of: datetime
) -> TermStatistics:
    """Return how common terms were, from how common they are (`num_with`) or from nothing, whichever is nearer.

    The chunks of the items on one side of that time are counted one by one, or of very many estimated from a sample.
    """
    parameters = {"project_id": project_id, "most": MOST_COUNTED + 1, **bounds_of("as_of", as_of)}
    later, earlier = (
        connection.execute(_NUM_ITEMS.format(condition=condition), parameters).fetchone()[0]
        for condition in (_LATER, _EARLIER)
    )
    totals = connection.execute(_TOTALS, parameters).fetchone() or (0, 0)
    if min(later, earlier) > MOST_COUNTED:
        return estimated(terms, totals, num_with, connection.execute(_SAMPLE, parameters).fetchall())
    condition = _LATER if later < earlier else _EARLIER
    vectors = [row[0] for row in connection.execute(_VECTORS.format(condition=condition), parameters)]
    if condition == _EARLIER:
        return counted(terms, vectors)
    return without(terms, totals, num_with, vectors)


def are_few(connection: sqlite3.Connection, project_id: str, as_of: datetime) -> bool:
    """Whether so few items were there that they are found by their time sooner than among all."""
    parameters = {"project_id": project_id, "most": _FEW, **bounds_of("as_of", as_of)}
    (number,) = connection.execute(_NUM_ITEMS.format(condition=_EARLIER), parameters).fetchone()
    return bool(number < _FEW)


def _entity(row: Sequence[Any]) -> Entity:
    id_, name, type_, names, role, organization, mention_count = row
    aliases = tuple(other for other in json.loads(names) if other != name)
    return Entity(id_, name, type_, aliases, role, organization, mention_count)
