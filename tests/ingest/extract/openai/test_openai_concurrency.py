"""Several requests in flight: never more than allowed, within the budget, each text asked about once, in order."""

import threading
from typing import Any

import numpy as np
import pytest

from core.errors import Unavailable
from core.openai_usage import EMBEDDING, Gate, Spending
from graph.sqlite_store import SqliteStore
from retrieval.models.openai_embedder import OpenAIEmbedder
from tests.ingest.extracting import artifact_of
from tests.ingest.openai_answers import asking, document, kept, speaker_says
from tests.openai_server import OpenAIServer, Reply, Request

#: Twelve windows or so.
LONG = "\n".join(f"Person {number}: We decided on plan {number} after a long talk." for number in range(600))
#: How long a test waits for what must happen.
PATIENCE = 20.0


class CountingModel:
    """A model that counts the requests in flight, and answers none of the first until `hold` are."""

    def __init__(self, hold: int) -> None:
        self.most = self.inside = 0
        self._hold = hold
        self._changed = threading.Condition()

    def __call__(self, body: dict[str, Any]) -> str:
        with self._changed:
            self.inside += 1
            self.most = max(self.most, self.inside)
            self._changed.notify_all()
            assert self._changed.wait_for(lambda: self.most >= self._hold, PATIENCE)
        try:
            return speaker_says(body)
        finally:
            with self._changed:
                self.inside -= 1


@pytest.mark.parametrize("concurrency", [1, 2, 4])
def test_windows_are_asked_about_together_up_to_the_setting(concurrency: int, store: SqliteStore) -> None:
    """The first requests are answered only when as many are in flight; the events are those of one at a time."""
    model = CountingModel(concurrency)
    with OpenAIServer(says=model) as server:
        extractor = asking(server, store, concurrency=concurrency, timeout=PATIENCE)
        events = kept(extractor, LONG).events
        assert model.most == concurrency
        assert [event.quote for event in events] == [
            f"We decided on plan {number} after a long talk." for number in range(600)
        ]
        extractor.close()


MISBEHAVIOUR = {
    "429": Reply(status=429, headers={"Retry-After": "0"}),
    "429 without a pause": Reply(status=429),
    "429 until reset": Reply(status=429, headers={"x-ratelimit-reset-requests": "300ms"}),
    "500": Reply(status=500, headers={"Retry-After": "0"}),
    "half a body": Reply(fault="reset"),
    "none left": Reply(headers={"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "300ms"}),
    "slow": Reply(seconds=0.5),
    "uncounted": Reply(counted=False),
}


@pytest.mark.parametrize("kind", MISBEHAVIOUR)
def test_each_window_is_answered_once_whatever_the_service_does(kind: str, store: SqliteStore) -> None:
    """One bad answer among several in flight costs a second attempt, and no window is paid for twice."""
    answered: list[str] = []

    def says(body: dict[str, Any]) -> str:
        answered.append(document(body))
        return speaker_says(body)

    with OpenAIServer(says=says) as server:
        server.next(Reply(), MISBEHAVIOUR[kind])
        extractor = asking(server, store, concurrency=4)
        assert len(kept(extractor, LONG).events) == 600
        assert len(answered) == len(set(answered))
        assert extractor.usage().requests == len(answered)
        assert extractor.usage().estimated == (kind == "uncounted")
        extractor.close()


def test_all_wait_while_the_service_limits_the_rate(store: SqliteStore) -> None:
    """A pause that is longer than two minutes is no reason to wait: nobody asks, and the reason says for how long."""
    with OpenAIServer(says=speaker_says) as server:
        server.next(*[Reply(status=429, headers={"Retry-After": "200"})] * 4)
        extractor = asking(server, store, concurrency=4)
        with pytest.raises(Unavailable):
            extractor.extract(artifact_of(LONG))
        asked = len(server.chats())
        assert asked <= 4
        with pytest.raises(Unavailable, match="limits the rate"):
            extractor.extract(artifact_of(LONG))
        assert len(server.chats()) == asked
        extractor.close()


def test_a_budget_is_not_exceeded_by_requests_in_flight(store: SqliteStore) -> None:
    """However many windows wait, and whatever other process counts in the record; nothing stays reserved."""
    with OpenAIServer(says=speaker_says) as server:
        budget = 40_000
        extractors = [asking(server, store, concurrency=8, budget=budget) for _ in range(2)]
        outcomes: list[str] = []

        def extract(number: int) -> None:
            try:
                extractors[number].extract(artifact_of(LONG * (number + 2)))
            except Unavailable as error:
                outcomes.append(str(error))

        threads = [threading.Thread(target=extract, args=(number,)) for number in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        spent = Spending(store, budget).spent()
        assert len(outcomes) == 2
        assert 0 < spent.today.tokens <= budget
        assert spent.reserved == ()
        assert spent.today.requests == len(server.chats())
        for extractor in extractors:
            extractor.close()


def test_closing_ends_the_wait_for_a_place() -> None:
    """A process that ends does not wait for the requests of others."""
    gate, closing, outcomes = Gate(1), threading.Event(), list[str]()

    def wait() -> None:
        try:
            with gate.turn("extraction", closing):
                outcomes.append("admitted")
        except Unavailable as error:
            outcomes.append(str(error))

    with gate.turn("extraction", threading.Event()):
        waiting = threading.Thread(target=wait)
        waiting.start()
        closing.set()
        gate.wake()
        waiting.join(PATIENCE)
    assert not waiting.is_alive()
    assert len(outcomes) == 1
    assert "ends" in outcomes[0]


def test_the_number_is_halved_once_for_answers_of_the_same_time_and_rises_slowly() -> None:
    """Four requests that are refused together are one sign, not four."""
    gate = Gate(8)
    for _ in range(4):
        gate.heard(1.0, None, {})
    assert int(gate._allowed) == 4
    for _ in range(24):
        gate.heard(1.0, 200, {})
    assert 4 < int(gate._allowed) < 8


def embedder_of(server: OpenAIServer, store: SqliteStore, budget: int | None = None) -> OpenAIEmbedder:
    """Return an embedder with four requests at a time that counts in the record."""
    made = OpenAIEmbedder(api_key="sk-test", base_url=server.url, dimensions=8, gate=Gate(4))
    setting = "REMEMBRANCER_OPENAI_EMBEDDING_BUDGET"
    made.count_in(Spending(store, budget, note=EMBEDDING, setting=setting))
    return made


class MeetingServer(OpenAIServer):
    """Holds four requests until all of them came."""

    def __init__(self) -> None:
        super().__init__()
        self.meeting = threading.Barrier(4)

    def received(self, request: Request) -> Reply:
        self.meeting.wait(PATIENCE)
        return super().received(request)


def test_batches_of_embeddings_are_asked_for_together_and_counted(store: SqliteStore) -> None:
    """Four batches meet at the service; vectors keep the order of their texts."""
    texts = [f"text {number}" for number in range(1_024)]
    with MeetingServer() as server:
        embedder = embedder_of(server, store)
        made = embedder.embed(texts)
        embedder.close()
    with OpenAIServer() as server:
        alone = OpenAIEmbedder(api_key="sk-test", base_url=server.url, dimensions=8)
        assert np.array_equal(made, alone.embed(texts))
        alone.close()
    usage = embedder.usage()
    assert (usage.requests, usage.tokens, usage.estimated) == (4, 2 * 1_024, 0)


def test_embeddings_stop_at_their_budget_and_say_which_setting(store: SqliteStore) -> None:
    """It is another budget than that of extraction."""
    with OpenAIServer() as server:
        embedder = embedder_of(server, store, budget=10)
        embedder.embed(["one two"])
        with pytest.raises(Unavailable, match="REMEMBRANCER_OPENAI_EMBEDDING_BUDGET"):
            embedder.embed(["some words more than what is left"])
        assert len(server.requests) == 1
        assert "2 of 10 tokens" in embedder.usage_line()
        embedder.close()
    assert Spending(store, None).spent().ever.requests == 0


def test_embeddings_without_usage_are_estimated_and_told_as_such(store: SqliteStore) -> None:
    """A server that reports nothing is counted by length."""
    with OpenAIServer() as server:
        server.next(Reply(body={"data": [{"index": 0, "embedding": [1.0] * 8}]}))
        embedder = embedder_of(server, store)
        embedder.embed(["four words of text"])
        assert (embedder.usage().tokens, embedder.usage().estimated) == (5, 1)
        assert "1 requests estimated" in embedder.usage_line()
        embedder.close()


@pytest.mark.parametrize(("fault", "said"), [("wrong_dimension", "numbers where 8"), ("wrong_count", "for 2 texts")])
def test_wrong_vectors_are_an_error_that_says_so(fault: Any, said: str, store: SqliteStore) -> None:
    """They were paid for, and are counted."""
    with OpenAIServer() as server:
        server.next(Reply(fault=fault))
        embedder = embedder_of(server, store)
        with pytest.raises(Unavailable, match=said):
            embedder.embed(["one", "two"])
        assert embedder.usage().requests == 1
        embedder.close()
