"""What the audit of the vector index sees, and how it is mended."""

import pytest

from core.embedding import IndexEntry
from core.memory import Memory
from core.question import Question
from ingest.audit import Drift, audit, mend
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
    assert audit(app.store, app.index, "default") == Drift([], [])
    assert not audit(app.store, app.index, "default")


def test_missing_and_extra_vectors_are_told_and_mended(app: App, ids: list[str]) -> None:
    """One too few and one too many are two faults, though the number is right."""
    app.index.delete("default", [f"{ids[0]}:0"])
    app.index.upsert(
        "default", "chunks", [IndexEntry("art_000000000000:0", "stray", {})], app.embedder.embed(["stray"])
    )
    drift = Drift([f"{ids[0]}:0"], ["art_000000000000:0"])
    assert audit(app.store, app.index, "default") == drift
    assert mend(app.indexer, "default") == drift
    app.worker.drain()
    assert audit(app.store, app.index, "default") == Drift([], [])
    assert app.index.ids("default") == {f"{id_}:0" for id_ in ids}


def test_an_index_lost_as_a_whole_is_mended(app: App, ids: list[str]) -> None:
    """Recall is whole again afterwards."""
    app.index.reset()
    assert len(audit(app.store, app.index, "default").missing) == 3
    mend(app.indexer, "default")
    app.worker.drain()
    found = app.recall(Question(query="ferry"))
    assert (found.degraded, found.results[0].id) == ([], ids[0])
