"""Source text: a part of an item's text, with the words on which events rest and where the words of a query occur."""

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from core.dates import is_after, now, to_local_text, to_zone_text
from core.errors import InvalidInput, NotFound
from core.interface.results import NULLABLE
from core.knowledge.findings import Entity
from core.knowledge.ledger import is_overdue, shown_events
from core.records import ALWAYS, Artifact
from graph.store import Store
from graph.text.tokens import stems
from retrieval.answers.ledger import owners_of
from retrieval.answers.views import format_due
from retrieval.scoring.query_analysis import analyse_query

_WORD: Final = re.compile(r"[^\W_]+")
#: Most marks of one text.
_MOST: Final = 500


@dataclass(frozen=True, slots=True)
class Mark:
    """A half-open range of characters."""

    start: int
    end: int


def find_marks(query: str | None, text: str) -> list[Mark]:
    """Return the positions of words that share a stem with the query's, in order, the first 500."""
    asked = {stem for word in analyse_query(query).words for stem in stems(word)} if query else set[str]()
    found: list[Mark] = []
    for word in _WORD.finditer(text) if asked else ():
        if not asked.isdisjoint(stems(word[0])):
            found.append(Mark(word.start(), word.end()))
            if len(found) == _MOST:
                break
    return found


#: Characters of text in one answer.
PART: Final = 100_000
#: As good as all: a text of 10,000,000 characters has fewer sentences.
_ALL_EVENTS: Final = 1_000_000
#: Most entities listed with a text.
_MOST_ENTITIES: Final = 200


@dataclass(frozen=True, slots=True)
class QuotedEvent:
    """The words of the text that an event rests on: the half-open range of characters in the whole text."""

    event_id: str
    category: str
    summary: str
    start_char: int
    end_char: int
    status: str | None = None
    owners: list[str] = field(default_factory=list)
    due: str | None = None
    overdue: bool | None = None


@dataclass(frozen=True, slots=True)
class Revision:
    """What the item replaced under its key, and when that was stored."""

    id: str
    at: str


@dataclass(frozen=True, slots=True)
class SourceText:
    """A part of an item's text from `text_offset` on; `next_text_offset` is where the rest begins, None at its end.

    `length` counts the whole text. `quotes` are the quotes that begin in the part. `replaced_by` is the item that is
    now under its key now.
    """

    id: str
    context: str
    date: str
    metadata: dict[str, Any]
    text: str
    text_offset: int
    length: int
    title: str | None = field(default=None, metadata=NULLABLE)
    author: str | None = field(default=None, metadata=NULLABLE)
    next_text_offset: int | None = field(default=None, metadata=NULLABLE)
    quotes: list[QuotedEvent] = field(default_factory=list, metadata=ALWAYS)
    entities: list[Entity] = field(default_factory=list, metadata=ALWAYS)
    revisions: list[Revision] = field(default_factory=list, metadata=ALWAYS)
    stashed: bool = False
    conversation_id: str | None = None
    turn_index: int | None = None
    replaced_by: str | None = None


def read_source_text(store: Store, project_id: str, item_id: str, offset: int, as_of: datetime | None) -> SourceText:
    """Return the part of an item's text that begins at `offset`.

    Raises:
        NotFound: no such item is stored, or `as_of` it was not there yet.
        InvalidInput: the text ends before the offset.
    """
    artifact = _existing(store, project_id, item_id, as_of)
    memory = artifact.memory
    length = len(memory.content)
    if offset > length:
        raise InvalidInput(f"text_offset {offset:,} lies behind the end of the text: use 0 to {length:,}.")
    end = min(length, offset + PART)
    former = store.revisions(project_id, item_id)
    return SourceText(
        id=artifact.id,
        title=memory.title,
        context=memory.context,
        date=to_local_text(artifact.happened_at),
        author=memory.author,
        metadata=artifact.metadata(),
        text=memory.content[offset:end],
        text_offset=offset,
        next_text_offset=end if end < length else None,
        length=length,
        quotes=_quotes(store, project_id, item_id, (offset, end), as_of),
        entities=store.entities_of(project_id, [item_id], _MOST_ENTITIES, as_of=as_of),
        revisions=[Revision(one.id, to_zone_text(one.created_at)) for one in former if _existed(one, as_of)],
        stashed=artifact.stashed,
        conversation_id=memory.conversation_id,
        turn_index=memory.turn_index,
        replaced_by=artifact.replaced_by,
    )


def _existing(store: Store, project_id: str, item_id: str, as_of: datetime | None) -> Artifact:
    artifact = store.get(project_id, [item_id]).get(item_id)
    if artifact is None:
        raise NotFound(
            f"No item is stored under id {item_id[:80]!r}: it may have been forgotten; search for what you look for."
        )
    if not _existed(artifact, as_of):
        raise NotFound(
            f"Item {item_id} was not there yet at that date: choose {to_local_text(artifact.happened_at)[:10]}."
        )
    return artifact


def _existed(artifact: Artifact, as_of: datetime | None) -> bool:
    return as_of is None or not is_after(artifact.happened_at, as_of)


def _quotes(
    store: Store, project_id: str, item_id: str, part: tuple[int, int], as_of: datetime | None
) -> list[QuotedEvent]:
    events = store.events_of(project_id, [item_id], _ALL_EVENTS, as_of=as_of).get(item_id, [])
    begin, end = part
    found = [
        QuotedEvent(
            event.id,
            event.category,
            event.summary,
            proof.start_char,
            proof.end_char,
            event.status,
            owners_of(event),
            None if event.due is None else format_due(event.due),
            is_overdue(event.due, event.status, as_of or now()),
        )
        for event in shown_events(events)
        for proof in event.evidence
        if proof.artifact_id == item_id and begin <= proof.start_char < max(end, begin + 1)
    ]
    return sorted(found, key=lambda quote: (quote.start_char, quote.end_char, quote.event_id))
