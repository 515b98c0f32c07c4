"""Given knowledge: what a caller who has read a text knows of it."""

import json
from typing import Any

import pytest
from mcp import Client
from mcp_types import TextContent

from core.dates import now
from core.interface.learning import AnnotatedMemory, GivenEntity, GivenEvent, LearnRequest, ReviewQuestion
from core.interface.ledger import CommitmentsQuestion, DecisionsQuestion, ResolveRequest
from core.interface.memory import Memory
from core.interface.operations import ForgetRequest
from core.knowledge.findings import Extraction
from core.records import Artifact
from ingest.isolation import IsolatedError
from ingest.runs.run import get_run, list_runs, roll_back
from service.app import App
from tests.ingest.running import PROJECT, dump

pytestmark = pytest.mark.anyio

MINUTES = """# Harbour board, 3 March 2026

We decided to paint the depot blue – “for good”.
Ines will send the quote to Globex by Friday.
Nothing else came up, and the kettle is broken.
"""
DECISION: dict[str, Any] = {
    "category": "Decision",
    "quote": 'paint the  depot blue - "for good"',
    "summary": "The depot becomes blue",
    "owners": ["Harbour Board"],
}
PROMISE: dict[str, Any] = {
    "category": "Commitment",
    "quote": "Ines will send the quote to Globex by Friday.",
    "owners": ["Ines"],
    "recipients": ["Globex"],
    "due": "2026-03-06",
}


async def called(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Return a tool's structured answer, or the error that it gives."""
    result = await client.call_tool(tool, arguments)
    if result.structured_content is not None:
        return dict(result.structured_content)
    assert isinstance(result.content[0], TextContent)
    return dict(json.loads(result.content[0].text))


async def test_what_is_given_with_a_text_is_sure_and_quoted_as_the_text_has_it(client: Client) -> None:
    """White space and typographic signs of a quote are forgiven; extraction of the same words gives way."""
    kept = await called(client, "remember", content=MINUTES, events=[DECISION, PROMISE], wait=True)
    decided = await called(client, "decisions", detail="full")
    promised = await called(client, "commitments", detail="full")

    assert kept["run_id"].startswith("run_")
    [decision] = decided["items"]
    assert decision["evidence"][0]["quote"] == "paint the depot blue – “for good”"
    assert (decision["origin"], decision["confidence"], decision["owners"]) == ("given", 1.0, ["Harbour Board"])
    [promise] = promised["items"]
    assert (promise["owners"], promise["recipients"]) == (["Ines"], ["Globex"])
    assert promise["due"].startswith("2026-03-06")


async def test_a_quote_that_is_not_there_is_refused_with_its_place_and_the_nearest_passage(client: Client) -> None:
    """And nothing is stored, whatever else was right."""
    wrong = DECISION | {"quote": "paint the kettle blue"}
    refused = await called(client, "remember", content=MINUTES, events=[PROMISE, wrong])

    assert refused["code"] == "invalid_input"
    assert "events[1]" in refused["error"]
    assert "We decided to paint the depot blue" in refused["error"]
    assert (await called(client, "status"))["counts"]["artifacts"] == 0


def taught(app: App, content: str = MINUTES, **fields: Any) -> str:
    """Store the minutes with what is known of them, and return their id."""
    known = {"events": (GivenEvent(**tuples(DECISION)), GivenEvent(**tuples(PROMISE)))}
    return app.remember(AnnotatedMemory(content=content, **(known | fields)), PROJECT, wait=True).id


def tuples(event: dict[str, Any]) -> dict[str, Any]:
    """Return an event with its lists as tuples."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in event.items()}


def listed(app: App) -> set[tuple[str, str | None, str]]:
    """Return all decisions and commitments, with their status and where they come from."""
    decided, promised = (
        app.decisions(DecisionsQuestion(status="all"), PROJECT),
        app.commitments(CommitmentsQuestion(), PROJECT),
    )
    return {(item.evidence[0].quote, item.status, item.origin) for item in (*decided.items, *promised.items)}


@pytest.mark.both_engines
def test_given_knowledge_survives_extraction_and_edits_and_goes_with_its_source(app: App) -> None:
    """Of an edited text stays what still stands in it; with the last text all of it goes."""
    id_ = taught(app, key="minutes", context="document")
    before = dump(app.store, [id_])
    app.store.queue(PROJECT, [id_], "extract")
    app.worker.drain()
    assert dump(app.store, [id_]) == before

    edited = MINUTES.replace("Nothing else came up", "We will meet again").replace("for good", "for now")
    later = app.remember(Memory(content="# Preface\n\n" + edited, key="minutes"), PROJECT, wait=True).id
    assert (PROMISE["quote"], "open", "given") in listed(app)
    assert not any("for good" in quote for quote, _, _ in listed(app))

    app.forget(ForgetRequest(id=later, confirm=True), PROJECT)
    assert listed(app) == set()
    assert app.store.counts(PROJECT).entities == 0


@pytest.mark.both_engines
def test_rolling_a_run_of_given_knowledge_back_leaves_what_stood(app: App) -> None:
    """With `learn` as with a run of an extractor: the same events, entities and statuses as before."""
    id_ = app.remember(Memory(content=MINUTES), PROJECT, wait=True).id
    before = dump(app.store, [id_])
    assert before.events
    learnt = app.learn(LearnRequest(id=id_, events=(GivenEvent(**tuples(DECISION)),), replace=True), PROJECT)
    assert [origin for _, _, origin in listed(app)] == ["given"]
    app.worker.drain()
    assert dump(app.store, [id_]) != before
    assert learnt.run_id is not None
    [run] = list_runs(PROJECT, app.store, 5)
    assert (run.id, run.extractor, run.tally.events_added) == (learnt.run_id, "given", 1)

    again = LearnRequest(id=id_, events=(GivenEvent(**tuples(DECISION)),), replace=True)
    assert app.learn(again, PROJECT).run_id is None
    undone = roll_back(get_run(PROJECT, learnt.run_id, app.store), app.store)
    app.worker.drain()
    assert (undone.restored, undone.forgotten) == (1, 0)
    assert dump(app.store, [id_]) == before


@pytest.mark.both_engines
def test_what_is_told_of_a_text_in_another_language_counts_as_read(app: App) -> None:
    """`status` counts it by its language until then, and again once the run is rolled back."""
    content = "Wir haben beschlossen, das Depot blau zu streichen. Ines schickt das Angebot bis Freitag an Globex."
    id_ = app.remember(Memory(content=content), PROJECT, wait=True).id
    counts = app.status(project_id=PROJECT).counts
    assert counts is not None
    assert (counts.events, counts.unread_languages) == (0, {"de": 1})

    event = GivenEvent(category="Decision", quote="das Depot blau zu streichen")
    learnt = app.learn(LearnRequest(id=id_, events=(event,)), PROJECT)
    app.worker.drain()
    assert app.store.counts(PROJECT).unread_languages == {}
    assert learnt.run_id is not None
    roll_back(get_run(PROJECT, learnt.run_id, app.store), app.store)
    app.worker.drain()
    assert app.store.counts(PROJECT).unread_languages == {"de": 1}


@pytest.mark.both_engines
def test_a_given_event_supersedes_or_completes_one_of_another_item_by_id_or_words(app: App) -> None:
    """In whatever order they are stored: words mean what is said before, and an id what it names."""
    taught(app, date="2026-03-03")
    [promise] = app.commitments(CommitmentsQuestion(), PROJECT).items
    green = GivenEvent(category="Decision", quote="green it is", supersedes="the depot blue")
    done = GivenEvent(category="Execution", quote="The quote went out", completes=promise.id)
    text = "The colour again: green it is. The quote went out."
    app.remember(AnnotatedMemory(content=text, date="2026-04-01", events=(green, done)), PROJECT, wait=True)

    now_ = {(quote, status) for quote, status, _ in listed(app)}
    assert ("green it is", "current") in now_
    assert ("paint the depot blue – “for good”", "superseded") in now_
    assert (PROMISE["quote"], "done") in now_


@pytest.mark.both_engines
def test_an_event_named_by_id_need_not_share_a_word(app: App) -> None:
    """Nor a place among the forty that are most like it."""
    taught(app, date="2026-03-03")
    [depot] = app.decisions(DecisionsQuestion(), PROJECT).items
    other = GivenEvent(category="Decision", quote="All stays as ever", supersedes=depot.id)
    app.remember(AnnotatedMemory(content="All stays as ever.", date="2026-04-01", events=(other,)), PROJECT, wait=True)

    assert {(quote, status) for quote, status, _ in listed(app)} >= {
        ("All stays as ever", "current"),
        ("paint the depot blue – “for good”", "superseded"),
    }


def test_an_item_that_comes_later_may_be_what_was_meant(app: App) -> None:
    """The promise is stored after the report that it is kept."""
    done = GivenEvent(category="Execution", quote="The quote went out", completes="send the quote to Globex")
    app.remember(AnnotatedMemory(content="The quote went out.", date="2026-04-01", events=(done,)), PROJECT, wait=True)
    taught(app, date="2026-03-03")

    assert (PROMISE["quote"], "done", "given") in listed(app)
    assert [item.status for item in app.commitments(CommitmentsQuestion(recipient="Globex"), PROJECT).items] == ["done"]
    assert app.commitments(CommitmentsQuestion(recipient="Ines"), PROJECT).total_count == 0


def test_a_given_entity_is_who_the_text_means(app: App) -> None:
    """Its aliases are found in the text, and what is known by the name elsewhere is the same."""
    first = app.remember(Memory(content="Ines Duarte works for Globex Corporation."), wait=True)
    entity = GivenEntity(name="Ines Duarte", type="person", aliases=("Ines",), organization="Globex Corporation")
    id_ = app.remember(Memory(content=MINUTES), wait=True).id
    learnt = app.learn(LearnRequest(id=id_, entities=(entity,)))

    [known] = [one for one in app.store.entities_of("default", [first.id], 9) if one.name == "Ines Duarte"]
    assert learnt.entities == [known.id]
    assert known.id in {one.id for one in app.store.entities_of("default", [id_], 9)}


async def test_bad_knowledge_is_refused_by_its_place(client: Client, app: App) -> None:
    """Each error is a sentence that says what to do."""
    id_ = app.remember(Memory(content=MINUTES), wait=True).id
    for event, said in (
        ({"category": "Decison", "quote": "blue"}, "events[0]: category 'Decison' is not valid"),
        (DECISION | {"status": "done"}, "events[0]: status 'done' is not valid"),
        (DECISION | {"colour": "blue"}, "events[0]: It has no argument 'colour'"),
        (PROMISE | {"due": "soonish"}, "events[0]: due"),
        (DECISION | {"supersedes": "evt_000000000000"}, "events[0]: supersedes 'evt_000000000000' is not the id"),
        (PROMISE | {"supersedes": "x"}, "events[0]: supersedes is only of a Decision"),
        (DECISION | {"supersedes": "blue"}, "events[0]: supersedes 'blue' could mean many"),
    ):
        refused = await called(client, "learn", id=id_, events=[event])
        assert refused["code"] == "invalid_input"
        assert said in refused["error"], refused
    unknown = await called(client, "learn", id="art_000000000000", events=[DECISION])
    assert unknown["code"] == "not_found"
    twice = await called(client, "learn", id=id_, events=[{"category": "Feedback", "quote": "the"}])
    assert "more than once" in twice["hint"]
    assert app.store.runs("default", 9) != []


async def test_several_items_bring_their_knowledge_in_one_run(client: Client, app: App) -> None:
    """An item whose quote is wrong is refused by itself; one call is one run."""
    items = [
        {"content": "We go north.", "events": [{"category": "Decision", "quote": "We go north"}]},
        {"content": "We go south.", "events": [{"category": "Decision", "quote": "We go east"}]},
        {"content": "We go west.", "events": [{"category": "Decision", "quote": "We go west"}]},
    ]
    answer = await called(client, "remember_many", items=items, wait=True)

    assert (answer["stored"], answer["failed"]) == (2, 1)
    assert "We go south" in answer["results"][1]["error"]
    [run] = list_runs("default", app.store, 9)
    assert (run.tally.items, run.tally.events_added) == (2, 2)
    assert run.started <= now()


async def test_review_names_what_is_worth_another_look_until_somebody_has_told_it(client: Client, app: App) -> None:
    """A long item in which nothing was found is looked at once: saying that there is nothing takes it off the list."""
    long = " ".join(f"The {n}th kettle is round." for n in range(100))
    silent = app.remember(Memory(content=long, title="Kettles"), wait=True).id
    unsure = "Perhaps we might go with the blue tiles? The report will be sent by Friday."
    app.remember(Memory(content=unsure), wait=True)
    found = await called(client, "review")
    texts = [item for item in found["items"] if item["kind"] == "text"]
    assert [(item["id"], item["artifact_id"]) for item in texts] == [(silent, silent)]
    assert "Kettles" in texts[0]["summary"]
    for item in found["items"]:
        if item["kind"] in {"event", "owner"}:
            told = {"category": item["category"], "quote": item["quote"], "owners": ["Ana"]}
            assert (await called(client, "learn", id=item["artifact_id"], events=[told]))["run_id"]

    assert (await called(client, "learn", id=silent, replace=True))["run_id"]
    assert [item for item in (await called(client, "review"))["items"] if item["kind"] != "pair"] == []
    few = await client.call_tool("review", {"limit": 1, "max_tokens": 100})
    assert not few.is_error


def test_a_text_that_went_on_is_read_where_it_did(app: App) -> None:
    """`replace` stands for the words that were there: what an edit adds is found as in any text."""
    id_ = app.remember(Memory(content=MINUTES, key="minutes"), PROJECT, wait=True).id
    run = app.learn(LearnRequest(id=id_, events=(GivenEvent(**tuples(PROMISE)),), replace=True), PROJECT).run_id
    added = "We decided to move the office to Lyon."
    app.remember(Memory(content=f"{MINUTES}\n{added}\n", key="minutes"), PROJECT, wait=True)

    assert (PROMISE["quote"], "open", "given") in listed(app)
    assert (added, "current", "extracted") in listed(app)
    assert run is not None
    undone = roll_back(get_run(PROJECT, run, app.store), app.store)
    assert (undone.restored, undone.forgotten) == (2, 0)


@pytest.mark.both_engines
def test_what_somebody_declared_holds_for_the_event_that_takes_its_place(app: App) -> None:
    """A promise that was declared done is not open again because its quote now ends before the full stop."""
    id_ = app.remember(Memory(content=MINUTES), PROJECT, wait=True).id
    [promise] = app.commitments(CommitmentsQuestion(), PROJECT).items
    app.resolve(ResolveRequest(id=promise.id, status="done", note="it was paid"), PROJECT)
    given = PROMISE | {"quote": PROMISE["quote"].rstrip(".")}
    learnt = app.learn(LearnRequest(id=id_, events=(GivenEvent(**tuples(given)),)), PROJECT)

    [item] = app.commitments(CommitmentsQuestion(), PROJECT).items
    assert item.id == learnt.events[0] != promise.id
    assert (item.status, item.origin) == ("done", "given")


@pytest.mark.both_engines
@pytest.mark.parametrize("known", [(), (GivenEvent(**tuples(PROMISE)),)], ids=["extracted", "given"])
def test_what_somebody_declared_outlives_edits_around_it(app: App, known: tuple[GivenEvent, ...]) -> None:
    """Until the words themselves are others: then it is another promise. What is declared later holds, too."""
    app.remember(AnnotatedMemory(content=MINUTES, key="minutes", events=known), PROJECT, wait=True)
    [promise] = app.commitments(CommitmentsQuestion(), PROJECT).items
    app.resolve(ResolveRequest(id=promise.id, status="done", note="it was paid"), PROJECT)

    def edited(content: str) -> tuple[str, str | None]:
        app.remember(Memory(content=content, key="minutes"), PROJECT, wait=True)
        [item] = app.commitments(CommitmentsQuestion(), PROJECT).items
        return item.id, item.status

    id_, status = edited("# Preface\n\n" + MINUTES)
    assert (id_ != promise.id, status) == (True, "done")
    app.resolve(ResolveRequest(id=id_, status="open"), PROJECT)
    assert edited("# First preface\n\n" + MINUTES)[1] == "open"
    app.resolve(ResolveRequest(id=app.commitments(CommitmentsQuestion(), PROJECT).items[0].id, status="done"), PROJECT)
    assert edited(MINUTES.replace(PROMISE["quote"], PROMISE["quote"].replace("Globex", "Initech")))[1] == "open"


def test_words_that_name_no_earlier_event_are_told(app: App) -> None:
    """What bears on nothing that is known stays as it was given, and its giver hears of it."""
    id_ = app.remember(Memory(content=MINUTES), PROJECT, wait=True).id
    decision = DECISION | {"supersedes": "keep the depot as grey as ever"}
    hint = app.learn(LearnRequest(id=id_, events=(GivenEvent(**tuples(decision)),)), PROJECT).hint
    assert hint is not None
    assert "events[0]: no decision" in hint


def test_nothing_is_said_of_a_text_that_is_not_read_yet(app: App) -> None:
    """Only extraction can tell that nothing was found in it."""
    app.remember(Memory(content="The sea was flat and the sky was grey. " * 25), PROJECT)
    assert app.review(ReviewQuestion(), PROJECT).items == []
    app.worker.drain()
    assert [item.kind for item in app.review(ReviewQuestion(), PROJECT).items] == ["text"]


class Failing:
    """An extractor whose process fails."""

    name = "failing"

    def extract(self, artifact: Artifact) -> Extraction:
        raise IsolatedError(f"ValueError: {artifact.id}")


def test_what_is_given_is_kept_where_the_text_can_not_be_read(app: App) -> None:
    """The answer says that it is kept and what is missing; the job for it is there."""
    id_ = app.remember(Memory(content=MINUTES), PROJECT).id
    app.worker.extractor = Failing()
    learnt = app.learn(LearnRequest(id=id_, events=(GivenEvent(**tuples(DECISION)),)), PROJECT)

    assert learnt.run_id is not None
    assert learnt.degraded == ["events"]
    assert [reading.run_id for reading in app.store.annotations(PROJECT, [id_])[id_]] == [learnt.run_id]
