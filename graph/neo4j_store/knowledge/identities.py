"""`Identities` on Neo4j: likenesses, and verdicts put into effect by moving relations between entities."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from itertools import chain
from typing import Any

from neo4j import Record

from core.errors import Conflict
from core.knowledge.findings import Entity
from core.knowledge.identities import Likeness, Verdict, Verdicts, telling_names
from core.transfer import Outcome, admitted
from graph.neo4j_store.cypher import identities_cypher as cypher
from graph.neo4j_store.cypher import knowledge_cypher, transfer_cypher
from graph.neo4j_store.cypher.record_cypher import LOCK_KNOWN_PROJECT
from graph.neo4j_store.database.connection import LONG_SECONDS, Database, Transaction
from graph.neo4j_store.database.filters import storable
from graph.neo4j_store.database.rows import is_whole, slices
from graph.neo4j_store.knowledge.lessons import connect_mentions, rename
from graph.neo4j_store.knowledge.verdicts import insert_verdict, verdicts_of


class Neo4jIdentities:
    """Fulfils `graph.protocols.identities.Identities`."""

    _database: Database

    def propose(self, project_id: str, entity_ids: Sequence[str], likenesses: Sequence[Likeness]) -> None:
        ids = storable(entity_ids)

        def is_said(transaction: Transaction) -> bool:
            before = transaction.rows(cypher.LIKENESSES_OF, project_id=project_id, ids=ids)
            return {_likeness(row) for row in before} == _pairs(transaction, project_id, likenesses)

        def work(transaction: Transaction) -> None:
            transaction.row(LOCK_KNOWN_PROJECT, project_id=project_id)
            transaction.run(cypher.DROP, project_id=project_id, ids=ids)
            pairs = _pairs(transaction, project_id, likenesses)
            rows = [{"one": one.one, "other": one.other, "confidence": one.confidence, "reason": one.reason}
                    for one in pairs]  # fmt: skip
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
            verdict.check(_stored(transaction, project_id, verdict.needed))
            before = verdicts_of(transaction, project_id)
            insert_verdict(transaction, project_id, verdict)
            if verdict.kind == "different":
                transaction.run(cypher.DROP_PAIR, project_id=project_id, one=verdict.one, other=verdict.other)
                return
            moved = _reassign(transaction, project_id, before, [*before, verdict], verdict)
            if verdict.kind == "split" and not moved:
                raise Conflict(
                    f"Nothing of {verdict.one!r} is called that, or stands in that item: explore it to see its names."
                )

        self._database.write(work, seconds=LONG_SECONDS)

    def undo(self, project_id: str, verdict_id: str, at: datetime, by: str | None) -> bool:
        def work(transaction: Transaction) -> bool:
            transaction.row(LOCK_KNOWN_PROJECT, project_id=project_id)
            before = verdicts_of(transaction, project_id)
            found = next((one for one in before if one.id == verdict_id and one.undone_at is None), None)
            if found is None:
                return False
            transaction.run(cypher.UNDO_VERDICT, project_id=project_id, id=verdict_id, at=at, by=by)
            _reassign(transaction, project_id, before, verdicts_of(transaction, project_id), found)
            return True

        return self._database.write(work, seconds=LONG_SECONDS)

    def verdicts(self, project_id: str) -> list[Verdict]:
        return self._database.read(lambda transaction: verdicts_of(transaction, project_id))

    def originals(self, project_id: str, entity_ids: Sequence[str]) -> dict[str, list[Entity]]:
        wanted = storable(entity_ids)

        def work(transaction: Transaction) -> list[Record]:
            # What was found for an entity may stand under others: those that verdicts name with it.
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


def keep_verdict(transaction: Transaction, project_id: str, verdict: Verdict) -> Outcome:
    """Do what `graph.protocols.transfer.Transfer.keep` promises of a verdict."""
    before = verdicts_of(transaction, project_id)
    admittance = admitted(verdict, before)
    if admittance is None:
        return "unchanged"
    is_known = any(one.id == verdict.id for one in before)
    if is_known:
        undone = {"at": verdict.undone_at, "by": verdict.undone_by}
        transaction.run(cypher.UNDO_VERDICT, project_id=project_id, id=verdict.id, **undone)
    else:
        insert_verdict(transaction, project_id, admittance)
    if admittance.kind == "different":
        if admittance.undone_at is None:
            pair = {"one": admittance.one, "other": admittance.other}
            transaction.run(cypher.DROP_PAIR, project_id=project_id, **pair)
    else:
        _reassign(transaction, project_id, before, verdicts_of(transaction, project_id), admittance)
    return "updated" if is_known else "stored"


def keep_likeness(transaction: Transaction, project_id: str, likeness: Likeness) -> Outcome:
    """Do what `graph.protocols.transfer.Transfer.keep` promises of a likeness."""
    pair = {"one": likeness.one, "other": likeness.other}
    known = transaction.row(transfer_cypher.HAS_PAIR, project_id=project_id, **pair)
    if known is not None or not _pairs(transaction, project_id, [likeness]):
        return "unchanged"
    transaction.run(cypher.PUT, project_id=project_id, likenesses=[asdict(likeness)])
    return "stored"


def _pairs(transaction: Transaction, project_id: str, likenesses: Sequence[Likeness]) -> set[Likeness]:
    """Return the likenesses of entities that are stored, and that nobody said are two."""
    stored = _stored(transaction, project_id, (id_ for one in likenesses for id_ in (one.one, one.other)))
    there = [likeness for likeness in likenesses if {likeness.one, likeness.other} <= stored]
    verdicts = Verdicts(verdicts_of(transaction, project_id)) if there else Verdicts()
    return {likeness for likeness in there if not verdicts.are_apart(likeness.one, likeness.other)}


def _stored(transaction: Transaction, project_id: str, ids: Iterable[str]) -> set[str]:
    wanted = storable(ids)
    return (
        {row["id"] for row in transaction.rows(cypher.STORED, project_id=project_id, ids=wanted)} if wanted else set()
    )


def _reassign(
    transaction: Transaction, project_id: str, before: Iterable[Verdict], after: Iterable[Verdict], cause: Verdict
) -> bool:
    """Have what a verdict bears on stand where the verdicts assign it; return whether anything had to move."""
    former, latter = Verdicts(before), Verdicts(after)
    involved = {verdicts.standing(id_) for verdicts in (former, latter) for id_ in (cause.one, cause.other)}
    moves = list(chain.from_iterable(_moves(transaction, project_id, id_, latter) for id_ in sorted(involved)))
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


def _moves(transaction: Transaction, project_id: str, entity: str, verdicts: Verdicts) -> list[dict[str, Any]]:
    """Return what stands under an entity and is assigned to another."""
    moves = []
    for row in transaction.rows(cypher.CALLED, project_id=project_id, id=entity):
        names = telling_names(row["name"], row["aliases"])
        onward = verdicts.assigned(row["original"], row["artifact"], names)
        if onward != entity:
            named = None if row["original"] == onward else row["original"]
            place = {"artifact": row["artifact"], "original": row["original"], "type": row["type"]}
            moves.append(place | {"entity": entity, "onward": onward, "named": named})
    return moves


def _original(id_: str, rows: Sequence[Record]) -> Entity:
    """Return what resolution found, by what artifacts say of it, oldest first."""
    name = min((row["name"] for row in rows), key=lambda one: (-len(one), one))
    names = {row["name"] for row in rows} | {alias for row in rows for alias in row["aliases"]}
    organizations = [row["organization"] for row in rows if row["organization"] is not None]
    return Entity(
        id_, name, rows[0]["type"], tuple(sorted(names - {name})), organization=next(reversed(organizations), None)
    )


def _likeness(row: Record) -> Likeness:
    return Likeness(row["one"], row["other"], row["confidence"], row["reason"])
