"""`Identities` on Neo4j: merge candidates, and merge decisions put into effect by moving relations between entities."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from neo4j import Record

from core.interface.audit import entries_of, merge_decision_entries
from core.knowledge.findings import Entity
from core.knowledge.identities import MergeCandidate, MergeDecision, MergeDecisions, telling_names
from core.transfer import Outcome
from graph.derivations import original_entity
from graph.merge_decision_application import MergeDecisionApplication
from graph.neo4j_store.cypher import identities_cypher as cypher
from graph.neo4j_store.cypher import knowledge_cypher
from graph.neo4j_store.cypher.record_cypher import LOCK_KNOWN_PROJECT
from graph.neo4j_store.cypher.schema_cypher import TYPE_LABELS
from graph.neo4j_store.database.audit_trail import write_entries
from graph.neo4j_store.database.connection import LONG_SECONDS, Database, Transaction
from graph.neo4j_store.database.filters import storable
from graph.neo4j_store.database.rows import is_whole, slices
from graph.neo4j_store.knowledge.lessons import connect_mentions, rename
from graph.neo4j_store.knowledge.verdicts import decisions_of, insert_decision


class Neo4jIdentities:
    """Fulfils `graph.protocols.identities.Identities`."""

    _database: Database

    def set_merge_candidates(
        self, project_id: str, entity_ids: Sequence[str], merge_candidates: Sequence[MergeCandidate]
    ) -> None:
        ids = storable(entity_ids)

        def is_said(transaction: Transaction) -> bool:
            before = transaction.rows(cypher.LIKENESSES_OF, project_id=project_id, ids=ids)
            return {_merge_candidate(row) for row in before} == _Application(transaction, project_id).possible(
                merge_candidates
            )

        def work(transaction: Transaction) -> None:
            transaction.row(LOCK_KNOWN_PROJECT, project_id=project_id)
            transaction.run(cypher.DROP, project_id=project_id, ids=ids)
            rows = [asdict(one) for one in _Application(transaction, project_id).possible(merge_candidates)]
            transaction.run(cypher.PUT, project_id=project_id, likenesses=rows)

        if not self._database.read(is_said):
            self._database.write(work)

    def merge_candidates(self, project_id: str, entity_ids: Sequence[str], limit: int) -> list[MergeCandidate]:
        rows = self._database.rows(cypher.LIKENESSES_OF, project_id=project_id, ids=storable(entity_ids))
        return [_merge_candidate(row) for row in rows if is_whole(row)][:limit]

    def open_merge_candidates(self, project_id: str, limit: int, offset: int = 0) -> tuple[list[MergeCandidate], int]:
        def work(transaction: Transaction) -> tuple[list[MergeCandidate], int]:
            count = transaction.row(cypher.COUNT_OPEN, project_id=project_id)
            rows = transaction.rows(cypher.OPEN, project_id=project_id, limit=limit, offset=offset)
            return [_merge_candidate(row) for row in rows if is_whole(row)], 0 if count is None else int(count["count"])

        return self._database.read(work)

    def apply_decision(self, project_id: str, decision: MergeDecision) -> None:
        def work(transaction: Transaction) -> None:
            transaction.row(LOCK_KNOWN_PROJECT, project_id=project_id)
            _Application(transaction, project_id).apply_decision(decision)
            write_entries(transaction, merge_decision_entries(project_id, decision))

        self._database.write(work, seconds=LONG_SECONDS)

    def undo_decision(self, project_id: str, decision_id: str, at: datetime, by: str | None) -> bool:
        def work(transaction: Transaction) -> bool:
            transaction.row(LOCK_KNOWN_PROJECT, project_id=project_id)
            undone = _Application(transaction, project_id).undo_decision(decision_id, at, by)
            if undone:
                write_entries(transaction, entries_of("undo_ruling", project_id, [decision_id]))
            return undone

        return self._database.write(work, seconds=LONG_SECONDS)

    def merge_decisions(self, project_id: str) -> list[MergeDecision]:
        return self._database.read(lambda transaction: decisions_of(transaction, project_id))

    def originals(self, project_id: str, entity_ids: Sequence[str]) -> dict[str, list[Entity]]:
        wanted = storable(entity_ids)

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


class _Application(MergeDecisionApplication):
    """Verdicts on Neo4j."""

    def __init__(self, transaction: Transaction, project_id: str) -> None:
        self._transaction = transaction
        self._project_id = project_id

    def _decisions(self) -> list[MergeDecision]:
        return decisions_of(self._transaction, self._project_id)

    def _stored(self, ids: Iterable[str]) -> set[str]:
        rows = self._transaction.rows(cypher.STORED, project_id=self._project_id, ids=storable(ids))
        return {row["id"] for row in rows}

    def _insert(self, decision: MergeDecision) -> None:
        insert_decision(self._transaction, self._project_id, decision)

    def _mark_undone(self, decision: MergeDecision) -> None:
        undone = {"at": decision.undone_at, "by": decision.undone_by}
        self._transaction.run(cypher.UNDO_VERDICT, project_id=self._project_id, id=decision.id, **undone)

    def _drop_pair(self, one: str, other: str) -> None:
        self._transaction.run(cypher.DROP_PAIR, project_id=self._project_id, one=one, other=other)

    def _reassign(self, entity_ids: Sequence[str], decisions: MergeDecisions) -> bool:
        transaction, project_id = self._transaction, self._project_id
        moves = [move for id_ in entity_ids for move in _moves(transaction, project_id, id_, decisions)]
        events: dict[str, None] = {}
        for piece in slices(moves):
            transaction.run(cypher.MAKE, project_id=project_id, moves=piece)
            transaction.run(cypher.MOVE_NAMES, project_id=project_id, moves=piece)
            for statement in (cypher.MOVE_ACTORS, cypher.MOVE_SUBJECTS):
                events |= {row["id"]: None for row in transaction.rows(statement, project_id=project_id, moves=piece)}
        for artifact_id in dict.fromkeys(move["artifact"] for move in moves):
            connect_mentions(transaction, project_id, artifact_id)
        for some in slices(list(events)):
            transaction.run(cypher.REPEAT, project_id=project_id, ids=some)
            transaction.run(knowledge_cypher.CONNECT_EVENTS, project_id=project_id, ids=some)
        rename(transaction, project_id, {id_ for move in moves for id_ in (move["entity"], move["onward"])})
        return bool(moves)


def import_decision(transaction: Transaction, project_id: str, decision: MergeDecision) -> Outcome:
    """Do what `graph.protocols.transfer.Transfer.import_records` promises of a merge decision."""
    return _Application(transaction, project_id).keep(decision)


def import_merge_candidate(transaction: Transaction, project_id: str, candidate: MergeCandidate) -> Outcome:
    """Do what `graph.protocols.transfer.Transfer.import_records` promises of a merge candidate."""
    pair = {"one": candidate.one, "other": candidate.other}
    known = transaction.row(cypher.HAS_PAIR, project_id=project_id, **pair)
    if known is not None or not _Application(transaction, project_id).possible([candidate]):
        return "unchanged"
    transaction.run(cypher.PUT, project_id=project_id, likenesses=[asdict(candidate)])
    return "stored"


def _moves(transaction: Transaction, project_id: str, entity: str, decisions: MergeDecisions) -> list[dict[str, Any]]:
    """Return what an entity has and the merge decisions assign to another."""
    moves = []
    for row in transaction.rows(cypher.CALLED, project_id=project_id, id=entity):
        names = telling_names(row["name"], row["aliases"])
        onward = decisions.assigned(row["original"], row["artifact"], names)
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
    names = {row["name"] for row in rows}
    return original_entity(id_, rows[0]["type"], names, aliases, next(reversed(organizations), None))


def _merge_candidate(row: Record) -> MergeCandidate:
    return MergeCandidate(row["one"], row["other"], row["confidence"], row["reason"])
