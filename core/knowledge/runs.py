"""Runs: passes of an extractor over stored items, and what callers record of one item in their place."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Final, Literal

from core.knowledge.findings import Category, Extraction, FoundEntity, FoundEvent, Knowledge, Span, normalise_name


def merged_annotations(given: Iterable[Extraction]) -> Extraction:
    """Merge annotations, earliest first. For the same words in one category, and for one name, the latest counts."""
    events: list[FoundEvent] = []
    entities: dict[tuple[str, str], FoundEntity] = {}
    replaces = False
    for one in given:
        events = [event for event in events if not any(_is_again(event, later) for later in one.events)]
        events += one.events
        entities |= {(entity.type, normalise_name(entity.name)): entity for entity in one.entities}
        replaces |= one.replaces
    return Extraction(tuple(entities.values()), tuple(events), replaces)


def annotations_in(given: Extraction, content: str) -> Extraction:
    """Return the annotations that apply to another text: events whose quote it contains, and entities that it names.

    The result replaces only what was extracted from these quotes: nobody has annotated the rest of the other text.
    """
    events = []
    for event in given.events:
        if (at := _nearest(content, event.quote, event.near_char)) is not None:
            events.append(replace(event, near_char=at))
    folded = content.casefold()
    entities = tuple(
        replace(entity, mentions=())
        for entity in given.entities
        if any(name.casefold() in folded for name in (entity.name, *entity.aliases))
    )
    return Extraction(entities, tuple(events))


def replaces_event(given: FoundEvent, category: Category, span: Span) -> bool:
    """Whether an annotated event replaces an extracted event at the same place.

    Of its own category it shares most of the shorter quote with it, of another most of the longer one.
    """
    if given.category == category:
        return mostly_overlap(quote_span(given), span)
    return 2 * overlap(quote_span(given), span) >= max(_size(quote_span(given)), _size(span))


def mostly_overlap(one: Span, other: Span) -> bool:
    """Whether two spans have most of the shorter one in common."""
    return 2 * overlap(one, other) >= min(_size(one), _size(other))


def quote_span(event: FoundEvent) -> Span:
    """Return the span of the quote of a located event."""
    return Span(event.near_char, event.near_char + len(event.quote))


def overlap(one: Span, other: Span) -> int:
    """Return how many characters two spans share."""
    return max(0, min(one.end_char, other.end_char) - max(one.start_char, other.start_char))


def _size(span: Span) -> int:
    return span.end_char - span.start_char


def _is_again(event: FoundEvent, later: FoundEvent) -> bool:
    """Whether both are of one category and share most of the shorter quote."""
    shorter = min(len(event.quote), len(later.quote))
    return event.category == later.category and 2 * overlap(quote_span(event), quote_span(later)) > shorter


def _nearest(content: str, quote: str, near: int) -> int | None:
    """Return the start of the occurrence of a quote closest to an offset; None if the text does not contain it."""
    after = content.find(quote, near)
    before = content.rfind(quote, 0, near + len(quote))
    if before < 0 or (after >= 0 and after - near < near - before):
        before = after
    return None if before < 0 else before


#: A run that is `running` in the record and that no process is at any more is `interrupted`.
RunState = Literal["running", "interrupted", "finished", "rolling_back", "rolled_back"]

#: The extractor name of a run of caller annotations.
CALLER_EXTRACTOR: Final = "given"


def run_id() -> str:
    """Return a new run id: `run_` and 12 hex digits."""
    return f"run_{uuid.uuid4().hex[:12]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunScope:
    """Which current items a run reads, in the order of storing; None and empty mean no condition.

    `limit` counts items read. Items that another run of the same extractor has read, and texts that the extractor is
    known to have found something in, are read again only `anew`.
    """

    context: str | None = None
    ids: tuple[str, ...] = ()
    limit: int | None = None
    anew: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTally:
    """What a run did so far: items read, what changed in them, events without evidence, and tokens if known."""

    items: int = 0
    events_added: int = 0
    events_changed: int = 0
    events_removed: int = 0
    entities_added: int = 0
    entities_changed: int = 0
    entities_removed: int = 0
    unproven: int = 0
    failed: int = 0
    tokens: int = 0

    def __add__(self, other: "RunTally") -> "RunTally":
        return replace(
            self, **{item.name: getattr(self, item.name) + getattr(other, item.name) for item in fields(self)}
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One pass of an extractor over a project. `ended` is None until it has finished or was rolled back."""

    id: str
    project_id: str
    extractor: str
    scope: RunScope
    started: datetime
    state: RunState = "running"
    ended: datetime | None = None
    tally: RunTally = RunTally()


@dataclass(frozen=True, slots=True)
class ExtractionResult:
    """What a run found in an item, before evidence is verified and names are resolved."""

    run_id: str
    extractor: str
    found: Extraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What an extractor found in one text of an item: content, fields and date, identified by their hash.

    Those `proposed` were found for a run, and are not the item's knowledge until the run accepts them.
    """

    extractor: str
    text_hash: str
    found: Extraction
    proposed: bool = False


@dataclass(frozen=True, slots=True)
class KnowledgeSnapshot:
    """The knowledge of an item before a run read it; `waits` if it was to be extracted again even then."""

    knowledge: Knowledge
    waits: bool


@dataclass(frozen=True, slots=True)
class CallerAnnotations:
    """A caller's annotations of one item, with quotes located in its text; the tally of `run` counts this item alone.

    Several items may have the same run.
    """

    run: Run
    found: Extraction
