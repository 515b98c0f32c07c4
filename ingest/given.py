"""Given knowledge: its quotes located in the text, in place of what extractors find there, and as searchable chunks."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from unicodedata import normalize

from core.dates import parse_iso, read_date
from core.errors import Faults, InvalidInput
from core.interface.learning import GivenEntity, GivenEvent
from core.interface.memory import Memory
from core.knowledge.findings import (
    GIVEN,
    ActorRole,
    Bearing,
    EntityType,
    Extraction,
    FoundEntity,
    FoundEvent,
    Span,
    normalise_name,
)
from core.knowledge.runs import quote_span, replaces_event
from core.records import Chunk, containing_chunk, make_restatement
from core.regex import regex
from core.search import Tokenizer
from ingest.document.evidence import Verified, find_exact_quote
from ingest.english.date_phrases import date_phrases
from ingest.english.name_patterns import looks_like_name

_WORD: Final = regex(r"\w+")
_PASSAGE: Final = regex(r"[^\n]+")
#: Longest passage that an error shows, in characters.
_SHOWN: Final = 160
#: Places in the list that a note names.
_NAMED: Final = 10
#: How much of a text is searched for the passage nearest to a quote, in characters.
_SEARCHED: Final = 1_000_000
_REPEATED: Final = (
    "the quote occurs more than once, and the first place was taken: give start_char or a longer quote instead."
)
_JOINED: Final = (
    "an earlier one of the list has the same category and quote, and both were kept as one event, with the summary of "
    "the first and the people of both: quote other words of each to keep two."
)


@dataclass(frozen=True, slots=True)
class Quoted:
    """What was given as findings of confidence 1, and notes on what its caller may want to know."""

    found: Extraction
    notes: tuple[str, ...] = ()


def locate_given_quotes(
    memory: Memory,
    events: Sequence[GivenEvent],
    entities: Sequence[GivenEntity],
    *,
    written: datetime | None,
    replaces: bool = False,
) -> Quoted:
    """Place the quotes of given events in a memory's content, and store them as that has them.

    White space, case, emphasis and typographic signs are forgiven. Of several places the one nearest to `start_char`
    counts, else the first, and a note says so; another says which are one event with an earlier one of the list.
    Words for times are read from the moment of writing.

    Raises:
        InvalidInput: the content lacks a quote, or a date can't be read; the message names the index in the list.
    """
    found, repeated, joined, faults = list[FoundEvent](), list[int](), list[int](), Faults()
    for index, event in enumerate(events):
        placed = None
        with faults:
            placed = locate_event(memory, index, event, written)
        if placed is None:
            continue
        if any(_is_same(placed, other) for other in found):
            joined.append(index)
        found.append(placed)
        if event.start_char is None and memory.content.find(placed.quote, placed.near_char + 1) >= 0:
            repeated.append(index)
    faults.raise_any()
    named = tuple(_entity(memory.content, entity) for entity in entities)
    notes = tuple(
        note_on_events(indices, said) for indices, said in ((repeated, _REPEATED), (joined, _JOINED)) if indices
    )
    return Quoted(Extraction(named, tuple(found), replaces), notes)


def locate_event(memory: Memory, index: int, event: GivenEvent, written: datetime | None = None) -> FoundEvent:
    """Return an annotated event, with its index in the list, as a finding with a quote located in a memory's content.

    Raises:
        InvalidInput: as `locate_given_quotes` does.
    """
    faults = Faults(f"events[{index}]: ")
    with faults:
        return _event(memory, event, written)
    faults.raise_any()
    raise AssertionError("an event that has no place has a fault")


def note_on_events(indices: Sequence[int], text: str) -> str:
    """Return a note on the events at these places of the list, of which the first are named."""
    named, more = ", ".join(map(str, indices[:_NAMED])), len(indices) - _NAMED
    return f"events[{named}]{f' and {more} more' if more > 0 else ''}: {text}"


def find_names(content: str, names: Sequence[str]) -> tuple[Span, ...]:
    """Return the places of names in a text as whole words, in order; where two overlap, the longer."""
    named = {name.strip() for name in names if name.strip()}
    wanted = sorted((name for name in named if name in content), key=lambda name: (-len(name), name))
    if not wanted:
        return ()
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, wanted))})(?!\w)")
    return tuple(Span(*match.span()) for match in pattern.finditer(content))


def _is_same(one: FoundEvent, other: FoundEvent) -> bool:
    """Whether two have the same category and words, and so are one event."""
    return (one.category, quote_span(one)) == (other.category, quote_span(other))


def _event(memory: Memory, event: GivenEvent, written: datetime | None) -> FoundEvent:
    forms = (event.quote, normalize("NFC", event.quote), normalize("NFD", event.quote))
    places = (find_exact_quote(memory.content, form, event.start_char or 0) for form in dict.fromkeys(forms))
    span = next((place for place in places if place is not None), None)
    if span is None:
        raise InvalidInput(
            f"its quote {event.quote[:80]!r} is not in the text. {_nearest(memory.content, event.quote)}"
        )
    actors: list[tuple[str, ActorRole]] = [(name, "owner") for name in event.owners]
    actors += [(name, "recipient") for name in event.recipients]
    bears_on: list[Bearing] = [("SUPERSEDES", event.supersedes)] if event.supersedes else []
    bears_on += [("COMPLETES", event.completes)] if event.completes else []
    quote = memory.content[span.start_char : span.end_char]
    return FoundEvent(
        event.category,
        event.summary or " ".join(quote.split()),
        quote,
        span.start_char,
        tuple(actors),
        event.subjects,
        _moment("event_time", event.event_time, written) or written,
        _moment("due", event.due, written),
        confidence=1.0,
        status=event.status,
        origin="given",
        bears_on=tuple(bears_on),
    )


def _entity(content: str, entity: GivenEntity) -> FoundEntity:
    names = (entity.name, *entity.aliases)
    spans = find_names(content, names)
    return FoundEntity(entity.name, entity.type, entity.aliases, entity.role, entity.organization, spans, GIVEN)


def _moment(field: str, text: str | None, written: datetime | None) -> datetime | None:
    """Return the moment of a date in any form, or of words such as "by Friday" read from the memory's day.

    A day or month that something is due on ends with its last moment; what happened is looked for in the past first.
    """
    if text is None:
        return None
    is_due = field == "due"
    try:
        iso = read_date(text, field=field, ahead=is_due, at=written)
    except InvalidInput:
        phrase = next(date_phrases(text, written, past=not is_due), None)
        if phrase is None:
            raise
        return phrase.moment
    return parse_iso(iso, field=field, end_of_day=is_due, here=None if written is None else written.tzinfo)


def _nearest(content: str, quote: str) -> str:
    """Say which passage shares most words with a quote."""
    wanted = {word.casefold() for word in _WORD.findall(quote)}
    best, most = "", 0.0
    for match in _PASSAGE.finditer(content, 0, _SEARCHED):
        has = {word.casefold() for word in _WORD.findall(match[0])}
        shared = len(wanted & has) / (len(wanted | has) or 1) + len(wanted & has)
        if shared > most:
            best, most = match[0].strip(), shared
    if not best:
        return "Quote it word for word."
    return f"The nearest passage is {_around(best, wanted)!r}: quote it word for word."


def _around(passage: str, wanted: set[str]) -> str:
    """Return a passage, cut to what is shown, from the first word that is wanted."""
    if len(passage) <= _SHOWN:
        return passage
    first = next((match.start() for match in _WORD.finditer(passage) if match[0].casefold() in wanted), 0)
    return passage[first : first + _SHOWN]


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


#: Which part of the window a summary may take, and a quote; the prefix takes no more than three eighths of it.
_SUMMARY, _QUOTE = 4, 3


def add_restatements(chunks: Sequence[Chunk], annotations: Extraction, tokenizer: Tokenizer) -> list[Chunk]:
    """Return the chunks of an item, and after them a chunk for each told event whose summary is not its quote.

    Its text is the quote. Both are cut to what fits into the embedding model's window.
    """
    found = list(chunks)
    for event in annotations.events if chunks else ():
        if _squeezed(event.summary) != _squeezed(event.quote):
            found.append(_restatement(event, chunks, len(found), tokenizer))
    return found


def _restatement(event: FoundEvent, chunks: Sequence[Chunk], index: int, tokenizer: Tokenizer) -> Chunk:
    span = quote_span(event)
    around = containing_chunk(chunks, span.start_char, span.end_char)
    said, quote = _cut(_squeezed(event.summary), _SUMMARY, tokenizer), _cut(event.quote, _QUOTE, tokenizer)
    return make_restatement(around, index, said, quote, span.start_char, len(tokenizer.token_bounds(quote)))


def _cut(text: str, part: int, tokenizer: Tokenizer) -> str:
    """Return as much of a text as fits into one of so many parts of the window."""
    text = text.encode()[: tokenizer.window_bytes // part].decode(errors="ignore")
    bounds, most = tokenizer.token_bounds(text), tokenizer.window_tokens // part
    return text if len(bounds) <= most else text[: bounds[most, 0]].rstrip()


def _squeezed(text: str) -> str:
    return " ".join(text.split())
