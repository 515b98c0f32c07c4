"""Putting an item into the database as another store kept it, with all that is known of it.

What the parts promise is said at `graph.protocols.transfer.Transfer.import_records`. Runs inside a transaction with the
project's lock.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from core.errors import Conflict
from core.records import Artifact
from core.transfer import KeptItem, Merge, Outcome
from graph.neo4j_store.cypher import echoes_cypher, record_cypher
from graph.neo4j_store.cypher import transfer_cypher as cypher
from graph.neo4j_store.database.connection import Transaction
from graph.neo4j_store.database.job_queue import drop_job, job_id, put_job
from graph.neo4j_store.database.rows import artifact, memory_properties, slices
from graph.neo4j_store.items.insertion import Former, bring_back, create, retire
from graph.neo4j_store.items.stash_index import set_stashed, write_passages
from graph.neo4j_store.knowledge.lessons import replace_knowledge
from graph.neo4j_store.knowledge.runs import keep_readings
from graph.timestamps import to_microseconds


@dataclass(frozen=True, slots=True)
class _Found:
    """What is stored of an item, and under its key and id."""

    stored: Artifact | None
    waits: bool
    holder: Mapping[str, Any] | None
    is_id_taken: bool

    @classmethod
    def of(cls, transaction: Transaction, given: Artifact) -> Self:
        row = transaction.row(
            cypher.FIND,
            project_id=given.project_id,
            fingerprint=given.fingerprint,
            key=given.memory.key,
            context=given.memory.context,
            id=given.id,
        )
        if row is None:
            raise AssertionError("optional matches always answer")
        stored = None if row["known"] is None else artifact(row["artifact"])
        return cls(stored, row["waits"], row["holder"], row["is_id_taken"])

    def holder_of(self, given: Artifact) -> str | None:
        """Return the id of the other current item with this one's key and context, if that is at least as new."""
        if self.holder is None or self.holder["updated_at"] < to_microseconds(given.updated_at):
            return None
        return str(self.holder["id"])

    def retire_holder(self, transaction: Transaction, successor: Artifact) -> list[str]:
        """Make a revision of what has the key; return the hashes of the texts that it had."""
        if self.holder is None:
            return []
        former = Former(self.holder["id"], self.holder["num_chunks"], self.holder["given"])
        return retire(transaction, successor.project_id, former, successor.id)


def keep_item(transaction: Transaction, record: KeptItem, hashes: list[str]) -> Outcome:
    """Store an item, or join it with the one that is stored; adds to `hashes` those of texts that lost a chunk."""
    found = _Found.of(transaction, record.artifact)
    if found.stored is not None and record.is_apart_from(found.stored):
        record = record.apart()
        found = _Found.of(transaction, record.artifact)
    if found.stored is None:
        _store(transaction, record, found, hashes)
        return "stored"
    return "updated" if _merge(transaction, record, found, found.stored, hashes) else "unchanged"


def _store(transaction: Transaction, record: KeptItem, found: _Found, hashes: list[str]) -> None:
    given = record.artifact
    if found.is_id_taken:
        raise Conflict(f"The id {given.id!r} belongs to another item here: leave this one out, or remember it again.")
    successor = given.replaced_by or found.holder_of(given)
    if successor is None:
        hashes += found.retire_holder(transaction, given)
        drop_job(transaction, given.project_id, given.id, "erase")
        create(transaction, given, given.id, record.chunks)
        _make_findable(transaction, given, len(record.chunks))
    else:
        create(transaction, replace(given, stashed=False), given.id, ())
        place = {"project_id": given.project_id, "id": given.id}
        transaction.run(record_cypher.SET_NUM_CHUNKS, num_chunks=given.num_chunks, **place)
        transaction.run(record_cypher.RETIRE, successor=successor, **place)
    _learn(transaction, record, given)


def _merge(transaction: Transaction, record: KeptItem, found: _Found, stored: Artifact, hashes: list[str]) -> bool:
    """Merge an item into the stored one; return whether that changed anything."""
    merge = Merge.of(stored, record, holder=found.holder_of(record.artifact), waits=found.waits)
    if merge is None:
        return False
    after = merge.after
    transaction.run(
        cypher.JOIN,
        project_id=after.project_id,
        id=after.id,
        memory=memory_properties(after.memory),
        frequency=after.frequency,
        last_occurred=after.last_occurred,
        updated_at=after.updated_at,
    )
    if merge.returns:
        hashes += found.retire_holder(transaction, after)
        drop_job(transaction, after.project_id, after.id, "erase")
        bring_back(transaction, after, after.id, record.chunks)
        _make_findable(transaction, after, len(record.chunks))
    elif merge.is_renewed:
        if after.stashed != stored.stashed:
            set_stashed(transaction, after.project_id, [after.id], stashed=after.stashed)
        put_job(transaction, after.project_id, after.id, "embed", after.num_chunks)
    if merge.learns:
        _learn(transaction, record, after)
    return True


def _make_findable(transaction: Transaction, given: Artifact, num_chunks: int) -> None:
    """Enter the words of a stashed item that has become current, and queue its vectors."""
    if given.stashed:
        write_passages(transaction, given.project_id, given.id, given.memory.content)
    put_job(transaction, given.project_id, given.id, "embed", num_chunks)


def _learn(transaction: Transaction, record: KeptItem, given: Artifact) -> None:
    """Store the knowledge that came with an item, or queue its extraction."""
    replace_knowledge(transaction, given.project_id, given.id, record.knowledge)
    keep_readings(transaction, record)
    place = {"project_id": given.project_id, "id": given.id}
    if record.sentence_hashes is not None:
        transaction.run(echoes_cypher.DROP_SAYINGS, project_id=given.project_id, ids=[given.id])
        for part in slices(
            [[sentence_hash, to_microseconds(since)] for sentence_hash, since in record.sentence_hashes]
        ):
            transaction.run(cypher.PUT_SAYINGS, sayings=part, **place)
    put_job(transaction, given.project_id, given.id, "extract", given.num_chunks)
    if not record.waits:
        transaction.run(cypher.LEARNT, project_id=given.project_id, id=job_id(given.id, "extract"))
