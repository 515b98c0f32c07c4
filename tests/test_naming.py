"""`resolve` of people and things: a name, two that are the same or different, what is none; and taking it back."""

import json
from typing import Any

import pytest
from mcp import Client
from mcp_types import TextContent

from core.errors import Conflict, InvalidInput, NotFound
from core.interface.learning import ReviewQuestion
from core.interface.ledger import LedgerItem, ResolveRequest
from core.interface.memory import Memory
from core.knowledge.findings import Entity
from ingest.runs.run import get_run, roll_back
from service.app import App

TEXTS = (
    "Present: Orla Brennan, Tomas Ruzic.\n\nOrla Brennan will send the tide tables by 2026-04-01.",
    "Orla Brennan and Tomas Ruzic met about the slipway.",
    "Orla Brenan will repaint the slipway by 2026-05-01.",
)


def told(app: App, *texts: str) -> list[str]:
    """Store notes and extract from them; return their ids."""
    notes = [Memory(content=text, context="note", date="2026-03-02") for text in texts]
    return [app.remember(note, wait=True).id for note in notes]


def named(app: App, name: str) -> list[Entity]:
    """Return who has a name."""
    return [one for several in app.store.entities_by_name("default", [name]).values() for one in several]


def only(app: App, name: str) -> Entity:
    [found] = named(app, name)
    return found


def resolved(app: App, id: str, **declared: Any) -> LedgerItem:  # noqa: A002
    return app.resolve(ResolveRequest(id=id, **declared))


def taken_back(app: App, run_id: str | None) -> None:
    assert run_id is not None
    roll_back(get_run("default", run_id, app.store), app.store)
    app.worker.drain()


@pytest.mark.both_engines
def test_two_spellings_of_one_person_are_one_from_now_on(app: App) -> None:
    """Under the name most used, with the promises of both, whatever is stored later; undone as if it never was."""
    told(app, *TEXTS)
    misspelt, right = only(app, "Orla Brenan"), only(app, "Orla Brennan")
    done = resolved(app, misspelt.id, same_as=right.id, note="a typing error")

    assert (done.id, done.category, done.summary.partition(",")[0]) == (right.id, "person", "Orla Brennan")
    assert [one.id for one in named(app, "orla brenan")] == [right.id]
    told(app, "Orla Brenan called about the buoys.", "Orla Brenan, Orla Brenan and Orla Brenan.")
    assert only(app, "Orla Brenan").name == "Orla Brennan"
    assert resolved(app, "Orla Brenan", same_as="Orla Brennan", note="again").run_id is None
    taken_back(app, done.run_id)
    assert {one.name for one in (*named(app, "Orla Brenan"), *named(app, "Orla Brennan"))} == {
        "Orla Brenan",
        "Orla Brennan",
    }


@pytest.mark.both_engines
def test_a_name_that_was_resolved_is_changed_by_nothing_extracted(app: App) -> None:
    """Not by later items, nor by extracting again; the latest name holds, and rolling it back brings the former one."""
    ids = told(app, *TEXTS)
    id_ = only(app, "Tomas Ruzic").id
    first = resolved(app, id_, name="Tomáš Ružič")
    second = resolved(app, id_, name="  Tomáš   Ružička ")
    told(app, *(f"Tomas Ruzic wrote letter {n}." for n in range(4)))
    for item in ids:
        app.worker.extract("default", item)

    assert app.store.entities("default", [id_])[id_].name == "Tomáš Ružička"
    assert only(app, "tomáš ružička").id == id_ == only(app, "Tomas Ruzic").id
    assert resolved(app, id_, name="Tomáš Ružička").run_id is None
    taken_back(app, second.run_id)
    assert app.store.entities("default", [id_])[id_].name == "Tomáš Ružič"
    taken_back(app, first.run_id)
    assert app.store.entities("default", [id_])[id_].name == "Tomas Ruzic"


@pytest.mark.both_engines
def test_two_that_are_different_are_not_asked_about_and_not_joined(app: App) -> None:
    """Also after they were merged: the merge is undone; rolling that back merges them again."""
    told(app, *TEXTS)
    misspelt, right = only(app, "Orla Brenan").id, only(app, "Orla Brennan").id
    assert {(one.one, one.other) for one in app.store.merge_candidates("default", [right], 9)}
    resolved(app, misspelt, same_as=right)
    apart = resolved(app, "Orla Brenan", different_from="Orla Brennan")
    assert only(app, "Orla Brenan").id == misspelt != only(app, "Orla Brennan").id
    assert app.store.merge_candidates("default", [right], 9) == []
    taken_back(app, apart.run_id)
    assert only(app, "Orla Brenan").id == right


@pytest.mark.both_engines
def test_what_is_dismissed_is_nobody(app: App) -> None:
    """It owns nothing, and comes back with nothing stored later; after a rollback it is what it was."""
    told(app, *TEXTS)
    before = only(app, "Tomas Ruzic")
    done = resolved(app, before.id, status="Dismissed")
    told(app, "Tomas Ruzic will oil the crane by 2026-06-01.")

    assert (done.status, done.id) == ("dismissed", before.id)
    assert named(app, "Tomas Ruzic") == []
    with pytest.raises(NotFound):
        resolved(app, before.id, name="Tom")
    taken_back(app, done.run_id)
    assert only(app, "Tomas Ruzic").mention_count == before.mention_count + 1


def test_several_resolutions_of_one_call_are_taken_back_together(app: App) -> None:
    """And a call that is wrong in one of its parts changes nothing."""
    told(app, *TEXTS)
    misspelt, right = only(app, "Orla Brenan"), only(app, "Orla Brennan")
    done = resolved(app, misspelt.id, same_as=right.id, name="Orla M. Brennan")
    assert only(app, "Orla Brenan").name == "Orla M. Brennan"
    taken_back(app, done.run_id)
    assert (only(app, "Orla Brenan").id, only(app, "Orla Brennan").name) == (misspelt.id, "Orla Brennan")
    for wrong, error in (
        ({"same_as": right.id, "different_from": right.id}, Conflict),
        ({"name": "Orla", "status": "dismissed"}, InvalidInput),
        ({"name": "Orla", "same_as": "Nobody Known"}, NotFound),
        ({"status": "done"}, InvalidInput),
        ({"supersedes": "none"}, InvalidInput),
    ):
        with pytest.raises(error):
            resolved(app, misspelt.id, **wrong)
    with pytest.raises(InvalidInput):
        resolved(app, "evt_0123456789ab", name="Orla")
    assert only(app, "Orla Brenan").id == misspelt.id
    assert [one.undone_at is None for one in app.merge_decisions()] == [False, False]


@pytest.mark.anyio
async def test_a_model_settles_what_review_asks_with_the_call_that_it_names(client: Client) -> None:
    """The pair is asked about in one line, with its reason, and no more once it is answered."""
    for text in TEXTS:
        await client.call_tool("remember", {"content": text, "context": "note", "wait": True})

    async def pairs() -> list[dict[str, Any]]:
        result = await client.call_tool("review", {"limit": 50})
        return [one for one in (result.structured_content or {})["items"] if one["kind"] == "pair"]

    [pair] = await pairs()
    assert (
        pair["settle"] == f'resolve(id="{pair["id"]}", same_as="{pair["other"]}") or different_from="{pair["other"]}"'
    )
    answer = await client.call_tool("resolve", {"id": pair["id"], "same_as": pair["other"]})
    assert not answer.is_error
    assert (answer.structured_content or {})["run_id"].startswith("run_")
    assert await pairs() == []
    wrong = await client.call_tool("resolve", {"id": pair["id"], "completes": "none"})
    assert isinstance(wrong.content[0], TextContent)
    assert json.loads(wrong.content[0].text)["code"] == "invalid_input"


@pytest.mark.both_engines
@pytest.mark.parametrize("answer", [{"status": "dismissed"}, {"name": "Zorblat"}, {"name": "Zora Blatt"}])
def test_a_name_that_may_be_nobodys_is_asked_about(app: App, answer: dict[str, str]) -> None:
    """Until one call settles it; asked again once that is taken back. Known and listed names are not asked about."""
    told(app, *TEXTS)
    talk = "Zorblat: I agree.\nAnn Lee: Fine.\nZorblat: I will send the plan.\nZorblat: It is done."
    app.remember(Memory(content=talk, context="meeting"), wait=True)
    [asked] = [one for one in app.review(ReviewQuestion(limit=100)).items if one.kind == "name"]
    assert asked.summary == "Is Zorblat a person? Mentioned 3 times."
    assert asked.settle == f'resolve(id="{asked.id}", status="dismissed") or name="Zorblat"'

    done = resolved(app, asked.id, **answer)
    assert "name" not in {one.kind for one in app.review(ReviewQuestion(limit=100)).items}
    taken_back(app, done.run_id)
    assert "name" in {one.kind for one in app.review(ReviewQuestion(limit=100)).items}
