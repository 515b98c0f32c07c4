"""`Identities` on SQLite: merge candidates, and merge decisions put into effect by moving rows between entities."""

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from core.knowledge.findings import Entity, EntityType
from core.knowledge.identities import MergeCandidate, MergeDecision, MergeDecisions, is_identifying
from graph.derivations import original_entity
from graph.sqlite_store.administration import SqliteProjectWriter
from graph.sqlite_store.artifact_knowledge import add_steps, decisions_of, drop_steps, entity_node, refresh
from graph.sqlite_store.database.connection import Database
from graph.sqlite_store.database.rows import Parameters, id_list
from graph.timestamps import to_microseconds
from graph.writers.knowledge_writer import MergeDecisionWriter

_IDS: Final = "(SELECT value FROM json_each(:ids))"
_MERGE_CANDIDATES: Final = """
SELECT min(a.id, b.id), max(a.id, b.id), l.confidence, l.reason
FROM likenesses l JOIN nodes a ON a.node = l.one JOIN nodes b ON b.node = l.other
"""
_SUREST: Final = "ORDER BY l.confidence DESC, 1, 2"
_OF: Final = f"SELECT node FROM nodes WHERE project_id = :project_id AND id IN {_IDS}"
_MERGE_CANDIDATES_OF: Final = f"""
{_MERGE_CANDIDATES} WHERE (l.one, l.other) IN (
    SELECT one, other FROM likenesses WHERE one IN ({_OF})
    UNION SELECT one, other FROM likenesses WHERE other IN ({_OF})
) {_SUREST}
"""
_OPEN: Final = f"{_MERGE_CANDIDATES} WHERE l.project_id = :project_id {_SUREST} LIMIT :limit OFFSET :offset"
_DROP: Final = f"DELETE FROM likenesses WHERE one IN ({_OF}) OR other IN ({_OF})"
# Each pair has one row: from the smaller node to the larger.
_PUT: Final = """
INSERT OR REPLACE INTO likenesses (project_id, one, other, confidence, reason)
SELECT :project_id, min(a.node, b.node), max(a.node, b.node), :confidence, :reason
FROM nodes a JOIN entities ea ON ea.node = a.node, nodes b JOIN entities eb ON eb.node = b.node
WHERE a.project_id = :project_id AND a.id = :one AND b.project_id = :project_id AND b.id = :other
"""
_DROP_PAIR: Final = f"DELETE FROM likenesses WHERE one IN ({_OF}) AND other IN ({_OF})"
_INSERT: Final = """
INSERT INTO verdicts (
    project_id, id, kind, one, other, at, by, note, name_hash, artifact_id, undone_at, undone_by, name)
VALUES (:project_id, :id, :kind, :one, :other, :at, :by, :note, :name_hash, :artifact_id, :undone_at, :undone_by, :name)
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
_DROP_VERDICT: Final = "DELETE FROM verdicts WHERE project_id = ? AND id = ?"
_DROP_NOTE: Final = "UPDATE verdicts SET note = NULL WHERE project_id = ? AND id = ?"
_UNDO: Final = "UPDATE verdicts SET undone_at = ?, undone_by = ? WHERE project_id = ? AND id = ?"
# Items whose knowledge names one of the entities, though a person dismissed it.
_WITHOUT: Final = f"""
SELECT a.id, a.num_chunks FROM lessons l JOIN artifacts a ON a.item = l.item
WHERE a.project_id = :project_id AND a.replaced_by IS NULL AND EXISTS (
    SELECT 1 FROM json_each(l.entities) one WHERE one.value IN {_IDS})
"""
_STORED_NODES: Final = f"SELECT node FROM entities WHERE node IN ({_OF})"
_STORED: Final = f"SELECT n.id FROM nodes n JOIN entities e ON e.node = n.node WHERE n.node IN ({_OF})"
# What artifacts call an entity, by artifact and original.
_CALLED: Final = """
SELECT k.item, k.original, a.id, a.replaced_by IS NULL, coalesce(k.type, e.type), k.name, k.main
FROM nodes n JOIN entities e ON e.node = n.node JOIN claims k ON k.entity = n.node JOIN artifacts a ON a.item = k.item
WHERE n.project_id = ? AND n.id = ? ORDER BY k.item, k.original
"""
_MOVE_CLAIMS: Final = """
UPDATE claims SET entity = :onward, original = :named, type = CASE WHEN :named <> '' THEN :type END
WHERE entity = :entity AND item = :item AND original = :original
"""
_MOVE_MENTIONS: Final = """
UPDATE mentions SET entity = :onward, original = :named
WHERE entity = :entity AND item = :item AND original = :original
"""
# The signs before the columns keep SQLite from reading all that a hub takes part in, for each of its items.
_EVENTS_WITH: Final = """
SELECT DISTINCT p.event FROM evidence v CROSS JOIN participants p ON p.event = v.event
WHERE v.item = :item AND +p.entity = :entity AND p.original = :original
"""
_MOVE_PARTS: Final = """
UPDATE participants SET entity = :onward, original = :named
WHERE event = :event AND +entity = :entity AND original = :original
"""
_COUNT: Final = "UPDATE entities SET mention_count = mention_count + ? WHERE node = ?"
_FOUND: Final = """
SELECT DISTINCT k.original FROM nodes n JOIN claims k ON k.entity = n.node WHERE n.project_id = ? AND n.id = ?
"""
# All that artifacts say of an original, wherever that stands; the second part reads the index of what has moved.
_SAID: Final = """
SELECT k.name, k.main, e.type, k.organization, k.happened_at, k.item
FROM nodes n JOIN entities e ON e.node = n.node JOIN claims k ON k.entity = n.node
WHERE n.project_id = :project_id AND n.id = :id AND k.original = ''
UNION ALL
SELECT k.name, k.main, k.type, k.organization, k.happened_at, k.item
FROM claims k JOIN entities e ON e.node = k.entity
WHERE k.original = :id AND k.original <> '' AND e.project_id = :project_id
"""


@dataclass(frozen=True, slots=True)
class _Move:
    """What one artifact says of one original, on its way from one entity to another."""

    item: int
    is_current: bool
    original: str
    type: EntityType
    entity: str
    onward: str


class SqliteIdentities:
    """Fulfils `graph.protocols.knowledge.Identities`."""

    _database: Database

    def open_merge_candidates(self, project_id: str, limit: int, offset: int = 0) -> tuple[list[MergeCandidate], int]:
        page = {"project_id": project_id, "limit": limit, "offset": offset}
        with self._database.reading() as connection:
            total = connection.execute("SELECT count(*) FROM likenesses WHERE project_id = ?", (project_id,))
            count = int(total.fetchone()[0])
            return [MergeCandidate(*row) for row in connection.execute(_OPEN, page)], count

    def originals(self, project_id: str, entity_ids: Sequence[str]) -> dict[str, list[Entity]]:
        found: dict[str, list[Entity]] = {}
        with self._database.reading() as connection:
            for id_ in dict.fromkeys(entity_ids):
                ids = sorted(row[0] or id_ for row in connection.execute(_FOUND, (project_id, id_)))
                if ids:
                    found[id_] = [_original(connection, project_id, original) for original in ids]
        return found


class SqliteMergeDecisionWriter(SqliteProjectWriter, MergeDecisionWriter):
    """Fulfils `graph.writers.knowledge_writer.MergeDecisionWriter`."""

    def decisions(self) -> list[MergeDecision]:
        return decisions_of(self._connection, self.project_id)

    def merge_candidates(self, entity_ids: Sequence[str]) -> list[MergeCandidate]:
        rows = self._connection.execute(_MERGE_CANDIDATES_OF, self._asked(entity_ids))
        return [MergeCandidate(*row) for row in rows]

    def _put_merge_candidates(self, merge_candidates: Iterable[MergeCandidate]) -> None:
        self._connection.executemany(_PUT, [asdict(one) | {"project_id": self.project_id} for one in merge_candidates])

    def _drop_merge_candidates(self, entity_ids: Sequence[str]) -> None:
        self._connection.execute(_DROP, self._asked(entity_ids))

    def _drop_pair(self, one: str, other: str) -> None:
        self._connection.execute(_DROP_PAIR, self._asked([one, other]))

    def _stored_entities(self, ids: Iterable[str]) -> set[str]:
        return {row[0] for row in self._connection.execute(_STORED, self._asked(ids))}

    def _named_originals(self, ids: Iterable[str]) -> set[str]:
        return {row[0] for row in self._connection.execute(_NAMED, self._asked(ids))}

    def _insert_decision(self, decision: MergeDecision) -> None:
        times = {name: to_microseconds(getattr(decision, name)) for name in ("at", "undone_at")}
        self._connection.execute(_INSERT, asdict(decision) | times | {"project_id": self.project_id})

    def _mark_undone(self, decision: MergeDecision) -> None:
        values = (to_microseconds(decision.undone_at), decision.undone_by, self.project_id, decision.id)
        self._connection.execute(_UNDO, values)

    def _drop_decisions(self, ids: Collection[str], noted: Collection[str]) -> None:
        for sql, some in ((_DROP_VERDICT, ids), (_DROP_NOTE, noted)):
            self._connection.executemany(sql, [(self.project_id, id_) for id_ in some])

    def _rename(self, entity_ids: Iterable[str]) -> None:
        for node in self._stored_nodes(entity_ids):
            refresh(self._connection, node)

    def _withdraw(self, entity_ids: Iterable[str]) -> None:
        for node in self._stored_nodes(entity_ids):
            for table in ("claims", "mentions"):
                self._connection.execute(f"DELETE FROM {table} WHERE entity = ?", (node,))
            refresh(self._connection, node)

    def _items_without(self, entity_ids: Iterable[str]) -> dict[str, int]:
        return dict(self._connection.execute(_WITHOUT, self._asked(entity_ids)).fetchall())

    def _stored_nodes(self, entity_ids: Iterable[str]) -> list[int]:
        return [row[0] for row in self._connection.execute(_STORED_NODES, self._asked(entity_ids)).fetchall()]

    def _asked(self, ids: Iterable[str]) -> dict[str, Any]:
        return {"project_id": self.project_id, "ids": id_list(list(ids))}

    def _reassign(self, entity_ids: Sequence[str], decisions: MergeDecisions) -> bool:
        moves = [move for id_ in entity_ids for move in _moves(self._connection, self.project_id, id_, decisions)]
        for node in sorted(_move(self._connection, self.project_id, moves)):
            refresh(self._connection, node)
        return bool(moves)


def _moves(connection: sqlite3.Connection, project_id: str, entity: str, decisions: MergeDecisions) -> list[_Move]:
    """Return what an entity has and the merge decisions assign to another."""
    moves = []
    rows = connection.execute(_CALLED, (project_id, entity))
    for (item, original, artifact_id, is_current, type_), group in groupby(rows, itemgetter(0, 1, 2, 3, 4)):
        names = {name for *_, name, main in group if main or is_identifying(name)}
        onward = decisions.assigned_id(original or entity, artifact_id, names)
        if onward != entity:
            moves.append(_Move(item, bool(is_current), original or entity, type_, entity, onward))
    return moves


def _move(connection: sqlite3.Connection, project_id: str, moves: Sequence[_Move]) -> set[int]:
    """Move what artifacts say of originals; return the entities, whose names are stale now."""
    nodes: dict[str, int] = {}
    by_way: dict[tuple[bool, int, int], list[Parameters]] = {}
    for move in moves:
        for id_ in (move.entity, move.onward):
            if id_ not in nodes:
                nodes[id_] = entity_node(connection, project_id, id_, move.type)
        values = {
            "entity": nodes[move.entity],
            "onward": nodes[move.onward],
            "item": move.item,
            "type": move.type,
            "original": "" if move.original == move.entity else move.original,
            "named": "" if move.original == move.onward else move.original,
        }
        by_way.setdefault((move.is_current, nodes[move.entity], nodes[move.onward]), []).append(values)
    for (is_current, entity, onward), alike in by_way.items():
        connection.executemany(_MOVE_CLAIMS, alike)
        count = connection.executemany(_MOVE_MENTIONS, alike).rowcount
        if is_current:
            connection.executemany(_COUNT, [(-count, entity), (count, onward)])
    parts = [
        values | {"event": event}
        for alike in by_way.values()
        for values in alike
        for (event,) in connection.execute(_EVENTS_WITH, values)
    ]
    events = {part["event"] for part in parts}
    for event in sorted(events):
        drop_steps(connection, event)
    connection.executemany(_MOVE_PARTS, parts)
    for event in sorted(events):
        add_steps(connection, event)
    return set(nodes.values())


def _original(connection: sqlite3.Connection, project_id: str, id_: str) -> Entity:
    rows = connection.execute(_SAID, {"project_id": project_id, "id": id_}).fetchall()
    said = max((row for row in rows if row[3] is not None), key=itemgetter(4, 5), default=None)
    names, aliases = [(row[0], row[1]) for row in rows if row[1]], {row[0] for row in rows}
    return original_entity(id_, rows[0][2], names, aliases, said and said[3])
