"""What a user may rely on when what is derived is made anew."""

import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from core.errors import Conflict, InvalidInput, Unavailable
from core.interface.memory import Memory
from core.interface.question import Question
from core.records import Artifact, Chunk
from graph.store import Store
from graph.vector_checks import check_model, claim_model, switch_model
from ingest.indexing.indexer import Indexer
from ingest.indexing.rebuild import (
    EVERYTHING,
    Rebuilt,
    What,
    acquire_rebuild_lease,
    is_interrupted,
    is_under_way,
    queue_graph,
    queue_vectors,
    resume_rebuild,
)
from ingest.intake.chunker import split_into_chunks
from ingest.worker import Worker
from retrieval.models.tokenizer import WordPieces
from retrieval.vectors import ChromaIndex, EmbeddedChroma
from service.app import App
from tests.ingest.interrupting import Interrupted, InterruptedIndexer
from tests.shipped import assembled

#: Each of these embeds long texts or builds a store of its own: over a second.
pytestmark = pytest.mark.exhaustive

LONG = " ".join(f"The harbour opens at nine on day {day}." for day in range(60))


@pytest.fixture
def filled(app: App) -> App:
    """A service with content, a turn, a revision and another project."""
    app.remember(Memory(content=LONG, title="Hours"))
    app.remember(Memory(content="Dana Whitfield decided to use Kestrel."))
    app.remember(Memory(content="Yes.", context="conversation", conversation_id="c", turn_index=0))
    app.remember(Memory(content="We open at nine.", key="hours"))
    app.remember(Memory(content="We open at ten.", key="hours"))
    app.remember(Memory(content="Boats need a permit."), "other")
    app.worker.drain()
    return app


def indexed(app: App) -> dict[str, set[str]]:
    return {project_id: app.index.ids(project_id) for project_id in app.store.projects()}


def recorded(app: App) -> dict[str, set[str]]:
    """Return the ids that the index should have: the chunks of all current items."""
    found: dict[str, set[str]] = {}
    for project_id in app.store.projects():
        ids = [artifact.id for batch in app.store.each(project_id) for artifact in batch]
        found[project_id] = {chunk.id for chunks in app.store.chunks(project_id, ids).values() for chunk in chunks}
    return found


def test_vectors_made_anew_are_those_of_the_record(filled: App) -> None:
    """docs/interface.md `reindex`: the index can always be rebuilt; what was lost or left over is mended."""
    before = indexed(filled)
    assert before == recorded(filled)
    for project_id in before:
        filled.index.drop(project_id)
    assert filled.reindex("vectors") == Rebuilt(embedded=5)
    assert indexed(filled) == before


def test_embeddings_are_taken_from_the_record_unless_they_are_to_be_made_again(filled: App) -> None:
    """A rebuild does not pay twice; `--regenerate-embeddings` bypasses that."""
    assert filled.reindex("vectors", regenerate=True) == Rebuilt(embedded=5)
    assert indexed(filled) == recorded(filled)
    queue_vectors(filled.indexer, regenerate=True)
    assert filled.store.drop_cached_vectors(filled.embedder.model) == 0


def test_a_smaller_window_cuts_every_item_anew(filled: App) -> None:
    """An embedder that sees less must get shorter chunks, and words follow."""
    narrow = WordPieces(window_tokens=60, window_bytes=10_000)
    before = recorded(filled)
    queue_vectors(replace(filled.indexer, tokenizer=narrow), regenerate=False)
    filled.worker.drain()
    after = recorded(filled)
    assert indexed(filled) == after
    assert len(after["default"]) > len(before["default"])
    for project_id in after:
        for batch in filled.store.each(project_id):
            for artifact in batch:
                chunks = filled.store.chunks(project_id, [artifact.id])[artifact.id]
                assert artifact.num_chunks == len(chunks)
                assert all(narrow.count(chunk.indexed_text) <= 60 for chunk in chunks)
    assert filled.recall(Question(query="harbour")).results[0].content != LONG


def test_another_model_is_a_conflict_until_the_vectors_are_made_anew(filled: App) -> None:
    """Vectors of two models are never mixed; the message names both and the remedy."""
    switch_model(filled.store, "another-model")
    with pytest.raises(Conflict) as caught:
        check_model(filled.store, filled.embedder.model)
    assert str(caught.value) == (
        "The vectors of this store were made with 'another-model', and 'all-MiniLM-L6-v2-int8' is set now: run "
        "`remembrancer reindex --what vectors`, or set the former embedder again."
    )
    assert filled.recall(Question(query="permit")).degraded == ["vectors"]
    filled.reindex("vectors")
    check_model(filled.store, filled.embedder.model)
    assert filled.recall(Question(query="harbour")).degraded == []
    assert indexed(filled) == recorded(filled)


def test_a_new_store_takes_the_model_that_comes_first(store: Store) -> None:
    """Nobody has to say which."""
    check_model(store, "two")
    claim_model(store, "one")
    check_model(store, "one")
    with pytest.raises(Conflict):
        check_model(store, "two")


@pytest.mark.both_engines
def test_words_and_knowledge_are_made_anew_as_they_were(filled: App) -> None:
    """docs/interface.md `reindex`: `keywords`, `graph`, `all`; ids stay."""
    question = Question(query="Dana Whitfield Kestrel")
    before, counts = filled.recall(question), filled.store.counts("default")
    assert counts.events >= 1
    chunks = sum(map(len, recorded(filled).values()))
    assert filled.reindex("keywords") == Rebuilt(chunks=chunks)
    assert filled.reindex("graph") == Rebuilt(extracted=5)
    assert filled.reindex("all") == Rebuilt(chunks=chunks, embedded=5, extracted=5)
    after = filled.recall(question)
    assert [(result.id, result.events) for result in after.results] == [(r.id, r.events) for r in before.results]
    assert after.entities == before.entities
    assert filled.store.counts("default") == counts


def test_what_was_extracted_stays_until_its_item_is_done_again(filled: App) -> None:
    """A reader during `reindex` sees the old knowledge, not none."""
    counts = filled.store.counts("default")
    assert queue_graph(filled.store, EVERYTHING) == 5
    assert filled.store.counts("default") == counts
    assert filled.store.job_counts().pending == 5


@pytest.mark.parametrize("regenerate", [False, True])
@pytest.mark.both_engines
def test_a_rebuild_interrupted_anywhere_is_begun_again_by_the_next_worker(filled: App, *, regenerate: bool) -> None:
    """No item stays without both vector and job; whoever works next on the store sees to that."""
    parts = InterruptedIndexer(filled.store, filled.index, filled.embedder, filled.tokenizer)
    with pytest.raises(Interrupted):
        queue_vectors(parts, regenerate=regenerate)
    assert is_interrupted(filled.store)
    assert filled.store.job_counts().pending == 2
    assert indexed(filled)["default"] == set()
    filled.worker.drain()
    assert not is_interrupted(filled.store)
    assert indexed(filled) == recorded(filled)


class SlowIndexer(Indexer):
    """An indexer that waits for a word in front of the third item that is cut."""

    arrived: threading.Event
    goes_on: threading.Event
    left = 2

    def rechunk(self, artifact: Artifact, chunks: Sequence[Chunk]) -> None:
        if self.left == 0:
            self.arrived.set()
            assert self.goes_on.wait(20)
        self.left -= 1
        super().rechunk(artifact, chunks)


Slow = tuple[SlowIndexer, Future[tuple[int, str | None]]]


@pytest.fixture
def slow(filled: App) -> Iterator[Slow]:
    """A rebuild in the middle, as another process does it, and what it will return."""
    parts = SlowIndexer(filled.store, filled.index, filled.embedder, filled.tokenizer)
    parts.arrived, parts.goes_on = threading.Event(), threading.Event()
    with ThreadPoolExecutor(1) as thread:
        done = thread.submit(queue_vectors, parts, regenerate=False)
        assert parts.arrived.wait(60)
        yield parts, done
        parts.goes_on.set()


def test_a_rebuild_that_goes_on_is_left_to_who_does_it(
    filled: App, slow: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long it takes, no other worker empties the index again, and no second rebuild begins."""
    monkeypatch.setattr("graph.lease.LEASE", timedelta(milliseconds=200))
    monkeypatch.setattr("ingest.indexing.rebuild._PATIENCE", 0.4)
    filled.worker.drain()  # with jobs of the first two items
    before = indexed(filled)
    assert sum(map(len, before.values())) > 0
    filled.worker.drain()
    with pytest.raises(Unavailable, match="already"):
        queue_vectors(filled.indexer, regenerate=True)
    assert indexed(filled) == before
    assert is_under_way(filled.store)
    assert not is_interrupted(filled.store)

    slow[0].goes_on.set()
    assert slow[1].result(60) == (5, None)
    assert not is_under_way(filled.store)
    filled.worker.drain()
    assert indexed(filled) == recorded(filled)


def test_a_rebuild_that_was_not_heard_of_for_long_is_taken_over(filled: App, slow: Slow) -> None:
    """A process that slept through its lease finds that out, and does not say that what another began is done."""
    filled.store.set_metadata_value("rebuilding_vectors", "reuse another 2000-01-01T00:00:00.000000Z")
    assert is_interrupted(filled.store)
    mine = acquire_rebuild_lease(filled.store)
    assert mine is not None
    slow[0].goes_on.set()
    with pytest.raises(Unavailable, match="took over"):
        slow[1].result(60)
    assert is_under_way(filled.store)
    mine.begun = True
    with pytest.raises(Interrupted), mine.held():
        raise Interrupted
    assert is_interrupted(filled.store)
    filled.worker.drain()
    assert not is_interrupted(filled.store)
    assert indexed(filled) == recorded(filled)


@pytest.mark.both_engines
def test_of_many_who_meet_an_interrupted_rebuild_one_begins_it_again(filled: App) -> None:
    """Else each would drop what the others have made since."""
    filled.store.set_metadata_value("rebuilding_vectors", "regenerate")
    with ThreadPoolExecutor(6) as threads:
        taken = [
            lease for lease in threads.map(lambda _: acquire_rebuild_lease(filled.store), range(6)) if lease is not None
        ]
    assert [lease.regenerate for lease in taken] == [True]


def test_a_worker_at_work_finds_the_rebuild_that_another_process_left(
    filled: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody restarts it for that."""
    monkeypatch.setattr("ingest.worker._LOOK_AGAIN", 0.05)
    worker = Worker(filled.store, filled.indexer, filled.extractor)
    worker.start()
    filled.index.reset()
    filled.store.set_metadata_value("rebuilding_vectors", "reuse killed 2000-01-01T00:00:00.000000Z")
    until = time.monotonic() + 30
    while indexed(filled) != recorded(filled) or is_under_way(filled.store) or is_interrupted(filled.store):
        assert time.monotonic() < until
        time.sleep(0.05)
    worker.stop()


def test_a_worker_that_is_stopped_leaves_its_rebuild_to_the_next(filled: App) -> None:
    """Ending the service does not wait for all items."""
    filled.store.set_metadata_value("rebuilding_vectors", "reuse")
    resume_rebuild(filled.indexer, lambda: False)
    assert is_interrupted(filled.store)
    filled.worker.drain()
    assert indexed(filled) == recorded(filled)


def test_an_interrupted_rebuild_for_another_model_waits_for_it(filled: App) -> None:
    """A process with the former embedder must not fill the index with its own vectors."""
    parts = InterruptedIndexer(filled.store, filled.index, filled.embedder, filled.tokenizer)
    with pytest.raises(Interrupted):
        queue_vectors(parts, regenerate=False)
    switch_model(filled.store, "another-model")
    filled.worker.drain()
    assert is_interrupted(filled.store)
    filled.reindex("vectors")
    assert not is_interrupted(filled.store)
    assert indexed(filled) == recorded(filled)


@pytest.mark.both_engines
def test_vectors_of_a_former_cutting_are_removed(filled: App) -> None:
    """A job under way while items are cut anew for a wider window leaves nothing behind."""
    narrow = replace(filled.indexer, tokenizer=WordPieces(window_tokens=60, window_bytes=10_000))
    queue_vectors(narrow, regenerate=False)
    filled.worker.drain()
    artifact = next(a for batch in filled.store.each("default") for a in batch if a.memory.content == LONG)
    many = filled.store.chunks("default", [artifact.id])[artifact.id]
    few, _ = split_into_chunks(artifact.id, artifact.memory, filled.tokenizer)
    assert len(few) < len(many)

    def cut_meanwhile() -> bool:
        filled.indexer.rechunk(artifact, few)
        return True

    filled.indexer.embed("default", [artifact.id], cut_meanwhile)
    filled.store.queue("default", [artifact.id], "embed")
    filled.worker.drain()
    assert indexed(filled) == recorded(filled)


@pytest.mark.parametrize("what", ["keywords", "graph"])
def test_embeddings_are_not_regenerated_where_no_vectors_are_made(filled: App, what: What) -> None:
    """An option that would do nothing is refused, not ignored."""
    with pytest.raises(InvalidInput, match=what):
        filled.reindex(what, regenerate=True)


def test_a_damaged_index_is_moved_aside_and_made_anew(filled: App, tmp_path: Path) -> None:
    """The advice that the error gives must work."""
    before = indexed(filled)
    filled.index.close()
    database = tmp_path / "chroma" / "chroma.sqlite3"
    database.write_bytes(b"\xff" * 4096 + database.read_bytes()[4096:])
    index = ChromaIndex(EmbeddedChroma(tmp_path / "chroma"), filled.embedder)
    with assembled(filled.store, index, extractor=filled.extractor) as app:
        assert app.recall(Question(query="permit"), "other").degraded == ["vectors"]
        with pytest.raises(Unavailable, match="remembrancer reindex --what vectors"):
            index.ping()
        done = app.reindex("vectors")
        assert done.moved_aside is not None
        assert (Path(done.moved_aside) / "chroma.sqlite3").exists()
        assert indexed(app) == before
        assert app.recall(Question(query="permit"), "other").degraded == []


def test_an_index_that_another_holds_is_neither_emptied_nor_moved(filled: App, tmp_path: Path) -> None:
    """Nothing was begun, so nothing is begun again."""
    before = indexed(filled)
    late = replace(filled.indexer, index=ChromaIndex(EmbeddedChroma(tmp_path / "chroma"), filled.embedder))
    with pytest.raises(Unavailable, match="has the vector index"):
        queue_vectors(late, regenerate=False)
    assert not is_interrupted(filled.store)
    assert (indexed(filled), filled.store.job_counts().pending) == (before, 0)
