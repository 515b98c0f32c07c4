"""The tools of the stash, on both engines, through a real MCP client."""

import json
from typing import Any

import pytest
from mcp import Client
from mcp_types import TextContent

from core.errors import TooLarge
from core.interface.memory import CONTEXTS, Memory
from core.interface.results import to_json
from core.interface.stash import MAX_SEGMENTS, RetrieveRequest, StashQuestion, StashRequest
from retrieval.answers import stash as stash_module
from retrieval.models.tokenizer import estimate_model_tokens
from service.app import App
from tests.calling import answered

pytestmark = pytest.mark.anyio


async def refused(client: Client, tool: str, **arguments: object) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    assert isinstance(result.content[0], TextContent)
    return dict(json.loads(result.content[0].text))


async def remember(client: Client, content: str, **fields: object) -> str:
    return str((await answered(client, "remember", content=content, **fields))["id"])


async def found(client: Client, **asked: object) -> list[str]:
    answer = await answered(client, "context_search_stashed", **asked)
    assert answer["total_matches"] == len(answer["segments"])
    return [segment["text"] for segment in answer["segments"]]


@pytest.mark.both_engines
async def test_what_is_stashed_is_found_read_and_taken_back(client: Client) -> None:
    """docs/interface.md `context_stash` and its two: the whole way of a segment, each field of it, and back."""
    given = {"tags": ["api", "retry"], "file_path": "src/retry.py", "task_id": "T-7", "key": "retry"}
    id_ = await remember(
        client, "def retry(times):\n  ...", **given, context="note", date="2026-02-03", metadata={"n": 1}, title="Retry"
    )
    other = await remember(client, "Unrelated.")

    stashed = await answered(client, "context_stash", segment_ids=[id_, "art_000000000000", id_, "nonsense"])

    assert stashed["stashed_segments"] == [id_]
    assert stashed["tokens_stashed"] > 0
    assert [error.count(name) for error, name in zip(stashed["errors"], ("art_000000000000", "nonsense"), strict=True)]
    answer = await answered(client, "context_search_stashed", query="RETRY(ti  def", filters={"tags": ["api"]})
    [segment] = answer["segments"]
    assert answer | {"segments": []} == {
        "segments": [], "total_matches": 1, "query": "RETRY(ti  def", "filters_applied": {"tags": ["api"]},
    }  # fmt: skip
    assert segment == {
        "id": id_, "text": "def retry(times):\n  ...", "type": "note", "tokens": stashed["tokens_stashed"],
        "tier": "stashed", "created_at": "2026-02-03T00:00:00.000000Z", "metadata": {"n": 1}, "title": "Retry", **given,
    }  # fmt: skip
    read = await answered(client, "context_retrieve_stashed", segment_ids=[id_])
    assert read == {"retrieved_segments": [segment], "moved_to_active": [], "errors": []}
    back = await answered(client, "context_retrieve_stashed", segment_ids=[other, id_], move_to_active=True)
    assert [one["tier"] for one in back["retrieved_segments"]] == ["active", "active"]
    assert back["moved_to_active"] == [other, id_]
    assert await found(client) == []
    assert (await answered(client, "status"))["counts"]["stashed"] == 0


async def test_stashing_and_taking_back_again_change_nothing(client: Client) -> None:
    """docs/interface.md: again is a no-op, with the same answer."""
    id_ = await remember(client, "Once.")

    assert await answered(client, "context_stash", segment_ids=[id_]) == await answered(
        client, "context_stash", segment_ids=[id_]
    )
    asked: dict[str, Any] = {"segment_ids": [id_], "move_to_active": True}
    assert await answered(client, "context_retrieve_stashed", **asked) == await answered(
        client, "context_retrieve_stashed", **asked
    )
    empty = await answered(client, "context_stash", segment_ids=[])
    assert empty == {"stashed_segments": [], "tokens_stashed": 0, "errors": []}


async def test_every_word_must_stand_in_it_whatever_its_case_or_place(client: Client) -> None:
    """docs/interface.md: case-insensitive substrings, one and two characters too; no query lists all, newest first."""
    texts = ["Fehler E4042 in ParseHeader", "parse the HEADER again", "Überraschung: 東京 🙂"]
    for day, text in enumerate(texts):
        await answered(client, "context_stash", segment_ids=[await remember(client, text, date=f"2026-01-0{day + 1}")])
    await remember(client, "Active header E4042.")

    assert await found(client) == await found(client, query=" \n ") == texts[::-1]
    assert await found(client, query="header PARSE") == [texts[1], texts[0]]
    assert await found(client, query="404 p") == await found(client, query="seH") == [texts[0]]
    assert await found(client, query="ÜBER") == await found(client, query="京") == [texts[2]]
    assert await found(client, query="🙂") == [texts[2]]
    assert await found(client, query="header nothing-of-that") == []
    page = await answered(client, "context_search_stashed", query="e", limit=1, offset=1)
    assert ([one["text"] for one in page["segments"]], page["total_matches"]) == ([texts[1]], 3)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"file_path": "a.py"}, ["two", "one"]),
        ({"task_id": "T-1"}, ["one"]),
        ({"tags": ["x", "y"]}, ["two"]),
        ({"tags": []}, ["three", "two", "one"]),
        ({"type": "fact"}, ["three"]),
        ({"created_after": "2026-01-02"}, ["three", "two"]),
        ({"created_before": "2026-01-02"}, ["two", "one"]),
        ({"created_after": "2026-01-02", "created_before": "2026-01-02T12:00:00Z", "file_path": None}, ["two"]),
        ({"created_after": "1d"}, []),
        ({"file_path": "a.py", "type": "note", "tags": ["x"]}, ["two", "one"]),
        ('{"task_id": "T-1"}', ["one"]),
    ],
)
async def test_each_filter_narrows_what_is_found(client: Client, filters: object, expected: list[str]) -> None:
    """docs/interface.md `filters`, alone and together, with words and without; `created_at` is the item's own date."""
    fields: dict[str, dict[str, Any]] = {
        "one": {"file_path": "a.py", "task_id": "T-1", "tags": ["x"], "date": "2026-01-01"},
        "two": {"file_path": "a.py", "task_id": "T-10", "tags": ["x", "y"], "date": "2026-01-02"},
        "three": {"file_path": "A.py", "tags": ["xy"], "date": "2026-01-03", "context": "fact"},
    }
    for text, given in fields.items():
        await answered(
            client, "context_stash", segment_ids=[await remember(client, text, **({"context": "note"} | given))]
        )

    assert await found(client, filters=filters) == expected
    assert await found(client, filters=filters, query="o") == [text for text in expected if "o" in text]


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({"path": "a.py"}, ("path", "file_path", "created_before")),
        ({"type": "diary"}, ("type", *CONTEXTS)),
        ({"tags": [1]}, ("tags",)),
        ({"created_after": "soon"}, ("created_after",)),
        ({"created_before": 7}, ("created_before",)),
        ("file_path", ("filters",)),
    ],
)
async def test_a_wrong_filter_is_refused_with_what_to_do(
    client: Client, filters: object, names: tuple[str, ...]
) -> None:
    """docs/interface.md: an unknown filter name or a bad value is `invalid_input` that names it."""
    error = await refused(client, "context_search_stashed", filters=filters)

    assert error["code"] == "invalid_input"
    assert all(name in error["error"] for name in names), error


async def test_inputs_have_limits(client: Client) -> None:
    """docs/interface.md errors: over a documented limit is said with the limit."""
    many = [f"art_{number:012x}" for number in range(MAX_SEGMENTS + 1)]

    assert (await refused(client, "context_stash", segment_ids=many))["code"] == "too_large"
    assert (await refused(client, "context_retrieve_stashed", segment_ids=many))["code"] == "too_large"
    assert (await refused(client, "context_stash", segment_ids=[7]))["code"] == "invalid_input"
    assert (await refused(client, "context_stash", segment_ids=[" "]))["code"] == "invalid_input"
    assert (await refused(client, "context_search_stashed", query="x" * 5_001))["code"] == "too_large"
    assert (await refused(client, "context_search_stashed", limit=0))["code"] == "invalid_input"
    assert (await refused(client, "context_search_stashed", limit=1_001))["code"] == "invalid_input"
    assert (await refused(client, "context_search_stashed", offset=-1))["code"] == "invalid_input"


async def test_what_cannot_be_moved_is_told_and_stops_nothing(client: Client, app: App) -> None:
    """docs/interface.md `errors`: a sentence that names the id; replaced and expired items are told apart from unknown
    ones."""
    former = await remember(client, "Nine o'clock.", key="hours")
    current = await remember(client, "Ten o'clock.", key="hours")
    expired = await remember(client, "Long ago.", expires_at="2020-01-01")

    stashed = await answered(client, "context_stash", segment_ids=[former, expired, current, "evt_000000000000"])
    read = await answered(
        client, "context_retrieve_stashed", segment_ids=[former, expired, current, "evt_000000000000"]
    )

    assert stashed["stashed_segments"] == [one["id"] for one in read["retrieved_segments"]] == [current]
    assert stashed["errors"] == read["errors"]
    for error, parts in zip(
        stashed["errors"], [(former, current), (expired, "expired"), ("evt_000000000000", "Nothing")], strict=True
    ):
        assert all(part in error for part in parts)
    assert app.store.get("default", [former])[former].stashed is False


async def test_nothing_is_stashed_or_seen_across_projects(client: Client) -> None:
    """docs/interface.md: nothing of one project is visible from another."""
    id_ = await remember(client, "Here.")
    elsewhere = await answered(client, "context_stash", segment_ids=[id_], project_id="other")
    await answered(client, "context_stash", segment_ids=[id_])

    assert elsewhere["stashed_segments"] == []
    assert len(elsewhere["errors"]) == 1
    assert await found(client, project_id="other") == []
    assert (await answered(client, "context_retrieve_stashed", segment_ids=[id_], project_id="other"))["errors"]
    assert await found(client) == ["Here."]


async def test_an_answer_fits_its_tokens_and_says_what_is_missing(client: Client, app: App) -> None:
    """Issue 6: `max_tokens` caps the whole answer; texts stay whole, and the hint says how many were dropped."""
    ids = [await remember(client, f"Segment {number}: {'word ' * 40}") for number in range(9)]
    await answered(client, "context_stash", segment_ids=ids)

    some = app.search_stash(StashQuestion(query="segment", detail="full", max_tokens=400))
    none = app.search_stash(StashQuestion(query="e " * 900, detail="full", max_tokens=100))
    every = app.search_stash(StashQuestion(query="segment", max_tokens=10_000))

    assert 0 < len(some.segments) < some.total_matches == 9
    assert all(segment.text.count("word") == 40 for segment in some.segments)
    assert some.hint is not None
    assert f"{9 - len(some.segments)} segments" in some.hint
    assert (none.segments, none.total_matches) == ([], 9)
    assert every.hint is None
    for answer, most in ((some, 400), (none, 100)):
        assert estimate_model_tokens(json.dumps(to_json(answer), ensure_ascii=False, separators=(",", ":"))) <= most


@pytest.mark.both_engines
async def test_a_stash_survives_and_is_searched_by_meaning_too(client: Client) -> None:
    """What is set aside is still recalled, marked as stashed, and left out when that is asked for."""
    id_ = await remember(client, "The harbour crane needs a new cable.", wait=True)
    await answered(client, "context_stash", segment_ids=[id_])

    [result] = (await answered(client, "recall", query="harbour crane"))["results"]

    assert (result["id"], result["stashed"]) == (id_, True)
    assert (await answered(client, "recall", query="harbour crane", include_stashed=False))["results"] == []


async def test_more_text_than_one_answer_holds_is_asked_for_in_parts(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search says what it left out; items by id are refused before any is moved."""
    monkeypatch.setattr(stash_module, "MAX_CONTENT", 50)
    ids = [app.remember(Memory(content=f"Part {number} of the long log file.")).id for number in range(3)]
    app.stash(StashRequest(segment_ids=tuple(ids)))
    found = app.search_stash(StashQuestion(query="log"))
    with pytest.raises(TooLarge, match="fewer"):
        app.retrieve_stash(RetrieveRequest(segment_ids=tuple(ids), move_to_active=True))
    one = app.retrieve_stash(RetrieveRequest(segment_ids=tuple(ids[:1]), move_to_active=True))

    assert (len(found.segments), found.total_matches) == (1, 3)
    assert found.hint == "The first 1 of 3 segments: the others do not fit in one answer. Go on with offset."
    assert [(segment.id, segment.tier) for segment in one.retrieved_segments] == [(ids[0], "active")]
    assert {
        segment.tier for segment in app.retrieve_stash(RetrieveRequest(segment_ids=tuple(ids[1:2]))).retrieved_segments
    } == {"stashed"}
