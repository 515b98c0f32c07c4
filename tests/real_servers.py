"""Fixtures of real servers: a plugin that tests/conftest.py names.

Neo4j Community has one database, and tests empty it, so each worker of pytest-xdist has a server of its own: that takes
half a gigabyte and five to ten seconds, once. Those of `make services` are for trying out, and no test touches them.
Without the Neo4j that `make services` brings a test is skipped, or fails where `CI` is set.
"""

import functools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from neo4j import Driver, GraphDatabase

from graph.neo4j_store import Neo4jStore
from servers import ChromaServer, Neo4jServer
from servers.distribution import Distribution


def missing(reason: str) -> NoReturn:
    """Skip the test and say what to do; where `CI` is set, fail it, since nobody would read that."""
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def brought() -> None:
    """Go on only where Neo4j is in the cache folder."""
    if not Distribution().present:
        missing("Neo4j is not in the cache folder yet: run `make services`")


@pytest.fixture(scope="session")
def neo4j_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neo4jServer]:
    """This worker's Neo4j, not to be stopped; what is in it is whatever the last test left."""
    brought()
    with Neo4jServer(tmp_path_factory.mktemp("services") / "neo4j", is_short_lived=True) as server:
        yield server


@pytest.fixture(scope="session")
def chroma_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromaServer]:
    """This worker's Chroma server, not to be stopped; what is in it is whatever the last test left."""
    with ChromaServer(tmp_path_factory.mktemp("services") / "chroma") as server:
        yield server


@pytest.fixture(scope="session")
def neo4j_driver(neo4j_server: Neo4jServer) -> Iterator[Driver]:
    """Open a way to the server beside the store's."""
    with GraphDatabase.driver(neo4j_server.uri, auth=(neo4j_server.username, neo4j_server.password)) as opened:
        yield opened


@pytest.fixture
def neo4j_reopen(neo4j_server: Neo4jServer) -> Callable[[], Neo4jStore]:
    """Return what opens the store of the test once more."""
    return functools.partial(Neo4jStore, neo4j_server.uri, neo4j_server.username, neo4j_server.password)


def empty(driver: Driver) -> None:
    """Delete whatever the last test left, save for the schema."""
    driver.execute_query("MATCH (n) WHERE NOT (n:Marker AND n.id STARTS WITH 'neo4j: ') DETACH DELETE n")


@pytest.fixture
def neo4j_store(neo4j_reopen: Callable[[], Neo4jStore], neo4j_driver: Driver) -> Iterator[Neo4jStore]:
    """Open an empty store."""
    empty(neo4j_driver)
    with neo4j_reopen() as opened:
        yield opened


@pytest.fixture
def own_neo4j(tmp_path: Path) -> Iterator[Neo4jServer]:
    """A Neo4j for one test, running and empty, to be stopped and killed at will; it costs five to ten seconds."""
    brought()
    with Neo4jServer(tmp_path / "neo4j", is_short_lived=True) as server:
        yield server


@pytest.fixture
def own_chroma(tmp_path: Path) -> Iterator[ChromaServer]:
    """A Chroma server for one test, running and empty, to be stopped and killed at will."""
    with ChromaServer(tmp_path / "chroma-server") as server:
        yield server
