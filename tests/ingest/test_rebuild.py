"""What a user may rely on when what is derived is made anew."""

import pytest

from core.errors import Conflict
from core.memory import Memory
from core.question import Question
from graph.model_marker import check_model, claim_model, switch_model
from graph.sqlite_store import SqliteStore
from ingest.rebuild import queue_graph, queue_vectors
from retrieval.embedder import LocalEmbedder
from retrieval.tokens import WordPieces
from service.app import App

LONG = "The harbour opens at nine. " * 200


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
    """CONTRACT `reindex`: the index can always be rebuilt; what was lost or left over is mended."""
    before = indexed(filled)
    assert before == recorded(filled)
    for project_id in before:
        filled.index.drop(project_id)
    assert filled.reindex("vectors") == 5
    assert indexed(filled) == before


def test_embeddings_are_taken_from_the_record_unless_they_are_to_be_made_again(filled: App) -> None:
    """A rebuild does not pay twice; `--regenerate-embeddings` bypasses that."""
    assert filled.reindex("vectors", regenerate=True) == 5
    assert indexed(filled) == recorded(filled)
    queue_vectors(filled.store, filled.index, filled.embedder, filled.tokenizer, regenerate=True)
    assert filled.store.drop_cached_vectors(filled.embedder.model) == 0


def test_a_smaller_window_cuts_every_item_anew(filled: App, embedder: LocalEmbedder) -> None:
    """An embedder that sees less must get shorter chunks, and words follow."""
    narrow = WordPieces(window_tokens=60, window_bytes=10_000)
    before = recorded(filled)
    queue_vectors(filled.store, filled.index, embedder, narrow, regenerate=False)
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


def test_a_new_store_takes_the_model_that_comes_first(store: SqliteStore) -> None:
    """Nobody has to say which."""
    check_model(store, "two")
    claim_model(store, "one")
    check_model(store, "one")
    with pytest.raises(Conflict):
        check_model(store, "two")


def test_words_and_knowledge_are_made_anew_as_they_were(filled: App) -> None:
    """CONTRACT `reindex`: `keywords`, `graph`, `all`; ids stay."""
    question = Question(query="Dana Whitfield Kestrel")
    before, counts = filled.recall(question), filled.store.counts("default")
    assert counts.events >= 1
    assert filled.reindex("keywords") == sum(map(len, recorded(filled).values()))
    assert filled.reindex("graph") == 5
    assert filled.reindex("all") > 10
    after = filled.recall(question)
    assert [(result.id, result.events) for result in after.results] == [(r.id, r.events) for r in before.results]
    assert after.entities == before.entities
    assert filled.store.counts("default") == counts


def test_what_was_extracted_stays_until_its_item_is_done_again(filled: App) -> None:
    """A reader during `reindex` sees the old knowledge, not none."""
    counts = filled.store.counts("default")
    assert queue_graph(filled.store) == 5
    assert filled.store.counts("default") == counts
    assert filled.store.job_counts().pending == 5
