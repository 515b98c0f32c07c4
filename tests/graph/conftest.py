"""Fixtures of both engines: SQLite's have the names of the contract suites, Neo4j's begin with its own."""

import functools
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from neo4j import Driver, GraphDatabase

from graph.neo4j_store import Neo4jStore
from graph.sqlite_store import SqliteStore
from graph.store import Store
from servers import Neo4jServer

pytest.register_assert_rewrite("tests.contracts", "tests.graph.sqlite_raw", "tests.graph.neo4j_raw")


@pytest.fixture(scope="session")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an empty store's file: copying it spares each test the many syncs of making one."""
    path = tmp_path_factory.mktemp("empty") / "record.db"
    SqliteStore(path).close()
    return path


@pytest.fixture
def path(tmp_path: Path, empty_file: Path) -> Path:
    """Return where the store of the test is."""
    path = tmp_path / "record.db"
    shutil.copy(empty_file, path)
    return path


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    """Open an empty store."""
    with SqliteStore(path) as opened:
        yield opened


@pytest.fixture
def stored(path: Path) -> Callable[[], bytes]:
    """Return what reads all that the files of the store of the test hold."""
    return lambda: b"".join(file.read_bytes() for file in sorted(path.parent.iterdir()))


@pytest.fixture
def reopen(path: Path) -> Callable[[], Store]:
    """Return what opens the store of the test once more."""
    return functools.partial(SqliteStore, path)


@pytest.fixture(scope="session")
def neo4j_driver(neo4j_server: Neo4jServer) -> Iterator[Driver]:
    """Open a way to the server beside the store's."""
    with GraphDatabase.driver(neo4j_server.uri, auth=(neo4j_server.username, neo4j_server.password)) as opened:
        yield opened


@pytest.fixture
def neo4j_reopen(neo4j_server: Neo4jServer) -> Callable[[], Neo4jStore]:
    """Return what opens the store of the test once more."""
    return functools.partial(Neo4jStore, neo4j_server.uri, neo4j_server.username, neo4j_server.password)


@pytest.fixture
def neo4j_store(neo4j_reopen: Callable[[], Neo4jStore], neo4j_driver: Driver) -> Iterator[Neo4jStore]:
    """Open an empty store: what the last test left is gone, save for the schema."""
    neo4j_driver.execute_query("MATCH (n) WHERE NOT (n:Marker AND n.id STARTS WITH 'neo4j: ') DETACH DELETE n")
    with neo4j_reopen() as opened:
        yield opened
