"""What the ledger holds back as uncertain is shown nowhere else: one threshold for every surface."""

from typing import Any

import pytest
from mcp import Client

from core.interface.memory import Memory
from core.knowledge.findings import Extraction, FoundEntity, FoundEvent
from core.records import Artifact
from graph.store import Store
from ingest.runs.pipeline import resolve_extraction, store_knowledge
from retrieval.browsing.source_text import read_source_text
from service.app import App

pytestmark = pytest.mark.anyio

SURE, UNSURE = "We decided to sell the old press.", "Perhaps the press moves to the annexe."


def stored(app: App) -> str:
    """Store a text of which one event is sure and the other is not; return its id."""
    item = app.remember(Memory(content=f"{SURE} {UNSURE}", date="2026-03-02", context="meeting"))
    app.worker.drain()
    artifact: Artifact = app.store.get("default", [item.id])[item.id]
    events = tuple(
        FoundEvent(
            "Decision", text, text, artifact.memory.content.index(text), (("Ana Silva", "owner"),), confidence=sure
        )
        for text, sure in ((SURE, 0.8), (UNSURE, 0.3))
    )
    found = Extraction((FoundEntity("Ana Silva", "person"),), events)
    store: Store = app.store
    knowledge, _ = resolve_extraction(artifact, found, store)
    store_knowledge("default", item.id, knowledge, store)
    return item.id


@pytest.mark.both_engines
async def test_an_uncertain_event_is_shown_on_no_surface(app: App, client: Client) -> None:
    """Search, look-up, neighbourhood, paths, resources and the page of a text; `held_back` counts it."""
    item = stored(app)
    answers: list[Any] = []
    for tool, arguments in (
        ("recall", {"query": "press annexe", "detail": "full"}),
        ("recall", {"id": item, "detail": "full"}),
        ("explore", {"id": item, "detail": "full"}),
        ("explore", {"name": "Ana Silva", "detail": "full"}),
        ("decisions", {"status": "all", "detail": "full"}),
    ):
        answer = (await client.call_tool(tool, arguments)).structured_content or {}
        assert answer["held_back"] == 1, tool
        events = [event for result in answer.get("results", []) for event in result["events"]]
        answers += [events, answer.get("related"), answer.get("nodes"), answer.get("items")]
    names = [one.get("summary") or one.get("name") for each in answers if each for one in each]
    assert SURE in names
    assert UNSURE not in names
    assert [quote.summary for quote in read_source_text(app.store, "default", item, 0, None).quotes] == [SURE]


async def test_a_lower_threshold_shows_it(app: App, client: Client) -> None:
    """By `min_confidence`, of recall as of decisions."""
    stored(app)
    answer = (
        await client.call_tool("recall", {"query": "press annexe", "detail": "full", "min_confidence": 0})
    ).structured_content or {}
    assert {event["summary"] for event in answer["results"][0]["events"]} == {SURE, UNSURE}
    assert answer.get("held_back") is None
