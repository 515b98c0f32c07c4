"""Writing and removing the knowledge of an artifact on SQLite, with statuses and repeated sentences.

Runs inside one transaction.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final

from core.knowledge.findings import (
    FIRST_STATUS,
    IN_TEXT,
    Entity,
    EntityType,
    Event,
    Evidence,
    Knowledge,
    normalise_name,
)
from core.knowledge.identities import MergeDecision, MergeDecisions
from core.knowledge.ledger import LEDGER_CATEGORIES, LINKED_STATUS
from graph.derivations import (
    ENTITY_WEIGHT,
    NameUse,
    assigned_entities,
    event_weight,
    main_name,
    missing_entity,
    missing_source,
    summaries_of,
    without_dismissed,
)
from graph.protocols.knowledge import SentenceHash
from graph.sqlite_store.administration import SqliteProjectWriter
from graph.sqlite_store.database.rows import LATER, PROJECT_BITS, THEN, by_column, id_list
from graph.text.term_vectors import term
from graph.text.tokens import event_text, ledger_stems
from graph.timestamps import from_microseconds, offset_of, to_microseconds
from graph.writers.item_writer import DuplicateSentenceWriter, SentenceOrigin, SentenceSource

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


_FIND: Final = """
SELECT item, happened_at, expires_at IS NOT NULL FROM artifacts WHERE project_id = ? AND id = ? AND replaced_by IS NULL
"""
_SAYINGS: Final = "SELECT hash, since, first FROM sayings WHERE item = ?"
#: The revisions of an item that have sayings left, or that a current item echoes: those replaced since it was last
#: extracted.
_FORMER: Final = """
WITH RECURSIVE former (item, id) AS (
    SELECT item, id FROM artifacts WHERE project_id = :project_id AND replaced_by = :id
    UNION
    SELECT a.item, a.id FROM former JOIN artifacts a ON a.project_id = :project_id AND a.replaced_by = former.id
)
SELECT item, id FROM former WHERE EXISTS (SELECT 1 FROM sayings s WHERE s.item = former.item)
    OR EXISTS (SELECT 1 FROM echoes e JOIN artifacts a ON a.item = e.item AND a.replaced_by IS NULL
        WHERE e.origin = former.item)
"""
_DROP: Final = "DELETE FROM sayings WHERE item = ?"
_PUT: Final = "INSERT OR IGNORE INTO sayings (project, hash, since, first, item) VALUES (?, ?, ?, ?, ?)"
_ECHOING: Final = """
SELECT DISTINCT a.id, a.num_chunks FROM json_each(?) o CROSS JOIN echoes e ON e.origin = o.value CROSS JOIN artifacts a
    ON a.item = e.item AND a.replaced_by IS NULL
"""
# In the order of the key; callers stop reading at what is enough.
_WHO_SAID: Final = """
SELECT s.since, s.first, s.item, a.id FROM sayings s CROSS JOIN artifacts a ON a.item = s.item
WHERE s.project = ? AND s.hash = ? AND a.replaced_by IS NULL AND a.expires_at IS NULL ORDER BY s.since, s.first, s.item
"""
#: The sayings that an item shares with others: most are unique.
_SHARED: Final = """
SELECT o.hash, o.since, o.first FROM sayings o WHERE o.item = ? AND EXISTS (
    SELECT 1 FROM sayings s WHERE s.project = o.project AND s.hash = o.hash AND s.item <> o.item)
"""
_LINK: Final = """
INSERT OR IGNORE INTO echoes (item, origin) SELECT :item, o.item FROM json_each(:ids) w
CROSS JOIN artifacts o ON o.project_id = :project_id AND o.id = w.value WHERE o.item <> :item
"""


class SqliteDuplicateSentenceWriter(SqliteProjectWriter, DuplicateSentenceWriter):
    """Fulfils `graph.writers.item_writer.DuplicateSentenceWriter`."""

    def _sentence_source(self, artifact_id: str) -> SentenceSource | None:
        for item, moment, expires in self._connection.execute(_FIND, (self.project_id, artifact_id)).fetchall():
            return SentenceSource(moment, item, bool(expires), self._sentences(item))
        return None

    def _former_sentences(self, artifact_id: str) -> dict[str, Sequence[SentenceOrigin]]:
        rows = self._connection.execute(_FORMER, {"project_id": self.project_id, "id": artifact_id}).fetchall()
        return {id_: self._sentences(item) for item, id_ in rows}

    def _sentences(self, item: int) -> list[SentenceOrigin]:
        return self._connection.execute(_SAYINGS, (item,)).fetchall()

    def _put_sentences(self, artifact_id: str, sentences: Sequence[tuple[SentenceHash, int, int | None]]) -> None:
        item = self.item(artifact_id)
        rows = [(item >> PROJECT_BITS, sentence, since, first or item, item) for sentence, since, first in sentences]
        self._connection.executemany(_PUT, rows)

    def _drop_sentences(self, artifact_ids: Sequence[str]) -> None:
        self._connection.executemany(_DROP, [(item,) for item in self.items(artifact_ids)])

    def _later_duplicates(self, artifact_id: str, sentences: Sequence[SentenceOrigin]) -> list[str]:  # noqa: ARG002
        # Read again: of most sentences there is no duplicate, which one statement tells.
        return list(_followers(self._connection, self.item(artifact_id)))

    def _duplicates(self, artifact_ids: Sequence[str]) -> dict[str, int]:
        return dict(self._connection.execute(_ECHOING, (str(self.items(artifact_ids)),)).fetchall())

    def _earlier(self, artifact_id: str, limit: int) -> Iterator[tuple[int, int, str, SentenceHash]]:
        item = 0 if (source := self._sentence_source(artifact_id)) is None else source.number
        for hash_, since, first in self._connection.execute(_SHARED, (item,)).fetchall():
            left = limit
            for other_since, other_first, _, id_ in self._connection.execute(_WHO_SAID, (item >> PROJECT_BITS, hash_)):
                if left == 0 or (other_since, other_first) >= (since, first):
                    break
                yield other_since, other_first, id_, hash_
                left -= 1

    def link_echoes(self, artifact_id: str, origins: Sequence[str]) -> None:
        if (source := self._sentence_source(artifact_id)) is not None:
            self._connection.execute("DELETE FROM echoes WHERE item = ?", (source.number,))
            asked = {"project_id": self.project_id, "item": source.number, "ids": id_list(origins)}
            self._connection.execute(_LINK, asked)


def _followers(connection: sqlite3.Connection, item: int) -> Iterator[str]:
    """Yield the current items that said later what this one said first."""
    for hash_, since, first in connection.execute(_SHARED, (item,)).fetchall():
        for other_since, other_first, other, id_ in connection.execute(_WHO_SAID, (item >> PROJECT_BITS, hash_)):
            if other != item and (other_since, other_first) < (since, first):
                break
            if other != item:
                yield id_


_DECISIONS: Final = """
SELECT id, kind, one, other, at, by, note, name_hash, artifact_id, undone_at, undone_by, name
FROM verdicts WHERE project_id = ? ORDER BY number
"""
_COUNT_MENTIONS: Final = """
UPDATE entities SET mention_count = mention_count
    + :sign * (SELECT count(*) FROM mentions m WHERE m.item = :item AND m.entity = entities.node)
WHERE node IN (SELECT entity FROM mentions WHERE item = :item)
"""
_CLAIM: Final = """
INSERT OR IGNORE INTO claims (entity, name, item, main, happened_at, utc_offset, role, organization, original, type,
    reason)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_PUT_ENTITY: Final = """
INSERT INTO entities (node, project_id, type) VALUES (?, ?, ?) ON CONFLICT (node) DO NOTHING
"""
# Names are in a range of claims; a name may be decided on of the entity or of one that is merged into it, the latest
# decision holds.
_DERIVED: Final = """
SELECT (SELECT min(name) FROM claims WHERE entity = :entity), (SELECT max(name) FROM claims WHERE entity = :entity),
    (SELECT v.name FROM nodes n JOIN verdicts v ON v.project_id = n.project_id
        WHERE n.node = :entity AND v.kind = 'name' AND v.undone_at IS NULL AND v.one IN (
            SELECT n.id UNION ALL SELECT original FROM claims WHERE entity = :entity AND original <> '')
        ORDER BY v.number DESC LIMIT 1),
    (SELECT role FROM claims WHERE entity = :entity AND role IS NOT NULL
        ORDER BY happened_at DESC, item DESC LIMIT 1),
    (SELECT organization FROM claims WHERE entity = :entity AND organization IS NOT NULL
        ORDER BY happened_at DESC, item DESC LIMIT 1)
"""
_STORED_ENTITY: Final = """
SELECT project_id, name, aliases, role, organization, given_name FROM entities WHERE node = ?
"""
_USED_NAMES: Final = "SELECT name, sum(main), max(main) FROM claims WHERE entity = ? GROUP BY name ORDER BY name"
_PUT_EVENT: Final = """
INSERT INTO events (node, project_id, id, category, summary, confidence, event_time, due, first_status, weight, origin,
    bears_on, time_offset, due_offset)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (node) DO UPDATE SET category = excluded.category, summary = excluded.summary,
    confidence = excluded.confidence, event_time = excluded.event_time, due = excluded.due,
    first_status = excluded.first_status, weight = excluded.weight, origin = excluded.origin,
    bears_on = excluded.bears_on, time_offset = excluded.time_offset, due_offset = excluded.due_offset
"""
# None for an event with evidence in revisions only: it would take the place of others under a hub's cap.
_ADD_STEPS: Final = """
WITH parts (event, category, weight, entity, type, relation) AS (
    SELECT e.node, e.category, e.weight, p.entity, n.type, p.relation
    FROM events e JOIN participants p ON p.event = e.node JOIN entities n ON n.node = p.entity
    WHERE e.node = :event AND EXISTS (
        SELECT 1 FROM evidence v JOIN artifacts a ON a.item = v.item WHERE v.event = :event AND a.replaced_by IS NULL)
)
INSERT OR IGNORE INTO adjacency (source, kind, weight, target, relation)
SELECT event, type, :entity_weight, entity, relation FROM parts
UNION ALL SELECT entity, category, weight, event, relation FROM parts
"""
_STEPS_TO: Final = """
SELECT p.entity, e.category, e.weight, e.node, p.relation
FROM participants p JOIN events e ON e.node = p.event WHERE p.event = ?
"""
# By its whole key: `IN` would read through all steps of a hub.
_DROP_STEP: Final = """
DELETE FROM adjacency WHERE source = ? AND kind = ? AND weight = ? AND target = ? AND relation = ?
"""
_SUMMARIES: Final = """
SELECT DISTINCT e.summary FROM evidence v JOIN events e ON e.node = v.event WHERE v.item = ?
"""
_CALLED: Final = "SELECT key, given FROM artifacts WHERE item = ?"
_EVENTS_OF: Final = "SELECT DISTINCT event FROM evidence WHERE item = ?"
_TOUCHED: Final = """
SELECT entity FROM claims WHERE item = ?
UNION SELECT entity FROM participants WHERE event IN (SELECT event FROM evidence WHERE item = ?)
"""
_HAS_KNOWLEDGE: Final = """
SELECT EXISTS (SELECT 1 FROM claims WHERE item = :item) OR EXISTS (SELECT 1 FROM mentions WHERE item = :item)
    OR EXISTS (SELECT 1 FROM evidence WHERE item = :item)
"""
_OTHER_EVIDENCE: Final = """
SELECT a.id, v.quote, v.start_char, v.end_char FROM evidence v JOIN artifacts a ON a.item = v.item
WHERE v.event = ? ORDER BY v.position
"""


def replace_knowledge(connection: sqlite3.Connection, project_id: str, artifact_id: str, knowledge: Knowledge) -> bool:
    """Do what `KnowledgeGraph.replace` promises."""
    row = connection.execute(
        "SELECT item, happened_at, utc_offset FROM artifacts WHERE project_id = ? AND id = ?", (project_id, artifact_id)
    ).fetchone()
    if row is None:
        return False
    decisions = MergeDecisions(decisions_of(connection, project_id))
    assigned = assigned_entities(knowledge, artifact_id, decisions)
    before = {summary for (summary,) in connection.execute(_SUMMARIES, (row[0],))}
    shown = without_dismissed(knowledge, decisions)
    ArtifactKnowledge(connection, project_id, row, assigned).replace(shown)
    if before != summaries_of(knowledge, artifact_id):
        SqliteDuplicateSentenceWriter(connection, project_id).queue_duplicates([artifact_id])
    return True


def remove_knowledge(connection: sqlite3.Connection, item: int) -> tuple[int, int]:
    """Remove the knowledge of an artifact; return how many events and entities went with it."""
    touched, events = _withdraw(connection, item)
    dropped = delete_events_without_evidence(connection, events)
    return dropped, sum(not refresh(connection, entity) for entity in touched)


def count_mentions(connection: sqlite3.Connection, item: int, *, sign: int) -> None:
    """Add an artifact's mentions to its entities' counts, or take them off."""
    connection.execute(_COUNT_MENTIONS, {"item": item, "sign": sign})


def connect_events(connection: sqlite3.Connection, item: int) -> None:
    """Rebuild the steps of an artifact's events, after it became a revision or current."""
    events = _column(connection, _EVENTS_OF, item)
    for event in events:
        connect_event(connection, event)
    refresh_statuses(connection, linked_from(connection, events))


class ArtifactKnowledge:
    """The knowledge of one artifact, on its way into the file."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        project_id: str,
        item: tuple[int, int, int],
        assigned: Mapping[str, str],
    ) -> None:
        """Take the item's number, time and offset, and the entity that each of the entities is assigned to, by id."""
        self._connection = connection
        self._project_id = project_id
        self._item, self._happened_at, self._offset = item
        self._assigned = assigned
        self._nodes: dict[str, int] = {}
        self._sources: dict[str, int] = {}

    def replace(self, knowledge: Knowledge) -> None:
        touched, events = _withdraw(self._connection, self._item)
        for entity in knowledge.entities:
            self._claim(entity)
        self._mention(knowledge)
        for event in knowledge.events:
            self._put_event(event)
        delete_events_without_evidence(self._connection, events)
        self._store_expected(knowledge)
        if _is_current(self._connection, self._item):
            count_mentions(self._connection, self._item, sign=1)
        for node in touched | set(self._nodes.values()):
            refresh(self._connection, node)

    def _store_expected(self, knowledge: Knowledge) -> None:
        """Store the ids of events and entities, so that the loss of one is noticed, and what was not read."""
        own = {
            one.id for one in knowledge.events if self._item in {self._source(by.artifact_id) for by in one.evidence}
        }
        row = (self._item, json.dumps(sorted(own)), json.dumps(sorted(self._assigned)), knowledge.unread_language)
        self._connection.execute("INSERT OR REPLACE INTO lessons VALUES (?, ?, ?, ?)", row)

    def _claim(self, entity: Entity) -> None:
        node = entity_node(self._connection, self._project_id, self._assigned[entity.id], entity.type)
        self._nodes[entity.id] = node
        original = self._original(entity.id)
        found = (original, entity.type if original else None)
        names = [
            (entity.name, entity.weight or IN_TEXT, entity.role, entity.organization),
            *((alias, 0, None, None) for alias in entity.aliases),
        ]
        reasons = dict(entity.reasons or ())
        rows = [
            (node, name, self._item, main, self._happened_at, self._offset, *rest, *found, reasons.get(name))
            for name, main, *rest in names
        ]
        self._connection.executemany(_CLAIM, rows)

    def _mention(self, knowledge: Knowledge) -> None:
        rows = [
            (self._entity(one.entity_id), self._item, one.start_char, one.end_char, self._original(one.entity_id))
            for one in knowledge.mentions
        ]
        self._connection.executemany("INSERT OR IGNORE INTO mentions VALUES (?, ?, ?, ?, ?)", rows)

    def _put_event(self, event: Event) -> None:
        node, is_new = _found_node(self._connection, self._project_id, event.id)
        others = list[Evidence]()
        if not is_new:
            others = [Evidence(*row) for row in self._connection.execute(_OTHER_EVIDENCE, (node,))]
            drop_steps(self._connection, node)
            for table in ("participants", "event_terms", "evidence"):
                self._connection.execute(f"DELETE FROM {table} WHERE event = ?", (node,))
        self._connection.execute(
            _PUT_EVENT,
            (
                node,
                self._project_id,
                event.id,
                event.category,
                event.summary,
                event.confidence,
                to_microseconds(event.event_time),
                to_microseconds(event.due),
                event.status or FIRST_STATUS.get(event.category),
                event_weight(event, from_microseconds(self._happened_at)),
                event.origin,
                json.dumps(event.bears_on, ensure_ascii=False),
                offset_of(event.event_time),
                offset_of(event.due),
            ),
        )
        self._put_evidence(node, [*event.evidence, *others])
        self._put_participants(node, event)
        self._put_terms(node, event)
        refresh_statuses(self._connection, [node])
        add_steps(self._connection, node)

    def _put_terms(self, node: int, event: Event) -> None:
        if event.category in LEDGER_CATEGORIES:
            key, given = self._connection.execute(_CALLED, (self._item,)).fetchone()
            stems = ledger_stems(event_text(event, key, given))
            rows = [(self._project_id, number, node) for number in set(map(term, stems))]
            self._connection.executemany("INSERT INTO event_terms VALUES (?, ?, ?)", rows)

    def _put_evidence(self, node: int, evidence: Sequence[Evidence]) -> None:
        rows = [
            (node, position, self._source(proof.artifact_id), proof.start_char, proof.end_char, proof.quote)
            for position, proof in enumerate(dict.fromkeys(evidence))
        ]
        self._connection.executemany("INSERT INTO evidence VALUES (?, ?, ?, ?, ?, ?)", rows)

    def _put_participants(self, node: int, event: Event) -> None:
        actors = [(actor.entity_id, "ACTED_IN", actor.role) for actor in event.actors]
        subjects = [(subject.entity_id, "ABOUT", None) for subject in event.subjects]
        rows = [
            (node, position, self._entity(id_), relation, role, self._original(id_))
            for position, (id_, relation, role) in enumerate(chain(actors, subjects))
        ]
        self._connection.executemany("INSERT INTO participants VALUES (?, ?, ?, ?, ?, ?)", rows)

    def _entity(self, entity_id: str) -> int:
        if entity_id not in self._nodes:
            raise missing_entity(entity_id)
        return self._nodes[entity_id]

    def _original(self, entity_id: str) -> str:
        """Return the value of the column `original` for an entity of the knowledge."""
        return "" if self._assigned[entity_id] == entity_id else entity_id

    def _source(self, artifact_id: str) -> int:
        if artifact_id not in self._sources:
            sql = "SELECT item FROM artifacts WHERE project_id = ? AND id = ?"
            row = self._connection.execute(sql, (self._project_id, artifact_id)).fetchone()
            if row is None:
                raise missing_source(artifact_id)
            self._sources[artifact_id] = int(row[0])
        return self._sources[artifact_id]


def _found_node(connection: sqlite3.Connection, project_id: str, id_: str) -> tuple[int, bool]:
    """Return the number of an entity or event, and whether it was given just now."""
    key = (project_id, id_)
    row = connection.execute("SELECT node FROM nodes WHERE project_id = ? AND id = ?", key).fetchone()
    if row is not None:
        return int(row[0]), False
    sql = "INSERT INTO nodes (project_id, id) VALUES (?, ?) RETURNING node"
    return int(connection.execute(sql, key).fetchone()[0]), True


def entity_node(connection: sqlite3.Connection, project_id: str, id_: str, type_: EntityType) -> int:
    """Return the number of an entity, which is made, nameless and of this type, if it is not there."""
    node, _ = _found_node(connection, project_id, id_)
    connection.execute(_PUT_ENTITY, (node, project_id, type_))
    return node


def _withdraw(connection: sqlite3.Connection, item: int) -> tuple[set[int], list[int]]:
    """Remove an artifact's claims, mentions and evidence; return the entities and events they were about."""
    if not connection.execute(_HAS_KNOWLEDGE, {"item": item}).fetchone()[0]:
        return set(), []
    if _is_current(connection, item):
        count_mentions(connection, item, sign=-1)
    events = _column(connection, _EVENTS_OF, item)
    touched = set(_column(connection, _TOUCHED, item, item))
    for table in ("claims", "mentions", "evidence"):
        connection.execute(f"DELETE FROM {table} WHERE item = ?", (item,))
    return touched, events


def decisions_of(connection: sqlite3.Connection, project_id: str) -> list[MergeDecision]:
    """Return all merge decisions of a project in the order they were made."""
    rows = by_column(connection.execute(_DECISIONS, (project_id,)))
    return [MergeDecision(**row | {name: from_microseconds(row[name]) for name in ("at", "undone_at")}) for row in rows]


def delete_events_without_evidence(connection: sqlite3.Connection, events: Sequence[int]) -> int:
    """Remove the events that have no evidence left, and reconnect the others; return how many were removed."""
    if not events:
        return 0
    dropped, affected = 0, linked_from(connection, events)
    for event in events:
        if connection.execute("SELECT 1 FROM evidence WHERE event = ?", (event,)).fetchone() is None:
            drop_steps(connection, event)
            connection.execute("DELETE FROM nodes WHERE node = ?", (event,))
            dropped += 1
        else:
            connect_event(connection, event)
    refresh_statuses(connection, affected)
    return dropped


def connect_event(connection: sqlite3.Connection, event: int) -> None:
    """Rebuild the steps between an event and its participants."""
    drop_steps(connection, event)
    add_steps(connection, event)


def add_steps(connection: sqlite3.Connection, event: int) -> None:
    """Add the steps between an event, which has none, and its participants."""
    connection.execute(_ADD_STEPS, {"event": event, "entity_weight": ENTITY_WEIGHT})


def drop_steps(connection: sqlite3.Connection, event: int) -> None:
    """Remove the steps between an event and its participants."""
    connection.executemany(_DROP_STEP, connection.execute(_STEPS_TO, (event,)).fetchall())
    connection.execute("DELETE FROM adjacency WHERE source = ?", (event,))


def refresh(connection: sqlite3.Connection, entity: int) -> bool:
    """Derive an entity's names, role and organisation from its claims; without any it is dropped (False)."""
    first, last, decided, role, organization = connection.execute(_DERIVED, {"entity": entity}).fetchone()
    if first is None:
        _leave_events(connection, entity)
        connection.execute("DELETE FROM nodes WHERE node = ?", (entity,))
        return False
    names, main = {first}, first
    if first != last:  # else one name is all names, however many artifacts give it
        uses = {row[0]: NameUse(*row[1:]) for row in connection.execute(_USED_NAMES, (entity,))}
        names, main = set(uses), main_name({one: use for one, use in uses.items() if use.best})
    name = decided or main
    given = sorted({*names, name})
    aliases = json.dumps([other for other in given if other != name], ensure_ascii=False)
    project_id, *before = connection.execute(_STORED_ENTITY, (entity,)).fetchone()
    if before != (derived := [name, aliases, role, organization, decided]):
        connection.execute(
            "UPDATE entities SET name = ?, aliases = ?, role = ?, organization = ?, given_name = ? WHERE node = ?",
            (*derived, entity),
        )
    if before[:2] != derived[:2]:
        rows = [(project_id, normalise_name(one), entity, one) for one in given]
        connection.execute("DELETE FROM names WHERE entity = ?", (entity,))
        connection.executemany("INSERT INTO names VALUES (?, ?, ?, ?)", rows)
    return True


def _leave_events(connection: sqlite3.Connection, entity: int) -> None:
    """Remove an entity from the events that it still takes part in: their other evidence does not name it."""
    for event in _column(connection, "SELECT DISTINCT event FROM participants WHERE entity = ?", entity):
        drop_steps(connection, event)
        connection.execute("DELETE FROM participants WHERE event = ? AND entity = ?", (event, entity))
        connect_event(connection, event)


def _is_current(connection: sqlite3.Connection, item: int) -> bool:
    row = connection.execute("SELECT replaced_by FROM artifacts WHERE item = ?", (item,)).fetchone()
    return row is not None and row[0] is None


def _column(connection: sqlite3.Connection, sql: str, *values: int) -> list[Any]:
    return [row[0] for row in connection.execute(sql, values)]
