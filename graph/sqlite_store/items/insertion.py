"""Storing an item: new, again, under a key that is taken, or back from a revision. Runs inside one transaction."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from core.interface.audit import entries_of
from core.interface.memory import Memory
from core.knowledge.runs import CallerAnnotations
from core.records import ANNOTATION_JOBS, Added, Artifact, Chunk, JobKind, artifact_id
from graph.sqlite_store.database.audit_trail import write_entries
from graph.sqlite_store.database.job_queue import drop_job, put_job
from graph.sqlite_store.database.row_numbers import next_number, project_number
from graph.sqlite_store.database.rows import (
    MEMORY_COLUMNS,
    drop_chunks,
    drop_unused_embeddings,
    memory_values,
    write_chunks,
    write_tags,
)
from graph.sqlite_store.items.stash_index import index_stashed, unindex_stashed
from graph.sqlite_store.knowledge.lessons import connect_events, count_mentions
from graph.sqlite_store.knowledge.runs import copy_annotations, save_annotations
from graph.timestamps import offset_of, to_microseconds

_KNOWN: Final = """
SELECT item, id, replaced_by, given FROM artifacts WHERE project_id = ? AND fingerprint = ?
"""
_UNDER_KEY: Final = """
SELECT item, id, num_chunks, stashed, given FROM artifacts
WHERE project_id = ? AND key = ? AND context = ? AND replaced_by IS NULL
"""
_INSERT: Final = f"""
INSERT INTO artifacts (item, project_id, id, fingerprint, happened_at, utc_offset, created_at, updated_at,
                       last_occurred, token_count, num_chunks, frequency, stashed, replaced_by,
                       {", ".join(MEMORY_COLUMNS)})
VALUES (:item, :project_id, :id, :fingerprint, :happened_at, :utc_offset, :created_at, :updated_at, :last_occurred,
        :token_count, :num_chunks, :frequency, :stashed, :replaced_by,
        {", ".join(f":{name}" for name in MEMORY_COLUMNS)})
"""
_RENEW: Final = f"""
UPDATE artifacts SET frequency = frequency + 1, last_occurred = :last_occurred, updated_at = :updated_at,
    {", ".join(f"{name} = :{name}" for name in MEMORY_COLUMNS)}
WHERE item = :item
"""
_RETURN: Final = """
UPDATE artifacts SET replaced_by = NULL, updated_at = ?, stashed = ?, token_count = ?, num_chunks = ? WHERE item = ?
"""


@dataclass(frozen=True, slots=True)
class Known:
    """What is stored under a fingerprint or a key; its `memory` has the content of the item to be stored."""

    item: int
    id: str
    replaced_by: str | None
    memory: Memory


def add(
    connection: sqlite3.Connection,
    artifact: Artifact,
    chunks: Sequence[Chunk],
    jobs: Sequence[JobKind],
    annotations: CallerAnnotations | None = None,
) -> Added:
    """Do what `Records.add` promises."""
    known = _known(connection, artifact)
    memory = artifact.memory
    if known is not None:
        memory = _renew(connection, known, artifact)
        if known.replaced_by is None:
            run = _annotate(connection, known.item, known.id, annotations)
            is_same = memory == known.memory
            queued = _queue(connection, known.id, artifact, (ANNOTATION_JOBS if run else ()) if is_same else jobs)
            return Added(known.id, "duplicate", queued, run_id=run, changed=known.memory.changes(memory))
    id_ = known.id if known is not None else _free_id(connection, artifact)
    former = retire_under_key(connection, artifact, id_)
    replaced = None if former is None else former.id
    if known is None:
        item = insert(connection, artifact, id_, len(chunks))
    else:
        item = known.item
        bring_back(connection, item, artifact, len(chunks))
    write_chunks(connection, artifact.project_id, item, chunks)
    if artifact.stashed:
        index_stashed(connection, item, artifact.memory.content)
    drop_job(connection, artifact.project_id, id_, "erase")
    queued = _queue(connection, id_, artifact, jobs)
    if former is not None:
        copy_annotations(connection, artifact.project_id, former.item, item, artifact.memory.content)
        write_entries(connection, entries_of("overwrite", artifact.project_id, [id_, former.id]))
    run = _annotate(connection, item, id_, annotations)
    before = former or known
    changed = {} if before is None else before.memory.changes(memory)
    return Added(id_, "stored" if before is None else "updated", queued, replaced, run, changed)


def _annotate(connection: sqlite3.Connection, item: int, id_: str, annotations: CallerAnnotations | None) -> str | None:
    """Keep what was given of an item; return its run if that says anything new."""
    return (
        annotations.run.id if annotations is not None and save_annotations(connection, item, id_, annotations) else None
    )


def _known(connection: sqlite3.Connection, artifact: Artifact) -> Known | None:
    row = connection.execute(_KNOWN, (artifact.project_id, artifact.fingerprint)).fetchone()
    if row is None:
        return None
    item, id_, replaced_by, given = row
    return Known(item, id_, replaced_by, Memory.unchecked(artifact.memory.content, json.loads(given)))


def _free_id(connection: sqlite3.Connection, artifact: Artifact) -> str:
    id_, attempt = artifact.id, 0
    taken = "SELECT 1 FROM artifacts WHERE project_id = ? AND id = ?"
    while connection.execute(taken, (artifact.project_id, id_)).fetchone():
        attempt += 1
        id_ = artifact_id(artifact.fingerprint, attempt)
    return id_


def insert(connection: sqlite3.Connection, artifact: Artifact, id_: str, num_chunks: int) -> int:
    """Store an item, or a revision, that has no chunks yet; return its number."""
    item = next_number(connection, "artifacts", project_number(connection, artifact.project_id))
    values = memory_values(artifact.memory) | {
        "item": item,
        "project_id": artifact.project_id,
        "id": id_,
        "fingerprint": artifact.fingerprint,
        "happened_at": to_microseconds(artifact.happened_at),
        "utc_offset": offset_of(artifact.happened_at),
        "created_at": to_microseconds(artifact.created_at),
        "updated_at": to_microseconds(artifact.updated_at),
        "last_occurred": to_microseconds(artifact.last_occurred),
        "token_count": artifact.token_count,
        "num_chunks": num_chunks,
        "frequency": artifact.frequency,
        "stashed": artifact.stashed,
        "replaced_by": artifact.replaced_by,
    }
    connection.execute(_INSERT, values)
    connection.execute("INSERT INTO contents VALUES (?, ?)", (item, artifact.memory.content))
    if artifact.replaced_by is None:
        write_tags(connection, item, artifact.project_id, artifact.memory.tags)
    return item


def _queue(connection: sqlite3.Connection, id_: str, artifact: Artifact, jobs: Sequence[JobKind]) -> int:
    wanted = set(jobs)
    for kind in sorted(wanted):
        put_job(connection, artifact.project_id, id_, kind, artifact.num_chunks)
    return len(wanted)


def _renew(connection: sqlite3.Connection, known: Known, artifact: Artifact) -> Memory:
    """Count the item once more and renew its fields; return what they are now."""
    renewed = known.memory.renewed(artifact.memory, artifact.updated_at)
    current = connection.execute("SELECT updated_at FROM artifacts WHERE item = ?", (known.item,)).fetchone()[0]
    times = {
        "last_occurred": to_microseconds(artifact.last_occurred),
        "updated_at": current if renewed == known.memory else to_microseconds(artifact.updated_at),
    }
    connection.execute(_RENEW, {"item": known.item} | times | memory_values(renewed))
    write_tags(connection, known.item, artifact.project_id, renewed.tags)
    return renewed


def retire_under_key(connection: sqlite3.Connection, artifact: Artifact, successor: str) -> Known | None:
    """Make a revision of the current item that has the artifact's key and context; return that."""
    memory = artifact.memory
    row = connection.execute(_UNDER_KEY, (artifact.project_id, memory.key, memory.context)).fetchone()
    if row is None:
        return None
    item, id_, num_chunks, stashed, given = row
    if stashed:
        unindex_stashed(connection, item)
    count_mentions(connection, item, sign=-1)
    drop_unused_embeddings(connection, drop_chunks(connection, item))
    write_tags(connection, item, artifact.project_id, ())
    connection.execute("UPDATE artifacts SET replaced_by = ?, stashed = 0 WHERE item = ?", (successor, item))
    connect_events(connection, item)
    drop_job(connection, artifact.project_id, id_, "embed")
    put_job(connection, artifact.project_id, id_, "erase", num_chunks)
    return Known(item, id_, successor, Memory.unchecked(memory.content, json.loads(given)))


def bring_back(connection: sqlite3.Connection, item: int, artifact: Artifact, num_chunks: int) -> None:
    """Make a revision current, with the artifact's tier and its form of the text, while nothing else has its key."""
    count_mentions(connection, item, sign=1)
    values = (to_microseconds(artifact.updated_at), artifact.stashed, artifact.token_count, num_chunks, item)
    connection.execute(_RETURN, values)
    connection.execute("UPDATE contents SET content = ? WHERE item = ?", (artifact.memory.content, item))
    connect_events(connection, item)
