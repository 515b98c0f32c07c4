"""The same thing remembered again: what is set, what is kept, and what the answer says of it."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest
from mcp import Client

import remembrancer
from core.interface.memory import Memory
from core.interface.question import ContextQuestion, Question
from core.interface.results import Receipt
from ingest.intake.files import ingest
from service.app import App
from service.owner.home_config import HomeConfig
from service.owner.launcher import stop_owner
from tests.eventually import eventually
from tests.running_processes import owner

SHED = "The boat shed is locked at dusk."


async def called(client: Client, tool: str, **arguments: object) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return dict(result.structured_content or {})


def facts(app: App, id_: str) -> dict[str, Any]:
    return app.recall(Question(id=id_, detail="full")).results[0].metadata


@pytest.mark.anyio
@pytest.mark.both_engines
async def test_what_is_given_again_is_set_even_if_it_is_the_default(client: Client, app: App) -> None:
    """ "forever" after "1y" ends the expiry; importance 0.5 and "normal" hold as any other value does."""
    first = await called(
        client, "remember", content=SHED, context="note", tags=["shed"], importance=0.9, sensitivity="highly_sensitive",
        retention_policy="1y", category="safety",
    )  # fmt: skip
    again = await called(
        client, "remember", content=SHED, context="note", importance=0.5, sensitivity="normal",
        retention_policy="forever",
    )  # fmt: skip
    now = facts(app, first["id"])

    assert (again["status"], again["id"]) == ("duplicate", first["id"])
    assert again["changed"] == ["importance", "sensitivity", "retention_policy", "expires_at"]
    assert "importance 0.9 → 0.5" in again["hint"]
    assert (now["importance"], now["sensitivity"], now["retention_policy"]) == (0.5, "normal", "forever")
    assert "expires_at" not in now
    assert (now["tags"], now["category"], now["frequency"]) == (["shed"], "safety", 2)


@pytest.mark.anyio
@pytest.mark.both_engines
async def test_what_is_not_given_again_stays(client: Client, app: App) -> None:
    """Empty lists and texts count as not given, and an answer without changes says of none."""
    first = await called(
        client, "remember", content=SHED, context="note", tags=["shed"], metadata={"a": 1}, participants=["Ana"],
        expires_at="2099-01-01",
    )  # fmt: skip
    again = await called(client, "remember", content=SHED, context="note", tags=[], participants=[])
    told = await called(client, "remember_many", items=[{"content": SHED, "context": "note", "tags": ["boats"]}])
    now = facts(app, first["id"])

    assert (again["status"], again.get("changed"), again.get("hint")) == ("duplicate", None, None)
    assert told["results"] == [
        {"id": first["id"], "status": "duplicate", "changed": ["tags"], "hint": 'Changed: tags ["shed"] → ["boats"].'}
    ]
    assert (now["tags"], now["metadata"], now["participants"]) == (["boats"], {"a": 1}, ["Ana"])
    assert now["expires_at"] == "2099-01-01"


@pytest.mark.anyio
@pytest.mark.both_engines
async def test_a_new_text_under_a_key_says_which_fields_it_no_longer_has(client: Client, app: App) -> None:
    """The new item has the fields given with it, and the answer names those of the replaced one that are gone."""
    await called(client, "remember", content="We open at nine.", key="hours", tags=["shop"], importance=0.9)
    new = await called(client, "remember", content="We open at ten.", key="hours")

    assert (new["status"], new["changed"]) == ("updated", ["importance", "tags"])
    assert 'tags ["shop"] → none' in new["hint"]
    assert "No longer there: tags." in new["hint"]
    assert facts(app, new["id"])["importance"] == 0.5


@pytest.mark.parametrize(
    ("earlier", "later", "left"),
    [
        ({"retention_policy": "1y"}, {"retention_policy": "custom"}, None),
        ({"expires_at": "2099-01-01"}, {"retention_policy": "forever"}, None),
        ({"expires_at": "2099-01-01"}, {"retention_policy": "custom"}, "2099-01-01"),
        ({"expires_at": "2099-01-01"}, {"importance": 0.5}, "2099-01-01"),
        ({"expires_at": "2099-01-01"}, {"retention_policy": "forever", "expires_at": "2098-01-01"}, "2098-01-01"),
    ],
)
def test_a_policy_ends_the_expiry_of_the_one_before(
    app: App, earlier: dict[str, Any], later: dict[str, Any], left: str | None
) -> None:
    """An expiry that was given stays until another one, or "forever", is given."""
    id_ = app.remember(Memory(content=SHED, **earlier)).id
    app.remember(Memory(content=SHED, **later, stated=frozenset(later)))

    assert facts(app, id_).get("expires_at") == left


@pytest.mark.both_engines
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_text_that_looks_the_same_is_the_same_item(app: App, end: str) -> None:
    """Blanks at ends, line ends, a final newline, a byte order mark and the composition of letters make no new item."""
    text = f"Café hours:{end}- nine  {end}- five{end}"
    first = app.remember(Memory(content=text, context="note"), wait=True)
    others = [
        "Café hours:\n- nine\n- five",
        normalize("NFD", "Café hours:\n- nine\n- five\n\n"),
        "\ufeff  Café hours:\r\n- nine\t\r\n- five \r\n",
        "Café hours:\r- nine\r- five",
    ]
    again = [app.remember(Memory(content=other, context="note")) for other in others]
    different = app.remember(Memory(content="Café hours:\n\n- nine\n- five", context="note"))

    assert {(receipt.id, receipt.status) for receipt in again} == {(first.id, "duplicate")}
    assert different.status == "stored"
    found = app.recall(Question(id=first.id, detail="full")).results[0]
    assert (found.content, found.metadata["frequency"]) == (text, 5)


@pytest.mark.both_engines
def test_a_blank_more_replaces_nothing_under_a_key(app: App) -> None:
    """The item of a key is the same one; a former text comes back under its own id, and is found by words."""
    first = app.remember(Memory(content="We open at nine.", key="hours"), wait=True)
    blank = app.remember(Memory(content="We open at nine. \r\n", key="hours"), wait=True)
    second = app.remember(Memory(content="We open at ten.", key="hours"), wait=True)
    back = app.remember(Memory(content="\n\nWe open at nine.\n", key="hours"), wait=True)
    found = app.recall(Question(query="open at nine", detail="full")).results

    assert (blank.id, blank.status) == (first.id, "duplicate")
    assert (back.id, back.status, second.status) == (first.id, "updated", "updated")
    assert [one.id for one in found] == [first.id]
    chunk = app.store.chunks("default", [first.id])[first.id][0]
    assert (
        app.store.get("default", [first.id])[first.id].memory.content[chunk.start_char : chunk.end_char] == chunk.text
    )


@pytest.mark.anyio
@pytest.mark.both_engines
async def test_quotes_given_with_the_same_text_stand_in_the_stored_one(client: Client, app: App) -> None:
    """Offsets and words are those of the text as it is stored."""
    stored = "Minutes.\r\nRené promised to  \r\nmend the slipway."
    first = await called(client, "remember", content=stored, context="meeting", date="2026-03-02")
    event = {
        "category": "Commitment",
        "quote": normalize("NFD", "René promised to mend the slipway"),
        "owners": ["René"],
    }
    again = await called(
        client, "remember", content=normalize("NFD", "Minutes.\nRené promised to\nmend the slipway.\n"),
        context="meeting", date="2026-03-02", events=[event], wait=True,
    )  # fmt: skip
    promised = (await called(client, "commitments", detail="full"))["items"]

    assert (again["status"], again["id"]) == ("duplicate", first["id"])
    assert [one["evidence"][0]["quote"] for one in promised if one["origin"] == "given"] == [
        "René promised to  \r\nmend the slipway"
    ]
    for one in promised:
        proof = one["evidence"][0]
        assert stored[proof["start_char"] : proof["end_char"]] == proof["quote"]


@pytest.mark.both_engines
def test_the_same_turn_again_is_one_turn(app: App) -> None:
    """Of one conversation and place; the same words at another place are another turn."""
    turn: dict[str, Any] = {"context": "conversation", "conversation_id": "c"}
    first = app.remember(Memory(content="Hello.", turn_index=0, **turn))
    again = app.remember(Memory(content="Hello. \n", turn_index=0, tags=("greeting",), **turn))
    other = app.remember(Memory(content="Hello.", turn_index=1, **turn))

    assert (again.id, again.status, again.changed) == (first.id, "duplicate", ["tags"])
    assert other.status == "stored"


@pytest.mark.both_engines
def test_two_who_remember_the_same_at_once_store_it_once(app: App) -> None:
    """Each call sets its own field, and one of them is the first."""

    def remember(number: int) -> Receipt:
        given: dict[str, Any] = {"tags": ("a",)} if number % 2 else {"importance": 0.9}
        return app.remember(Memory(content=SHED + "\n" * number, **given))

    with ThreadPoolExecutor(4) as pool:
        receipts = list(pool.map(remember, range(8)))
    now = facts(app, receipts[0].id)

    assert len({receipt.id for receipt in receipts}) == 1
    assert sorted(receipt.status for receipt in receipts) == ["duplicate"] * 7 + ["stored"]
    assert (now["frequency"], now["tags"], now["importance"]) == (8, ["a"], 0.9)


def test_the_package_tells_a_default_given_on_purpose_from_one_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A receipt of several items is complete, the errors of refused ones among them."""
    for name in [name for name in os.environ if name.startswith(("REMEMBRANCER_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    with remembrancer.open(home) as memory:
        first = memory.remember(SHED, importance=0.9, retention_policy="1y")
        left = memory.remember(SHED)
        again = memory.remember(SHED, importance=0.5, retention_policy="forever")
        many = memory.remember_many([{"content": SHED, "tags": ["shed"]}, {"content": "x", "context": "poem"}])
        brief = memory.remember_many([{"content": SHED}], detail="brief")
    stop_owner(HomeConfig(home, {}, {}))
    eventually(lambda: owner(home) is None)

    assert (left.changed, again.changed) == (None, ["importance", "retention_policy", "expires_at"])
    receipt, refusal = many.results
    assert isinstance(receipt, Receipt)
    assert (receipt.context, receipt.project_id, receipt.num_chunks) == ("document", "default", 1)
    assert (receipt.token_count, receipt.changed) == (first.token_count, ["tags"])
    assert not isinstance(refusal, Receipt)
    assert (refusal.code, refusal.index) == ("invalid_input", 1)
    assert isinstance(brief.results[0], Receipt)


@pytest.mark.both_engines
def test_what_the_front_matter_of_a_file_no_longer_says_is_gone(app: App, tmp_path: Path) -> None:
    """A file says all of itself, so a field that it does not have any more is not there; blanks change nothing."""
    note = tmp_path / "shed.md"
    texts = [
        f"---\ntags: [boats]\nimportance: 0.9\n---\n{SHED}\n",
        f"---\nimportance: 0.9\n---\n{SHED}\n",
        f"---\nimportance: 0.9\n---\n{SHED}\n\n",
    ]
    ids: set[str] = set()
    tags: list[object] = []
    for text in texts:
        note.write_text(text)
        *_, tally = ingest([note], "default", context=None, records=app.store, tokenizer=app.tokenizer)
        tags.append((tally.stored, tally.updated, tally.unchanged))
        (found,) = app.recall(Question(context="document", detail="full")).results
        ids.add(found.id)
        tags.append(found.metadata.get("tags"))

    assert tags == [(1, 0, 0), ["boats"], (0, 1, 0), None, (0, 0, 1), None]
    assert len(ids) == 1


@pytest.mark.both_engines
def test_a_sentence_stored_on_many_days_is_one_result(app: App) -> None:
    """It leaves its place to the other notes, names its other ids, and counts once, whatever page is asked for."""
    said = "The cellar pump starts twice an hour."
    days = [
        app.remember(Memory(content=form.format(said), context="note", date=f"2026-05-{day:02}"), wait=True).id
        for day, form in enumerate(["{}", "{}\n", "- **{}**", "Note: {}!", "{} ", "{}\r\n"] * 2, 1)
    ]
    others = [
        app.remember(Memory(content=text, context="note", date="2026-05-20"), wait=True).id
        for text in ("Grease the cellar pump with the tin on shelf two.", "The cellar pump came from Marlow Supplies.")
    ]
    found = app.recall(Question(query="cellar pump", limit=5, detail="full"))
    brief = app.recall(Question(query="cellar pump", limit=5))
    pages = [app.recall(Question(query="cellar pump", limit=1, offset=page, detail="full")) for page in range(4)]
    listed = app.recall(Question(context="note", limit=50))
    (folded,) = [result for result in found.results if result.also]

    assert {result.id for result in found.results} == {folded.id, *others}
    assert sorted([folded.id, *(folded.also or ())]) == sorted(days)
    assert found.total_count == 3
    assert [[result.id for result in page.results] for page in pages] == [
        *([result.id] for result in found.results), [],
    ]  # fmt: skip
    (short,) = [result for result in brief.results if result.also]
    assert (short.also, short.also_count) == ((folded.also or [])[:5], 11)
    assert (len(listed.results), listed.total_count) == (14, 14), "a list has each item"


@pytest.mark.both_engines
def test_long_texts_are_one_result_only_if_all_of_them_is_equal(app: App) -> None:
    """An item that differs beyond its best passage is a result of its own, and so is one that is filtered for."""
    text = "The quarry road floods in spring. " + " ".join(
        f"Marker {number} is painted white." for number in range(400)
    )
    first, second = (
        app.remember(Memory(content=text, context="document", title="Road", date=day, tags=(day,)), wait=True).id
        for day in ("2026-01-01", "2026-01-02")
    )
    other = app.remember(Memory(content=f"{text} The last is red.", context="document", title="Road"), wait=True).id
    found = app.recall(Question(query="when does the quarry road flood", detail="full"))
    tagged = app.recall(Question(query="when does the quarry road flood", tags=("2026-01-02",), detail="full"))

    assert sorted(len(result.also or ()) for result in found.results) == [0, 1]
    assert {id_ for result in found.results for id_ in (result.id, *(result.also or ()))} == {first, second, other}
    assert [(result.id, result.also) for result in tagged.results] == [(second, None)]


@pytest.mark.both_engines
def test_a_named_item_stands_for_its_copies(app: App) -> None:
    """The item whose key is the query stays first and exact; many copies hide nothing behind them."""
    copies = [
        Memory(content="The mill is closed.", context="note", date=f"2026-{n // 28 + 1:02}-{n % 28 + 1:02}")
        for n in range(150)
    ]
    app.remember_many([*copies, Memory(content="The mill wheel is new.", context="note")], wait=True)
    keyed = app.remember(Memory(content="The mill is closed.", context="note", key="mill"), wait=True)
    found = app.recall(Question(query="mill", limit=2, detail="full"))

    assert (found.match_type, found.results[0].id, len(found.results)) == ("exact", keyed.id, 2)
    assert len(found.results[0].also or ()) > 60, "as many as were candidates"
    assert found.results[1].content == "The mill wheel is new."


def test_a_rule_stored_on_many_days_is_one_line(app: App) -> None:
    """The others get its place, and nothing is said to be left out."""
    for day in range(1, 9):
        rule = Memory(content="Always coil the ropes." + "\n" * day, context="preference", date=f"2026-05-0{day}")
        app.remember(rule, wait=True)
    app.remember(Memory(content="Never tow without a light.", context="preference"), wait=True)
    lines = [line for line in app.memory_context(ContextQuestion(limit=2)).splitlines() if line.startswith("- ")]

    assert sorted(line[2:].partition(" (")[0] for line in lines) == [
        "Always coil the ropes.",
        "Never tow without a light.",
    ]
