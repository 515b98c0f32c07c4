"""The Neo4j engine, on a real server, against every promise of the protocols."""

import functools
import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest
from neo4j import Driver, GraphDatabase

from graph.neo4j_store import Neo4jStore
from graph.store import Store
from tests.contracts.concurrency import ConcurrencyContract
from tests.contracts.jobs import JobsContract
from tests.contracts.knowledge import KnowledgeContract
from tests.contracts.records import RecordsContract
from tests.contracts.words import WordsContract
from tests.graph.neo4j_raw import Neo4jRaw


class Address(NamedTuple):
    """Where the server of the tests is."""

    uri: str
    username: str
    password: str


@pytest.fixture(scope="session")
def neo4j_address() -> Address:
    """Return where the server is."""
    return Address(os.environ.get("NEO4J_TEST_URI", "bolt://127.0.0.1:17687"), "neo4j", "testtest1")


@pytest.fixture(scope="session")
def driver(neo4j_address: Address) -> Iterator[Driver]:
    """Open a way to the server beside the store's."""
    with GraphDatabase.driver(neo4j_address.uri, auth=(neo4j_address.username, neo4j_address.password)) as opened:
        yield opened


@pytest.fixture
def reopen(neo4j_address: Address) -> Callable[[], Store]:
    """Return what opens the store of the test once more."""
    return functools.partial(Neo4jStore, *neo4j_address)


@pytest.fixture
def store(reopen: Callable[[], Store], driver: Driver) -> Iterator[Store]:
    """Open an empty store: its schema stays from test to test."""
    driver.execute_query("MATCH (n) WHERE NOT (n:Marker AND n.id STARTS WITH 'neo4j: ') DETACH DELETE n")
    with reopen() as opened:
        yield opened


@pytest.fixture
def raw(store: Store, driver: Driver) -> Neo4jRaw:
    """Look into the database of the store."""
    return Neo4jRaw(driver)


@pytest.fixture
def stored(raw: Neo4jRaw) -> Callable[[], bytes]:
    """Return what reads all that the database holds: what a server keeps in its files is the server's business."""
    return raw.everything


class TestRecords(RecordsContract):
    """`Records` on Neo4j."""


class TestWords(WordsContract):
    """`Words` on Neo4j."""


class TestJobs(JobsContract):
    """`Jobs` on Neo4j."""


class TestKnowledge(KnowledgeContract):
    """`KnowledgeGraph` on Neo4j."""


class TestConcurrency(ConcurrencyContract):
    """Threads, processes and replicas on one database."""
