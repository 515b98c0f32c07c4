"""What the audit of the vector index sees, and how it is mended."""

import pytest

from core.interface.memory import Memory
from core.interface.question import Question
from core.search import IndexEntry
from ingest.indexing.drift import Drift, compare_vectors, find_foreign_vectors, remove_foreign_vectors, repair_vectors
from service.app import App


@pytest.fixture
def ids(app: App) -> list[str]:
    """Three indexed items."""
    texts = ("The ferry leaves at nine.", "Boats need a permit.", "The pier is closed.")
    return [app.remember(Memory(content=text), wait=True).id for text in texts]


def test_an_index_in_step_has_no_drift(app: App, ids: list[str]) -> None:
    """Set against set, whatever the number; waiting jobs are no drift."""
    app.remember(Memory(content="The crane is green."))
    assert len(ids) == 3
    assert compare_vectors(app.store, app.index, "default") == Drift([], [], [])
    assert not compare_vectors(app.store, app.index, "default")


@pytest.mark.both_engines
def test_missing_and_extra_vectors_are_told_and_mended(app: App, ids: list[str]) -> None:
    """One too few and one too many are two faults, though the number is right."""
    app.index.delete("default", [f"{ids[0]}:0"])
    app.index.upsert(
        "default", "chunks", [IndexEntry("art_000000000000:0", "stray", {})], app.embedder.embed(["stray"])
    )
    drift = Drift([f"{ids[0]}:0"], ["art_000000000000:0"], [])
    assert compare_vectors(app.store, app.index, "default") == drift
    assert repair_vectors(app.indexer, "default") == drift
    app.worker.drain()
    assert compare_vectors(app.store, app.index, "default") == Drift([], [], [])
    assert app.index.ids("default") == {f"{id_}:0" for id_ in ids}


def test_vectors_of_another_text_are_told_and_made_again(app: App, ids: list[str]) -> None:
    """What a foreign hand wrote over an entry is found by what stands beside its vector."""
    app.index.upsert("default", "chunks", [IndexEntry(f"{ids[0]}:0", "stray", {})], app.embedder.embed(["stray"]))
    assert compare_vectors(app.store, app.index, "default") == Drift([], [], [f"{ids[0]}:0"])
    repair_vectors(app.indexer, "default")
    app.worker.drain()
    assert compare_vectors(app.store, app.index, "default") == Drift([], [], [])


def test_vectors_of_other_models_and_projects_are_told_and_removed(app: App, ids: list[str]) -> None:
    """They are in nobody's way, but take room, and may hold what the record has forgotten."""
    app.index.upsert("gone", "turns", [IndexEntry("art_000000000000:0", "stray", {})], app.embedder.embed(["stray"]))
    known, gone = find_foreign_vectors(app.store, app.index, "another-model")
    assert (known.project_id, known.number, gone.project_id, gone.number) == ("default", len(ids), "gone", 1)
    assert known.what == f"vectors are of another model, {app.embedder.model}"
    assert remove_foreign_vectors(app.indexer) == 1
    assert find_foreign_vectors(app.store, app.index, app.embedder.model) == []
    assert len(app.index.ids("default")) == len(ids)


def test_an_index_lost_as_a_whole_is_mended(app: App, ids: list[str]) -> None:
    """Recall is whole again afterwards."""
    app.index.reset()
    assert len(compare_vectors(app.store, app.index, "default").missing) == 3
    repair_vectors(app.indexer, "default")
    app.worker.drain()
    found = app.recall(Question(query="ferry"))
    assert (found.degraded, found.results[0].id) == ([], ids[0])


@pytest.mark.both_engines
def test_of_chunks_that_read_the_same_one_has_a_vector(app: App) -> None:
    """Equal vectors by the thousand cut others off from a search; nothing is missing for that, and its words are found.

    One that is left from a time when the chunk read otherwise goes when the item is embedded again.
    """
    ruled = app.remember(Memory(content="A rule.\n" + "=" * 20_000 + "\nThe end."), wait=True)
    indexed = app.index.ids("default")
    assert 3 <= len(indexed) < ruled.num_chunks // 4
    assert compare_vectors(app.store, app.index, "default") == Drift([], [], [])

    one = next(f"{ruled.id}:{index}" for index in range(ruled.num_chunks) if f"{ruled.id}:{index}" not in indexed)
    app.index.upsert("default", "chunks", [IndexEntry(one, "stray", {})], app.embedder.embed(["stray"]))
    repair_vectors(app.indexer, "default")
    app.worker.drain()
    assert app.index.ids("default") == indexed
    assert app.recall(Question(query="The end.")).results[0].id == ruled.id
