"""What was replaced under a key, as of a day before the change."""

from pathlib import Path
from typing import Any

import pytest

from core.interface.memory import Memory
from core.interface.operations import ForgetRequest
from core.interface.question import Question
from graph.sqlite_store import SqliteStore
from retrieval.models.local_embedder import LocalEmbedder
from retrieval.vectors import ChromaIndex, EmbeddedChroma
from service.app import App
from tests.contracts.transferring import exported, imported
from tests.shipped import assembled

RATES = (
    ("2026-01-10", "The mooring fee is forty crowns a night."),
    ("2026-03-10", "A berth now costs fifty crowns from dusk to dawn."),
    ("2026-05-10", "Moorings are free of charge for members."),
)


def keep(app: App, *, context: Any = "reference", key: str = "mooring-rates", **given: Any) -> list[str]:
    """Remember the rates one after the other under a key; return their ids."""
    return [
        app.remember(Memory(content=text, context=context, key=key, date=date, **given), wait=True).id
        for date, text in RATES
    ]


def found(app: App, **asked: Any) -> list[str]:
    return [result.id for result in app.recall(Question(**asked, detail="full")).results]


@pytest.mark.both_engines
def test_each_text_is_found_as_of_its_time_and_no_other(app: App) -> None:
    """By words, by meaning, by key, and in lists; without `as_of` only the one that stands there now."""
    first, second, third = keep(app)
    app.remember(Memory(content="The slipway is by the mill.", context="note", date="2026-01-01"), wait=True)
    for question in (
        {"query": "what is the mooring fee"},
        {"query": "price of a place for my boat overnight"},
        {"query": "mooring-rates"},
        {"context": "reference"},
    ):
        times = [found(app, **question, as_of=day) for day in ("2026-01-09", "2026-02-01", "2026-04-01", "2026-06-01")]
        assert [ids[:1] for ids in times if ids and ids[0] in {first, second, third}] == [[first], [second], [third]]
        assert not {first, second, third}.intersection(times[0]), question
        for ids, one in zip(times[1:], (first, second, third), strict=True):
            assert {first, second, third}.intersection(ids) == {one}, question
        assert {first, second, third}.intersection(found(app, **question)) == {third}
    then = app.recall(Question(query="mooring-rates", as_of="2026-02-01", detail="full"))
    assert (then.match_type, then.results[0].content) == ("exact", RATES[0][1])
    listed = app.recall(Question(context="reference", as_of="2026-04-01"))
    assert (listed.total_count, listed.match_type) == (1, "list")


@pytest.mark.both_engines
def test_filters_hold_for_replaced_texts(app: App) -> None:
    """Tags, sensitivity, importance, source and days are those of the text that was replaced."""
    first, second, _ = keep(app, tags=("harbour", "money"), importance=0.8, source="board", sensitivity="sensitive")
    passing: list[dict[str, Any]] = [
        {"tags": ("harbour",)}, {"tags": ("money", "harbour")}, {"min_importance": 0.7}, {"source": "board"},
        {"sensitivity": "sensitive"}, {"date_to": "2026-01-31"}, {"date_from": "2026-01-10"},
    ]  # fmt: skip
    failing: list[dict[str, Any]] = [
        {"tags": ("harbour", "boats")}, {"min_importance": 0.9}, {"source": "mail"}, {"sensitivity": "normal"},
        {"date_from": "2026-02-01"}, {"context": "note"},
    ]  # fmt: skip
    for question in ({"query": "mooring fee"}, {"context": "reference"}):
        for narrowed in passing:
            assert found(app, **{**question, **narrowed}, as_of="2026-02-01") == [first], narrowed
        for narrowed in failing:
            assert found(app, **{**question, **narrowed}, as_of="2026-02-01") == [], narrowed
    assert found(app, query="berth", tags=("money",), as_of="2026-04-01") == [second]


@pytest.mark.both_engines
def test_a_text_that_came_back_leaves_the_time_between_to_the_other(app: App) -> None:
    """A change that was taken back was known then, and what stands there now was not."""
    summer = Memory(content="The harbour office opens at seven.", context="reference", key="office", date="2026-01-01")
    winter = Memory(content="The harbour office opens at nine.", context="reference", key="office", date="2026-02-01")
    first, second = (app.remember(memory, wait=True).id for memory in (summer, winter))
    assert app.remember(summer, wait=True).id == first

    assert found(app, query="when does the harbour office open", as_of="2026-01-15") == [first]
    assert found(app, query="when does the harbour office open", as_of="2026-03-01") == [second]
    assert found(app, query="office", as_of="2026-03-01") == [second]
    assert found(app, context="reference", as_of="2026-03-01") == [second]
    assert found(app, query="when does the harbour office open") == [first]


@pytest.mark.both_engines
def test_pages_of_a_list_have_each_item_once(app: App) -> None:
    """Replaced texts stand among the others in the order of their dates."""
    first, _, _ = keep(app, context="note")
    others = [
        app.remember(Memory(content=f"Buoy {day} was painted.", context="note", date=f"2026-01-{day:02}")).id
        for day in (5, 8, 12, 20)
    ]
    wanted = [others[3], others[2], first, others[1], others[0]]
    pages = [app.recall(Question(context="note", as_of="2026-02-01", limit=2, offset=start)) for start in (0, 2, 4)]

    assert [result.id for page in pages for result in page.results] == wanted
    assert {page.total_count for page in pages} == {5}


@pytest.mark.both_engines
def test_what_is_forgotten_is_not_found_as_of_then(app: App) -> None:
    """All that an item replaced goes with it."""
    first, second, third = keep(app)
    app.forget(ForgetRequest(id=first, confirm=True))
    assert found(app, query="mooring fee", as_of="2026-02-01") == []
    assert found(app, query="berth", as_of="2026-04-01") == [second]
    app.forget(ForgetRequest(id=third, confirm=True))

    assert found(app, query="berth", as_of="2026-04-01") == []
    assert app.store.get("default", [first, second, third]) == {}


def test_an_import_finds_what_its_export_found(app: App, tmp_path: Path, embedder: LocalEmbedder) -> None:
    """Revisions travel with their texts, their dates and what replaced them."""
    first, second, _ = keep(app)
    index = ChromaIndex(EmbeddedChroma(tmp_path / "apart" / "chroma"), embedder)
    with assembled(SqliteStore(tmp_path / "apart" / "record.db"), index) as apart:
        imported(apart.store, exported(app.store), embedder)
        apart.worker.drain()
        assert found(apart, query="mooring fee", as_of="2026-02-01") == [first]
        assert found(apart, query="berth", as_of="2026-04-01") == [second]


def test_more_replaced_texts_than_are_read_are_said(app: App) -> None:
    """Nothing is left out silently, and a narrower question reads the others."""
    for text in ("is open", "is closed"):
        day = {"is open": "2026-01-01", "is closed": "2026-02-01"}[text]
        items = [
            Memory(
                content=f"Lock {number} {text}.", context="note", key=f"lock {number}", date=day, tags=(f"t{number}",)
            )
            for number in range(420)
        ]
        app.remember_many(items)
    answer = app.recall(Question(query="lock open", as_of="2026-01-15", limit=3))

    assert "20 more texts that were replaced since" in (answer.hint or "")
    assert app.recall(Question(query="lock 7", as_of="2026-01-15")).results[0].content == "Lock 7 is open."
    tagged = app.recall(Question(query="lock open", tags=("t7",), as_of="2026-01-15"))
    assert ([result.content for result in tagged.results], tagged.hint) == (["Lock 7 is open."], None)
