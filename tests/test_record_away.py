"""What the service answers while its record, its vectors or both are away, in one process over real stores."""

import json
import logging
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Self

import httpx2
import pytest
from mcp import Client
from mcp_types import TextContent

from core.errors import NotFound, Unavailable
from core.interface.memory import Memory
from core.interface.operations import ForgetRequest
from core.interface.question import Question
from core.interface.results import to_json
from core.records import Counts
from graph.store import Store
from graph.vector_checks import switch_model
from ingest import worker as worker_module
from retrieval.vectors import ChromaIndex
from service.app import App
from service.server import create_http, create_server
from tests.eventually import eventually
from tests.shipped import assembled

pytestmark = pytest.mark.anyio

TEXT = "The harbour opens at nine."


class Switched:
    """A real record whose calls are all refused while it is away, or from its `lasts`-th call on."""

    def __init__(self, real: Store) -> None:
        self.real, self.away, self.lasts = real, False, None
        self.asked: list[str] = []

    away: bool
    lasts: int | None

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.real, name)
        if name == "close" or not callable(found):
            return found

        def call(*arguments: Any, **named: Any) -> Any:
            self.asked.append(name)
            if self.away or (self.lasts is not None and len(self.asked) > self.lasts):
                raise Unavailable("The record is away: start it.")
            return found(*arguments, **named)

        return call

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.real.close()


@pytest.fixture
def record(store: Store) -> Switched:
    return Switched(store)


@pytest.fixture
def switched(record: Switched, index: ChromaIndex) -> Iterator[App]:
    """A service whose record can go away."""
    with assembled(record, index) as opened:
        yield opened


def test_status_says_that_the_record_is_away_and_invents_no_numbers(app: App) -> None:
    """docs/interface.md status: `services` tell; zeros would say that everything was lost."""
    app.remember(Memory(content=TEXT), wait=True)
    app.store.close()

    status = app.status()

    assert not status.healthy
    assert {name: service.status for name, service in status.services.items()} == {
        "graph": "error",
        "vectors": "healthy",
        "embedder": "healthy",
        "extractor": "healthy",
    }
    assert "closed" in status.services["graph"].detail
    answer = to_json(status)
    assert [answer[name] for name in ("counts", "pending_jobs", "failed_jobs")] == [None, None, None]
    assert "job_status" not in answer


def test_a_record_that_goes_between_two_calls_of_status_is_away(switched: App, record: Switched) -> None:
    """Whichever call fails, the answer is the same."""
    record.lasts = 1

    status = switched.status()

    assert (status.services["graph"].status, status.counts) == ("error", None)
    assert record.asked[0] == "ping"


def test_status_asks_a_record_that_is_away_once(switched: App, record: Switched) -> None:
    """Each call of a server that is down may take seconds."""
    record.away = True

    switched.status("art_0123456789ab")

    assert record.asked == ["ping"]


def test_the_status_of_an_unknown_item_is_not_found_as_ever(app: App) -> None:
    """That the record may be away does not turn a wrong id into a healthy answer."""
    with pytest.raises(NotFound):
        app.status("art_0123456789ab")
    assert app.status().counts == Counts()


@pytest.mark.exhaustive
def test_vectors_of_another_model_are_an_error_only_the_record_can_tell(app: App) -> None:
    """With the record: the two models are named. Without: the index answers, so it is healthy."""
    switch_model(app.store, "another-model")
    told = app.status().services["vectors"]
    app.store.close()

    assert told.status == "error"
    assert "another-model" in told.detail
    assert app.status().services["vectors"].status == "healthy"


async def test_the_tools_answer_through_mcp_while_the_record_is_away(app: App) -> None:
    """A client sees `isError` only where nothing can be answered; nulls fit the declared schema."""
    app.remember(Memory(content=TEXT), wait=True)
    app.store.close()
    async with Client(create_server(app)) as client:
        status = await client.call_tool("status", {})
        recall = await client.call_tool("recall", {"query": "harbour"})
        refused = [
            await client.call_tool(tool, arguments)
            for tool, arguments in (
                ("remember", {"content": "More."}),
                ("forget", {"id": "art_0123456789ab", "confirm": True}),
                ("recall", {"id": "art_0123456789ab"}),
            )
        ]

    assert not status.is_error
    assert (status.structured_content or {})["counts"] is None
    assert not recall.is_error
    assert (recall.structured_content or {})["degraded"] == ["graph"]
    for result in refused:
        assert result.is_error
        assert isinstance(result.content[0], TextContent)
        assert json.loads(result.content[0].text)["code"] == "unavailable"


async def asked(app: App, path: str) -> httpx2.Response:
    asgi = create_http(app, host="127.0.0.1", given=None)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(asgi), base_url="http://127.0.0.1") as client:
        return await client.get(path)


async def test_readiness_names_each_store_that_does_not_answer(app: App) -> None:
    """A replica without its record gets no traffic; one without vectors still answers, and says what is missing."""
    both = await asked(app, "/readyz")
    app.index.close()
    without_vectors = await asked(app, "/readyz")
    app.store.close()
    without_both = await asked(app, "/readyz")

    assert (both.status_code, both.json()["ready"], both.json()["degraded"]) == (200, True, [])
    assert (without_vectors.status_code, without_vectors.json()["ready"]) == (200, True)
    assert without_vectors.json()["degraded"] == ["vectors"]
    assert "closed" in without_vectors.json()["vectors"]
    assert (without_both.status_code, without_both.json()["ready"]) == (503, False)
    assert without_both.json()["degraded"] == ["graph", "vectors"]
    assert "closed" in without_both.json()["graph"]


async def test_a_store_that_hangs_is_away_after_a_few_seconds(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """A probe must get its answer before it gives up."""
    release = threading.Event()

    def hang(_: object) -> str:
        release.wait(60)
        return "late"

    monkeypatch.setattr(type(app.index), "ping", hang)
    monkeypatch.setattr("service.http.health._PATIENCE", 0.05)
    begin = time.monotonic()
    ready = await asked(app, "/readyz")
    taken = time.monotonic() - begin
    release.set()

    assert (ready.status_code, ready.json()["degraded"]) == (200, ["vectors"])
    assert "0.05 seconds" in ready.json()["vectors"]
    assert taken < 30


async def test_a_store_that_hangs_is_asked_once_however_many_probe_it(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Probes come every few seconds for as long as an outage lasts; each that is given up must not leave a thread."""
    release, calls = threading.Event(), list[int]()

    def hang(_: object) -> str:
        calls.append(1)
        release.wait(20)
        return "back"

    monkeypatch.setattr(type(app.index), "ping", hang)
    monkeypatch.setattr("service.http.health._PATIENCE", 0.3)
    asgi = create_http(app, host="127.0.0.1", given=None)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(asgi), base_url="http://127.0.0.1") as client:
        dark = [await client.get("/readyz") for _ in range(12)]
        release.set()
        until = time.monotonic() + 30
        while (light := await client.get("/readyz")).json()["degraded"]:
            assert time.monotonic() < until

    assert [ready.json()["degraded"] for ready in dark] == [["vectors"]] * 12
    assert light.json()["vectors"] == "back"
    assert len(calls) <= 2


async def test_a_scrape_outlives_the_record_and_tells_which_store_is_up(app: App) -> None:
    """An alert needs the gauge most when the record is away; the number of jobs is then unknown, not zero."""
    app.remember(Memory(content=TEXT))
    up = (await asked(app, "/metrics")).text
    app.store.close()
    down = await asked(app, "/metrics")

    assert 'remembrancer_service_up{service="graph"} 1.0' in up
    assert 'remembrancer_service_up{service="vectors"} 1.0' in up
    assert 'remembrancer_jobs{state="pending"} 2.0' in up
    assert down.status_code == 200
    assert 'remembrancer_service_up{service="graph"} 0.0' in down.text
    assert "remembrancer_jobs{" not in down.text


def test_nothing_is_stored_or_removed_while_the_record_is_away(switched: App, record: Switched) -> None:
    """Nothing is half-done after an error."""
    stored = switched.remember(Memory(content=TEXT), wait=True).id
    record.away = True
    for write in (
        lambda: switched.remember(Memory(content="More.")),
        lambda: switched.remember(Memory(content="More."), wait=True),
        lambda: switched.forget(ForgetRequest(id=stored, confirm=True)),
    ):
        with pytest.raises(Unavailable):
            write()
    record.away = False

    assert switched.index.ids("default") == {f"{stored}:0"}
    assert (switched.status().counts or Counts()).artifacts == 1
    assert switched.recall(Question(query="harbour")).degraded == []


def test_what_was_stored_before_the_record_went_is_said_to_be_stored(switched: App, record: Switched) -> None:
    """An error would say that nothing was done; what follows later is named instead."""
    record.lasts = 1

    receipt = switched.remember(Memory(content=TEXT), wait=True)

    record.lasts = None
    assert (receipt.status, receipt.degraded) == ("stored", ["vectors", "extractor"])
    assert switched.recall(Question(id=receipt.id)).total_count == 1


def test_what_was_removed_before_the_record_went_is_said_to_be_removed(switched: App, record: Switched) -> None:
    """Its vectors go once the record is back."""
    stored = switched.remember(Memory(content=TEXT), wait=True).id
    record.asked.clear()
    record.lasts = 4  # get, revisions, get, remove

    forgotten = switched.forget(ForgetRequest(id=stored, confirm=True))

    assert record.asked[3] == "remove"
    assert (forgotten.deleted, forgotten.degraded) == (True, ["vectors"])
    record.lasts = None
    switched.worker.drain()
    assert switched.index.ids("default") == set()


def test_background_work_waits_for_the_record_and_says_so_once(
    switched: App, record: Switched, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """An outage of an hour is two lines in the log, and ends without a restart."""
    monkeypatch.setattr(worker_module, "_ASK_AGAIN", 0.01)
    monkeypatch.setattr(worker_module, "LEASE", timedelta(milliseconds=50))
    stored = switched.remember(Memory(content=TEXT)).id
    record.away = True
    switched.start()
    eventually(lambda: len(record.asked) > 20)
    record.away = False

    eventually(lambda: {r.state for r in record.real.job_reports("default", stored)} == {"done"})
    said = [line.message for line in caplog.records if line.name == "remembrancer.worker"]
    assert [line.levelno for line in caplog.records if line.levelno > logging.WARNING] == []
    assert said == [
        "Background work waits for the record: The record is away: start it.",
        "The record answers again: background work goes on.",
    ]


def test_waiting_for_work_that_is_left_to_others_ends(app: App) -> None:
    """`serve --no-worker` never does a worker's work, and does not wait forever for one that is not there."""
    app.use_external_workers()

    receipt = app.remember(Memory(content=TEXT), wait=True, wait_seconds=0.1)

    assert receipt.degraded == ["vectors", "extractor"]
    assert app.store.job_counts().pending == 2


def test_waiting_for_work_that_is_left_to_others_sees_it_done(app: App, index: ChromaIndex) -> None:
    """A worker of another process serves the one that waits."""
    app.use_external_workers()
    with assembled(app.store, app.index) as other:
        other.start()

        assert app.remember(Memory(content=TEXT), wait=True).degraded is None
