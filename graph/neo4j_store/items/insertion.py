"""Storing an item: new, again, under a key that is taken, or back from a revision. Runs inside one transaction."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core.interface.audit import entries_of
from core.interface.memory import Memory
from core.knowledge.runs import CallerAnnotations
from core.records import ANNOTATION_JOBS, Added, Artifact, Chunk, JobKind, artifact_id
from graph.neo4j_store.cypher import record_cypher
from graph.neo4j_store.database.audit_trail import write_entries
from graph.neo4j_store.database.connection import Transaction
from graph.neo4j_store.database.job_queue import drop_job, put_job, put_jobs
from graph.neo4j_store.database.rows import artifact_node, drop_chunks, memory_properties, native_time, write_chunks
from graph.neo4j_store.items.embeddings import drop_unused
from graph.neo4j_store.items.stash_index import drop_passages, write_passages
from graph.neo4j_store.knowledge.lessons import connect_events, connect_mentions, count_mentions
from graph.neo4j_store.knowledge.runs import copy_annotations, save_annotations


@dataclass(frozen=True, slots=True)
class _Known:
    """What is stored under a fingerprint."""

    id: str
    replaced_by: str | None
    updated_at: datetime
    memory: Memory


@dataclass(frozen=True, slots=True)
class Former:
    """The current item that has the key and context of the one to be stored."""

    id: str
    num_chunks: int
    given: str


def add(
    transaction: Transaction,
    artifact: Artifact,
    chunks: Sequence[Chunk],
    jobs: Sequence[JobKind],
    annotations: CallerAnnotations | None = None,
) -> Added:
    """Do what `Records.add` promises."""
    known, former, id_ = _locked(transaction, artifact)
    memory = artifact.memory
    if known is not None:
        memory = _renew(transaction, known, artifact)
        if known.replaced_by is None:
            run = _annotate(transaction, known.id, annotations)
            is_same = memory == known.memory
            queued = _queue(transaction, known.id, artifact, (ANNOTATION_JOBS if run else ()) if is_same else jobs)
            return Added(known.id, "duplicate", queued, run_id=run, changed=known.memory.changes(memory))
    hashes = [] if former is None else retire(transaction, artifact.project_id, former, id_)
    if known is None:
        create(transaction, artifact, id_, chunks)
    else:
        bring_back(transaction, artifact, id_, chunks)
    if artifact.stashed:
        write_passages(transaction, artifact.project_id, id_, artifact.memory.content)
    drop_job(transaction, artifact.project_id, id_, "erase")
    queued = _queue(transaction, id_, artifact, jobs)
    if former is not None:
        copy_annotations(transaction, artifact.project_id, former.id, id_, artifact.memory.content)
        write_entries(transaction, entries_of("overwrite", artifact.project_id, [id_, former.id]))
    run = _annotate(transaction, id_, annotations)
    # Last, because all projects wait for who does this.
    drop_unused(transaction, hashes)
    replaced = None if former is None else former.id
    before = known.memory if known is not None else None
    if former is not None:
        before = Memory.unchecked(memory.content, json.loads(former.given))
    changed = {} if before is None else before.changes(memory)
    return Added(id_, "stored" if before is None else "updated", queued, replaced, run, changed)


def _annotate(transaction: Transaction, id_: str, annotations: CallerAnnotations | None) -> str | None:
    """Keep what was given of an item; return its run if that says anything new."""
    return annotations.run.id if annotations is not None and save_annotations(transaction, id_, annotations) else None


def _locked(transaction: Transaction, artifact: Artifact) -> tuple[_Known | None, Former | None, str]:
    """Take the project's lock; return what has the fingerprint, what has the key, and the id the item has or gets."""
    row = transaction.row(
        record_cypher.LOCK_AND_FIND,
        project_id=artifact.project_id,
        fingerprint=artifact.fingerprint,
        key=artifact.memory.key,
        context=artifact.memory.context,
        id=artifact.id,
    )
    if row is None:
        raise AssertionError("taking a project's lock always answers")
    former = None if row["former"] is None else Former(**row["former"])
    if row["known"] is not None:
        known = _known(artifact, row["known"])
        return known, former, known.id
    return None, former, _free_id(transaction, artifact) if row["is_id_taken"] else artifact.id


def _known(artifact: Artifact, node: dict[str, Any]) -> _Known:
    memory = Memory.unchecked(artifact.memory.content, json.loads(node["given"]))
    return _Known(node["id"], node["replaced_by"], native_time(node["updated_at"]), memory)


def _free_id(transaction: Transaction, artifact: Artifact) -> str:
    attempt = 1
    while True:
        id_ = artifact_id(artifact.fingerprint, attempt)
        if transaction.row(record_cypher.IS_ID_TAKEN, project_id=artifact.project_id, id=id_) is None:
            return id_
        attempt += 1


def create(transaction: Transaction, artifact: Artifact, id_: str, chunks: Sequence[Chunk]) -> None:
    """Store a current item under an id that nothing has, with its chunks."""
    project_id, memory = artifact.project_id, artifact.memory
    node = artifact_node(artifact, id_, len(chunks))
    transaction.run(record_cypher.CREATE_ARTIFACT, project_id=project_id, artifact=node)
    if memory.conversation_id is not None and memory.turn_index is not None:
        transaction.run(
            record_cypher.JOIN_CONVERSATION, project_id=project_id, id=id_, conversation_id=memory.conversation_id
        )
    write_chunks(transaction, project_id, id_, chunks)


def _queue(transaction: Transaction, id_: str, artifact: Artifact, jobs: Sequence[JobKind]) -> int:
    wanted = sorted(set(jobs))
    put_jobs(transaction, artifact.project_id, {id_: artifact.num_chunks}, wanted)
    return len(wanted)


def _renew(transaction: Transaction, known: _Known, artifact: Artifact) -> Memory:
    """Count the item once more and renew its fields; return what they are now."""
    renewed = known.memory.renewed(artifact.memory, artifact.updated_at)
    transaction.run(
        record_cypher.RENEW,
        project_id=artifact.project_id,
        id=known.id,
        memory=memory_properties(renewed),
        last_occurred=artifact.last_occurred,
        updated_at=known.updated_at if renewed == known.memory else artifact.updated_at,
    )
    return renewed


def retire(transaction: Transaction, project_id: str, former: Former, successor: str) -> list[str]:
    """Make a revision of a current item; return the hashes of the texts that it had."""
    drop_passages(transaction, project_id, [former.id])
    count_mentions(transaction, project_id, former.id, sign=-1)
    hashes = drop_chunks(transaction, project_id, [former.id])
    transaction.run(record_cypher.RETIRE, project_id=project_id, id=former.id, successor=successor)
    connect_events(transaction, project_id, former.id)
    drop_job(transaction, project_id, former.id, "embed")
    put_job(transaction, project_id, former.id, "erase", former.num_chunks)
    return hashes


def bring_back(transaction: Transaction, artifact: Artifact, id_: str, chunks: Sequence[Chunk]) -> None:
    """Make a revision current, with the artifact's tier and its form of the text, while nothing else has its key."""
    project_id = artifact.project_id
    transaction.run(
        record_cypher.BRING_BACK,
        project_id=project_id,
        id=id_,
        updated_at=artifact.updated_at,
        stashed=artifact.stashed,
        content=artifact.memory.content,
        token_count=artifact.token_count,
        num_chunks=len(chunks),
    )
    count_mentions(transaction, project_id, id_, sign=1)
    connect_events(transaction, project_id, id_)
    write_chunks(transaction, project_id, id_, chunks)
    connect_mentions(transaction, project_id, id_)
