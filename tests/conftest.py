"""Real parts for every test: stores in temporary folders, one embedder for the whole run."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from graph.sqlite_store import SqliteStore
from ingest.extract.local import LocalExtractor
from retrieval.embedder import LocalEmbedder
from retrieval.vectors import ChromaIndex, EmbeddedChroma
from service.app import App

pytest_plugins = ["tests.real_servers"]


@pytest.fixture(scope="session")
def embedder() -> LocalEmbedder:
    """The embedder of the install; loading it takes a third of a second, once."""
    return LocalEmbedder()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """An empty record."""
    with SqliteStore(tmp_path / "record.db") as opened:
        yield opened


@pytest.fixture
def index(tmp_path: Path, embedder: LocalEmbedder) -> Iterator[ChromaIndex]:
    """An empty vector index."""
    opened = ChromaIndex(EmbeddedChroma(tmp_path / "chroma"), embedder)
    yield opened
    opened.close()


@pytest.fixture
def app(store: SqliteStore, index: ChromaIndex, embedder: LocalEmbedder) -> Iterator[App]:
    """A whole service over empty stores; background work is not started, `wait=True` does it on the spot."""
    with App.of(
        store=store, index=index, embedder=embedder, tokenizer=embedder.tokenizer, extractor=LocalExtractor()
    ) as opened:
        yield opened
