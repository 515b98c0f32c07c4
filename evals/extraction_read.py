"""What the service extracts from the annotated documents, read through its tools."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final

from mcp import Client

from core.errors import Unavailable
from core.interface.learning import MAX_REVIEWED
from core.interface.question import MAX_TOKENS
from evals import client as through
from evals.extraction_gold import Annotated, Document, Part
from evals.extraction_match import FoundActor, FoundEntity, FoundEvent, Reading, comparable
from evals.extraction_scores import Ledger, Read
from service.display.reports import progress_bar

#: The documents are remembered in this one project: what they share may mislead.
PROJECT: Final = "annotated"
#: Most items that the ledger is asked for at once.
_LIMIT: Final = 1_000
#: What `review` may take, in tokens.
_MOST: Final = MAX_TOKENS


async def _remembered(client: Client, given: Annotated) -> Sequence[list[str]]:
    """Return the ids of each document's parts, once their knowledge is there."""
    memories = [part.arguments for document in given.documents for part in document.parts]
    with progress_bar("Remembering what is annotated", len(memories)) as advance:
        ids = iter(await through.remember(client, PROJECT, memories, advance))
    with progress_bar("Extracting", await through.pending(client, [PROJECT])) as advance:
        await through.settle(client, [PROJECT], advance)
    return [[next(ids) for _ in document.parts] for document in given.documents]


async def read(client: Client, given: Annotated) -> Read:
    """Remember all documents and return what the service extracts from them."""
    ids = await _remembered(client, given)
    readings = [await _reading(client, document, own) for document, own in zip(given.documents, ids, strict=True)]
    return Read(given, readings, await _ledger(client))


async def _reading(client: Client, document: Document, ids: Sequence[str]) -> Reading:
    """Return what was found in the document: entities that its text mentions, and those who act in its events."""
    events: list[FoundEvent] = []
    entities: dict[str, FoundEntity] = {}
    for part, identity in zip(document.parts, ids, strict=True):
        told = await _recalled(client, identity)
        in_part = told["results"][0].get("events") or ()
        entities |= {entity["id"]: _entity(entity) for entity in told["entities"]}
        for acting in {actor["entity_id"] for event in in_part for actor in event["actors"]} - entities.keys():
            entities |= {one["id"]: _entity(one) for one in (await _recalled(client, acting))["entities"]}
        events += (_event(event, part, identity, entities) for event in in_part)
    return Reading(document, tuple(events), tuple(entities.values()))


async def _recalled(client: Client, identity: str) -> dict[str, Any]:
    asked = {"id": identity, "detail": "full", "min_confidence": 0, "project_id": PROJECT}
    return await through.call(client, "recall", asked)


def _entity(told: Mapping[str, Any]) -> FoundEntity:
    names = frozenset(comparable(name) for name in (told["name"], *told["aliases"]))
    return FoundEntity(told["id"], comparable(told["name"]), told["type"], names, told.get("organization"))


def _event(told: Mapping[str, Any], part: Part, identity: str, entities: Mapping[str, FoundEntity]) -> FoundEvent:
    """Return an event of the service with the evidence that lies in this part."""
    own = [quote for quote in told["evidence"] if quote["artifact_id"] == identity]
    content = part.arguments["content"]
    return FoundEvent(
        id=told["id"],
        category=told["category"],
        spans=tuple((part.start + quote["start_char"], part.start + quote["end_char"]) for quote in own),
        is_verbatim=bool(own) and all(content[one["start_char"] : one["end_char"]] == one["quote"] for one in own),
        actors=tuple(_actor(actor, entities) for actor in told["actors"]),
        due=_day(told.get("due")),
        event_time=_day(told.get("event_time")),
    )


def _actor(told: Mapping[str, Any], entities: Mapping[str, FoundEntity]) -> FoundActor:
    known = entities.get(told["entity_id"])
    return FoundActor(frozenset({comparable(told["name"])} | (known.names if known else set())), told["role"])


def _day(text: str | None) -> date | None:
    return None if text is None else datetime.fromisoformat(text).date()


async def _ledger(client: Client) -> Ledger | None:
    """Return what the ledger says; None if the service has none."""
    tools = {tool.name for tool in (await client.list_tools()).tools}
    if not {"decisions", "commitments"} <= tools:
        return None
    decided, done = await _items(client, "decisions", "all"), await _items(client, "commitments", "done")
    ends = {str(item["id"]): (item.get("completed_by") or {}).get("id") for item in done}
    asked = await _asked(client) if "review" in tools else frozenset()
    return Ledger(frozenset(superseding(decided)), ends, asked)


async def _asked(client: Client) -> frozenset[tuple[str, str]]:
    """Return the pairs (later, earlier) of events that `review` asks about among its first entries."""
    told = await through.call(client, "review", {"limit": MAX_REVIEWED, "max_tokens": _MOST, "project_id": PROJECT})
    return frozenset((item["id"], item["other"]) for item in told["items"] if item["kind"] == "link")


async def _items(client: Client, tool: str, status: str) -> list[Mapping[str, Any]]:
    """Return all items of a list of the ledger.

    Raises:
        Unavailable: there are more than one answer holds.
    """
    told = await through.call(
        client, tool, {"status": status, "limit": _LIMIT, "min_confidence": 0, "detail": "full", "project_id": PROJECT}
    )
    if told["total_count"] > len(told["items"]):
        raise Unavailable(f"{tool} has {told['total_count']} items, more than the {_LIMIT} that it was asked for.")
    return list(told["items"])


def superseding(items: Iterable[Mapping[str, Any]]) -> Iterable[tuple[str, str]]:
    """Yield (later, earlier) for each link that an item names, from whichever side."""
    for item in items:
        for earlier in (item.get("supersedes"), *(item.get("also_supersedes") or ())):
            yield from [(item["id"], earlier)] if earlier else []
        for later in (item.get("superseded_by"), *(item.get("also_superseded_by") or ())):
            yield from [(later, item["id"])] if later else []
