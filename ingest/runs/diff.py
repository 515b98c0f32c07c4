"""The difference between two states of one artifact's knowledge."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from core.knowledge.findings import Entity, Event, Evidence, Knowledge, normalise_name
from core.knowledge.runs import RunTally

_Known = TypeVar("_Known", Event, Entity)

#: Upper bounds of the classes within which confidences count as equal.
_CONFIDENCE_BOUNDS: Final = (0.5, 0.75)
#: Length of the blocks of text within which events are compared, in characters.
_BLOCK: Final = 1_000


@dataclass(frozen=True, slots=True)
class EventChange:
    """One event before and after, and the names of the fields that differ."""

    before: Event
    after: Event
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EntityChange:
    """One entity of the artifact before and after, and the names of the fields that differ."""

    before: Entity
    after: Entity
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Changes:
    """What is added, changed and removed; events in the order of the text."""

    events_added: tuple[Event, ...] = ()
    events_changed: tuple[EventChange, ...] = ()
    events_removed: tuple[Event, ...] = ()
    entities_added: tuple[Entity, ...] = ()
    entities_changed: tuple[EntityChange, ...] = ()
    entities_removed: tuple[Entity, ...] = ()

    def __bool__(self) -> bool:
        return self != Changes()

    def tally(self) -> RunTally:
        """Return the number of each."""
        return RunTally(
            events_added=len(self.events_added),
            events_changed=len(self.events_changed),
            events_removed=len(self.events_removed),
            entities_added=len(self.entities_added),
            entities_changed=len(self.entities_changed),
            entities_removed=len(self.entities_removed),
        )


def compare(before: Knowledge, after: Knowledge) -> Changes:
    """Compare two states of one artifact's knowledge.

    Events are the same by id, else by category and evidence of which they share most characters; entities by id, else
    by type and a common name. An event whose actors or subjects are the same by name is not changed by their ids.
    """
    entities = _entity_pairs(before.entities, after.entities)
    same = {former.id: latter.id for former, latter in entities}
    events = _event_pairs(before.events, after.events)
    seen = [(former, latter, _event_fields(former, latter, same)) for former, latter in events]
    named = [(former, latter, _entity_fields(former, latter)) for former, latter in entities]
    return Changes(
        events_added=_in_text(_without(after.events, (latter for _, latter in events))),
        events_changed=tuple(EventChange(*one) for one in seen if one[2]),
        events_removed=_in_text(_without(before.events, (former for former, _ in events))),
        entities_added=_by_name(_without(after.entities, (latter for _, latter in entities))),
        entities_changed=tuple(EntityChange(*one) for one in named if one[2]),
        entities_removed=_by_name(_without(before.entities, (former for former, _ in entities))),
    )


def _event_pairs(before: Sequence[Event], after: Sequence[Event]) -> list[tuple[Event, Event]]:
    latter = {event.id: event for event in after}
    pairs = [(event, latter[event.id]) for event in before if event.id in latter]
    left = _without(before, (former for former, _ in pairs))
    free = _by_block(_without(after, (other for _, other in pairs)))
    shared = {
        (one.id, other.id): (_shared(one, other), one, other)
        for one in left
        for block in _blocks(one)
        for other in free.get(block, ())
    }
    taken: set[str] = set()
    for (one_id, other_id), (characters, one, other) in sorted(shared.items(), key=lambda item: (-item[1][0], item[0])):
        if characters and taken.isdisjoint({one_id, other_id}):
            taken |= {one_id, other_id}
            pairs.append((one, other))
    return sorted(pairs, key=lambda pair: _place(pair[1]))


def _by_block(events: Iterable[Event]) -> dict[tuple[str, str, int], list[Event]]:
    found: dict[tuple[str, str, int], list[Event]] = {}
    for event in events:
        for block in _blocks(event):
            found.setdefault(block, []).append(event)
    return found


def _blocks(event: Event) -> set[tuple[str, str, int]]:
    """Return the blocks that an event's evidence lies in: only events with a block in common can share evidence."""
    return {
        (event.category, proof.artifact_id, block)
        for proof in event.evidence
        for block in range(proof.start_char // _BLOCK, proof.end_char // _BLOCK + 1)
    }


def _shared(one: Event, other: Event) -> int:
    """Return how many characters of one piece of evidence two events share."""
    return max((_overlap(proof, against) for proof in one.evidence for against in other.evidence), default=0)


def _overlap(one: Evidence, other: Evidence) -> int:
    if one.artifact_id != other.artifact_id:
        return 0
    return max(0, min(one.end_char, other.end_char) - max(one.start_char, other.start_char))


def _entity_pairs(before: Sequence[Entity], after: Sequence[Entity]) -> list[tuple[Entity, Entity]]:
    latter = {entity.id: entity for entity in after}
    pairs = [(entity, latter[entity.id]) for entity in before if entity.id in latter]
    free = {name: other for other in _without(after, (other for _, other in pairs)) for name in _names(other)}
    taken: set[str] = set()
    for entity in _without(before, (former for former, _ in pairs)):
        like = next((free[name] for name in sorted(_names(entity)) if name in free), None)
        if like is not None and like.id not in taken:
            taken.add(like.id)
            pairs.append((entity, like))
    return sorted(pairs, key=lambda pair: pair[1].name)


def _names(entity: Entity) -> set[tuple[str, str]]:
    return {(entity.type, normalise_name(name)) for name in (entity.name, *entity.aliases)}


def _event_fields(before: Event, after: Event, same: Mapping[str, str]) -> tuple[str, ...]:
    differ = {
        "summary": before.summary != after.summary,
        "actors": {(same.get(one.entity_id, one.entity_id), one.role) for one in before.actors}
        != {(one.entity_id, one.role) for one in after.actors},
        "subjects": {same.get(one.entity_id, one.entity_id) for one in before.subjects}
        != {one.entity_id for one in after.subjects},
        "event_time": before.event_time != after.event_time,
        "due": before.due != after.due,
        "status": before.status != after.status,
        "origin": before.origin != after.origin,
        "confidence": _class(before.confidence) != _class(after.confidence),
    }
    return tuple(name for name, differs in differ.items() if differs)


def _entity_fields(before: Entity, after: Entity) -> tuple[str, ...]:
    differ = {
        "name": before.name != after.name,
        "type": before.type != after.type,
        "aliases": set(before.aliases) != set(after.aliases),
        "role": before.role != after.role,
        "organization": before.organization != after.organization,
    }
    return tuple(name for name, differs in differ.items() if differs)


def _class(confidence: float) -> int:
    return sum(confidence >= bound for bound in _CONFIDENCE_BOUNDS)


def _place(event: Event) -> tuple[int, int, str]:
    first = min(event.evidence, key=lambda proof: proof.start_char, default=Evidence("", "", 0, 0))
    return first.start_char, first.end_char, event.id


def _in_text(events: Iterable[Event]) -> tuple[Event, ...]:
    return tuple(sorted(events, key=_place))


def _by_name(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    return tuple(sorted(entities, key=lambda entity: (entity.name, entity.id)))


def _without(all_: Iterable[_Known], some: Iterable[_Known]) -> list[_Known]:
    """Return those that are not among some, by id."""
    ids = {one.id for one in some}
    return [one for one in all_ if one.id not in ids]
