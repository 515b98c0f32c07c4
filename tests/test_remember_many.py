"""Many memories in one call: what each is answered, and what one that is refused does to the others."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from mcp import Client
from mcp_types import TextContent

from core.errors import InvalidInput, TooLarge, Unavailable
from core.interface.memory import MAX_CONTENT, Memory
from core.interface.question import Question
from core.interface.results import Receipt, Refusal
from core.knowledge.runs import CallerAnnotations
from core.records import Added, Artifact, Chunk, JobKind
from graph.store import Store
from retrieval.vectors import ChromaIndex
from service.app import App
from tests.shipped import assembled
from tests.test_record_away import Switched

pytestmark = pytest.mark.anyio


def parcels(count: int) -> list[Memory]:
    return [Memory(content=f"Parcel {number} left for depot {number % 7}.") for number in range(count)]


async def many(client: Client, items: list[object], **arguments: object) -> dict[str, Any]:
    result = await client.call_tool("remember_many", {"items": items, **arguments})
    assert not result.is_error, result.content
    return dict(result.structured_content or {})


@pytest.mark.both_engines
async def test_each_item_has_its_receipt_in_order(client: Client) -> None:
    """The tool answers as many calls of `remember` would, duplicates within one call included."""
    single = (await client.call_tool("remember", {"content": "The bins go out on Monday."})).structured_content
    items: list[object] = [
        {"content": "The lift is serviced each May.", "tags": ["house"], "importance": 1},
        {"content": "The bins go out on Monday."},
        {"content": "Hello.", "context": "conversation", "conversation_id": "c", "turn_index": 0},
        {"content": "We open at nine.", "key": "hours"},
        {"content": "We open at ten.", "key": "hours"},
        {"content": "The lift is serviced each May.", "tags": ["house"]},
    ]
    answer = await many(client, items, detail="full")

    assert [result["status"] for result in answer["results"]] == [
        "stored", "duplicate", "stored", "stored", "updated", "duplicate",
    ]  # fmt: skip
    assert {name: answer[name] for name in ("stored", "updated", "duplicates", "failed")} == {
        "stored": 3, "updated": 1, "duplicates": 2, "failed": 0,
    }  # fmt: skip
    assert answer["results"][1] == (single or {}) | {"status": "duplicate", "events_queued": False}
    assert answer["results"][5]["id"] == answer["results"][0]["id"]
    assert "degraded" not in answer


async def test_a_bad_item_says_why_and_stops_no_other(client: Client) -> None:
    """Each is checked as strictly as `remember` does it: types, names, choices; its place is told."""
    items: list[object] = [
        {"content": "First."},
        {"content": "Second.", "contxt": "note"},
        {"content": 3},
        {},
        {"content": "Fifth.", "context": "conversation"},
        "Sixth.",
        {"content": "Seventh.", "project_id": "other"},
        {"content": "Last."},
    ]
    answer = await many(client, items, detail="full")
    errors = {result["index"]: (result["code"], result["error"]) for result in answer["results"] if "error" in result}

    assert (answer["stored"], answer["failed"]) == (2, 6)
    assert [result.get("status") for result in answer["results"]] == ["stored", *[None] * 6, "stored"]
    assert {code for code, _ in errors.values()} == {"invalid_input"}
    assert errors[1][1].startswith("An item has no argument 'contxt': did you mean 'context'? it takes content,")
    assert errors[2][1] == "content 3 is not valid: input should be a valid string."
    assert errors[3][1] == "content is required."
    assert "conversation_id and turn_index" in errors[4][1]
    assert errors[5][1] == "An item 'Sixth.' is not an object: use names with values."
    assert errors[6][1].startswith("An item has no argument 'project_id'")


async def test_waiting_brings_the_vectors_and_events_of_all(client: Client, app: App) -> None:
    """`wait=true` returns after the background work of every item."""
    items: list[object] = [{"content": f"Ann Lee decided to move parcel {number}."} for number in range(30)]
    answer = await many(client, items, wait=True)

    assert answer["stored"] == 30
    assert app.store.job_counts().pending == 0
    assert app.index.ids("default") == {f"{result['id']}:0" for result in answer["results"]}
    assert app.recall(Question(query="Which parcels does Ann Lee move?")).degraded == []


async def test_what_a_call_may_hold_is_bounded(app: App) -> None:
    """1 to 500 items, together as long as one may be; nothing is stored of more."""
    half = "x" * (MAX_CONTENT // 2)
    with pytest.raises(InvalidInput, match="1 to 500"):
        app.remember_many([])
    with pytest.raises(TooLarge, match="501 entries"):
        app.remember_many(parcels(501))
    with pytest.raises(TooLarge, match="in total"):
        app.remember_many([Memory(content=half), Memory(content=half), Memory(content="x")])
    assert app.store.counts("default").artifacts == 0


@pytest.mark.both_engines
async def test_five_hundred_items_are_all_there(app: App) -> None:
    """The bound itself holds, and each item is found by its words."""
    answer = app.remember_many(parcels(500))

    assert (answer.stored, answer.failed) == (500, 0)
    found = app.recall(Question(query="parcel 321"))
    assert found.results[0].content == "Parcel 321 left for depot 6."


@pytest.fixture
def record(store: Store) -> Switched:
    return Switched(store)


async def test_what_was_acknowledged_before_the_record_went_away_is_told(record: Switched, index: ChromaIndex) -> None:
    """Receipts are for what is durable; the rest is refused with `unavailable`, in its place."""
    with assembled(record, index) as app:
        record.lasts = len(record.asked) + 2
        answer = app.remember_many([*parcels(30), Refusal("Not this one.", "invalid_input", 30), *parcels(60)[30:]])
        record.lasts, record.away = None, True
        with pytest.raises(Unavailable):
            app.remember_many(parcels(3))
        record.away = False
        stored = {item.id for batch in app.store.each("default") for item in batch}

    codes = [result.status if isinstance(result, Receipt) else result.code for result in answer.results]
    assert codes == ["stored"] * 30 + ["invalid_input"] + ["stored"] * 20 + ["unavailable"] * 10
    assert stored == {result.id for result in answer.results if isinstance(result, Receipt)}
    assert (answer.stored, answer.failed) == (50, 11)


class Picky(Switched):
    """A real record that refuses one content, as an engine may a value that it can't keep."""

    def add_all(
        self,
        items: Sequence[tuple[Artifact, Sequence[Chunk]]],
        jobs: Sequence[JobKind],
        annotations: Sequence[CallerAnnotations | None] = (),
    ) -> list[Added]:
        if any("depot 6" in artifact.memory.content for artifact, _ in items):
            raise InvalidInput("A value can't be stored: send another.")
        return self.real.add_all(items, jobs, annotations)


async def test_an_item_that_the_record_refuses_stops_no_other_of_its_transaction(
    store: Store, index: ChromaIndex
) -> None:
    """Those stored together with it are stored one by one."""
    with assembled(Picky(store), index) as app:
        answer = app.remember_many(parcels(10))

    assert [isinstance(result, Refusal) for result in answer.results] == [number == 6 for number in range(10)]
    assert answer.results[6] == Refusal("A value can't be stored: send another.", "invalid_input", 6)


async def test_more_items_than_a_call_takes_are_refused_before_any_is_read(client: Client) -> None:
    """Otherwise each wrong one would have an error of its own."""
    answers = [await client.call_tool("remember_many", {"items": [{"content": 1}] * count}) for count in (501, 100_000)]

    for answer in answers:
        assert answer.is_error
        assert isinstance(answer.content[0], TextContent)
        assert json.loads(answer.content[0].text)["code"] == "too_large"
        assert len(answer.content[0].text) < 200
