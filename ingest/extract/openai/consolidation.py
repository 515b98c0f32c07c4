"""Canonical: from what each window says to what the document says, everything once.

By code, not by asking again over the list that was found: that costs nothing, gives the same answer every time, and no
window's text has a say in what another window said. `docs/decisions/extraction-by-model.md` has the reasons.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from core.knowledge.findings import Category, EntityType, Extraction, FoundEntity, FoundEvent, normalise_name
from ingest.extract.openai.claims import plain

#: Share of the shorter of two quotes that both must have to be of one event: windows overlap.
_SHARED: Final = 0.5
#: Words of fewer letters do not tell one statement from another, unless they turn it round.
_SMALL: Final = 4
_TURNING: Final = frozenset("not no nor".split())
#: Types between which a model hesitates from window to window.
_THINGS: Final[frozenset[EntityType]] = frozenset({"org", "project", "object", "other"})


def canonical(parts: Iterable[Extraction]) -> Extraction:
    """Return the entities of all windows and their events in the order of their quotes, what is the same joined.

    Events are the same that have a category and most of a quote in common, or a category and all telling words of a
    summary, and no different due dates. Entities are the same that have a type and a name in common, or of which one's
    name is an alias of that one other.
    """
    parts = list(parts)
    entities = _entities([entity for part in parts for entity in part.entities])
    return Extraction(tuple(entities), tuple(_events([event for part in parts for event in part.events])))


def _events(found: Sequence[FoundEvent]) -> list[FoundEvent]:
    kept: list[FoundEvent] = []
    last: dict[Category, int] = {}
    stated: dict[tuple[Category, frozenset[str]], int] = {}
    for event in sorted(found, key=lambda event: event.near_char):
        key = (event.category, _telling(event.summary))
        same = [at for at in (last.get(event.category), stated.get(key)) if at is not None]
        place = next((at for at in same if _is_one(kept[at], event, alike=stated.get(key) == at)), None)
        if place is None:
            place = len(kept)
            kept.append(event)
        else:
            kept[place] = _joined(kept[place], event)
        last[event.category] = place
        stated.setdefault(key, place)
    return kept


def _is_one(first: FoundEvent, second: FoundEvent, *, alike: bool) -> bool:
    if first.due and second.due and first.due != second.due:
        return False
    return alike or _overlap(first, second)


def _overlap(first: FoundEvent, second: FoundEvent) -> bool:
    begin = max(first.near_char, second.near_char)
    end = min(first.near_char + len(first.quote), second.near_char + len(second.quote))
    return end - begin >= _SHARED * min(len(first.quote), len(second.quote))


def _joined(first: FoundEvent, second: FoundEvent) -> FoundEvent:
    """Return the surer one with the actors, subjects and due date of both.

    Of two as sure it is the one of the longer quote if one sentence has both, else the first.
    """
    best, other = first, second
    longer = len(second.quote) > len(first.quote) and _overlap(first, second)
    if (second.confidence, longer) > (first.confidence, False):
        best, other = second, first
    actors = dict(other.actors) | dict(best.actors)
    subjects = dict.fromkeys([*best.subjects, *other.subjects])
    return replace(best, actors=tuple(actors.items()), subjects=tuple(subjects), due=best.due or other.due)


def _telling(summary: str) -> frozenset[str]:
    words = plain(summary).split()
    return frozenset(w for w in words if len(w) >= _SMALL or w in _TURNING or any(map(str.isdigit, w)))


def _entities(found: Sequence[FoundEntity]) -> list[FoundEntity]:
    types = _types(found)
    named: dict[tuple[EntityType, str], FoundEntity] = {}
    for entity in found:
        name = normalise_name(entity.name)
        typed = replace(entity, type=types.get(name, entity.type) if entity.type in _THINGS else entity.type)
        key = (typed.type, name)
        named[key] = _united(named[key], typed) if key in named else typed
    claimed = _claims(named.values())
    for key in sorted(named, key=lambda key: (len(key[1]), key)):
        owners = [owner for owner in claimed[key] if owner in named]
        if len(owners) == 1 and owners[0] != key and not _contradict(named[owners[0]], named[key]):
            named[owners[0]] = _united(named[owners[0]], named.pop(key))
    return [_own(entity, claimed) for entity in named.values()]


def _types(found: Iterable[FoundEntity]) -> dict[str, EntityType]:
    """Return the type that most windows give each thing; the first of those given equally often."""
    given: dict[str, Counter[EntityType]] = defaultdict(Counter)
    for entity in found:
        if entity.type in _THINGS:
            given[normalise_name(entity.name)][entity.type] += 1
    return {name: counts.most_common(1)[0][0] for name, counts in given.items()}


def _claims(entities: Iterable[FoundEntity]) -> dict[tuple[EntityType, str], set[tuple[EntityType, str]]]:
    """Return which entities each form is an alias of."""
    claimed: dict[tuple[EntityType, str], set[tuple[EntityType, str]]] = defaultdict(set)
    for entity in entities:
        for alias in entity.aliases:
            claimed[entity.type, normalise_name(alias)].add((entity.type, normalise_name(entity.name)))
    return claimed


def _contradict(first: FoundEntity, second: FoundEntity) -> bool:
    both = first.organization and second.organization
    return bool(both) and normalise_name(first.organization or "") != normalise_name(second.organization or "")


def _united(first: FoundEntity, second: FoundEntity) -> FoundEntity:
    forms = dict.fromkeys([*first.aliases, second.name, *second.aliases])
    return replace(
        first,
        aliases=tuple(form for form in forms if form != first.name),
        role=first.role or second.role,
        organization=first.organization or second.organization,
        mentions=tuple(sorted({*first.mentions, *second.mentions}, key=lambda span: (span.start_char, span.end_char))),
    )


def _own(entity: FoundEntity, claimed: dict[tuple[EntityType, str], set[tuple[EntityType, str]]]) -> FoundEntity:
    """Return the entity without aliases that are another's in this document too: "Alice" of two people called so."""
    own = (entity.type, normalise_name(entity.name))
    aliases = (form for form in entity.aliases if claimed[entity.type, normalise_name(form)] <= {own})
    return replace(entity, aliases=tuple(aliases))
