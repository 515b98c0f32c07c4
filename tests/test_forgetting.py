"""Forgetting is provable: what is counted beforehand is what goes, and its words are in no file afterwards."""

import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from core.interface.memory import Memory
from core.interface.operations import ForgetRequest
from core.interface.question import Question
from core.records import DeletionCounts
from ingest.runs.pipeline import extract_artifact
from service.app import App
from service.owner import endpoint
from tests.contracts.raw import Raw
from tests.graph.neo4j_raw import Neo4jRaw
from tests.graph.sqlite_raw import SqliteRaw
from tests.running_processes import Bridged, shell

SAYINGS = (
    "Dana Whitfield decided to sell the mill.",
    "Omar Haddad will paint the boat by Friday.",
    "Dana Whitfield is worried that the pier is too weak.",
    "Lin Chen of Acme approved the budget of Kestrel with Omar Haddad.",
    "The ferry leaves at nine.",
)
TEXTS = st.lists(st.sampled_from(SAYINGS), min_size=1, max_size=3, unique=True).map(" ".join)
#: A text, a key that several may have, a conversation, and whether it is put away.
MEMORIES = st.tuples(TEXTS, st.sampled_from([None, None, "k1", "k2"]), st.sampled_from([None, "talk"]), st.booleans())
#: Longest wait for a process of ours, in seconds.
PATIENCE = 60.0


def remembered(app: App, drawn: list[tuple[str, str | None, str | None, bool]], project_id: str) -> list[str]:
    """Store what was drawn, with all that follows from it; return the ids."""
    ids = []
    for number, (text, key, conversation, is_stashed) in enumerate(drawn):
        turn = {} if conversation is None else {"conversation_id": conversation, "turn_index": number}
        context = "note" if conversation is None else "conversation"
        memory = Memory.from_fields(text, {"context": context, "key": None if conversation else key} | turn)
        ids.append(app.remember(memory, project_id).id)
        if is_stashed:
            app.store.stash(project_id, ids[-1:], stashed=True)
    for id_ in ids:
        extract_artifact(project_id, id_, app.store, app.extractor)
    return ids


@pytest.fixture
def raw(app: App, engine: str, tmp_path: Path, request: pytest.FixtureRequest) -> Raw:
    """Look into the record of `app` without its methods."""
    assert app.store is not None
    return (
        SqliteRaw(tmp_path / "record.db") if engine == "embedded" else Neo4jRaw(request.getfixturevalue("neo4j_driver"))
    )


def held(raw: Raw, project_id: str) -> tuple[int, int, int]:
    """Return how many chunks, events and entities are stored."""
    ids = raw.knowledge_ids(project_id)
    events = sum(id_.startswith("evt_") for id_ in ids)
    return len(raw.chunk_texts(project_id)), events, len(ids) - events


@pytest.mark.exhaustive
@settings(
    max_examples=15,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(drawn=st.lists(MEMORIES, min_size=1, max_size=6), place=st.integers(0, 5), is_talk=st.booleans())
@pytest.mark.both_engines
def test_a_rehearsal_counts_what_the_real_call_deletes(
    app: App, raw: Raw, drawn: list[tuple[str, str | None, str | None, bool]], place: int, is_talk: bool
) -> None:
    """Of items, revisions and conversations that share people and events: the same counts, and no trace is left."""
    project = "default"
    ids = remembered(app, drawn, project)
    talk = app.store.conversation_ids(project, "talk") if is_talk else []
    victims = talk or [ids[place % len(ids)]]
    before = held(raw, project)
    told = app.store.remove(project, victims, dry_run=True)
    assert held(raw, project) == before
    done = app.store.remove(project, victims)

    assert done == told
    assert done == DeletionCounts(*(was - now for was, now in zip(before, held(raw, project), strict=True)))
    assert app.store.integrity_issues() == []
    app.store.remove(project, ids)
    assert held(raw, project) == (0, 0, 0)


def files_with(home: Path, word: str) -> list[str]:
    """Return the files of a home that hold a word, in any letters."""
    found = []
    for path in sorted(home.rglob("*")):
        with suppress(FileNotFoundError):  # a journal of a moment ago
            if path.is_file() and word.encode() in path.read_bytes().lower():
                found.append(str(path.relative_to(home)))
    return found


@pytest.mark.exhaustive
def test_what_an_owner_forgot_is_in_no_file_once_it_has_ended(tmp_path: Path) -> None:
    """Record, log, vectors, words and logs; and while it runs no question reaches it."""
    home = tmp_path / "home"
    with Bridged(home) as client:
        kept = client.call("remember", content="Dana Whitfield decided to sell the mill.", wait=True)
        secret = {
            "content": "Zyxquark Holt decided to sell the zyxquark mill.",
            "title": "Zyxquark",
            "tags": ["zyxquark"],
        }
        gone = client.call("remember", wait=True, key="zyxquark", author="Zyxquark Holt", **secret)
        client.call("remember", wait=True, key="zyxquark", content="Zyxquark Holt decided otherwise.")
        assert client.call("recall", query="zyxquark")["results"]
        current = client.call("recall", query="zyxquark")["results"][0]["id"]
        assert client.call("forget", id=current, confirm=True)["deleted"]
        assert "not_found" in str(client.call("recall", id=gone["id"]))
        found = client.call("recall", query="who decided about zyxquark?")
        assert [one["id"] for one in found["results"]] in ([], [kept["id"]])
        assert "zyxquark" not in str(found).lower()
    assert shell(home, "owner", "stop").returncode == 0
    until = time.monotonic() + PATIENCE
    while files_with(home, "zyxquark") and time.monotonic() < until:
        time.sleep(0.05)  # it says that it ends before the last file is written
    assert files_with(home, "zyxquark") == []
    with pytest.raises(endpoint.NoOwner):
        endpoint.Connection(home, "status")


@pytest.mark.both_engines
def test_what_is_found_by_chance_is_not_what_was_forgotten(app: App) -> None:
    """Neither ways of asking nor lists, people or events lead to it, though its neighbour in time and topic stays."""
    kept = app.remember(Memory(content=SAYINGS[0]), wait=True).id
    gone = app.remember(Memory(content="Zyxquark Holt decided to buy the mill.", tags=("wood",)), wait=True).id
    app.forget(ForgetRequest(id=gone, confirm=True))
    for question in (
        Question(query="zyxquark"),
        Question(query="mill"),
        Question(context="document"),
        Question(tags=("wood",)),
    ):
        answer = app.recall(question)
        assert [one.id for one in answer.results] in ([], [kept])
        assert "zyxquark" not in str(answer).lower()
