"""No statement of SQLite reads all that a project has, where it looks for a few things: a large project would wait."""

import re
from typing import Any

import pytest

from core.interface.ledger import CommitmentsQuestion, DecisionsQuestion, ResolveRequest
from core.interface.memory import Memory
from core.interface.operations import ForgetRequest
from core.interface.question import Exploration, FacetQuestion, Question
from core.interface.stash import PopQuestion, StashQuestion, StashRequest
from graph.sqlite_store import SqliteStore
from graph.sqlite_store.database import connection as sqlite_connections
from service.app import App

#: A step of a plan that goes through all items, things or jobs there are, or through all of a project.
_ALL = re.compile(
    r"SCAN \w+ USING (COVERING )?INDEX (artifacts|nodes|entities|events|jobs|mentions|claims|participants|evidence)"
    r"|SEARCH \w+ USING (COVERING )?INDEX \w*(artifacts|nodes|entities|events|jobs)\w* \(project_id=\?\)$"
)
#: What may: counts of all there is, pages and bounded samples, partial indexes of what is few.
_MAY = re.compile(r"SELECT count\(\*\)|\bLIMIT\b|INDEXED BY|artifacts_stashed")


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements sent to SQLite by connections that are opened from now on."""
    statements: list[str] = []
    connect = sqlite_connections.connect

    def traced(*arguments: Any) -> Any:
        opened = connect(*arguments)
        opened.set_trace_callback(statements.append)
        return opened

    monkeypatch.setattr(sqlite_connections, "connect", traced)
    return statements


def test_no_statement_reads_a_whole_project(said: list[str], app: App) -> None:
    """Of all that a day with a memory asks for."""
    use(app)
    assert isinstance(app.store, SqliteStore)
    asked = [sql for sql in dict.fromkeys(said) if re.match(r"\s*(SELECT|WITH|UPDATE|DELETE|INSERT)\b", sql)]
    assert len(asked) > 150
    slow = []
    with app.store._database.reading() as connection:
        for sql in asked:
            plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}")]
            slow += [(step, sql[:300]) for step in plan if _ALL.search(step) and not _MAY.search(sql + step)]
    assert not slow


def test_what_was_known_on_a_day_is_listed_from_the_index_of_the_ledger(said: list[str], app: App) -> None:
    """Of most events neither the items nor their own rows are read, however many there are."""
    use(app)
    said.clear()
    app.decisions(DecisionsQuestion(as_of="2099-01-01", min_confidence=0))
    app.commitments(CommitmentsQuestion(as_of="2099-01-01", status="all", min_confidence=0))
    asked = [sql for sql in said if "e.since" in sql]
    assert len(asked) == 4
    assert isinstance(app.store, SqliteStore)
    with app.store._database.reading() as connection:
        for sql in asked:
            plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}")]
            found = {step.split(" (")[0] for step in plan if "SEARCH e " in step}
            assert found == {"SEARCH e USING INDEX events_in_ledger"}, sql


def test_unread_items_are_counted_without_being_read(said: list[str], app: App) -> None:
    """Those of one project, from ranges of an index alone."""
    app.store.unread_languages("default")
    [sql] = [sql for sql in said if "unread_language" in sql]
    assert isinstance(app.store, SqliteStore)
    with app.store._database.reading() as connection:
        plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}")]
    assert "SEARCH lessons USING COVERING INDEX lessons_unread (unread_language=? AND item>? AND item<?)" in plan
    assert not [step for step in plan if re.match(r"SEARCH a |SCAN (l|lessons)\b", step)]


def use(app: App) -> None:
    """Call everything once that reads or changes the record."""
    texts = [
        f"Wren Alder and Ida Moss met. We decided to paint gate {number}. Wren Alder will buy paint {number} by Friday."
        for number in range(6)
    ]
    ids = [app.remember(Memory(content=text, context="meeting", tags=("gates",), key=text[-20:])).id for text in texts]
    app.remember(Memory(content=texts[0] + " Ida Moss was late.", context="meeting", key=texts[0][-20:]))
    app.remember(Memory(content="Ida: Paint is here.", conversation_id="c", turn_index=0, author="Ida Moss"))
    app.worker.drain()
    for asked in ({}, {"tags": ("gates",)}, {"date_from": "2020-01-01"}, {"conversation_id": "c"}, {"source": "x"}):
        app.recall(Question(query="Who buys paint for the gate?", **asked))
    app.recall(Question(date_from="2020-01-01"))
    app.decisions(DecisionsQuestion(person="Wren Alder"))
    decided = app.decisions(DecisionsQuestion(min_confidence=0)).items
    app.decisions(DecisionsQuestion(as_of="2099-01-01", person="Wren Alder", topic="gate"))
    app.commitments(CommitmentsQuestion(as_of="2099-01-01"))
    app.commitments(CommitmentsQuestion(owner="Wren Alder", min_confidence=0))
    app.resolve(ResolveRequest(id=decided[0].id, status="withdrawn"))
    app.explore(Exploration(name="Wren Alder", to="Ida Moss"))
    app.resolve(ResolveRequest(id="Ida Moss", same_as="Wren Alder"))
    app.faceted_search(FacetQuestion(tags=("gates",), counts=True))
    app.stash(StashRequest(segment_ids=(ids[1],)))
    app.pop(PopQuestion(name="gate paint"))
    app.search_stash(StashQuestion(query="paint"))
    app.status()
    app.forget(ForgetRequest(id=ids[2], confirm=True))
    app.worker.drain()
