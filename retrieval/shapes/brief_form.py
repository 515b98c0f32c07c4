"""Parts of an answer: which events and entities go with a question and the passages shown, and their brief form.

The text of one thing asked for by its id is sent from an offset on, as much of it as fits with its events.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from core.errors import InvalidInput
from core.interface.memory import Memory
from core.interface.results import ChunkView, Detail, EventView, Recall, RelatedEvent, Result
from core.knowledge.findings import EXPANDED_CATEGORIES, Entity, Evidence
from graph.text.tokens import distinctive_stems
from retrieval.messages.message import Limit, largest_fitting
from retrieval.scoring.question_forms import asks_who_or_what, ledger_question

#: Largest distance from the passage at which an event counts as near it, in characters.
NEAR: Final = 300
#: Weights relative to confidence, which is at most 1: a quote in the passage or near it, all words of the question, and
#: that it is still open or holds.
_IN_PASSAGE, _BESIDE, _ASKED, _OPEN = 3.0, 2.0, 2.0, 0.5
#: Weight of a related event's nearness in the graph (at most 1) relative to the question's words.
_REACHED: Final = 1.0
#: Share of the question's words, names aside, that a related event has, and how many of them; share of all that one has
#: which answers.
_ABOUT, _FEWEST, _ANSWERS = 0.3, 2, 0.6
#: A word inside a question that is written as a name.
_NAME: Final = re.compile(r"(?<=[\w,;:] )[A-Z][\w'’-]+|^[A-Z][\w-]+['’]s\b")
_STANDING: Final = frozenset({"open", "current"})


@dataclass(frozen=True, slots=True)
class Focus:
    """What a question is about, as stems; empty where nothing was asked in words.

    `matter` are the stems of words that are no names, or of all if there are no others.
    """

    stems: frozenset[str]
    matter: frozenset[str] = frozenset()
    asks_ledger: bool = False
    asks_who: bool = True

    @classmethod
    def of(cls, query: str | None) -> "Focus":
        """Read a question."""
        query = query or ""
        stems = frozenset(distinctive_stems(query))
        names = frozenset(stem for name in _NAME.findall(query) for stem in distinctive_stems(name))
        return cls(stems, stems - names or stems, ledger_question(query) is not None, asks_who_or_what(query))

    def shows_entities(self, detail: Detail) -> bool:
        """Whether an answer names the entities of its results: in brief only where people or things are asked for."""
        return detail == "full" or not self.stems or self.asks_who

    def rank_events(self, events: Iterable[EventView], result: Result) -> list[tuple[EventView, float]]:
        """Return the events of a result, most relevant first, each with its weight (0 to 1)."""
        most = _IN_PASSAGE + _ASKED + _OPEN + 1
        scored = [(event, (passage_weight(event, result) + self._of_event(event)) / most) for event in events]
        return sorted(scored, key=lambda pair: -pair[1])

    def rank_related(self, related: Sequence[RelatedEvent]) -> list[RelatedEvent]:
        """Return what the graph reached, most relevant first."""
        best = max((event.score or 0.0 for event in related), default=0.0) or 1.0
        return sorted(
            related, key=lambda event: -(_REACHED * (event.score or 0.0) / best + self._asked(event) + _standing(event))
        )

    def rank_entities(self, entities: Sequence[Entity], results: Sequence[Result]) -> list[Entity]:
        """Return the entities that the question names first, then those in the passages shown, then the others."""
        shown = "\n".join(result.content for result in results).casefold()
        acting = {actor.entity_id for result in results for event in result.events or () for actor in event.actors}

        def rank(entity: Entity) -> int:
            if self.stems.intersection(distinctive_stems(entity.name)):
                return 0
            return 1 if entity.id in acting or is_named(entity, shown) else 2

        return sorted(entities, key=rank)

    def reaches(self, related: RelatedEvent) -> bool:
        """Whether a related event is about what was asked: a shared person alone is not."""
        words = set(distinctive_stems(" ".join([related.summary, *(one.quote for one in related.evidence[:1])])))
        return len(self.matter & words) >= max(min(_FEWEST, len(self.matter)), _ABOUT * len(self.matter))

    def shows(self, event: EventView, result: Result) -> bool:
        """Whether an event says more than the passage: it rests on its words, or answers the question itself.

        Of what is said in a conversation only a question for the ledger wants the events.
        """
        if not any(evidence.quote in result.content for evidence in event.evidence):
            return self._asked(event) >= _ANSWERS * _ASKED
        is_telling = event.status is not None or event.category in EXPANDED_CATEGORIES
        return is_telling and (self.asks_ledger or "turn_index" not in result.metadata)

    def _of_event(self, event: EventView) -> float:
        return self._asked(event) + _standing(event) + (event.confidence or 0.0)

    def _asked(self, event: EventView | RelatedEvent) -> float:
        """Return what share of the question's words the event has, weighed."""
        if not self.stems:
            return 0.0
        words = set(distinctive_stems(" ".join([event.summary, *(evidence.quote for evidence in event.evidence[:1])])))
        if isinstance(event, RelatedEvent):
            words.difference_update(distinctive_stems(event.reason.partition(":")[2]))
        return _ASKED * len(self.stems & words) / len(self.stems)


def passage_weight(event: EventView, result: Result) -> float:
    """Return a positive weight if the event's quote is in the result's passage or near it, else 0."""
    return max((_place(result, evidence.start_char, evidence.end_char, evidence.quote) for evidence in event.evidence
                if evidence.artifact_id == result.id), default=0.0)  # fmt: skip


def _place(result: Result, start: int, end: int, quote: str) -> float:
    if result.chunk is None or quote in result.content:
        return _IN_PASSAGE
    is_beside = start <= result.chunk.end_char + NEAR and end >= result.chunk.start_char - NEAR
    return _BESIDE if is_beside else 0.0


def is_named(entity: Entity, shown: str) -> bool:
    """Whether a text in small letters has the entity's name or one of its aliases."""
    return any(name.casefold() in shown for name in (entity.name, *entity.aliases))


def _standing(event: EventView | RelatedEvent) -> float:
    return _OPEN if event.status in _STANDING else 0.0


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

    For results of a question, events that say no more than the passage are left out, and related ones that are not
    about what was asked.
    """
    most = _EVENTS_BY_ID if answer.match_type == "id" else _EVENTS
    if focus.stems:
        answer = replace(
            answer,
            results=[
                replace(result, events=[event for event in result.events or () if focus.shows(event, result)])
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


#: Of a text that does not fit, the part of the tokens that it may take; the rest is for its events.
_SHARE: Final = 0.75
#: A part ends at the end of a paragraph, line, sentence or word if one is in its last fifth.
_ENDS: Final = ("\n\n", "\n", ". ", " ")
_EARLIEST: Final = 0.8


def continue_text(answer: Recall, text_offset: int) -> Recall:
    """Return the answer with the text of its one result from the offset on.

    Raises:
        InvalidInput: the text ends before; the message has its length.
    """
    (result,) = answer.results
    length = len(result.content)
    if text_offset >= length and text_offset:
        raise InvalidInput(
            f"text_offset {text_offset:,} is past the end: the text of {result.id} has {length:,} characters."
        )
    if not text_offset:
        return answer
    rest = replace(result, content=result.content[text_offset:], chunk=ChunkView(0, text_offset, length))
    return replace(answer, results=[rest])


def cut_text(answer: Recall, limit: Limit) -> Recall:
    """Return the answer with as much of the text as leaves room for its events; all of it if it fits without them."""
    bare = shorten_answer(results_only(answer), len(answer.results[0].content))
    if limit.fits(bare):
        return answer
    room = limit.share(_SHARE)
    length = largest_fitting(lambda size: shorten_answer(bare, size), room.fits, 0, len(answer.results[0].content))
    return shorten_answer(answer, _end(answer.results[0].content, length)) if length else answer


def results_only(answer: Recall) -> Recall:
    """Return the answer with its results alone."""
    results = [replace(result, events=None, neighbors=None, chunks=None) for result in answer.results]
    return replace(answer, results=results, related=[], entities=[])


def shorten_answer(answer: Recall, length: int) -> Recall:
    """Return the answer with at most so many characters of the first result's text."""
    first, *others = answer.results
    return replace(answer, results=[shorten_result(first, length), *others])


def shorten_result(result: Result, length: int) -> Result:
    """Return a result with at most so many characters of its text, and where they are in the item.

    An excerpt ends at the end of a sentence or word, and its `chunk` stays where it is from.
    """
    if length >= len(result.content):
        return result
    if is_excerpt(result):
        return replace(result, content=result.content[: _end(result.content, length)].rstrip())
    start = result.chunk.start_char if result.chunk else 0
    index = result.chunk.index if result.chunk else 0
    place = result.chunk.place if result.chunk else None
    chunk = ChunkView(index, start, start + length, place=place)
    return replace(result, content=result.content[:length], chunk=chunk)


def is_excerpt(result: Result) -> bool:
    """Whether the text is chosen from several places, rather than one range of the item."""
    chunk = result.chunk
    return chunk is not None and chunk.end_char - chunk.start_char != len(result.content)


def explain_continuation(kept: Result, whole: Result) -> str:
    """Say which characters of an item are shown, and the call that goes on after them."""
    if is_excerpt(whole) and whole.chunk is not None:
        return f'The passage of {kept.id} is cut: recall(id="{kept.id}", text_offset={whole.chunk.start_char}) has it.'
    start = whole.chunk.start_char if whole.chunk else 0
    end = start + len(kept.content)
    length = "" if whole.chunk else f" of {len(whole.content):,}"
    return f'Characters {start:,} to {end:,}{length}: recall(id="{kept.id}", text_offset={end}) goes on.'


def _end(text: str, length: int) -> int:
    """Return where a part of at most this length ends well."""
    earliest = int(length * _EARLIEST)
    ends = (text.rfind(end, earliest, length) + len(end) for end in _ENDS if text.rfind(end, earliest, length) >= 0)
    return next(ends, length)
