"""What the tests of extraction with a language model share: a service, a record, and the extractor between them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from graph.sqlite_store import SqliteStore
from ingest.extract.openai import OpenAIExtractor
from tests.ingest.openai_answers import asking
from tests.openai_server import OpenAIServer


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A service whose model finds nothing until told otherwise."""
    with OpenAIServer() as running:
        yield running


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with SqliteStore(tmp_path / "record.db") as opened:
        yield opened


@pytest.fixture
def extractor(server: OpenAIServer, store: SqliteStore) -> Iterator[OpenAIExtractor]:
    made = asking(server, store)
    yield made
    made.close()
