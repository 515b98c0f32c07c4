"""Decisions, commitments and their resolution, as a client of the tools meets them."""

import json
from typing import Any

import pytest
from mcp import Client
from mcp_types import TextContent

from core.dates import now, to_text
from core.interface.memory import Memory
from service.app import App

pytestmark = pytest.mark.anyio

Answer = dict[str, Any]
TABLETS = "Ana Silva will order thirty tablets for the depots by 2026-02-20."


async def call(client: Client, tool: str, **arguments: object) -> Answer:
    """Call a tool that is expected to work."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return dict(result.structured_content or {})


async def refused(client: Client, tool: str, **arguments: object) -> Answer:
    """Call a tool that is expected to refuse, and return the error."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    assert isinstance(result.content[0], TextContent)
    return dict(json.loads(result.content[0].text))


async def remember(client: Client, content: str, date: str, context: str = "meeting", **fields: object) -> str:
    """Remember a text with all that is found in it, and return its id."""
    stored = await call(client, "remember", content=content, date=date, context=context, wait=True, **fields)
    return str(stored["id"])


@pytest.mark.both_engines
async def test_a_later_decision_supersedes_the_earlier_and_both_stay(client: Client) -> None:
    """Issue 5: they link to each other, the earlier has its status, and the answer says which sentence did it."""
    first = await remember(client, "We decided to use Postgres for the billing database.", "2026-01-05")
    later = await remember(
        client, "We decided to use MySQL instead of Postgres for the billing database.", "2026-02-05"
    )
    await remember(client, "We decided to move the standup to nine o'clock.", "2026-02-06")

    current = await call(client, "decisions", topic="billing database")
    [holds] = current["items"]
    assert (holds["artifact_id"], holds["status"], current["total_count"]) == (later, "current", 1)
    [former] = (await call(client, "decisions", topic="billing database", status="superseded"))["items"]
    assert (former["artifact_id"], former["status"]) == (first, "superseded")
    assert (holds["supersedes"], former["superseded_by"]) == (former["id"], holds["id"])
    assert "instead of Postgres" in former["superseding"]["evidence"][0]["quote"]
    assert former["evidence"][0]["quote"] == "We decided to use Postgres for the billing database."
    assert (await call(client, "decisions", status="all"))["total_count"] == 3


@pytest.mark.both_engines
async def test_of_two_short_decisions_that_differ_in_one_value_the_later_holds(client: Client) -> None:
    """In any order of storing; what differs in two words is about two things."""
    told = [
        ("We decided to publish on Friday.", "2026-03-01"),
        ("We decided to publish on Monday.", "2026-03-20"),
        ("Decision: cover is blue.", "2026-03-20"),
        ("Decision: cover is green.", "2026-03-01"),
        ("We decided to paint the shed red.", "2026-03-01"),
        ("We decided to paint the gate brown.", "2026-03-20"),
    ]
    for content, date in told:
        await remember(client, content, date)

    quotes = {one["evidence"][0]["quote"] for one in (await call(client, "decisions"))["items"]}
    assert quotes == {told[1][0], told[2][0], told[4][0], told[5][0]}


async def test_an_empty_ledger_says_what_is_still_to_be_read(app: App, client: Client) -> None:
    """That nothing is found while a text waits is no proof that nothing was decided."""
    app.remember(Memory(content="We decided to use Postgres for the billing database."))

    said = (await call(client, "decisions"))["hint"]
    app.worker.drain()

    assert said.startswith("2 jobs still wait")
    assert (await call(client, "decisions"))["total_count"] == 1


@pytest.mark.both_engines
async def test_evidence_names_the_page_it_stands_on(app: App, client: Client) -> None:
    """Of what was read from a file with pages, slides or rows; in both shapes, and in the text of an answer."""
    before = "The depots were visited in January.\n\n"
    places = ("0 page 1", f"{len(before)} page 2")
    app.remember(Memory(content=before + TABLETS, context="meeting", date="2026-01-05", places=places), wait=True)

    for detail in ("brief", "full"):
        [promise] = (await call(client, "commitments", detail=detail))["items"]
        assert [one["place"] for one in promise["evidence"]] == ["page 2"]
    text = (await client.call_tool("commitments", {})).content[0]
    assert isinstance(text, TextContent)
    assert "page 2" in text.text


@pytest.mark.both_engines
async def test_as_of_a_date_the_earlier_decision_still_holds(client: Client) -> None:
    """docs/interface.md: what was known then."""
    await remember(client, "We decided to use Postgres for the billing database.", "2026-01-05")
    await remember(client, "We decided to use MySQL instead of Postgres for the billing database.", "2026-02-05")

    then = await call(client, "decisions", topic="billing", as_of="2026-01-31")
    [held] = then["items"]
    assert (held["status"], "superseded_by" in held, then["total_count"]) == ("current", False, 1)
    assert (await call(client, "decisions", status="superseded", as_of="2026-01-31"))["total_count"] == 0
    assert (await call(client, "decisions", as_of="2026-01-01"))["items"] == []


async def test_a_decision_under_a_key_supersedes_what_the_key_named(client: Client) -> None:
    """docs/interface.md: its topic is its key; the former text is a revision, and the ledger keeps what it decided."""
    fields: dict[str, Any] = {"context": "decision", "key": "billing-database"}
    first = await remember(client, "Postgres for billing.", "2026-01-05", **fields)
    later = await remember(client, "MySQL for billing.", "2026-02-05", **fields)

    items = (await call(client, "decisions", topic="billing-database", status="all"))["items"]
    assert [(item["artifact_id"], item["status"]) for item in items] == [(later, "current"), (first, "superseded")]
    assert items[1]["superseded_by"] == items[0]["id"]
    assert (await call(client, "decisions", topic="billing database"))["total_count"] == 1


@pytest.mark.both_engines
async def test_a_report_closes_the_promise_it_means(client: Client) -> None:
    """Issue 5: and says which sentence did; another promise of the same person stays open."""
    await remember(client, f"{TABLETS}\nAna Silva will call the landlord by 2026-03-01.", "2026-02-02")
    report = await remember(client, "Ana Silva has ordered the thirty tablets for the depots.", "2026-02-18")

    [kept] = (await call(client, "commitments", status="done"))["items"]
    assert (kept["owners"], kept["due"], kept["overdue"]) == (["Ana Silva"], "2026-02-20", False)
    assert kept["completed_by"]["artifact_id"] == report
    assert kept["completed_by"]["evidence"][0]["quote"] == "Ana Silva has ordered the thirty tablets for the depots."
    [other] = (await call(client, "commitments", owner="Ana", status="open"))["items"]
    assert (other["due"], other["overdue"]) == ("2026-03-01", True)
    then = (await call(client, "commitments", as_of="2026-02-10"))["items"]
    assert {(item["status"], item["overdue"]) for item in then} == {("open", False)}


async def test_a_denied_or_partial_report_closes_nothing(client: Client) -> None:
    """A promise is kept when it clearly was."""
    await remember(client, TABLETS, "2026-02-02")
    await remember(client, "Ana Silva has not ordered the tablets for the depots yet.", "2026-02-18")
    await remember(client, "Ana Silva has ordered half of the thirty tablets for the depots.", "2026-02-19")
    await remember(client, "Bo Lund has ordered thirty tablets for the depots in Malta.", "2026-02-19")

    assert (await call(client, "commitments", owner="Ana Silva", status="done"))["items"] == []


async def test_overdue_follows_the_clock(client: Client) -> None:
    """Open and past due: now, or at the date asked for."""
    await remember(client, TABLETS, "2026-02-02")

    assert (await call(client, "commitments", status="overdue"))["total_count"] == 1
    assert (await call(client, "commitments", status="overdue", as_of="2026-02-20"))["total_count"] == 0
    assert (await call(client, "commitments", status="overdue", as_of="2026-02-21"))["total_count"] == 1
    assert (await call(client, "commitments", due_before="2026-02-20"))["total_count"] == 0
    assert (await call(client, "commitments", due_before="2026-02-21"))["total_count"] == 1


@pytest.mark.both_engines
async def test_what_is_open_for_over_a_year_is_counted_and_not_listed(client: Client) -> None:
    """By its due date, else by when it was said; one that is done stays listed, and as of then it was not stale."""
    await remember(client, "Ana Silva will order forty tablets by 2020-02-20.", "2020-02-02")
    await remember(client, "Bo Lund will repair the harbour lamp.", "2020-03-02")
    await remember(client, "Bo Lund will paint the tool shed by 2099-01-01.", "2020-03-02")
    kept = await remember(client, "Ana Silva will order spare rope for the mast by 2020-03-01.", "2020-02-02")
    await remember(client, "Ana Silva has ordered the spare rope for the mast.", "2020-02-09")

    listed = await call(client, "commitments")
    quotes = {one["evidence"][0]["quote"] for one in listed["items"]}
    assert (listed["stale"], listed["total_count"]) == (2, 2)
    assert quotes == {
        "Bo Lund will paint the tool shed by 2099-01-01.",
        "Ana Silva will order spare rope for the mast by 2020-03-01.",
    }
    assert {one["artifact_id"]: one["status"] for one in listed["items"]}[kept] == "done"
    assert (await call(client, "commitments", status="overdue"))["items"] == []
    stale = (await call(client, "commitments", status="stale"))["items"]
    assert {(one["said_at"], one["stale"], one["status"]) for one in stale} == {
        ("2020-02-02", True, "open"),
        ("2020-03-02", True, "open"),
    }
    assert (await call(client, "commitments", status="all"))["total_count"] == 4
    then = await call(client, "commitments", status="open", as_of="2020-03-05")
    assert (then["total_count"], "stale" in then) == (3, False)


@pytest.mark.both_engines
async def test_what_is_owed_to_somebody_is_answered_from_plain_sentences(client: Client) -> None:
    """A recipient owes nothing."""
    await remember(
        client, "I will send the tide table to Kaja Moen by 2099-03-09.", "2026-03-04", "note", author="Edgar Wold"
    )
    await remember(client, "We owe Globex a new quote by 2099-03-09.", "2026-03-04", "note")

    [owed] = (await call(client, "commitments", recipient="Kaja Moen"))["items"]
    assert (owed["owners"], owed["recipients"]) == (["Edgar Wold"], ["Kaja Moen"])
    assert (await call(client, "commitments", owner="Kaja Moen"))["items"] == []
    assert (await call(client, "commitments", recipient="Globex"))["total_count"] == 1


@pytest.mark.both_engines
async def test_a_person_declares_what_became_of_a_promise(client: Client) -> None:
    """docs/interface.md resolve: at once, again without effect, with its history, and recall shows it."""
    artifact = await remember(client, TABLETS, "2026-02-02")
    [promise] = (await call(client, "commitments"))["items"]

    done = await call(client, "resolve", id=promise["id"], status="done", note="Seen in the depot.")
    assert (done["status"], done["overdue"]) == ("done", False)
    assert await call(client, "resolve", id=promise["id"], status="done", note="Seen in the depot.") == done
    again = await call(client, "resolve", id=promise["id"], status="open")
    assert [(one["status"], one.get("note")) for one in again["history"]] == [
        ("done", "Seen in the depot."),
        ("open", None),
    ]
    await call(client, "resolve", id=promise["id"], status="cancelled")
    assert (await call(client, "commitments", status="cancelled"))["items"][0]["id"] == promise["id"]
    [event] = (await call(client, "recall", id=artifact))["results"][0]["events"]
    assert event["status"] == "cancelled"
    before = to_text(now().replace(year=now().year - 1))
    assert (await call(client, "commitments", as_of=before))["total_count"] == 0


async def test_a_withdrawn_decision_is_no_current_one(client: Client) -> None:
    """It is listed when asked for."""
    await remember(client, "We decided to sell the old press.", "2026-02-02")
    [decision] = (await call(client, "decisions"))["items"]
    await call(client, "resolve", id=decision["id"], status="withdrawn")

    assert (await call(client, "decisions"))["items"] == []
    assert (await call(client, "decisions", status="withdrawn"))["items"][0]["id"] == decision["id"]


async def test_what_can_not_be_resolved_is_refused_with_what_can(client: Client) -> None:
    """Each category has its own statuses."""
    await remember(client, f"{TABLETS}\nWe agreed to sell the old press. We shipped the new one.", "2026-02-02")
    [promise] = (await call(client, "commitments"))["items"]
    [decision] = (await call(client, "decisions"))["items"]

    wrong = await refused(client, "resolve", id=promise["id"], status="withdrawn")
    assert wrong["code"] == "invalid_input"
    assert "open, done, cancelled" in wrong["error"]
    assert "current, withdrawn" in (await refused(client, "resolve", id=decision["id"], status="done"))["error"]
    assert (await refused(client, "resolve", id="evt_000000000000", status="done"))["code"] == "not_found"
    elsewhere = await refused(client, "resolve", id=promise["id"], status="done", project_id="other")
    assert elsewhere["code"] == "not_found"
    assert (await refused(client, "decisions", status="done"))["code"] == "invalid_input"
    assert (await refused(client, "decisions", date_from="soon"))["code"] == "invalid_input"
    assert (await refused(client, "commitments", due_before="soon"))["code"] == "invalid_input"
    assert (await refused(client, "commitments", limit=0))["code"] == "invalid_input"


async def test_a_name_of_several_people_lists_those_of_all_and_says_so(client: Client) -> None:
    """Through aliases; an id names one; a name nobody has finds nothing."""
    await remember(client, "Ana Silva will send the offer.", "2026-02-02")
    await remember(client, "Ana Lopez will send the invoice.", "2026-02-03")

    both = await call(client, "commitments", owner="Ana")
    assert both["total_count"] == 2
    assert "Ana Lopez" in both["hint"]
    one = await call(client, "commitments", owner="ana silva")
    assert [item["owners"] for item in one["items"]] == [["Ana Silva"]]
    assert "hint" not in one
    nobody = await call(client, "commitments", owner="Zed")
    assert (nobody["items"], nobody["total_count"]) == ([], 0)
    assert "Nobody" in nobody["hint"]


async def test_a_topic_of_which_only_half_is_known_says_so(client: Client) -> None:
    """Better some with a word about them than none."""
    await remember(client, "We decided to use Postgres for the billing database.", "2026-01-05")

    found = await call(client, "decisions", topic="billing engine")
    assert found["total_count"] == 1
    assert "all words" in found["hint"]
    assert (await call(client, "decisions", topic="catering"))["items"] == []


async def test_pages_of_decisions_fit_together(client: Client) -> None:
    """The total is the true one whatever limit and offset are."""
    for day in range(1, 6):
        await remember(client, f"We decided to paint hall {day}.", f"2026-01-0{day}")

    pages = [await call(client, "decisions", limit=2, offset=offset) for offset in (0, 2, 4, 6)]
    assert [page["total_count"] for page in pages] == [5] * 4
    days = [item["event_time"][:10] for page in pages for item in page["items"]]
    assert days == [f"2026-01-0{day}" for day in range(5, 0, -1)]
    between = await call(client, "decisions", date_from="2026-01-02", date_to="2026-01-03")
    assert between["total_count"] == 2
    assert (await call(client, "decisions", project_id="other"))["total_count"] == 0


@pytest.mark.both_engines
@pytest.mark.parametrize(("written", "typed"), [("Niamh O’Dowd", "Niamh O'Dowd"), ("José Abad", "Jose\u0301 Abad")])
async def test_a_name_in_another_form_is_the_same_person(client: Client, written: str, typed: str) -> None:
    """Apostrophes and accents differ by keyboard: who keeps a promise is who made it, and is found by either form."""
    await remember(client, f"{typed} will paint the shed by 2026-04-01.", "2026-03-02", "note")
    await remember(client, f"{written} has painted the shed.", "2026-03-20", "note")
    for asked in (written, typed):
        assert (await call(client, "commitments", owner=asked, status="done"))["total_count"] == 1
        first, *_ = (await call(client, "explore", name=asked))["nodes"]
        assert first["type"] == "person"


async def test_a_dismissed_event_is_listed_nowhere_until_it_is_set_again(client: Client) -> None:
    """Somebody said that it is none: given or extracted, in the ledger, beside results and in the graph."""
    given = {"category": "Decision", "quote": "We agreed to sell the old press."}
    item = await remember(client, f"{TABLETS}\nWe agreed to sell the old press.", "2026-02-02", events=[given])
    [promise] = (await call(client, "commitments"))["items"]
    [decision] = (await call(client, "decisions", status="all"))["items"]
    for event in (promise, decision):
        told = await call(client, "resolve", id=event["id"], status="dismissed", note="Misread.")
        assert told["status"] == "dismissed"

    assert (await call(client, "commitments"))["items"] == []
    assert (await call(client, "decisions", status="all"))["items"] == []
    found = await call(client, "recall", query="tablets press", detail="full")
    assert not found["results"][0].get("events")
    assert found["related"] == []
    nodes = (await call(client, "explore", id=item))["nodes"]
    assert {promise["id"], decision["id"]}.isdisjoint(node["id"] for node in nodes)

    await call(client, "resolve", id=promise["id"], status="open")
    assert [one["id"] for one in (await call(client, "commitments"))["items"]] == [promise["id"]]


async def test_the_same_words_told_again_correct_what_was_told(client: Client) -> None:
    """An agent that misread a text says it anew."""
    item = await remember(client, TABLETS, "2026-02-02", events=[
        {"category": "Commitment", "quote": TABLETS, "owners": ["Ana Silver"], "due": "2026-02-28"}
    ])  # fmt: skip
    right = {"category": "Commitment", "quote": TABLETS, "owners": ["Ana Silva"], "due": "2026-02-20"}
    await call(client, "learn", id=item, events=[right])
    [told] = (await call(client, "commitments"))["items"]
    assert (told["owners"], told["due"]) == (["Ana Silva"], "2026-02-20")


@pytest.mark.both_engines
async def test_what_comes_back_every_week_is_due_next_time_and_never_overdue(client: Client) -> None:
    """One report leaves it open; as of a day the next day is that one's."""
    await remember(client, "Ylva Stern will water the plants every Friday.", "2026-03-02", "note")
    await remember(client, "Ylva watered the plants last Friday.", "2026-03-09", "note")
    [item] = (await call(client, "commitments", as_of="2026-03-10"))["items"]
    assert (item["status"], item["due"], item.get("overdue", False)) == ("open", "2026-03-13", False)
    assert (await call(client, "commitments", status="overdue", as_of="2026-03-10"))["items"] == []
    for day, is_due in (("2026-03-13", False), ("2026-03-14", True), ("2026-04-30", True)):
        due = (await call(client, "commitments", due_before=day, as_of="2026-03-10"))["items"]
        assert [one["id"] for one in due] == ([item["id"]] if is_due else [])


@pytest.mark.both_engines
async def test_father_and_son_are_two_people(client: Client) -> None:
    """Each owns what is said of him, in texts of their own."""
    await remember(client, "Elias Whitford, Jr. will send the deed by 2026-03-20.", "2026-03-02", "note")
    await remember(client, "Elias Whitford, Sr. decided to sell the orchard.", "2026-03-02", "note")
    [promise], [decision] = [
        (await call(client, tool, as_of="2026-03-10"))["items"] for tool in ("commitments", "decisions")
    ]
    assert (promise["owners"], decision["owners"]) == (["Elias Whitford Jr."], ["Elias Whitford Sr."])
