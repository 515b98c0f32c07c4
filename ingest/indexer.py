"""Indexer: keeps the vector index in step with the record."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain
from typing import Final

import numpy as np

from core.dates import to_text
from core.embedding import Embedder, IndexEntry, Tokenizer, UnitKind, VectorIndex, Vectors
from core.filters import Filters
from core.records import Artifact, Chunk, Job, text_hash
from graph.model_marker import check_model, claim_model
from graph.store import Store

#: Chunks, and tokens, embedded and indexed in one go: enough that the index's cost per call hardly counts, little
#: enough that a process asked to stop does so within about two seconds.
_BATCH_CHUNKS, _BATCH_TOKENS = 256, 8_000
#: Nothing has expired yet at this moment: an item that nobody may see any more keeps its vectors until it is forgotten.
_EVER: Final = Filters(at=datetime.min.replace(tzinfo=UTC))


@dataclass(slots=True)
class Indexer:
    """Embeds chunks, with the record's cache, and writes or erases their vectors.

    One lock spans each check of the record and the write to the index that rests on it, so that an item forgotten
    in another thread never leaves a vector behind, and one remembered again never loses its own.
    """

    store: Store
    index: VectorIndex
    embedder: Embedder
    tokenizer: Tokenizer
    #: Held while all vectors are dropped and queued again (`ingest/rebuild.py`).
    rebuilding: threading.Lock = field(default_factory=threading.Lock)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def check(self) -> None:
        """Make sure that vectors can be written now.

        Raises:
            Unavailable: the index does not answer.
            Conflict: the store's vectors were made with another model.
        """
        check_model(self.store, self.embedder.model)
        self.index.ping()

    def embed(self, project_id: str, artifact_ids: Sequence[str], goes_on: Callable[[], bool] = lambda: True) -> bool:
        """Embed and index all chunks of these artifacts; False if `goes_on` said no before all were done.

        Items that are no longer current are passed over. While one batch is written to the index the next is embedded;
        chunks of similar length are embedded together, whatever artifact they are of.

        Raises:
            Unavailable: the embedder or the index does not answer; what was embedded so far is cached.
            Conflict: the store's vectors were made with another model.
        """
        claim_model(self.store, self.embedder.model)
        artifacts = self.store.get(project_id, artifact_ids)
        of_artifacts = self.store.chunks(project_id, artifact_ids)
        chunks = sorted(chain.from_iterable(of_artifacts.values()), key=lambda chunk: chunk.token_count)
        with ThreadPoolExecutor(1, thread_name_prefix="remembrancer-index") as writer:
            written: Future[None] | None = None
            for batch in _batches(chunks):
                if not goes_on():
                    return False
                vectors = self._vectors(batch)
                if written is not None:
                    written.result()
                written = writer.submit(self._write, project_id, artifacts, batch, vectors)
            if written is not None:
                written.result()
        return True

    def recut(self, artifact: Artifact, chunks: Sequence[Chunk]) -> None:
        """Make these the artifact's chunks if they are not, and remove the vectors of those that are no more.

        Raises:
            Unavailable: the index does not answer; the vectors left over are `extra` to `ingest/audit.py`.
        """
        with self.lock:
            stored = self.store.chunks(artifact.project_id, [artifact.id]).get(artifact.id, [])
            if list(chunks) != stored:
                self.store.rechunk(artifact.project_id, artifact.id, chunks)
            if len(chunks) < len(stored):
                self.index.delete(artifact.project_id, [chunk.id for chunk in stored[len(chunks) :]])

    def _vectors(self, chunks: Sequence[Chunk]) -> Vectors:
        """Return a vector a chunk, from the cache where it has one."""
        hashes = [text_hash(chunk.indexed_text) for chunk in chunks]
        known = self.store.cached_vectors(self.embedder.model, hashes)
        missing = {hash_: chunk.indexed_text for hash_, chunk in zip(hashes, chunks, strict=True) if hash_ not in known}
        if missing:
            made = dict(zip(missing, self.embedder.embed(list(missing.values())), strict=True))
            self.store.cache_vectors(self.embedder.model, made)
            known |= made
        return np.stack([known[hash_] for hash_ in hashes])

    def _write(
        self, project_id: str, artifacts: dict[str, Artifact], chunks: Sequence[Chunk], vectors: Vectors
    ) -> None:
        with self.lock:
            # Gone are chunks of items forgotten or replaced meanwhile, and of those that a rebuild has cut anew.
            there = self.store.chunks_at(project_id, [(chunk.artifact_id, chunk.index) for chunk in chunks])
            for kind in ("chunks", "turns"):
                rows = [
                    row
                    for row, chunk in enumerate(chunks)
                    if there.get((chunk.artifact_id, chunk.index)) == chunk
                    and _kind(artifacts[chunk.artifact_id]) == kind
                ]
                if rows:
                    entries = [_entry(artifacts[chunks[row].artifact_id], chunks[row]) for row in rows]
                    self.index.upsert(project_id, kind, entries, vectors[rows])

    def erase(self, jobs: Sequence[Job]) -> None:
        """Remove the vectors of items of one project that were forgotten or replaced, unless they are current again.

        Raises:
            Unavailable: the index does not answer.
        """
        project_id = jobs[0].project_id
        with self.lock:
            current = self.store.passing(project_id, [job.artifact_id for job in jobs], _EVER)
            gone = [job for job in jobs if job.artifact_id not in current]
            self.index.delete(project_id, [f"{job.artifact_id}:{i}" for job in gone for i in range(job.num_chunks)])


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
    memory = artifact.memory
    metadata: dict[str, str | int | float | bool] = {
        "artifact_id": artifact.id,
        "chunk_index": chunk.index,
        "start_char": chunk.start_char,
        "end_char": chunk.end_char,
        "context": memory.context,
        "source": memory.source,
        "importance": memory.importance,
        "happened_at": to_text(artifact.happened_at),
    }
    for name in ("title", "author", "conversation_id", "turn_index", "role", "key"):
        if (value := getattr(memory, name)) is not None:
            metadata[name] = value
    return IndexEntry(chunk.id, chunk.text, metadata)
