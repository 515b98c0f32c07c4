"""Real parts for every test: stores in temporary folders and on servers, one embedder and one extractor for the run."""

import os
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from mcp import Client

from graph.sqlite_store import SqliteStore
from graph.store import Store
from retrieval.models.local_embedder import LocalEmbedder
from retrieval.vectors import ChromaIndex, ChromaServer, EmbeddedChroma
from service.app import App
from service.server import create_server
from tests.shipped import assembled, shipped_embedder

pytest.register_assert_rewrite("tests.contracts")
pytest_plugins = ["tests.real_servers", "tests.running_commands", "tests.selection"]

# Tests say which zone they need: elsewhere times without one are in UTC, whatever machine they run on.
os.environ["TZ"] = "UTC"
if hasattr(time, "tzset"):
    time.tzset()

# Another worker or process may hold up any example; pytest-timeout ends what hangs.
settings.register_profile("beside others", settings.default, deadline=None)
settings.load_profile("beside others")


@pytest.fixture(scope="session")
def embedder() -> LocalEmbedder:
    """The embedder of the install."""
    return shipped_embedder()


@pytest.fixture
def engine(request: pytest.FixtureRequest) -> str:
    """Where the memory of the test is kept: embedded, and on servers too where it is marked `both_engines`."""
    return str(getattr(request, "param", "embedded"))


@pytest.fixture
def store(engine: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Store]:
    """An empty record."""
    if engine == "servers":
        yield request.getfixturevalue("neo4j_store")
        return
    with SqliteStore(tmp_path / "record.db") as opened:
        yield opened


@pytest.fixture
def index(
    engine: str, tmp_path: Path, embedder: LocalEmbedder, request: pytest.FixtureRequest
) -> Iterator[ChromaIndex]:
    """An empty vector index."""
    if engine == "servers":
        opened = ChromaIndex(ChromaServer(request.getfixturevalue("chroma_server").url), embedder)
        opened.reset()
    else:
        opened = ChromaIndex(EmbeddedChroma(tmp_path / "chroma"), embedder)
    yield opened
    opened.close()


@pytest.fixture
def app(store: Store, index: ChromaIndex) -> Iterator[App]:
    """The service as it ships over empty stores; background work is not started, `wait=True` does it on the spot."""
    with assembled(store, index) as opened:
        yield opened


@pytest.fixture
def anyio_backend() -> str:
    """What runs the tests that are marked with anyio."""
    return "asyncio"


@pytest.fixture
async def client(app: App) -> AsyncIterator[Client]:
    """A client of the service's tools, in this process."""
    async with Client(create_server(app)) as connected:
        yield connected
