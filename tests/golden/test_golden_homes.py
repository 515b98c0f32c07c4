"""Homes that former releases made: opened by this one they answer as before, and nothing is lost (`making.py`)."""

import json
import sqlite3
import tarfile
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from neo4j import GraphDatabase

from core.errors import Conflict, NotFound
from core.interface.results import to_json
from graph.neo4j_store import migrations as neo4j_migrations
from graph.neo4j_store.database.connection import Database
from graph.sqlite_store.database.schema import MIGRATIONS
from graph.sqlite_store.migrations import prepare
from ingest.indexing.drift import compare_vectors
from remembrancer import Memory
from servers import Neo4jServer
from service.app import App
from service.settings import Settings
from service.tools.operations import tools
from service.tools.validation import call
from service.wiring import open_app
from tests.contracts.transferring import imported
from tests.golden.making import HOMES, answers, load
from tests.shipped import open_shipped, shipped_embedder

EMBEDDED, NEO4J = sorted(HOMES.glob("embedded-*")), sorted(HOMES.glob("neo4j-*"))

pytestmark = pytest.mark.timeout(600)


class _Tools:
    """Calls the tools of an app. Fulfils `remembrancer._client.Tools`."""

    def __init__(self, app: App) -> None:
        self._tools = {tool.name: tool for tool in tools(app)}

    def call(self, tool: str, arguments: str) -> object:
        return to_json(call(self._tools[tool], json.loads(arguments)))

    def close(self) -> None:
        """Leave the app to the test."""


@pytest.fixture
def unpacked(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    with tarfile.open(request.param) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path


def _said(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "answers.json").read_text(encoding="utf-8")))


def _check_lives(app: App, folder: Path) -> None:
    """Check that a memory answers as it did, takes in more, forgets, and is sound."""
    said, memory = _said(folder), Memory(_Tools(app), "default")
    assert answers(memory, said["ids"]) == said
    added = memory.remember("The gangway was oiled.", key="hull", context="decision", wait=True)
    assert memory.recall("gangway").results[0].id == added.id
    memory.forget(said["ids"]["minutes"], confirm=True)
    assert memory.recall("timetable of Noor Haddad").results[0].id != said["ids"]["minutes"]
    with pytest.raises(NotFound):
        memory.recall(id=said["ids"]["minutes"])
    assert [one["summary"] for one in said["commitments"] if one["artifact_id"] != said["ids"]["minutes"]] == [
        one.summary for one in sorted(memory.commitments().items, key=lambda item: item.id)
    ]
    app.worker.drain()
    assert app.store.job_counts().failed == 0
    # Words of other languages are found in texts of former releases, too, once `doctor --repair` has cut them anew.
    assert {one.part for one in app.store.integrity_issues()} <= {"words"}
    app.store.repair(["words"])
    assert app.store.integrity_issues() == []


def _version_of(home: Path) -> int:
    with closing(sqlite3.connect(home / "remembrancer.db")) as record:
        [version] = record.execute("PRAGMA user_version").fetchone()
    return int(version)


@pytest.mark.parametrize("unpacked", EMBEDDED, indirect=True, ids=lambda path: path.name)
def test_an_embedded_home_of_a_former_release_lives_on(unpacked: Path) -> None:
    """Opening it brings the record up to date; items, ledger, rules, vectors and conversations are what they were."""
    home = unpacked / "home"
    with open_shipped(home) as app:
        assert _version_of(home) == len(MIGRATIONS)
        assert not compare_vectors(app.store, app.index, "default")
        _check_lives(app, unpacked)


@pytest.mark.parametrize("unpacked", EMBEDDED, indirect=True, ids=lambda path: path.name)
def test_a_home_that_was_opened_is_refused_by_the_release_before(unpacked: Path) -> None:
    """A program that knows one migration less says what to do, and leaves the file as it is."""
    record = unpacked / "home" / "remembrancer.db"
    prepare(record)
    before = record.read_bytes()
    with pytest.raises(Conflict, match="update it"):
        prepare(record, MIGRATIONS[:-1])
    assert record.read_bytes() == before


@pytest.mark.exhaustive
@pytest.mark.both_engines
@pytest.mark.parametrize("unpacked", EMBEDDED, indirect=True, ids=lambda path: path.name)
def test_an_export_of_a_former_release_is_imported(unpacked: Path, app: App) -> None:
    """Into either engine, with the same answers, but for the vectors, which are made again."""
    said = _said(unpacked)
    imported(app.store, (unpacked / "export.jsonl").read_bytes(), shipped_embedder())
    app.worker.drain()
    assert answers(Memory(_Tools(app), "default"), said["ids"]) == said


@pytest.mark.parametrize("unpacked", NEO4J, indirect=True, ids=lambda path: path.name)
def test_a_neo4j_of_a_former_release_lives_on(unpacked: Path, own_neo4j: Neo4jServer) -> None:
    """Opening it brings the database up to date, and its dump restored with `reindex` answers as before."""
    settings = Settings(REMEMBRANCER_HOME=unpacked / "home", **own_neo4j.environment())
    with GraphDatabase.driver(own_neo4j.uri, auth=(own_neo4j.username, own_neo4j.password)) as driver:
        load(driver, json.loads((unpacked / "graph.json").read_text(encoding="utf-8")))
        with open_app(settings) as app:
            app.reindex("vectors")
            _check_lives(app, unpacked)
        before = partial(neo4j_migrations.prepare, migrations=neo4j_migrations.MIGRATIONS[:-1])
        with (
            closing(
                Database(own_neo4j.uri, own_neo4j.username, own_neo4j.password, "neo4j", prepare=before)
            ) as database,
            pytest.raises(Conflict, match="update this one"),
        ):
            database.rows("RETURN 1")
