"""`Identities` on Neo4j: likenesses, and verdicts put into effect by moving relations between entities."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from neo4j import Record

from core.interface.audit import entries_of, ruling_entries
from core.knowledge.findings import Entity
from core.knowledge.identities import Likeness, Verdict, Verdicts, telling_names
from core.transfer import Outcome
from graph.derivations import original_entity
from graph.neo4j_store.cypher import identities_cypher as cypher
from graph.neo4j_store.cypher import knowledge_cypher
from graph.neo4j_store.cypher.record_cypher import LOCK_KNOWN_PROJECT
from graph.neo4j_store.cypher.schema_cypher import TYPE_LABELS
from graph.neo4j_store.database.audit_trail import write_entries
from graph.neo4j_store.database.connection import LONG_SECONDS, Database, Transaction
from graph.neo4j_store.database.filters import storable
from graph.neo4j_store.database.rows import is_whole, slices
from graph.neo4j_store.knowledge.lessons import connect_mentions, rename
from graph.neo4j_store.knowledge.verdicts import insert_verdict, verdicts_of
from graph.verdict_application import VerdictApplication


class Neo4jIdentities:
    """Fulfils `graph.protocols.identities.Identities`."""

    _database: Database

    def propose(self, project_id: str, entity_ids: Sequence[str], likenesses: Sequence[Likeness]) -> None:
        ids = storable(entity_ids)

        def is_said(transaction: Transaction) -> bool:
            before = transaction.rows(cypher.LIKENESSES_OF, project_id=project_id, ids=ids)
            return {_likeness(row) for row in before} == _Application(transaction, project_id).possible(likenesses)

        def work(transaction: Transaction) -> None:
            transaction.row(LOCK_KNOWN_PROJECT, project_id=project_id)
            transaction.run(cypher.DROP, project_id=project_id, ids=ids)
            rows = [asdict(one) for one in _Application(transaction, project_id).possible(likenesses)]
            transaction.run(cypher.PUT, project_id=project_id, likenesses=rows)

        if not self._database.read(is_said):
            self._database.write(work)

    def likenesses(self, project_id: str, entity_ids: Sequence[str], limit: int) -> list[Likeness]:
        rows = self._database.rows(cypher.LIKENESSES_OF, project_id=project_id, ids=storable(entity_ids))
        return [_likeness(row) for row in rows if is_whole(row)][:limit]

    def open_likenesses(self, project_id: str, limit: int, offset: int = 0) -> tuple[list[Likeness], int]:
        def work(transaction: Transaction) -> tuple[list[Likeness], int]:
            count = transaction.row(cypher.COUNT_OPEN, project_id=project_id)
            rows = transaction.rows(cypher.OPEN, project_id=project_id, limit=limit, offset=offset)
            return [_likeness(row) for row in rows if is_whole(row)], 0 if count is None else int(count["count"])

        return self._database.read(work)

    def judge(self, project_id: str, verdict: Verdict) -> None:
        def work(transaction: Transaction) -> None:
            transaction.row(LOCK_KNOWN_PROJECT, project_id=project_id)
            _Application(transaction, project_id).judge(verdict)
            write_entries(transaction, ruling_entries(project_id, verdict))

        self._database.write(work, seconds=LONG_SECONDS)

    def undo(self, project_id: str, verdict_id: str, at: datetime, by: str | None) -> bool:
        def work(transaction: Transaction) -> bool:
            transaction.row(LOCK_KNOWN_PROJECT, project_id=project_id)
            undone = _Application(transaction, project_id).undo(verdict_id, at, by)
            if undone:
                write_entries(transaction, entries_of("undo_ruling", project_id, [verdict_id]))
            return undone

        return self._database.write(work, seconds=LONG_SECONDS)

    def verdicts(self, project_id: str) -> list[Verdict]:
        return self._database.read(lambda transaction: verdicts_of(transaction, project_id))

    def originals(self, project_id: str, entity_ids: Sequence[str]) -> dict[str, list[Entity]]:
        wanted = storable(entity_ids)

        def work(transaction: Transaction) -> list[Record]:
            # An original may be assigned to another entity: one that verdicts name with it.
            verdicts = verdicts_of(transaction, project_id)
            involved = {id_ for one in verdicts if one.undone_at is None for id_ in (one.one, one.other)}
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


class _Application(VerdictApplication):
    """Verdicts on Neo4j."""

    def __init__(self, transaction: Transaction, project_id: str) -> None:
        self._transaction = transaction
        self._project_id = project_id

    def _verdicts(self) -> list[Verdict]:
        return verdicts_of(self._transaction, self._project_id)

    def _stored(self, ids: Iterable[str]) -> set[str]:
        rows = self._transaction.rows(cypher.STORED, project_id=self._project_id, ids=storable(ids))
        return {row["id"] for row in rows}

    def _insert(self, verdict: Verdict) -> None:
        insert_verdict(self._transaction, self._project_id, verdict)

    def _mark_undone(self, verdict: Verdict) -> None:
        undone = {"at": verdict.undone_at, "by": verdict.undone_by}
        self._transaction.run(cypher.UNDO_VERDICT, project_id=self._project_id, id=verdict.id, **undone)

    def _drop_pair(self, one: str, other: str) -> None:
        self._transaction.run(cypher.DROP_PAIR, project_id=self._project_id, one=one, other=other)

    def _reassign(self, entity_ids: Sequence[str], verdicts: Verdicts) -> bool:
        transaction, project_id = self._transaction, self._project_id
        moves = [move for id_ in entity_ids for move in _moves(transaction, project_id, id_, verdicts)]
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


def keep_verdict(transaction: Transaction, project_id: str, verdict: Verdict) -> Outcome:
    """Do what `graph.protocols.transfer.Transfer.keep` promises of a verdict."""
    return _Application(transaction, project_id).keep(verdict)


def keep_likeness(transaction: Transaction, project_id: str, likeness: Likeness) -> Outcome:
    """Do what `graph.protocols.transfer.Transfer.keep` promises of a likeness."""
    pair = {"one": likeness.one, "other": likeness.other}
    known = transaction.row(cypher.HAS_PAIR, project_id=project_id, **pair)
    if known is not None or not _Application(transaction, project_id).possible([likeness]):
        return "unchanged"
    transaction.run(cypher.PUT, project_id=project_id, likenesses=[asdict(likeness)])
    return "stored"


def _moves(transaction: Transaction, project_id: str, entity: str, verdicts: Verdicts) -> list[dict[str, Any]]:
    """Return what an entity has and the verdicts assign to another."""
    moves = []
    for row in transaction.rows(cypher.CALLED, project_id=project_id, id=entity):
        names = telling_names(row["name"], row["aliases"])
        onward = verdicts.assigned(row["original"], row["artifact"], names)
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


def _likeness(row: Record) -> Likeness:
    return Likeness(row["one"], row["other"], row["confidence"], row["reason"])
