"""What a user may rely on when something is forgotten."""

import threading
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from core.errors import Conflict, MemoryServiceError, Unavailable
from core.interface.memory import Memory
from core.interface.operations import ForgetRequest
from core.records import DeletionCounts, Job
from ingest.indexing.erasure import forget, run_due_erasures
from ingest.indexing.indexer import Indexer
from service.app import App


class StubbornIndexer(Indexer):
    """An indexer whose index refuses erasures, as it does when another process has it open."""

    error: MemoryServiceError = Unavailable("Another process has the index open.")

    def erase(self, jobs: object) -> None:
        raise self.error


def remember(app: App, content: str, **fields: str) -> str:
    return app.remember(Memory.from_fields(content, fields), wait=True).id


def due(app: App) -> list[Job]:
    return app.store.claim(["erase"], 10, timedelta(milliseconds=1), "test")


@pytest.mark.both_engines
def test_text_vectors_and_knowledge_go_at_once(app: App) -> None:
    """docs/interface.md `forget`: a deletion removes all whose only source it was, and says how much."""
    kept, gone = remember(app, "Boats need a permit."), remember(app, "Dana Whitfield decided to use Kestrel.")
    events, entities = app.store.counts("default").events, app.store.counts("default").entities
    cascade, erased = forget("default", [gone], app.store, app.indexer, owner="test")
    assert (cascade, erased) == (DeletionCounts(1, events, entities), True)
    assert events >= 1
    assert app.index.ids("default") == {f"{kept}:0"}
    assert app.store.get("default", [gone]) == {}
    assert app.store.counts("default").events == 0
    assert app.store.job_counts().pending == 0


@pytest.mark.exhaustive
@pytest.mark.both_engines
def test_all_chunks_and_revisions_leave_the_index(app: App) -> None:
    """Not only the first chunk, and not only the current text."""
    remember(app, "Opening hours. " * 400, key="hours")
    current = remember(app, "We open at nine. " * 400, key="hours")
    assert len(app.index.ids("default")) > 2
    cascade, erased = forget("default", [current], app.store, app.indexer, owner="test")
    assert erased
    assert cascade.chunks > 2
    assert app.index.ids("default") == set()


@pytest.mark.parametrize("error", [Unavailable("Another process has the index open."), Conflict("Another model.")])
def test_an_index_that_refuses_is_caught_up_with_later(app: App, error: MemoryServiceError) -> None:
    """The record forgets at once, no answer shows the item, and the erasure waits in the ledger."""
    gone = remember(app, "Boats need a permit.")
    stubborn = StubbornIndexer(app.store, app.index, app.embedder, app.tokenizer)
    stubborn.error = error
    cascade, erased = forget("default", [gone], app.store, stubborn, owner="test")
    assert (cascade.chunks, erased) == (1, False)
    assert app.index.ids("default") == {f"{gone}:0"}
    (report,) = app.store.job_reports("default", gone)
    assert (report.kind, report.state, report.error) == ("erase", "pending", str(error))


def test_a_sweep_does_every_erasure_that_is_due(app: App) -> None:
    """More than fit one call, of several projects."""
    ids = [app.remember(Memory(content=f"Note {number}.")).id for number in range(600)]
    other = app.remember(Memory(content="Note."), "other").id
    app.store.remove("default", ids)
    app.store.remove("other", [other])
    assert run_due_erasures(app.store, app.indexer, owner="test")
    assert due(app) == []


def test_an_erasure_in_the_hand_of_another_process_is_not_said_to_be_done(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/interface.md forget `degraded`: nothing is due here, and the vector is still there."""
    monkeypatch.setattr("ingest.indexing.erasure._PATIENCE", 0.05)
    first, second = remember(app, "Boats need a permit."), remember(app, "The pier is grey.")
    app.store.remove("default", [first])
    assert len(app.store.claim(["erase"], 1, timedelta(seconds=30), "other")) == 1
    assert forget("default", [first, second], app.store, app.indexer, owner="test") == (DeletionCounts(1, 0, 0), False)
    assert app.index.ids("default") == {f"{first}:0"}


def test_an_erasure_that_another_process_finishes_meanwhile_is_waited_for(app: App) -> None:
    """A worker that was quicker is no reason to call the answer incomplete."""
    first, second = remember(app, "Boats need a permit."), remember(app, "The pier is grey.")
    app.store.remove("default", [first])
    held = app.store.claim(["erase"], 1, timedelta(seconds=30), "other")
    assert [job.artifact_id for job in held] == [first]

    def finish() -> None:
        app.indexer.erase(held)
        app.store.complete(held)

    finishing = threading.Timer(0.1, finish)
    finishing.start()
    assert forget("default", [first, second], app.store, app.indexer, owner="test") == (DeletionCounts(1, 0, 0), True)
    assert app.index.ids("default") == set()
    finishing.join(60)


def test_forgetting_what_is_not_there_is_no_error(app: App) -> None:
    """Two clients may forget the same item at once."""
    assert forget("default", ["art_000000000000"], app.store, app.indexer, owner="test") == (
        DeletionCounts(0, 0, 0),
        True,
    )


def test_a_forgotten_word_is_in_no_file_of_the_home(app: App, tmp_path: Path) -> None:
    """docs/interface.md forget: nothing of text, title or author is left on disk once the service has ended."""
    app.remember(Memory(content="The ferry leaves at nine."), wait=True)
    secret = Memory(content="Zyxquark decided to sell the mill.", title="Zyxquark", author="Zyxquark Holt")
    gone = app.remember(secret, wait=True).id
    app.forget(ForgetRequest(id=gone, confirm=True))
    app.close()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path.name for path in files if b"zyxquark" in path.read_bytes().lower()] == []


class BrokenIndexer(Indexer):
    """An indexer with a bug: it fails at the erasure of some items, as no service that is away does."""

    broken: frozenset[str] = frozenset()

    def erase(self, jobs: Sequence[Job]) -> None:
        if self.broken.intersection(job.artifact_id for job in jobs):
            raise RuntimeError("a dimension is missing")
        super().erase(jobs)


def test_an_erasure_that_fails_is_no_failure_of_the_call(app: App) -> None:
    """What is removed is removed: the call says which vectors are left, and the job has the reason."""
    first, second = remember(app, "Boats need a permit."), remember(app, "The pier is grey.")
    broken = BrokenIndexer(app.store, app.index, app.embedder, app.tokenizer)
    broken.broken = frozenset({first})

    assert forget("default", [first, second], app.store, broken, owner="test") == (DeletionCounts(2, 0, 0), False)
    assert app.store.get("default", [first, second]) == {}
    assert app.index.ids("default") == {f"{first}:0"}
    (report,) = app.store.job_reports("default", first)
    assert (report.state, report.error) == ("pending", "RuntimeError: a dimension is missing")
    assert run_due_erasures(app.store, broken, owner="test")


def test_forgetting_leaves_the_erasures_of_others_to_the_background(app: App) -> None:
    """A call costs its own item, whatever other projects have forgotten."""
    mine = remember(app, "Boats need a permit.")
    other = app.remember(Memory(content="The pier is grey."), "other", wait=True).id
    app.store.remove("other", [other])

    assert forget("default", [mine], app.store, app.indexer, owner="test") == (DeletionCounts(1, 0, 0), True)
    assert app.index.ids("other") == {f"{other}:0"}
    assert [job.artifact_id for job in due(app)] == [other]
