"""Relevance: which events and entities go with a question and the passages shown, not only how certain they are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from core.interface.results import EventView, RelatedEvent, Result
from core.knowledge.findings import Entity
from graph.text.tokens import distinctive_stems

#: Largest distance from the passage at which an event counts as near it, in characters.
NEAR: Final = 300
#: Weights relative to confidence, which is at most 1: a quote in the passage or near it, all words of the question, and
#: that it is still open or holds.
_IN_PASSAGE, _BESIDE, _ASKED, _OPEN = 3.0, 2.0, 2.0, 0.5
#: Weight of a related event's nearness in the graph (at most 1) relative to the question's words.
_REACHED: Final = 1.0
#: Score from which an event is near in the graph: what somebody who is in many leads to has half of it or less.
_NEAR_IN_GRAPH: Final = 0.2
_STANDING: Final = frozenset({"open", "current"})


@dataclass(frozen=True, slots=True)
class Focus:
    """What a question is about, as stems; empty where nothing was asked in words."""

    stems: frozenset[str]

    @classmethod
    def of(cls, query: str | None) -> "Focus":
        """Read a question."""
        return cls(frozenset(distinctive_stems(query or "")))

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
        """Whether a related event is near in the graph, or has a word of the question besides the name they share."""
        return (related.score or 0.0) >= _NEAR_IN_GRAPH or self._asked(related) > 0

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
