"""`pop`: stashes by name, else by search, on both engines and through the tool."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_types import TextContent

from core.errors import InvalidInput, TooLarge, Unavailable
from core.interface.memory import Memory
from core.interface.question import Question
from core.interface.stash import Popped, PopQuestion
from graph.store import Store
from retrieval.vectors import ChromaIndex
from service.app import App
from service.cli import main
from tests.calling import answered
from tests.shipped import assembled
from tests.test_record_away import Switched

pytestmark = pytest.mark.anyio


def stash(app: App, key: str | None, content: str, **fields: Any) -> str:
    """Remember a stash with all that is derived from it; return its id."""
    return app.remember(Memory(content=content, context="stash", key=key, **fields), wait=True).id


def pop(app: App, name: str, **fields: Any) -> Popped:
    """Answer in full, unless something else is asked for."""
    return app.pop(PopQuestion(**{"name": name, "detail": "full"} | fields))


@pytest.mark.both_engines
async def test_what_was_stashed_under_a_name_comes_back_by_it_and_by_other_words(client: Client) -> None:
    """A stash `auth-flow` is found by its name, and by "login system"."""
    content = "User authentication implementation with JWT tokens."
    receipt = await answered(client, "remember", content=content, context="stash", key="auth-flow", wait=True)
    await answered(client, "remember", content="The lift is serviced each May.", context="stash", key="lift", wait=True)
    await answered(client, "remember", content="The login system is slow.", context="note", wait=True)
    exact = await answered(client, "pop", name="auth-flow")
    near = await answered(client, "pop", name="login system")

    assert [result["id"] for result in exact["results"]] == [receipt["id"]]
    assert (exact["match_type"], exact["degraded"], exact.get("message")) == ("exact", [], None)
    assert exact["results"][0]["content"] == content
    assert [result["metadata"]["key"] for result in near["results"]] == ["auth-flow", "lift"]
    assert (near["match_type"], near["degraded"]) == ("hybrid", [])


async def test_the_tool_refuses_what_it_can_not_answer(client: Client) -> None:
    """Errors are those of docs/interface.md."""
    for arguments in ({}, {"name": " "}, {"name": "x", "limit": 0}, {"name": "x", "limit": 101}, {"nam": "x"}):
        result = await client.call_tool("pop", arguments)
        assert isinstance(result.content[0], TextContent)
        assert (result.is_error, json.loads(result.content[0].text)["code"]) == (True, "invalid_input")


def test_an_exact_name_is_the_whole_answer_and_whole(app: App) -> None:
    """Nothing else beside it, however much is alike; a long stash is not cut to a passage."""
    long = "The parser reads one line at a time. " * 200
    wanted = stash(app, "parser", long)
    stash(app, "parser tests", "The parser reads one line at a time.")
    found = pop(app, "parser")

    assert [(result.id, result.content, result.chunk) for result in found.results] == [(wanted, long, None)]
    assert found.match_type == "exact"
    assert pop(app, " parser ").results == found.results
    assert pop(app, wanted).results == found.results


def test_every_stash_of_a_name_is_there(app: App) -> None:
    """A key is unique in its context, and items of every context can be moved to the stashed tier."""
    first = stash(app, "plan", "Cut the release on Friday.")
    note = app.remember(Memory(content="Plan the party.", context="note", key="plan"), wait=True).id
    before = pop(app, "plan")
    app.store.stash("default", [note], stashed=True)
    app.worker.drain()
    after, one = pop(app, "plan"), pop(app, "plan", limit=1)

    assert [result.id for result in before.results] == [first]
    assert {result.id for result in after.results} == {first, note}
    assert (len(one.results), one.message) == (1, "1 more stashes have this name: raise limit.")


@pytest.mark.parametrize("name", ["x", "ß", "?", "東"])
def test_a_name_of_one_character_is_a_name(app: App, name: str) -> None:
    """Unlike a query of `recall`."""
    wanted = stash(app, name, "Cut the release on Friday.")
    found = pop(app, name)

    assert ([result.id for result in found.results], found.match_type) == ([wanted], "exact")
    assert [result.id for result in pop(app, "z").results] == [wanted]


def test_only_stashes_are_looked_for(app: App) -> None:
    """However near other items are; of another project nothing is seen."""
    for context in ("note", "insight"):
        app.remember(Memory(content="The login system is slow.", context=context, key="login system"), wait=True)
    app.remember(Memory(content="Login system.", context="stash", key="login system"), "other", wait=True)
    found = pop(app, "login system")

    assert found == Popped(message="No stashes found matching 'login system'. No stashes yet.", answer_likelihood=0.0)


def test_an_empty_answer_names_recent_stashes(app: App) -> None:
    """Up to five, the newest first: by key, else title, else id. What is embedded is always near by some measure."""
    for number in range(4):
        app.remember(Memory(content=f"About {number}.", context="stash", key=f"s{number}"))
    app.remember(Memory(content="Titled.", context="stash", title="A title"))
    bare = app.remember(Memory(content="Bare.", context="stash"))
    found = pop(app, "zebra")  # nothing is embedded yet

    assert found.results == []
    assert found.message == f"No stashes found matching 'zebra'. Recent stashes: {bare.id}, A title, s3, s2, s1"
    assert [result.id for result in pop(app, "bare feet").results] == [bare.id]
    app.worker.drain()
    assert len(pop(app, "zebra").results) == 5


def test_a_replaced_stash_comes_in_its_newest_wording_and_an_expired_one_not_at_all(app: App) -> None:
    """docs/interface.md `remember`: key and `expires_at`."""
    stash(app, "plan", "Cut the release on Friday.")
    newer = stash(app, "plan", "Cut the release on Monday.")
    stash(app, "gone", "Cut the tape.", expires_at="2020-01-01")
    found, near, gone = pop(app, "plan"), pop(app, "the release"), pop(app, "gone")

    assert [result.id for result in found.results] == [result.id for result in near.results] == [newer]
    assert "gone" not in [result.metadata["key"] for result in gone.results]


def test_pages_of_many_stashes_are_as_long_as_was_asked(app: App) -> None:
    """docs/interface.md: `limit` results come back whenever that many match."""
    app.remember_many([Memory(content=f"Step {n}: cut the tape.", context="stash") for n in range(30)], wait=True)

    assert [len(pop(app, "cutting tape", limit=limit).results) for limit in (1, 5, 30, 100)] == [1, 5, 30, 30]
    assert len(pop(app, "cutting tape").results) == 5


@pytest.mark.exhaustive
def test_a_cap_on_tokens_is_kept_and_said(app: App) -> None:
    """As in `recall`: whole results go first, then the last one is cut; `message` says so."""
    stash(app, "long", "The parser reads one line at a time. " * 200)
    found = pop(app, "long", max_tokens=600)

    assert (len(found.results), found.match_type) == (1, "exact")
    assert found.results[0].content
    assert found.message is not None
    assert found.message.startswith("Characters 0 to ")


@pytest.mark.parametrize("fields", [{"name": ""}, {"name": "x", "limit": 0}, {"name": "x", "max_tokens": 5}])
def test_a_question_out_of_range_is_refused(fields: dict[str, Any]) -> None:
    """The message names the field."""
    with pytest.raises(InvalidInput, match=next(reversed(fields))):
        PopQuestion(**fields)
    with pytest.raises(TooLarge):
        PopQuestion(name="x" * 5_001)


def test_a_shell_shows_a_stash_whole_and_others_shortened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`remembrancer pop NAME`; `--json` prints exactly the tool's answer, and nothing stored is taken for markup."""
    monkeypatch.setenv("REMEMBRANCER_HOME", str(tmp_path / "home"))
    long = "The [bold]parser[/] reads one line at a time. " * 30
    main(["remember", long, "--context", "stash", "--key", "parser"])
    capsys.readouterr()
    shown = {}
    for name in ("parser", "reading lines", "--json parser", "zebra --project-id other"):
        assert main(["pop", *(name.split() if "--" in name else [name])]) == 0
        shown[name] = capsys.readouterr().out

    assert shown["parser"].startswith("1. parser art_")
    assert shown["parser"].count("[bold]parser[/]") == 30
    assert shown["reading lines"].count("[bold]parser[/]") < 10
    assert json.loads(shown["--json parser"])["results"][0]["content"] == long
    assert shown["zebra --project-id other"] == "No stashes found matching 'zebra'. No stashes yet.\n"


@pytest.fixture
def record(store: Store) -> Switched:
    return Switched(store)


@pytest.fixture
def switched(record: Switched, index: ChromaIndex) -> Iterator[App]:
    """A service whose record can go away."""
    with assembled(record, index) as opened:
        yield opened


def test_without_the_record_stashes_come_from_the_vector_index(switched: App, record: Switched) -> None:
    """The named one first, as far as the index knows; `degraded` says what was not asked."""
    stash(switched, "auth-flow", "User authentication with JWT tokens.")
    stash(switched, "lift", "It is serviced each May.")
    switched.remember(Memory(content="The lift is slow.", context="note", key="lift"), wait=True)
    record.away = True
    by_name, near = pop(switched, "lift"), pop(switched, "login system")
    switched.index.close()
    with pytest.raises(Unavailable, match="Neither the record nor the vectors"):
        pop(switched, "lift")
    record.away = False

    assert [result.metadata["key"] for result in by_name.results] == ["lift", "auth-flow"]
    assert (by_name.match_type, by_name.degraded, near.match_type) == ("exact", ["graph"], "hybrid")
    assert near.results[0].content == "User authentication with JWT tokens."
    assert by_name.message is not None
    assert by_name.message.startswith("The record does not answer")
    assert switched.recall(Question(context="stash")).total_count == 2
