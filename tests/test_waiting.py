"""`wait`: a call waits for its own items alone, for so many seconds, and no longer than anybody wants its answer."""

import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, cast

import anyio
import pytest
from mcp import Client

from core.errors import InvalidInput
from core.interface.memory import Memory
from core.knowledge.findings import Extraction
from core.records import Artifact
from graph.store import Store
from retrieval.vectors import ChromaIndex
from service.app import App
from service.tools.operations import tools
from tests.shipped import assembled

#: The jobs of an item.
_JOBS = 2
#: Far more than a wait that ends takes, in seconds.
_SOON = 20.0


class HeldExtractor:
    """An extractor that finds nothing, and not before it is released. Fulfils `Extractor`."""

    name = "held"

    def __init__(self) -> None:
        self.released = threading.Event()

    def extract(self, artifact: Artifact) -> Extraction:
        assert self.released.wait(60)
        return Extraction()


@pytest.fixture
def extractor() -> HeldExtractor:
    return HeldExtractor()


@pytest.fixture
def held(store: Store, index: ChromaIndex, extractor: HeldExtractor) -> Iterator[App]:
    """A service whose extraction goes on only once the extractor is released."""
    with assembled(store, index, extractor=extractor) as app:
        yield app
        extractor.released.set()


def queue(app: App, count: int) -> None:
    """Store notes whose jobs are left to the background."""
    notes = [Memory(content=f"Crate {number} stands in aisle {number % 9}.") for number in range(count)]
    for start in range(0, count, 300):
        app.remember_many(notes[start : start + 300])


@pytest.mark.both_engines
def test_a_call_waits_for_its_own_item_and_not_for_the_backlog(app: App) -> None:
    queue(app, 600)
    receipt = app.remember(Memory(content="The forklift is charged overnight."), wait=True)

    assert (receipt.degraded, receipt.pending, receipt.hint) == (None, None, None)
    assert {report.state for report in app.store.job_reports("default", receipt.id)} == {"done"}
    assert app.store.job_counts().pending == 600 * _JOBS


@pytest.mark.both_engines
def test_several_items_are_waited_for_without_the_backlog(app: App) -> None:
    queue(app, 100)
    receipts = app.remember_many([Memory(content=f"Gate {number} is locked.") for number in range(3)], wait=True)

    assert (receipts.stored, receipts.degraded, receipts.pending) == (3, None, None)
    assert app.store.job_counts().pending == 100 * _JOBS


def test_a_wait_ends_with_its_time_and_says_what_is_pending(held: App, extractor: HeldExtractor) -> None:
    began = time.monotonic()
    receipt = held.remember(Memory(content="The forklift is charged."), wait=True, wait_seconds=0.5)
    receipts = held.remember_many([Memory(content="The gate is locked.")], wait=True, wait_seconds=0)

    assert time.monotonic() - began < _SOON
    assert receipt.status == "stored"
    assert receipt.pending is not None
    assert "extractor" in receipt.pending
    assert receipt.degraded == receipt.pending
    assert "pending in the background" in (receipt.hint or "")
    assert receipts.pending == ["vectors", "extractor"]
    extractor.released.set()
    again = held.remember(Memory(content="The forklift is charged."), wait=True)
    assert (again.status, again.pending) == ("duplicate", None)


@pytest.mark.parametrize("seconds", [-1, 601, float("nan")])
def test_a_time_out_of_range_is_refused(app: App, seconds: float) -> None:
    with pytest.raises(InvalidInput, match="wait_seconds is"):
        app.remember(Memory(content="The gate is locked."), wait=True, wait_seconds=seconds)
    with pytest.raises(InvalidInput, match="wait_seconds is"):
        app.remember_many([Memory(content="The gate is locked.")], wait=True, wait_seconds=seconds)
    assert app.store.counts("default").artifacts == 0


def test_external_workers_find_the_item_of_a_waiting_call_first(store: Store, index: ChromaIndex) -> None:
    with assembled(store, index) as app:
        queue(app, 5)
        app.use_external_workers()
        receipt = app.remember(Memory(content="The forklift is charged."), wait=True, wait_seconds=0)
        (job, *_) = app.store.claim(["extract"], 9, timedelta(minutes=1), "another")

    assert job.artifact_id == receipt.id


@pytest.mark.anyio
async def test_a_wait_is_cancelled_with_its_call(held: App) -> None:
    (remember,) = [tool for tool in tools(held) if tool.name == "remember"]
    began = time.monotonic()
    with anyio.move_on_after(0.3) as scope:
        await remember.run({"content": "The gate is locked.", "wait": True, "wait_seconds": 500}, cast("Any", None))

    assert scope.cancel_called
    assert time.monotonic() - began < _SOON
    assert held.store.counts("default").artifacts == 1


@pytest.mark.anyio
async def test_clients_may_say_how_long_to_wait(client: Client) -> None:
    answer = await client.call_tool("remember", {"content": "The gate is locked.", "wait": True, "wait_seconds": 60})

    assert not answer.is_error
    assert "pending" not in (answer.structured_content or {})
