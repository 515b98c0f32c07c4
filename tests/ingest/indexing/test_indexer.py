"""Two processes that index from one record: what one does between the other's steps leaves nothing wrong behind.

Two indexers stand for the processes: a lock of one is nothing to the other.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import pytest

from core.errors import Conflict, Unavailable
from core.interface.memory import Memory
from core.search import IndexEntry, UnitKind, VectorIndex, Vectors
from graph.store import Store
from graph.vector_checks import switch_model
from ingest.indexing import indexer as indexer_module
from ingest.indexing.indexer import Indexer
from ingest.intake.artifacts import remember
from ingest.worker import Worker
from retrieval.models.local_embedder import LocalEmbedder
from retrieval.vectors import ChromaIndex
from tests.shipped import shipped_extractor

PROJECT = "default"
TEXT = "The harbour opens at nine."


def nothing() -> None:
    pass


@dataclass
class DisturbedIndex:
    """A real index that lets something happen, once, right before a write or a deletion."""

    real: VectorIndex
    before_upsert: Callable[[], object] = nothing
    before_delete: Callable[[], object] = nothing

    def upsert(self, project_id: str, kind: UnitKind, entries: Sequence[IndexEntry], vectors: Vectors) -> None:
        happens, self.before_upsert = self.before_upsert, nothing
        happens()
        self.real.upsert(project_id, kind, entries, vectors)

    def delete(self, project_id: str, chunk_ids: Sequence[str]) -> None:
        happens, self.before_delete = self.before_delete, nothing
        happens()
        self.real.delete(project_id, chunk_ids)

    def search(self, project_id: str, vector: Vectors, limit: int) -> list[tuple[str, float]]:
        return self.real.search(project_id, vector, limit)

    def entries(self, project_id: str, chunk_ids: Sequence[str], *, texts: bool = True) -> dict[str, IndexEntry]:
        return self.real.entries(project_id, chunk_ids, texts=texts)

    def ids(self, project_id: str) -> set[str]:
        return self.real.ids(project_id)

    def holds(self, project_id: str) -> bool:
        return self.real.holds(project_id)

    def held(self) -> Mapping[tuple[str, str], int]:
        return self.real.held()

    def discard(self, project_id: str, model: str) -> None:
        self.real.discard(project_id, model)

    def drop(self, project_id: str) -> None:
        self.real.drop(project_id)

    def reset(self) -> str | None:
        return self.real.reset()

    def ping(self) -> str:
        return self.real.ping()

    def close(self) -> None:
        self.real.close()


@dataclass
class Replicas:
    """The worker of one process, whose index can be disturbed, and that of another."""

    store: Store
    embedder: LocalEmbedder
    index: DisturbedIndex
    one: Worker
    other: Worker

    def remember(self, content: str = TEXT, **fields: str) -> str:
        memory = Memory.from_fields(content, fields)
        return remember(memory, PROJECT, self.store, self.embedder.tokenizer).added.artifact_id


@pytest.fixture
def replicas(store: Store, index: ChromaIndex, embedder: LocalEmbedder) -> Replicas:
    """Two workers over one record and one index."""
    disturbed = DisturbedIndex(index)
    one = Worker(store, Indexer(store, disturbed, embedder, embedder.tokenizer), shipped_extractor())
    other = Worker(store, Indexer(store, index, embedder, embedder.tokenizer), shipped_extractor())
    return Replicas(store, embedder, disturbed, one, other)


def test_an_item_that_another_process_forgets_during_the_write_leaves_no_vector(replicas: Replicas) -> None:
    """The erasure is over before the vector comes; who wrote it takes it away again."""
    gone, kept = replicas.remember(), replicas.remember("The ferry leaves at ten.")

    def forget() -> None:
        replicas.store.remove(PROJECT, [gone])
        replicas.other.drain()

    replicas.index.before_upsert = forget
    replicas.one.drain()

    assert replicas.index.ids(PROJECT) == {f"{kept}:0"}
    assert replicas.store.job_counts().pending == 0


def test_a_turn_forgotten_during_the_write_leaves_no_vector(replicas: Replicas) -> None:
    """Turns have a collection of their own; the same promise holds."""
    memory = Memory(content=TEXT, context="conversation", conversation_id="c", turn_index=1)
    turn = remember(memory, PROJECT, replicas.store, replicas.embedder.tokenizer).added.artifact_id

    def forget() -> None:
        replicas.store.remove(PROJECT, [turn])
        replicas.other.drain()

    replicas.index.before_upsert = forget
    replicas.one.drain()

    assert replicas.index.ids(PROJECT) == set()


def test_an_item_that_another_process_remembers_again_during_its_erasure_has_vectors(replicas: Replicas) -> None:
    """The deletion takes the new vector along; who deleted it has it made again."""
    artifact_id = replicas.remember()
    replicas.one.drain()
    replicas.store.remove(PROJECT, [artifact_id])

    def again() -> None:
        replicas.remember()
        replicas.other.drain()

    replicas.index.before_delete = again
    replicas.one.drain()

    assert replicas.index.ids(PROJECT) == {f"{artifact_id}:0"}
    assert replicas.store.job_counts().pending == 0


def test_fields_that_another_process_renewed_during_the_write_win(replicas: Replicas) -> None:
    """What the index keeps beside a vector decides what is shown while the record is away."""
    artifact_id = replicas.remember()

    def renew() -> None:
        replicas.remember(sensitivity="highly_sensitive")
        replicas.other.drain()

    replicas.index.before_upsert = renew
    replicas.one.drain()

    entry = replicas.index.entries(PROJECT, [f"{artifact_id}:0"])[f"{artifact_id}:0"]
    assert entry.metadata["sensitivity"] == "highly_sensitive"
    assert replicas.store.job_counts().pending == 0


def test_chunks_that_another_process_cut_anew_during_the_write_are_indexed_as_they_are_now(replicas: Replicas) -> None:
    """A chunk's id outlives its text; the text in the index is the record's."""
    artifact_id = replicas.remember()
    [chunk] = replicas.store.chunks(PROJECT, [artifact_id])[artifact_id]
    halves = [
        replace(chunk, end_char=12, text=TEXT[:12]),
        replace(chunk, index=1, start_char=12, text=TEXT[12:]),
    ]

    def cut() -> None:
        replicas.store.rechunk(PROJECT, artifact_id, halves)
        replicas.store.queue(PROJECT, [artifact_id], "embed")
        replicas.other.drain()

    replicas.index.before_upsert = cut
    replicas.one.drain()

    entries = replicas.index.entries(PROJECT, [f"{artifact_id}:{index}" for index in range(2)])
    assert {id_: entry.text for id_, entry in entries.items()} == {half.id: half.text for half in halves}
    assert {entry.metadata["num_chunks"] for entry in entries.values()} == {2}


def test_a_model_switched_by_another_process_during_the_write_is_a_conflict(replicas: Replicas) -> None:
    """Vectors of a model that is no longer the store's do not count as made: the job waits for who has that model."""
    artifact_id = replicas.remember()
    replicas.index.before_upsert = lambda: switch_model(replicas.store, "another-model")

    with pytest.raises(Conflict, match="another-model"):
        replicas.one.indexer.embed(PROJECT, [artifact_id])
    replicas.one.drain()

    report = next(r for r in replicas.store.job_reports(PROJECT, artifact_id) if r.kind == "embed")
    assert report.state == "pending"


def test_a_lock_that_is_not_released_ends_in_an_error(
    store: Store, index: ChromaIndex, embedder: LocalEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write to the index may hang with the disk or the network: other calls do not hang with it."""
    monkeypatch.setattr(indexer_module, "_LOCK_SECONDS", 0.05)
    indexer = Indexer(store, index, embedder, embedder.tokenizer)
    with indexer.hold_lock(), pytest.raises(Unavailable, match="busy for over 60 s: try again"):
        indexer.drop(PROJECT, {"art_0": 1})
