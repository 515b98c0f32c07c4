"""An oracle extractor that returns the annotations, to measure entity resolution and the ledger alone."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time

from core.knowledge.findings import Extraction, FoundEntity, FoundEvent, Span
from core.records import Artifact
from evals.extraction_gold import Annotated, Document, GoldEntity, GoldEvent, Part
from ingest.worker import Worker
from service.app import App


@dataclass(slots=True)
class GivenExtractor:
    """Finds in a document of the set its certain events and all entities, and nothing in any other."""

    given: Annotated
    name: str = "annotated by hand"

    def extract(self, artifact: Artifact) -> Extraction:
        """Return the annotations of the part that has this content and author."""
        memory = artifact.memory
        for document in self.given.documents:
            for part in document.parts:
                if (part.arguments["content"], part.arguments.get("author")) == (memory.content, memory.author):
                    return _found(document, part)
        return Extraction()


def given_by(app: App, given: Annotated) -> App:
    """Return the app with this extractor in place of its own."""
    extractor = GivenExtractor(given)
    return replace(app, extractor=extractor, worker=Worker(app.store, app.indexer, extractor))


def _found(document: Document, part: Part) -> Extraction:
    content, author = part.arguments["content"], part.arguments.get("author")
    end = part.start + len(content)
    events = tuple(
        event for event in document.events if not event.optional and part.start <= event.start and event.end <= end
    )
    acting = {author} | {actor.name for event in events for actor in event.actors}
    seen = [(entity, tuple(_mentions(entity, content))) for entity in document.entities]
    return Extraction(
        tuple(_entity(entity, spans) for entity, spans in seen if spans or acting & {entity.name, *entity.aliases}),
        tuple(_event(document, event, event.start - part.start, event.end - part.start, content) for event in events),
    )


def _entity(entity: GoldEntity, spans: tuple[Span, ...]) -> FoundEntity:
    return FoundEntity(entity.name, entity.type, entity.aliases, organization=entity.organization, mentions=spans)


def _mentions(entity: GoldEntity, content: str) -> Iterator[Span]:
    """Yield where a form of the name stands; the longest first, and none within another."""
    forms = sorted((entity.name, *entity.aliases), key=len, reverse=True)
    for found in re.finditer(rf"(?<!\w)(?:{'|'.join(map(re.escape, forms))})(?!\w)", content, re.IGNORECASE):
        yield Span(*found.span())


def _event(document: Document, event: GoldEvent, start: int, end: int, content: str) -> FoundEvent:
    quote = content[start:end]
    known = {form: entity.name for entity in document.entities for form in (entity.name, *entity.aliases)}
    return FoundEvent(
        category=event.category,
        summary=" ".join(quote.split()),
        quote=quote,
        near_char=start,
        actors=tuple((known.get(actor.name, actor.name), actor.role) for actor in event.actors),
        subjects=tuple(known.get(subject, subject) for subject in event.subjects),
        event_time=_moment(event.event_time),
        due=_moment(event.due),
        confidence=1.0,
    )


def _moment(day: date | None) -> datetime | None:
    return None if day is None else datetime.combine(day, time.min, UTC)
