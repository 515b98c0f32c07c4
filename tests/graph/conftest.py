"""Fixtures of the SQLite engine for the contract suites; those of Neo4j are in tests/real_servers.py."""

import functools
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from graph.sqlite_store import SqliteStore
from graph.store import Store

pytest.register_assert_rewrite("tests.graph.sqlite_raw", "tests.graph.neo4j_raw")


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
