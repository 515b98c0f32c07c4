"""Indexer: keeps the vector index in step with the record."""

import json
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain
from typing import Final

import numpy as np

from core.dates import now, to_local_text, to_text
from core.filters import Filters
from core.knowledge.runs import ExtractionResult, merged_annotations
from core.records import Artifact, Chunk, Job, chunks_to_embed
from core.search import Embedder, IndexEntry, TokenEmbedder, Tokenizer, UnitKind, VectorIndex, Vectors
from core.timing import FOREGROUND_CALLS, hold
from graph.store import Store
from graph.vector_checks import check_model, claim_model
from ingest.given import add_restatements
from ingest.intake.chunker import split_into_chunks

#: Chunks, and tokens, embedded and indexed in one go: enough that the index's cost per call hardly counts, little
#: enough that a process asked to stop does so within about two seconds.
_BATCH_CHUNKS, _BATCH_TOKENS = 256, 8_000
#: Chunks of one write to the index, before which it waits for calls that are being answered, so many seconds at most.
_WRITE_CHUNKS, _LONGEST_WAIT = 16, 1.0
#: How long a thread waits for the lock, in seconds.
_LOCK_SECONDS: Final = 60.0
_BUSY: Final = f"The vector index has been busy for over {_LOCK_SECONDS:.0f} s: try again, or run the doctor command."
#: A time before every expiry, so that expired items stay included: an item that nobody may see any more keeps its
#: vectors until it is forgotten.
_EVER: Final = Filters(at=datetime.min.replace(tzinfo=UTC))
#: Fields of an item that are stored with its vectors if they were given.
_SHOWN: Final = (
    "title", "author", "date", "conversation_id", "turn_index", "role", "key", "expires_at", "file_path", "task_id",
)  # fmt: skip


@dataclass(slots=True)
class Indexer:
    """Embeds chunks, with the record's cache, and writes or erases their vectors.

    One lock spans each check of the record and the write to the index that rests on it, so that an item forgotten
    in another thread never leaves a vector behind, and one remembered again never loses its own. Other processes know
    nothing of that lock: after each write the record is asked again, and what changed meanwhile is put right.
    """

    store: Store
    index: VectorIndex
    embedder: Embedder
    tokenizer: Tokenizer
    lock: threading.Lock = field(default_factory=threading.Lock)

    def hold_lock(self) -> AbstractContextManager[None]:
        """Hold the lock; raises `Unavailable` if another thread does not release it in a minute."""
        return hold(self.lock, _LOCK_SECONDS, _BUSY)

    def check(self) -> None:
        """Make sure that vectors can be written now.

        Raises:
            Unavailable: the index does not answer.
            Conflict: the store's vectors were made with another model.
        """
        check_model(self.store, self.embedder.model)
        self.index.ping()

    def embed(
        self,
        project_id: str,
        artifact_ids: Sequence[str],
        goes_on: Callable[[], bool] = lambda: True,
        *,
        afresh: bool = False,
        tell: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> bool:
        """Embed and index all chunks of these artifacts; False if `goes_on` said no before all were done.

        Before each batch `tell` is called with the number of chunks embedded so far and in total.
        What the record has cached is used, unless they are embedded `afresh`: then it is replaced.
        Items that are no longer current are passed over; those that have expired lose the vectors they had, which may
        not tell yet that they expire. While one batch is written to the index the next is embedded;
        chunks of similar length are embedded together, whatever artifact they are of. Items whose fields changed
        meanwhile are queued again.

        Raises:
            Unavailable: the embedder or the index does not answer; what was embedded so far is cached.
            Conflict: the store's vectors were made with another model, or another process switched it meanwhile.
        """
        claim_model(self.store, self.embedder.model)
        artifacts = self.store.get(project_id, artifact_ids)
        of_artifacts = self.store.chunks(project_id, artifact_ids)
        if self._recut_told(project_id, artifacts, of_artifacts):
            artifacts = self.store.get(project_id, artifact_ids)
            of_artifacts = self.store.chunks(project_id, artifact_ids)
        self._drop_expired(project_id, [item for item in artifacts.values() if not of_artifacts.get(item.id)])
        distinct = [chunks_to_embed(several) for several in of_artifacts.values()]
        chunks = sorted(chain.from_iterable(distinct), key=lambda chunk: chunk.token_count)
        self._drop_repeated(project_id, chain.from_iterable(of_artifacts.values()), chunks)
        with ThreadPoolExecutor(1, thread_name_prefix="remembrancer-index") as writer:
            written: Future[None] | None = None
            done = 0
            for batch in _batches(chunks):
                if not goes_on():
                    return False
                tell(done, len(chunks))
                done += len(batch)
                vectors = self._vectors(project_id, batch, afresh=afresh)
                if written is not None:
                    written.result()
                written = writer.submit(self._write, project_id, artifacts, batch, vectors)
            if written is not None:
                written.result()
        self._queue_changed(project_id, artifacts)
        check_model(self.store, self.embedder.model)
        return True

    def _drop_repeated(self, project_id: str, chunks: Iterable[Chunk], indexed: Sequence[Chunk]) -> None:
        """Delete the vectors that chunks without one have from a time when they read otherwise."""
        if repeated := [chunk.id for chunk in set(chunks).difference(indexed)]:
            with self.hold_lock():
                if left := self.index.entries(project_id, repeated, texts=False):
                    self.index.delete(project_id, list(left))

    def _drop_expired(self, project_id: str, artifacts: Sequence[Artifact]) -> None:
        expired = [artifact for artifact in artifacts if artifact.replaced_by is None]
        if expired:
            with self.hold_lock():
                self._drop(project_id, {artifact.id: artifact.num_chunks for artifact in expired})

    def _queue_changed(self, project_id: str, indexed: dict[str, Artifact]) -> None:
        """Queue again what another process, done before this one, may have indexed with newer fields."""
        there = self.store.get(project_id, list(indexed))
        changed = [id_ for id_, artifact in there.items() if _facts(artifact) != _facts(indexed[id_])]
        if changed:
            self.store.queue(project_id, changed, "embed")

    def chunk(self, artifact: Artifact) -> list[Chunk]:
        """Return the chunks that an item should have, restatements of its annotations included."""
        return self._cut(artifact, self.store.annotations(artifact.project_id, [artifact.id]).get(artifact.id, ()))

    def _cut(self, artifact: Artifact, annotations: Sequence[ExtractionResult]) -> list[Chunk]:
        chunks, _ = split_into_chunks(artifact.id, artifact.memory, self.tokenizer)
        return add_restatements(chunks, merged_annotations(reading.found for reading in annotations), self.tokenizer)

    def _recut_told(
        self, project_id: str, artifacts: Mapping[str, Artifact], chunks: Mapping[str, Sequence[Chunk]]
    ) -> bool:
        """Update the restatements of items to their annotations; return whether any changed."""
        annotations = self.store.annotations(project_id, list(chunks))
        changing = [
            id_ for id_ in chunks.keys() & artifacts.keys() if id_ in annotations or chunks[id_][-1].is_restatement
        ]
        for id_ in changing:
            self.rechunk(artifacts[id_], self._cut(artifacts[id_], annotations.get(id_, ())))
        return bool(changing)

    def rechunk(self, artifact: Artifact, chunks: Sequence[Chunk]) -> None:
        """Make these the artifact's chunks if they are not, and remove the vectors of those that are no more.

        Raises:
            Unavailable: the index does not answer; the vectors left over are `extra` to `ingest/indexing/drift.py`.
        """
        with self.hold_lock():
            stored = self.store.chunks(artifact.project_id, [artifact.id]).get(artifact.id, [])
            if list(chunks) != stored:
                self.store.rechunk(artifact.project_id, artifact.id, chunks)
            if len(chunks) < len(stored):
                self.index.delete(artifact.project_id, [chunk.id for chunk in stored[len(chunks) :]])

    def _vectors(self, project_id: str, chunks: Sequence[Chunk], *, afresh: bool) -> Vectors:
        """Return a vector a chunk, from the cache where it has one; vectors and states that are missing are made."""
        keys = [chunk.embedding_key_in(project_id) for chunk in chunks]
        known = {} if afresh else self.store.cached_vectors(self.embedder.model, keys)
        whole = self._with_states(known)
        missing = {key: chunk.embedded_text for key, chunk in zip(keys, chunks, strict=True) if key not in whole}
        if missing:
            known = self._embed(missing, known) | known
        return np.stack([known[key] for key in keys])

    def _with_states(self, known: Mapping[str, Vectors]) -> Collection[str]:
        """Return those of the keys that lack nothing: all, if the embedder makes no states."""
        if isinstance(self.embedder, TokenEmbedder):
            return self.store.keys_with_states(self.embedder.states_model, list(known))
        return known.keys()

    def _embed(self, texts: Mapping[str, str], known: Mapping[str, Vectors]) -> dict[str, Vectors]:
        """Return the vectors of texts by their keys, and cache the states, and the vectors that are not known."""
        if isinstance(self.embedder, TokenEmbedder):
            vectors, states = self.embedder.embed_with_states(list(texts.values()))
            self.store.cache_states(self.embedder.states_model, dict(zip(texts, states, strict=True)))
        else:
            vectors = self.embedder.embed(list(texts.values()))
        made = dict(zip(texts, vectors, strict=True))
        self.store.cache_vectors(self.embedder.model, {key: one for key, one in made.items() if key not in known})
        return made

    def _write(
        self, project_id: str, artifacts: dict[str, Artifact], chunks: Sequence[Chunk], vectors: Vectors
    ) -> None:
        """Write some at a time, and none while calls are answered: Chroma in this process would keep them waiting."""
        for start in range(0, len(chunks), _WRITE_CHUNKS):
            FOREGROUND_CALLS.wait_until_idle(_LONGEST_WAIT)
            some = slice(start, start + _WRITE_CHUNKS)
            self._write_some(project_id, artifacts, chunks[some], vectors[some])

    def _write_some(
        self, project_id: str, artifacts: dict[str, Artifact], chunks: Sequence[Chunk], vectors: Vectors
    ) -> None:
        with self.hold_lock():
            rows = self._still_current(project_id, chunks)
            for kind in ("chunks", "turns"):
                some = [row for row in rows if _kind(artifacts[chunks[row].artifact_id]) == kind]
                if some:
                    entries = [_entry(artifacts[chunks[row].artifact_id], chunks[row]) for row in some]
                    self.index.upsert(project_id, kind, entries, vectors[some])
            still = set(self._still_current(project_id, chunks))
            if gone := [chunks[row] for row in rows if row not in still]:
                self.index.delete(project_id, [chunk.id for chunk in gone])
                self._queue_current(project_id, [chunk.artifact_id for chunk in gone])

    def _still_current(self, project_id: str, chunks: Sequence[Chunk]) -> list[int]:
        """Return the rows of the chunks that the record still has as they are.

        Chunks of items that were forgotten or replaced meanwhile, or that a rebuild has split again, are gone.
        """
        there = self.store.chunks_at(project_id, [(chunk.artifact_id, chunk.index) for chunk in chunks])
        return [row for row, chunk in enumerate(chunks) if there.get((chunk.artifact_id, chunk.index)) == chunk]

    def _drop(self, project_id: str, num_chunks: Mapping[str, int]) -> None:
        """Delete the vectors of items, given with how many chunks each has; the lock is held."""
        self.index.delete(project_id, [f"{id_}:{i}" for id_, count in num_chunks.items() for i in range(count)])
        self._queue_current(project_id, list(num_chunks))

    def _queue_current(self, project_id: str, artifact_ids: Sequence[str]) -> None:
        """Queue the embedding of those items, whose vectors were just deleted, that are there again."""
        if back := self.store.matching_ids(project_id, artifact_ids, Filters(at=now())):
            self.store.queue(project_id, sorted(back), "embed")

    def drop(self, project_id: str, num_chunks: Mapping[str, int]) -> None:
        """Remove the vectors of items, with their texts, whatever these are now; they are to be made anew.

        Raises:
            Unavailable: the index does not answer.
        """
        with self.hold_lock():
            self._drop(project_id, num_chunks)

    def erase(self, jobs: Sequence[Job]) -> None:
        """Remove the vectors of items of one project that were forgotten or replaced, unless they are current again.

        Raises:
            Unavailable: the index does not answer.
        """
        project_id = jobs[0].project_id
        with self.hold_lock():
            current = self.store.matching_ids(project_id, [job.artifact_id for job in jobs], _EVER)
            self._drop(project_id, {job.artifact_id: job.num_chunks for job in jobs if job.artifact_id not in current})


def _batches(chunks: Sequence[Chunk]) -> Iterator[list[Chunk]]:
    batch: list[Chunk] = []
    tokens = 0
    for chunk in chunks:
        if batch and (len(batch) == _BATCH_CHUNKS or tokens + chunk.token_count > _BATCH_TOKENS):
            yield batch
            batch, tokens = [], 0
        batch.append(chunk)
        tokens += chunk.token_count
    if batch:
        yield batch


def _kind(artifact: Artifact) -> UnitKind:
    return "turns" if artifact.memory.is_turn else "chunks"


def _entry(artifact: Artifact, chunk: Chunk) -> IndexEntry:
    place: dict[str, str | int | float | bool] = {
        "artifact_id": artifact.id,
        "chunk_index": chunk.index,
        "start_char": chunk.start_char,
        "end_char": chunk.end_char,
    }
    return IndexEntry(chunk.id, chunk.text, place | _facts(artifact))


def _facts(artifact: Artifact) -> dict[str, str | int | float | bool]:
    """Return what the index keeps of an item: what an answer shows, and what every filter needs.

    Read again, without the record, by `retrieval/answers/record_outage.py`. Tags are one text of JSON.
    """
    memory = artifact.memory
    facts: dict[str, str | int | float | bool] = {
        "context": memory.context,
        "source": memory.source,
        "importance": memory.importance,
        "sensitivity": memory.sensitivity,
        "tags": json.dumps(memory.tags, ensure_ascii=False),
        "stashed": artifact.stashed,
        "happened_at": to_local_text(artifact.happened_at),
        "created_at": to_text(artifact.created_at),
        "num_chunks": artifact.num_chunks,
    }
    for name in _SHOWN:
        if (value := getattr(memory, name)) is not None:
            facts[name] = value
    return facts
