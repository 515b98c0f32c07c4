"""Servers that stop under load, and come back: what goes on, what is said, and that nothing is lost."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pydantic import SecretStr

from core.errors import Unavailable
from core.interface.memory import Memory
from core.interface.operations import ForgetRequest
from core.interface.question import Question
from core.interface.results import Status
from servers import ChromaServer, Neo4jServer
from service.app import App
from service.settings import Settings
from service.wiring import open_app
from tests.openai_server import OpenAIServer, Reply

#: Longest wait for work to be caught up, in seconds: workers look again after three.
PATIENCE = 90.0
#: Longest time in which a write must be refused once its server is gone, in seconds.
AT_ONCE = 5.0
#: Longest time until a server that hangs is noticed, in seconds: it asks its clients to wait ten.
FROZEN = 20.0

pytestmark = pytest.mark.timeout(480)


@pytest.fixture
def settings(tmp_path: Path, own_neo4j: Neo4jServer, own_chroma: ChromaServer) -> Settings:
    """Everything on servers of this test's own."""
    return Settings(
        REMEMBRANCER_HOME=tmp_path / "home",
        REMEMBRANCER_GRAPH="neo4j",
        NEO4J_URI=own_neo4j.uri,
        NEO4J_USERNAME=own_neo4j.username,
        NEO4J_PASSWORD=SecretStr(own_neo4j.password),
        REMEMBRANCER_VECTORS="server",
        CHROMA_URL=own_chroma.url,
    )


@pytest.fixture
def app(settings: Settings) -> Iterator[App]:
    """A service at work on those servers."""
    with open_app(settings) as opened:
        opened.start()
        yield opened


class Writers:
    """Clients that remember one thing after another until the end, whatever happens."""

    def __init__(self, app: App, count: int = 3) -> None:
        self._app = app
        self.acknowledged: list[str] = []
        self.refusals: list[float] = []
        self._ending = threading.Event()
        self._threads = [threading.Thread(target=self._write, args=(number,)) for number in range(count)]

    def _write(self, name: int) -> None:
        number = 0
        while not self._ending.is_set():
            number += 1
            begin = time.monotonic()
            try:
                receipt = self._app.remember(Memory(content=f"Parcel {number} of client {name} left the depot."))
            except Unavailable:
                self.refusals.append(time.monotonic() - begin)
                self._ending.wait(0.05)
            else:
                self.acknowledged.append(receipt.id)
            self._ending.wait(0.1)

    def __enter__(self) -> "Writers":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        for thread in self._threads:
            thread.join(30)


@contextmanager
def within(seconds: float, what: str) -> Iterator[Callable[[bool], bool]]:
    """Yield what a loop asks whether to go on: until it is given True, at most so many seconds."""
    deadline = time.monotonic() + seconds

    def goes_on(done: bool) -> bool:
        assert done or time.monotonic() < deadline, f"not within {seconds:.0f} s: {what}"
        time.sleep(0.02)
        return not done

    yield goes_on


def caught_up(app: App) -> Status:
    """Wait until no job waits; return the status then."""
    with within(PATIENCE, "all jobs done") as goes_on:
        while goes_on((status := app.status()).pending_jobs == 0):
            pass
    return status


def whole(app: App, ids: list[str]) -> None:
    """Assert that these items are there with text, chunks, words and vectors, and that there are no others."""
    artifacts, chunks = app.store.get("default", ids), app.store.chunks("default", ids)
    assert set(artifacts) == set(chunks) == set(ids)
    found = {
        hit.artifact_id for hit in app.store.search("default", ["parcel"], Question(query="parcel").filters(), 9_999)
    }
    assert found == set(ids)
    assert app.index.ids("default") == {chunk.id for several in chunks.values() for chunk in several}


def test_chroma_stops_under_load_and_comes_back(app: App, own_chroma: ChromaServer) -> None:
    """`remember` goes on, `recall` answers from words and graph and says so, and vectors are caught up afterwards."""
    app.remember(Memory(content="Ann Lee decided to seal the loading bay."), wait=True)
    with Writers(app) as writers:
        own_chroma.kill()
        before = len(writers.acknowledged)
        with within(20, "writes without Chroma") as goes_on:
            while goes_on(len(writers.acknowledged) > before + 20):
                pass
        dark = app.recall(Question(query="Who decided about the loading bay?"))
        status = app.status()
        own_chroma.start()
    assert caught_up(app).healthy
    light = app.recall(Question(query="Who decided about the loading bay?"))

    assert writers.refusals == []
    assert (dark.degraded, light.degraded) == (["vectors"], [])
    assert dark.results[0].content == light.results[0].content == "Ann Lee decided to seal the loading bay."
    assert [entity.name for entity in dark.entities] == ["Ann Lee"]
    assert (status.services["graph"].status, status.services["vectors"].status) == ("healthy", "error")
    app.forget(ForgetRequest(id=dark.results[0].id, confirm=True))
    whole(app, writers.acknowledged)


def test_neo4j_stops_under_load_and_comes_back(app: App, own_neo4j: Neo4jServer) -> None:
    """Writes fail at once with nothing half-done, `recall` answers from Chroma, and no restart is needed."""
    app.remember(Memory(content="Ann Lee decided to seal the loading bay.", title="Bay"), wait=True)
    with Writers(app) as writers:
        with within(20, "the first writes") as goes_on:
            while goes_on(len(writers.acknowledged) > 20):
                pass
        own_neo4j.kill()
        with within(20, "refusals") as goes_on:
            while goes_on(len(writers.refusals) > 10):
                pass
        dark = app.recall(Question(query="Who decided about the loading bay?"))
        status = app.status()
        with pytest.raises(Unavailable):
            app.forget(ForgetRequest(id=dark.results[0].id, confirm=True))
        own_neo4j.start()
        before = len(writers.acknowledged)
        with within(PATIENCE, "writes after Neo4j came back") as goes_on:
            while goes_on(len(writers.acknowledged) > before + 10):
                pass
    assert caught_up(app).failed_jobs == 0
    light = app.recall(Question(query="Who decided about the loading bay?"))

    assert max(writers.refusals) < AT_ONCE
    assert (dark.degraded, light.degraded) == (["graph"], [])
    assert dark.results[0].content == light.results[0].content == "Ann Lee decided to seal the loading bay."
    assert (dark.related, dark.entities) == ([], [])
    assert (status.healthy, status.counts) == (False, None)
    assert (status.services["graph"].status, status.services["vectors"].status) == ("error", "healthy")
    app.forget(ForgetRequest(id=light.results[0].id, confirm=True))
    stored = [item.id for batch in app.store.each("default") for item in batch]
    # A write may have reached the server that was killed before it could say so: it is whole, or it is not there.
    assert set(writers.acknowledged) <= set(stored)
    whole(app, stored)


def test_a_frozen_neo4j_is_noticed(app: App, own_neo4j: Neo4jServer) -> None:
    """A server that hangs refuses no connection: its silence is noticed all the same, and its return too."""
    app.remember(Memory(content="Ann Lee decided to seal the loading bay."), wait=True)
    own_neo4j.freeze()
    begin = time.monotonic()
    first = app.recall(Question(query="Who decided about the loading bay?"))
    noticed = time.monotonic() - begin
    begin = time.monotonic()
    with pytest.raises(Unavailable):
        app.remember(Memory(content="Not now."))
    refused = time.monotonic() - begin
    own_neo4j.thaw()
    with within(PATIENCE, "the first write after the thaw") as goes_on:
        while goes_on(has_remembered(app, "Now.")):
            pass

    assert first.degraded == ["graph"]
    assert first.results[0].content == "Ann Lee decided to seal the loading bay."
    assert (noticed < FROZEN, refused < AT_ONCE) == (True, True), (noticed, refused)


def has_remembered(app: App, content: str) -> bool:
    """Whether a write went through."""
    try:
        app.remember(Memory(content=content))
    except Unavailable:
        return False
    return True


def test_openai_stops_and_comes_back(settings: Settings) -> None:
    """Jobs wait and are tried again, nothing is lost, and `status` counts them meanwhile."""
    with OpenAIServer(key="sk-test") as openai:
        variables = {
            "embedder": "openai",
            "openai_api_key": SecretStr("sk-test"),
            "openai_base_url": openai.url,
        }
        with open_app(settings.model_copy(update=variables)) as app:
            openai.next(*[Reply(status=503, headers={"Retry-After": "0"})] * 12)
            ids = [app.remember(Memory(content=f"Parcel {number} arrived.")).id for number in range(5)]
            app.worker.drain()
            dark = app.status()
            app.start()
            light = caught_up(app)
            whole(app, ids)

    assert dark.pending_jobs is not None
    assert dark.pending_jobs >= 5
    assert (light.pending_jobs, light.failed_jobs) == (0, 0)
