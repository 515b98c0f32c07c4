"""Fixtures of real servers: a plugin that tests/conftest.py names.

The shared ones are those of `make services`, taken only from `.services/`: tests empty them, and what that folder did
not start is somebody's. Without them a test is skipped, or fails where `CI` is set. One process of tests has them at a
time.
"""

import functools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest
from filelock import FileLock, Timeout
from neo4j import Driver, GraphDatabase

from graph.neo4j_store import Neo4jStore
from servers import ChromaServer, Neo4jServer, Server, Services
from servers.distribution import Distribution


def missing(reason: str) -> NoReturn:
    """Skip the test and say what to do; where `CI` is set, fail it, since nobody would read that."""
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@contextmanager
def reserved(server: Server) -> Iterator[None]:
    """Lend a server of `make services` to this process alone, if it is of use."""
    if not (server.running and server.answers()):
        missing(f"{server.name} is not running: run `make services`")
    try:
        with FileLock(server.folder.with_name(f"{server.folder.name}.tests.lock"), timeout=0):
            yield
    except Timeout:
        pytest.fail(f"Other tests use {server.name}: wait for their end (workers: see tests/workers.py)")


@pytest.fixture(scope="session")
def neo4j_server() -> Iterator[Neo4jServer]:
    """The Neo4j of `make services`, not to be stopped; what is in it is whatever the last test left."""
    server = Services().neo4j
    with reserved(server):
        yield server


@pytest.fixture(scope="session")
def chroma_server() -> Iterator[ChromaServer]:
    """The Chroma of `make services`, not to be stopped; what is in it is whatever the last test left."""
    server = Services().chroma
    with reserved(server):
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
    if not Distribution().present:
        missing("Neo4j is not in the cache folder yet: run `make services`")
    with Neo4jServer(tmp_path / "neo4j") as server:
        yield server


@pytest.fixture
def own_chroma(tmp_path: Path) -> Iterator[ChromaServer]:
    """A Chroma server for one test, running and empty, to be stopped and killed at will."""
    with ChromaServer(tmp_path / "chroma-server") as server:
        yield server
