"""Overlay: given knowledge in the place of what extractors found in the same words."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.knowledge.annotations import quote_span, replaces_event
from core.knowledge.findings import EntityType, Extraction, FoundEntity, FoundEvent, Span, normalise_name
from ingest.document.evidence import Verified
from ingest.english.name_patterns import looks_like_name
from ingest.given.quotation import find_names


def overlay_annotations(found: Verified, annotations: Extraction, content: str) -> Verified:
    """Merge an extraction with caller annotations, which take precedence.

    An annotated event replaces extracted ones from the same words: events of its category that share most of the
    shorter quote with it, and others that share most of the longer one. Of an annotated name only the annotation
    counts, and a name is written as the actor of an annotated event. Whoever annotated of it has read the text, in
    whatever language it is.
    """
    if not (annotations.events or annotations.entities):
        return found
    events = [_with_topic(event, found.events) for event in annotations.events if _holds(event, content)]
    left = [event for event in found.events if not any(_replaces(given, event) for given in events)]
    given = [replace(one, mentions=one.mentions or _mentions(one, content)) for one in annotations.entities]
    told_names = {normalise_name(name) for one in given for name in (one.name, *one.aliases)}
    written = {normalise_name(name): name for event in events for name, _ in event.actors}
    others = [
        replace(one, name=written.get(normalise_name(one.name), one.name))
        for one in found.entities
        if normalise_name(one.name) not in told_names
    ]
    known = told_names | {normalise_name(name) for one in others for name in (one.name, *one.aliases)}
    entities = (*given, *others, *_unnamed(events, known, content))
    return replace(found, entities=entities, events=(*events, *left), unread_language=None)


def _holds(event: FoundEvent, content: str) -> bool:
    return content.startswith(event.quote, event.near_char)


def _replaces(given: FoundEvent, event: FoundEvent) -> bool:
    return replaces_event(given, event.category, quote_span(event))


def _with_topic(given: FoundEvent, found: Sequence[FoundEvent]) -> FoundEvent:
    """Return an annotated event with the subjects of the events that it replaces, if it has none itself."""
    if given.subjects:
        return given
    same = (event for event in found if event.category == given.category and _replaces(given, event))
    return replace(given, subjects=tuple(dict.fromkeys(name for event in same for name in event.subjects)))


def _mentions(entity: FoundEntity, content: str) -> tuple[Span, ...]:
    return find_names(content, (entity.name, *entity.aliases))


def _unnamed(events: Iterable[FoundEvent], known: set[str], content: str) -> list[FoundEntity]:
    """Return entities that only annotated events name."""
    added: dict[str, FoundEntity] = {}
    for event in events:
        for name, _ in event.actors:
            type_: EntityType = "person" if looks_like_name(name) or name.startswith("@") else "org"
            added.setdefault(normalise_name(name), FoundEntity(name, type_, mentions=find_names(content, [name])))
        for name in event.subjects:
            added.setdefault(normalise_name(name), FoundEntity(name, "other", mentions=find_names(content, [name])))
    return [entity for name, entity in added.items() if name and name not in known]
