"""Memories become artifacts, durable and findable by words; those of files are stored in batches."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from core.dates import now, zone
from core.errors import MemoryServiceError, Unavailable
from core.filters import Filters
from core.interface.memory import Memory
from core.knowledge.runs import CallerAnnotations
from core.knowledge.secrets import Redaction
from core.records import Added, Artifact, Chunk, JobKind, artifact_id
from core.search import Tokenizer
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
        stashed=memory.context == "stash",
    )
    return artifact, chunks


#: Most memories and characters in one transaction, so that other writers do not wait long.
_MEMORIES, _CHARACTERS = 50, 200_000
#: How long one waits while others are read, in seconds: it is found before the rest is in.
_WAIT_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class MemoryOutcome:
    """What became of one memory of a file: the item's id, empty if it was refused with the reason `why`."""

    path: Path
    status: Literal["stored", "updated", "unchanged", "refused"]
    id: str = ""
    why: str = ""
    #: The secrets in it that are not stored.
    redacted: tuple[Redaction, ...] = ()


class Batch:
    """Memories that wait to be stored in one transaction, in the order in which they come.

    What is stored already, with the same words and the same origin, is not touched unless its other fields changed.
    """

    def __init__(self, project_id: str, records: ItemStore, tokenizer: Tokenizer) -> None:
        self._project_id, self._records, self._tokenizer = project_id, records, tokenizer
        self._waiting: dict[str, tuple[Path, Memory]] = {}
        #: Keys of those that wait: what has one of them, too, depends on what becomes of it.
        self._keys: set[str] = set()
        self._characters, self._since = 0, 0.0

    def put(self, path: Path, memory: Memory) -> Iterator[MemoryOutcome]:
        """Take a memory of a file, and yield what is known of it and of those before it.

        Raises:
            Unavailable: the record can't be written; what was yielded before is in.
        """
        memory = memory.complete()
        fingerprint = memory.fingerprint(self._project_id)
        if self._is_full(memory) or fingerprint in self._waiting or memory.key in self._keys:
            yield from self.flush()
        stored = self._records.by_fingerprint(self._project_id, fingerprint)
        if stored is not None and stored.memory.updated_with(memory, now()) == stored.memory:
            yield MemoryOutcome(path, "unchanged", stored.id)
            return
        self._since = self._since if self._waiting else time.monotonic()
        self._waiting[fingerprint] = path, memory
        if memory.key is not None:
            self._keys.add(memory.key)
        self._characters += len(memory.content)

    def flush(self) -> Iterator[MemoryOutcome]:
        """Store what waits, and yield what became of it; raises as `put` does."""
        waiting = list(self._waiting.values())
        self._waiting, self._keys, self._characters = {}, set(), 0
        if waiting:
            yield from self._stored(waiting)

    def _is_full(self, memory: Memory) -> bool:
        is_large = len(self._waiting) == _MEMORIES or self._characters + len(memory.content) > _CHARACTERS
        return is_large or (bool(self._waiting) and time.monotonic() > self._since + _WAIT_SECONDS)

    def _stored(self, waiting: list[tuple[Path, Memory]]) -> Iterator[MemoryOutcome]:
        """Store them together, or each by itself if that fails for one of them."""
        try:
            done = remember_together(
                [memory for _, memory in waiting], self._project_id, self._records, self._tokenizer
            )
        except Unavailable:
            raise
        except MemoryServiceError as error:
            if len(waiting) == 1:
                yield MemoryOutcome(waiting[0][0], "refused", why=str(error))
                return
            for one in waiting:
                yield from self._stored([one])
        else:
            for (path, memory), added in zip(waiting, (one.added for one in done), strict=True):
                status: Literal["stored", "updated"] = "stored" if added.status == "stored" else "updated"
                yield MemoryOutcome(path, status, added.artifact_id, redacted=memory.redacted)


class DryRun:
    """Says what would become of memories, as `Batch` does, and stores nothing."""

    def __init__(self, project_id: str, records: Records) -> None:
        self._project_id, self._records = project_id, records
        self._seen: set[str] = set()

    def put(self, path: Path, memory: Memory) -> Iterator[MemoryOutcome]:
        """Take a memory of a file, and yield what would become of it.

        Raises:
            Unavailable: the record can't be read.
        """
        memory = memory.complete()
        fingerprint, place = memory.fingerprint(self._project_id), f"{memory.context} {memory.key}"
        stored = self._records.by_fingerprint(self._project_id, fingerprint)
        held = stored.id if stored is not None else self._replaced(memory)
        if fingerprint in self._seen or (
            stored is not None and stored.memory.updated_with(memory, now()) == stored.memory
        ):
            yield MemoryOutcome(path, "unchanged", held)
        else:
            status: Literal["stored", "updated"] = "updated" if held or place in self._seen else "stored"
            yield MemoryOutcome(path, status, held, redacted=memory.redacted)
        self._seen.add(fingerprint)
        if memory.key is not None:
            self._seen.add(place)

    def flush(self) -> Iterator[MemoryOutcome]:
        """Yield nothing: nothing waits."""
        return iter(())

    def _replaced(self, memory: Memory) -> str:
        """Return the id of the item that a memory would replace; empty if it would replace none."""
        if memory.key is None:
            return ""
        there = self._records.by_key(self._project_id, memory.key, Filters(at=now()))
        return next((one.id for one in there if one.memory.context == memory.context), "")
