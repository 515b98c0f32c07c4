"""Brevity: the brief form of results, related events and entities."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Final

from core.interface.memory import Memory
from core.interface.results import EventView, Recall, RelatedEvent, Result
from core.knowledge.findings import EXPANDED_CATEGORIES, Entity, Evidence
from retrieval.shapes.relevance import Focus, passage_weight

#: Most events of a result, or of one thing asked for by its id; related events; and entities.
_EVENTS, _EVENTS_BY_ID, _RELATED, _ENTITIES = 2, 20, 3, 4
#: Ids of further items of a result's text.
_ALSO: Final = 5
#: Metadata that a result has in its own fields, or that the service adds to the given metadata.
_ELSEWHERE: Final = frozenset(
    {
        "title", "context", "date", "document_date", "author", "created_at", "updated_at", "last_occurred",
        "frequency", "token_count", "num_chunks", "echoes", "places", "date_source",
    }
)  # fmt: skip
#: What a turn's author and id make redundant.
_OF_TURN: Final = frozenset({"role", "source_id"})
_DEFAULTS: Final[dict[str, Any]] = {item.name: item.default for item in fields(Memory)}


def abbreviate(answer: Recall, focus: Focus) -> Recall:
    """Return an answer with few facts of each thing, and only the first of each list.

    For results of a question, events that say no more than the passage are left out: events that it contains
    and have neither a status nor a risk to tell; and related ones that are far and have no word of the question.
    """
    most = _EVENTS_BY_ID if answer.match_type == "id" else _EVENTS
    if focus.stems:
        answer = replace(
            answer,
            results=[
                replace(result, events=[event for event in result.events or () if _adds(event, result)])
                for result in answer.results
            ],
            related=list(filter(focus.reaches, answer.related)),
        )
    return replace(
        answer,
        results=[abbreviate_result(result, most) for result in answer.results],
        related=[_related(event) for event in answer.related[:_RELATED]],
        entities=[Entity(entity.id, entity.name, entity.type) for entity in answer.entities[:_ENTITIES]],
    )


def abbreviate_result(result: Result, most_events: int = _EVENTS) -> Result:
    """Return a result with the events whose quotes are in its passage or near it."""
    facts = result.metadata
    own = not result.id.startswith("art_")  # an event or entity: what it is about is all that it has
    events = [event for event in result.events or () if own or passage_weight(event, result)]
    return replace(
        result,
        metadata=_given(facts),
        date=_day(facts.get("date") or facts.get("document_date")),
        score=round(result.score, 2),
        author=facts.get("author"),
        events=[_event(event, result) for event in events[:most_events]] or None,
        neighbors=result.neighbors or None,
        chunks=result.chunks or None,
        also=result.also and result.also[:_ALSO],
        also_count=len(result.also) if result.also and len(result.also) > _ALSO else None,
    )


def _adds(event: EventView, result: Result) -> bool:
    if event.status is not None or event.category in EXPANDED_CATEGORIES:
        return True
    return not any(evidence.quote in result.content for evidence in event.evidence)


def _day(date: str | None) -> str | None:
    return None if date is None else date[:10]


def _given(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given metadata that appears nowhere else; of a turn only what leads to its neighbours."""
    if "turn_index" in facts:
        facts = {name: value for name, value in facts.items() if name not in _OF_TURN}
    if path := facts.get("file_path"):  # where it is from, and under which key unless another was given
        facts = {
            name: value for name, value in facts.items() if (name, value) not in (("key", path), ("source", "file"))
        }
    return {
        name: value for name, value in facts.items() if name not in _ELSEWHERE and value != _DEFAULTS.get(name, ...)
    }


def _event(event: EventView, result: Result) -> EventView:
    own = [evidence for evidence in event.evidence if evidence.artifact_id == result.id]
    quote = _quote(own or event.evidence)
    is_shown = quote is None or quote in result.content
    return EventView(
        event.id, event.category, event.summary, due=event.due, status=event.status, quote=None if is_shown else quote
    )


def _related(event: RelatedEvent) -> RelatedEvent:
    return RelatedEvent(
        event.id,
        event.category,
        event.summary,
        event.reason,
        event.artifact_id,
        due=event.due,
        status=event.status,
        quote=_quote(event.evidence),
    )


def _quote(evidence: Sequence[Evidence]) -> str | None:
    return evidence[0].quote if evidence else None
