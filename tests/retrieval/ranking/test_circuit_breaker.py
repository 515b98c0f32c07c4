"""What a question costs while the vector index hangs, over a real one that can be made to."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.interface.memory import Memory
from core.interface.question import Question
from core.interface.results import Recall
from core.search import Vectors
from graph.sqlite_store import SqliteStore
from retrieval.models.local_embedder import LocalEmbedder
from retrieval.ranking.sources import CircuitBreaker
from retrieval.vectors import ChromaIndex, EmbeddedChroma
from service.app import App
from tests.eventually import eventually
from tests.shipped import assembled


class HangingIndex(ChromaIndex):
    """An index whose searches do not come back while it is told to hang."""

    goes_on: threading.Event
    searches: int = 0

    def search(self, project_id: str, vector: Vectors, limit: int) -> list[tuple[str, float]]:
        self.searches += 1
        self.goes_on.wait(20)
        return super().search(project_id, vector, limit)


@pytest.fixture
def index(tmp_path: Path, embedder: LocalEmbedder) -> HangingIndex:
    made = HangingIndex(EmbeddedChroma(tmp_path / "chroma"), embedder)
    made.goes_on = threading.Event()
    made.goes_on.set()
    return made


@pytest.fixture
def hanging(tmp_path: Path, index: HangingIndex, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    """A service with an item and a short timeout, whose index hangs."""
    monkeypatch.setattr("retrieval.ranking.search.TIMEOUT_SECONDS", 0.3)
    monkeypatch.setattr("retrieval.ranking.sources._SLOW", 0.2)
    with assembled(SqliteStore(tmp_path / "record.db"), index) as app:
        app.remember(Memory(content="The zephyrine valve leaks."), wait=True)
        assert recall(app).degraded == []
        index.goes_on.clear()
        yield app
        index.goes_on.set()


def recall(app: App) -> Recall:
    return app.recall(Question(query="zephyrine valve"))


def test_an_index_that_hangs_costs_one_question_the_timeout_not_each(hanging: App, index: HangingIndex) -> None:
    """Ten seconds a question would be an outage of the whole service."""
    begin = time.monotonic()
    first = recall(hanging)
    waited = time.monotonic() - begin
    index.searches = 0
    rest = [recall(hanging) for _ in range(10)]

    assert first.degraded == ["vectors"]
    assert waited >= 0.3
    assert [answer.degraded for answer in rest] == [["vectors"]] * 10
    assert [len(answer.results) for answer in rest] == [1] * 10
    assert index.searches == 0


def test_an_index_that_comes_back_is_asked_again(
    hanging: App, index: HangingIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody restarts anything."""
    monkeypatch.setattr("retrieval.ranking.sources._OPEN_SECONDS", 0.05)
    assert recall(hanging).degraded == ["vectors"]
    index.goes_on.set()

    eventually(lambda: recall(hanging).degraded == [])
    assert recall(hanging).degraded == []


def test_searches_that_hang_hold_up_no_embedding(hanging: App, index: HangingIndex) -> None:
    """Many questions at the very moment when it begins to hang: those that have not begun are given up."""
    with ThreadPoolExecutor(12) as clients:
        answers = list(clients.map(lambda _: recall(hanging), range(12)))

    assert [answer.degraded for answer in answers] == [["vectors"]] * 12
    assert index.searches <= 1 + 4
    ranker = hanging.recaller.ranker
    assert ranker.embedding.submit(ranker.vectors.embed_question, "another").result(30).vector.shape == (384,)


def test_a_fast_failure_does_not_open_the_circuit() -> None:
    """It costs nothing to ask again, and what comes back is used at once."""
    breaker = CircuitBreaker(20)
    assert breaker.may_call()
    breaker.record_failure(0.01)
    assert breaker.may_call()


def test_while_the_circuit_is_open_one_trial_call_at_a_time_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow failure opens it, and the result of the trial call counts for all."""
    monkeypatch.setattr("retrieval.ranking.sources._OPEN_SECONDS", 0.0)
    breaker = CircuitBreaker(20)
    breaker.record_failure(10)
    assert [breaker.may_call() for _ in range(3)] == [True, False, False]
    breaker.record_failure(0.01)
    assert [breaker.may_call() for _ in range(3)] == [True, False, False]
    breaker.record_success()
    assert [breaker.may_call() for _ in range(3)] == [True, True, True]
