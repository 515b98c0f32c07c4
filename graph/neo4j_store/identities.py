"""`Identities` on Neo4j: merge candidates, and merge decisions put into effect by moving relations between entities."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict
from typing import Any

from neo4j import Record

from core.knowledge.findings import Entity
from core.knowledge.identities import MergeCandidate, MergeDecision, MergeDecisions, identifying_names
from graph.derivations import original_entity
from graph.neo4j_store.administration import Neo4jProjectWriter
from graph.neo4j_store.artifact_knowledge import connect_mentions, decisions_of, rename
from graph.neo4j_store.cypher import knowledge_cypher
from graph.neo4j_store.cypher import knowledge_cypher as cypher
from graph.neo4j_store.cypher.schema_cypher import TYPE_LABELS
from graph.neo4j_store.database.connection import Database, Transaction
from graph.neo4j_store.database.rows import has_required_fields, slices, valid_utf8
from graph.writers.knowledge_writer import MergeDecisionWriter


class Neo4jIdentities:
    """Fulfils `graph.protocols.knowledge.Identities`."""

    _database: Database

    def open_merge_candidates(self, project_id: str, limit: int, offset: int = 0) -> tuple[list[MergeCandidate], int]:
        def work(transaction: Transaction) -> tuple[list[MergeCandidate], int]:
            count = transaction.row(cypher.COUNT_OPEN, project_id=project_id)
            rows = transaction.rows(cypher.OPEN, project_id=project_id, limit=limit, offset=offset)
            return [_merge_candidate(row) for row in rows if has_required_fields(row)], 0 if count is None else int(
                count["count"]
            )

        return self._database.read(work)

    def originals(self, project_id: str, entity_ids: Sequence[str]) -> dict[str, list[Entity]]:
        wanted = valid_utf8(entity_ids)

        def work(transaction: Transaction) -> list[Record]:
            # An original may be assigned to another entity: one that merge decisions name with it.
            decisions = decisions_of(transaction, project_id)
            involved = {id_ for one in decisions if one.undone_at is None for id_ in (one.one, one.other)}
            elsewhere = involved if involved & set(wanted) else set()
            ids = sorted({*wanted, *elsewhere})
            return transaction.rows(cypher.SAID, project_id=project_id, ids=ids)

        said: dict[str, list[Record]] = {}
        for row in self._database.read(work):
            said.setdefault(row["original"], []).append(row)
        found: dict[str, list[Entity]] = {}
        for original in sorted(said):
            for id_ in sorted({row["standing"] for row in said[original]} & set(wanted)):
                found.setdefault(id_, []).append(_original(original, said[original]))
        return found


class Neo4jMergeDecisionWriter(Neo4jProjectWriter, MergeDecisionWriter):
    """Fulfils `graph.writers.knowledge_writer.MergeDecisionWriter`."""

    def decisions(self) -> list[MergeDecision]:
        return decisions_of(self._transaction, self.project_id)

    def merge_candidates(self, entity_ids: Sequence[str]) -> list[MergeCandidate]:
        return [
            _merge_candidate(row)
            for row in self.rows(cypher.LIKENESSES_OF, ids=valid_utf8(entity_ids))
            if has_required_fields(row)
        ]

    def _put_merge_candidates(self, merge_candidates: Iterable[MergeCandidate]) -> None:
        self.run(cypher.PUT, likenesses=list(map(asdict, merge_candidates)))

    def _drop_merge_candidates(self, entity_ids: Sequence[str]) -> None:
        self.run(cypher.DROP, ids=valid_utf8(entity_ids))

    def _drop_pair(self, one: str, other: str) -> None:
        self.run(cypher.DROP_PAIR, one=one, other=other)

    def _stored_entities(self, ids: Iterable[str]) -> set[str]:
        return {row["id"] for row in self.rows(cypher.STORED, ids=valid_utf8(ids))}

    def _named_originals(self, ids: Iterable[str]) -> set[str]:
        return {row["id"] for row in self.rows(cypher.NAMED_ENTITIES, ids=list(ids))}

    def _insert_decision(self, decision: MergeDecision) -> None:
        properties = asdict(decision) | {"name": decision.kind, "given_name": decision.name}
        self.run(cypher.PUT_VERDICT, id=decision.id, properties=properties)

    def _mark_undone(self, decision: MergeDecision) -> None:
        self.run(cypher.UNDO_VERDICT, id=decision.id, at=decision.undone_at, by=decision.undone_by)

    def _drop_decisions(self, ids: Collection[str], noted: Collection[str]) -> None:
        self.run(cypher.DROP_VERDICTS, ids=ids)
        self.run(cypher.MUTE_VERDICTS, ids=noted)

    def _rename(self, entity_ids: Iterable[str]) -> None:
        rename(self._transaction, self.project_id, set(valid_utf8(entity_ids)))

    def _withdraw(self, entity_ids: Iterable[str]) -> None:
        gone = {row["id"] for row in self.rows(cypher.WITHDRAW_NAMES, ids=valid_utf8(entity_ids))}
        rename(self._transaction, self.project_id, gone)

    def _items_without(self, entity_ids: Iterable[str]) -> dict[str, int]:
        return {row["id"]: row["num_chunks"] for row in self.rows(cypher.WITHOUT, ids=valid_utf8(entity_ids))}

    def _reassign(self, entity_ids: Sequence[str], decisions: MergeDecisions) -> bool:
        transaction, project_id = self._transaction, self.project_id
        moves = [move for id_ in entity_ids for move in _moves(transaction, project_id, id_, decisions)]
        events: dict[str, None] = {}
        for piece in slices(moves):
            self.run(cypher.MAKE, moves=piece)
            self.run(cypher.MOVE_NAMES, moves=piece)
            for statement in (cypher.MOVE_ACTORS, cypher.MOVE_SUBJECTS):
                events |= {row["id"]: None for row in self.rows(statement, moves=piece)}
        for artifact_id in dict.fromkeys(move["artifact"] for move in moves):
            connect_mentions(transaction, project_id, artifact_id)
        for some in slices(list(events)):
            self.run(cypher.REPEAT, ids=some)
            self.run(knowledge_cypher.CONNECT_EVENTS, ids=some)
        rename(transaction, project_id, {id_ for move in moves for id_ in (move["entity"], move["onward"])})
        return bool(moves)


def _moves(transaction: Transaction, project_id: str, entity: str, decisions: MergeDecisions) -> list[dict[str, Any]]:
    """Return what an entity has and the merge decisions assign to another."""
    moves = []
    for row in transaction.rows(cypher.CALLED, project_id=project_id, id=entity):
        names = identifying_names(row["name"], row["aliases"])
        onward = decisions.assigned_id(row["original"], row["artifact"], names)
        if onward != entity:
            named = None if row["original"] == onward else row["original"]
            place = {"artifact": row["artifact"], "original": row["original"], "type": row["type"]}
            place["label"] = TYPE_LABELS[row["type"]]
            moves.append(place | {"entity": entity, "onward": onward, "named": named})
    return moves


def _original(id_: str, rows: Sequence[Record]) -> Entity:
    """Return an original by what artifacts call it, oldest first."""
    aliases = [alias for row in rows for alias in row["aliases"]]
    organizations = [row["organization"] for row in rows if row["organization"] is not None]
    names = [(row["name"], row["weight"]) for row in rows]
    return original_entity(id_, rows[0]["type"], names, aliases, next(reversed(organizations), None))


def _merge_candidate(row: Record) -> MergeCandidate:
    return MergeCandidate(row["one"], row["other"], row["confidence"], row["reason"])
