"""Memories become artifacts: durable, and findable by words when `remember` returns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.dates import now, zone
from core.embedding import Tokenizer
from core.interface.memory import Memory
from core.knowledge.runs import CallerAnnotations
from core.records import Added, Artifact, Chunk, JobKind, artifact_id
from graph.protocols.administration import Jobs
from graph.protocols.records import Records
from ingest.intake.chunker import split_into_chunks
from ingest.intake.dating import add_text_date

#: Background jobs of a new item.
JOBS: tuple[JobKind, ...] = ("embed", "extract")


class ItemStore(Records, Jobs, Protocol):
    """The parts of a store that hold items and their jobs."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """The outcome for one memory; `num_chunks` and `token_count` count its content."""

    added: Added
    num_chunks: int
    token_count: int


def remember(
    memory: Memory,
    project_id: str,
    records: ItemStore,
    tokenizer: Tokenizer,
    annotations: CallerAnnotations | None = None,
) -> Remembered:
    """Split and store `memory` with its words and jobs, and its annotations, in one transaction.

    Raises:
        Unavailable: the record can't be written; nothing was stored.
    """
    artifact, chunks = _made(memory, project_id, tokenizer)
    added = records.add(artifact, chunks, JOBS, annotations)
    _index_tags(added, project_id, records, tokenizer)
    return Remembered(added, artifact.num_chunks, artifact.token_count)


def remember_together(
    memories: Sequence[Memory],
    project_id: str,
    records: ItemStore,
    tokenizer: Tokenizer,
    annotations: Sequence[CallerAnnotations | None] = (),
) -> list[Remembered]:
    """Do the same for several in the order given, all of them in one transaction or none.

    Raises:
        Unavailable: the record can't be written; nothing was stored.
    """
    made = [_made(memory, project_id, tokenizer) for memory in memories]
    added = records.add_all(made, JOBS, annotations)
    for one in added:
        _index_tags(one, project_id, records, tokenizer)
    return [
        Remembered(one, artifact.num_chunks, artifact.token_count)
        for one, (artifact, _) in zip(added, made, strict=True)
    ]


def _index_tags(added: Added, project_id: str, records: ItemStore, tokenizer: Tokenizer) -> None:
    """Index an item anew that was stored before with other tags, which are in the prefixes of its chunks."""
    if added.status != "duplicate":
        return
    for artifact in records.get(project_id, [added.artifact_id]).values():
        if not artifact.memory.tags and "tags" not in added.changed:
            return
        chunks, _ = split_into_chunks(artifact.id, artifact.memory, tokenizer)
        stored = records.chunks(project_id, [artifact.id]).get(artifact.id, [])
        if [chunk.prefix for chunk in stored if not chunk.is_restatement] != [chunk.prefix for chunk in chunks]:
            records.rechunk(project_id, artifact.id, chunks)
            records.queue(project_id, [artifact.id], "embed")


def _made(memory: Memory, project_id: str, tokenizer: Tokenizer) -> tuple[Artifact, list[Chunk]]:
    memory = add_text_date(memory)
    fingerprint = memory.fingerprint(project_id)
    identity = artifact_id(fingerprint)
    chunks, token_count = split_into_chunks(identity, memory, tokenizer)
    moment = now()
    memory = memory.with_retention(moment)
    artifact = Artifact(
        id=identity,
        project_id=project_id,
        memory=memory,
        fingerprint=fingerprint,
        happened_at=memory.moment() or moment.astimezone(zone()),
        created_at=moment,
        updated_at=moment,
        last_occurred=moment,
        token_count=token_count,
        num_chunks=len(chunks),
    )
    return artifact, chunks
