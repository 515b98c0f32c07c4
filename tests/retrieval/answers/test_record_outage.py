"""What recall answers while the record is away, over a real vector index."""

from collections.abc import Iterator
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from core.dates import now
from core.errors import Unavailable
from core.filters import Filters
from core.interface.memory import Memory
from core.interface.question import Question
from core.interface.results import ChunkView, Recall
from core.search import IndexEntry
from graph.sqlite_store import SqliteStore
from graph.store import Store
from retrieval.answers.record_outage import matches_filters
from retrieval.models.local_embedder import LocalEmbedder
from retrieval.vectors import ChromaIndex, EmbeddedChroma
from service.app import App
from tests.shipped import assembled

PROJECT = "default"
QUERY = "harbour"
Gone = tuple[App, list[str], list[Recall]]


def remember(app: App, content: str, **given: Any) -> str:
    return app.remember(Memory(**({"context": "note"} | given), content=content), wait=True).id


def ids(answer: Recall) -> list[str]:
    return [result.id for result in answer.results]


def without_record(app: App, **values: Any) -> Recall:
    """Answer in full after the record has gone."""
    app.store.close()
    return app.recall(Question(**{"detail": "full"} | values))


def test_a_question_is_answered_from_the_vectors_and_says_so(app: App) -> None:
    """docs/interface.md recall `degraded`: the answer comes from what is left, with every field that is left."""
    day = "2026-01-15"
    turn = {"context": "conversation", "conversation_id": "c", "turn_index": 4, "role": "user"}
    given = turn | {"title": "Harbour", "author": "Ana Berg", "date": day, "tags": ("fees", "a, b"), "key": "h"}
    stored = remember(app, "The harbour opens at nine.", **given)
    full = app.recall(Question(query=QUERY, detail="full")).results[0]

    answer = without_record(app, query=QUERY)

    assert (answer.degraded, answer.match_type, answer.total_count) == (["graph"], "hybrid", 1)
    assert (answer.related, answer.entities) == ([], [])
    assert answer.hint is not None
    assert "record does not answer" in answer.hint
    [result] = answer.results
    assert replace(result, score=0.0, metadata={}) == replace(full, score=0.0, metadata={}, events=None)
    assert result.id == stored
    assert result.events is None
    assert {name: full.metadata[name] for name in result.metadata} == result.metadata
    assert result.metadata.keys() >= given.keys() | {"importance", "source", "sensitivity", "created_at"}


@pytest.mark.exhaustive
def test_a_long_item_is_one_result_with_its_best_passage(app: App) -> None:
    """docs/interface.md recall: one entry an item, and offsets that reproduce the passage exactly."""
    content = "The granary was emptied in autumn and swept. " * 300 + "The harbour opens at nine."
    stored = remember(app, content)

    answer = without_record(app, query="When does the harbour open?")

    assert ids(answer) == [stored]
    [result] = answer.results
    assert isinstance(result.chunk, ChunkView)
    assert result.content == content[result.chunk.start_char : result.chunk.end_char]
    assert "harbour" in result.content


#: Conditions of `Filters`, one item that each lets pass, and one that it hides.
EXAMPLES: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ({"context": "note"}, {"context": "note"}, {"context": "fact"}),
    ({"source": "slack"}, {"source": "slack"}, {"source": "Slack"}),
    ({"sensitivity": "normal"}, {}, {"sensitivity": "sensitive"}),
    ({"conversation_id": "c"}, {"conversation_id": "c"}, {}),
    ({"tags": ("a", "b")}, {"tags": ("b", "c", "a")}, {"tags": ("a b", "a")}),
    ({"min_importance": 0.7}, {"importance": 0.7}, {"importance": 0.69}),
    ({"date_from": "2026-01-15"}, {"date": "2026-01-15"}, {"date": "2026-01-14T23:59:59"}),
    ({"date_to": "2026-01-15"}, {"date": "2026-01-15T23:59:59"}, {"date": "2026-01-16"}),
    ({"as_of": "2026-01-15"}, {"date": "2026-01-15T12:00:00"}, {"date": "2026-01-16"}),
    ({}, {"expires_at": "2999-01-01"}, {"expires_at": "2020-01-01"}),
    ({"include_stashed": False}, {}, {"stashed": True}),
]


@pytest.fixture(scope="module")
def gone(
    tmp_path_factory: pytest.TempPathFactory, embedder: LocalEmbedder
) -> Iterator[tuple[App, list[Any], list[Any]]]:
    """A service with both items of each example, whose record is away; what each question found before."""
    folder = tmp_path_factory.mktemp("gone")
    store, index = SqliteStore(folder / "record.db"), ChromaIndex(EmbeddedChroma(folder / "chroma"), embedder)
    with assembled(store, index) as app:
        stored: list[str] = []
        for example in (example for _, *pair in EXAMPLES for example in pair):
            given = dict(example)
            stashed = given.pop("stashed", False)
            stored.append(remember(app, f"Note {len(stored)} on the harbour.", **given))
            if stashed:
                app.store.stash(PROJECT, stored[-1:], stashed=True)
        app.worker.drain()
        before = [app.recall(Question(query=QUERY, limit=100, **asked)) for asked, *_ in EXAMPLES]
        app.store.close()
        yield app, stored, before


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_every_filter_hides_what_the_record_would_hide(gone: Gone, number: int) -> None:
    """A safety promise: an outage never shows what was asked to be left out."""
    app, stored, before = gone

    answer = app.recall(Question(query=QUERY, limit=100, **EXAMPLES[number][0]))

    assert answer.degraded == ["graph"]
    assert set(ids(answer)) == set(ids(before[number]))
    assert stored[2 * number] in ids(answer)
    assert stored[2 * number + 1] not in ids(answer)


def test_the_examples_know_every_filter() -> None:
    """A filter added later must be applied without the record too."""
    known = {name for asked, *_ in (*EXAMPLES, *OTHER_EXAMPLES) for name in asked}
    assert {item.name for item in fields(Filters)} - {"at"} == known


#: Conditions that `recall` does not take, and what stands beside a vector that each lets pass, or hides.
OTHER_EXAMPLES: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ({"any_tags": ("a", "b")}, {"tags": '["b", "c"]'}, {"tags": '["ab"]'}),
    ({"file_path": "a.md"}, {"file_path": "a.md"}, {}),
    ({"task_id": "T-1"}, {"task_id": "T-1"}, {"task_id": "T-2"}),
    ({"stashes": True}, {"stashed": True}, {}),
    ({"stashes": True}, {"context": "stash"}, {}),
    ({"stored_until": datetime(2026, 1, 1, tzinfo=UTC)}, {}, {"created_at": "2026-01-01T00:00:00.000001Z"}),
]


@pytest.mark.parametrize(("asked", "shown", "hidden"), OTHER_EXAMPLES)
def test_every_other_filter_hides_it_too(asked: dict[str, Any], shown: dict[str, Any], hidden: dict[str, Any]) -> None:
    """The same promise for who builds on these filters."""
    facts: dict[str, Any] = {
        "artifact_id": "art_000000000000", "chunk_index": 0, "start_char": 0, "end_char": 9, "num_chunks": 1,
        "context": "note", "source": "manual", "importance": 0.5, "sensitivity": "normal", "tags": "[]",
        "stashed": False, "happened_at": "2026-01-01T00:00:00.000000Z", "created_at": "2026-01-01T00:00:00.000000Z",
    }  # fmt: skip
    filters = Filters(at=now(), **asked)

    assert matches_filters(facts | shown, filters)
    assert not matches_filters(facts | hidden, filters)


def test_a_stash_that_moved_is_told_apart(app: App) -> None:
    """The tier stands beside the vector, and is written again when an item moves."""
    stored = remember(app, "The harbour opens at nine.")
    app.store.stash(PROJECT, [stored], stashed=True)
    app.worker.drain()
    app.store.stash(PROJECT, [stored], stashed=False)
    app.worker.drain()

    assert ids(without_record(app, query=QUERY, include_stashed=False)) == [stored]


def test_a_judgement_that_was_renewed_counts_without_the_record(app: App) -> None:
    """An item called sensitive later on is hidden from who asks for normal ones."""
    remember(app, "The harbour opens at nine.")
    remember(app, "The harbour opens at nine.", sensitivity="sensitive")

    assert ids(without_record(app, query=QUERY, sensitivity="normal")) == []


def test_an_item_that_was_declared_expired_later_leaves_the_index(app: App) -> None:
    """Its vector would not tell that it has expired; remembered again it is back."""
    remember(app, "The harbour opens at nine.")
    remember(app, "The harbour opens at nine.", expires_at="2020-01-01")
    vectors = app.index.ids(PROJECT)
    again = remember(app, "The harbour opens at nine.")

    assert vectors == set()
    assert ids(without_record(app, query=QUERY)) == [again]


@pytest.mark.parametrize("missing", ["sensitivity", "tags", "stashed", "happened_at", "importance", "num_chunks"])
def test_what_an_earlier_release_indexed_is_left_out_and_counted(app: App, missing: str) -> None:
    """Nobody can tell whether it may be shown; the hint says what mends it."""
    stored = remember(app, "The harbour opens at nine.")
    entry = app.index.entries(PROJECT, [f"{stored}:0"])[f"{stored}:0"]
    older = IndexEntry("art_000000000000:0", entry.text, {k: v for k, v in entry.metadata.items() if k != missing})
    app.index.upsert(PROJECT, "chunks", [older], app.embedder.embed([entry.text]))

    answer = without_record(app, query=QUERY)

    assert ids(answer) == [stored]
    assert answer.hint is not None
    assert "1 passages were left out" in answer.hint
    assert "reindex --what vectors" in answer.hint


def test_no_other_project_is_answered_from(app: App) -> None:
    """docs/interface.md: nothing of one project is visible from another, also in an outage."""
    remember(app, "The harbour opens at nine.")
    app.store.close()

    assert app.recall(Question(query=QUERY), "other").results == []


@pytest.mark.exhaustive
def test_rare_items_are_found_behind_many_that_do_not_pass(app: App) -> None:
    """`limit` results come back whenever that many match: the index is asked for more."""
    vector = app.embedder.embed([QUERY])[0]
    stored = remember(app, "A rare thing.", source="rare")
    entry = app.index.entries(PROJECT, [f"{stored}:0"])[f"{stored}:0"]
    crowd = [
        IndexEntry(f"art_{n:012x}:0", "near", dict(entry.metadata) | {"artifact_id": f"art_{n:012x}", "source": "x"})
        for n in range(1_000)
    ]
    app.index.upsert(PROJECT, "chunks", crowd, np.repeat(vector[None], len(crowd), axis=0))

    answer = without_record(app, query=QUERY, source="rare")

    assert ids(answer) == [stored]


def test_only_the_texts_that_are_shown_are_read(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands may be looked at for one result, and a server sends each text that is asked for."""
    stored = [remember(app, f"The harbour opens at {hour}.") for hour in ("nine", "ten", "noon")]
    read, sent = ChromaIndex.entries, list[str]()

    def entries(index: ChromaIndex, *arguments: Any, **named: Any) -> dict[str, IndexEntry]:
        found = read(index, *arguments, **named)
        sent.extend(entry.text for entry in found.values() if entry.text)
        return found

    monkeypatch.setattr(ChromaIndex, "entries", entries)
    answer = without_record(app, query=QUERY, limit=1)

    assert (answer.total_count, set(ids(answer)) < set(stored)) == (3, True)
    assert sent == [answer.results[0].content]


@pytest.mark.parametrize(
    "values", [{"id": "art_0123456789ab"}, {"context": "note"}, {"conversation_id": "c"}, {"query": QUERY, "offset": 5}]
)
def test_what_needs_the_record_says_what_works_meanwhile(app: App, values: dict[str, Any]) -> None:
    """Lists, conversations, ids and later pages can't be answered from vectors alone."""
    app.store.close()

    with pytest.raises(Unavailable, match="Until then only a query"):
        app.recall(Question(**values))


def test_without_record_and_vectors_the_error_names_both(app: App) -> None:
    """Both reasons are told: either may be the one to mend."""
    app.store.close()
    app.index.close()

    with pytest.raises(Unavailable, match=r"Neither .* Record: .*closed.* Vectors: .*closed"):
        app.recall(Question(query=QUERY))


@pytest.mark.exhaustive
def test_a_capped_answer_still_names_what_was_missing(app: App) -> None:
    """docs/interface.md recall `max_tokens` holds in an outage."""
    for number in range(9):
        remember(app, f"The harbour opens at {number}. " + "Bring the papers. " * 30)

    answer = without_record(app, query=QUERY, max_tokens=400)

    assert answer.degraded == ["graph"]
    assert 0 < len(answer.results) < 9


def test_an_expiry_is_judged_at_the_moment_of_the_question() -> None:
    """Ends are excluded, as in the record: at its very expiry an item is gone."""
    moment = datetime(2026, 1, 15, tzinfo=UTC)
    facts: dict[str, str | int | float | bool] = {
        "artifact_id": "a", "chunk_index": 0, "start_char": 0, "end_char": 1, "num_chunks": 1, "context": "note",
        "source": "manual", "importance": 0.5, "sensitivity": "normal", "tags": "[]", "stashed": False,
        "happened_at": "2026-01-01T00:00:00.000000Z", "expires_at": "2026-01-15",
    }  # fmt: skip

    assert [matches_filters(facts, Filters(at=moment + timedelta(seconds=s))) for s in (-1, 0, 1)] == [
        True,
        False,
        False,
    ]
    assert not matches_filters({}, Filters(at=now()))


def test_the_store_is_asked_once_before_the_answer_comes_from_the_vectors(
    app: App, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each call of a server that is down may take seconds."""
    remember(app, "The harbour opens at nine.")
    calls: list[str] = []

    def refuse(name: str) -> Any:
        def call(*arguments: object, **named: object) -> None:
            calls.append(name)
            raise Unavailable("The record is away: start it.")

        return call

    for name in (
        "by_key",
        "matching_ids",
        "search",
        "get",
        "chunks_at",
        "events_of",
        "metadata_value",
        "count",
        "recent_keys",
    ):
        monkeypatch.setattr(type(store), name, refuse(name))

    assert app.recall(Question(query=QUERY)).degraded == ["graph"]
    assert calls == ["by_key"]
