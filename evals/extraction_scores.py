"""Precision, recall and other rates over readings, in tables."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from core.knowledge.findings import CATEGORIES
from evals.extraction_gold import KINDS, Annotated, GoldEvent, Links, Place
from evals.extraction_match import (
    Entities,
    Events,
    FoundEvent,
    Reading,
    Words,
    comparable,
    matched,
    overlap,
    same_as,
    told_apart,
)
from evals.figures import Figure, Row, Table

_EVENT_F1: Final = 0.75
_NOTE_F1: Final = (
    "F1 is the mean over everything annotated and everything found of whether it has its counterpart; debatable "
    "annotations count neither way."
)


@dataclass(frozen=True, slots=True)
class Ledger:
    """What the service says of decisions and commitments, by ids of its events.

    `superseding` are pairs (later, earlier); `done` are the commitments that are, each with the event that closed it,
    None if it names none. `asked` are the pairs that `review` asks about.
    """

    superseding: frozenset[tuple[str, str]]
    done: Mapping[str, str | None]
    asked: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True, slots=True)
class Read:
    """All readings of the set, and the ledger; None if the service has no tools for it."""

    set: Annotated
    readings: Sequence[Reading]
    ledger: Ledger | None


def tables(read: Read) -> list[Table]:
    """Return the tables of events, entities and the ledger."""
    events = [matched(reading) for reading in read.readings]
    return [
        _by_category(read, events),
        _by_kind(read, events),
        _details(read, events),
        _entities(read),
        _ledger(read),
    ]


def _by_category(read: Read, events: Sequence[Events]) -> Table:
    rows = [_event_row("all", events, lambda _: True, _EVENT_F1)]
    rows += [_event_row(name, events, lambda event, name=name: event.category == name) for name in CATEGORIES]  # type: ignore[misc]
    wanted = sum(len(one.pairs) + len(one.missed) for one in events)
    note = (
        f"{wanted} events in {len(read.readings)} documents, annotated by hand. One is found if an event of its "
        "category rests on the same words: half of them in common, or one quote within the other in one sentence. "
    )
    return Table("Extraction: events", note + _NOTE_F1, tuple(rows), compared=False)


def _by_kind(read: Read, events: Sequence[Events]) -> Table:
    rows = []
    for kind in KINDS:
        some = [one for reading, one in zip(read.readings, events, strict=True) if reading.document.kind == kind]
        rows.append(_event_row(kind, some, lambda _: True))
    return Table("Extraction: events by kind of document", "The same, one kind alone.", tuple(rows), compared=False)


def _event_row(
    name: str, events: Sequence[Events], is_meant: Callable[[GoldEvent | FoundEvent], bool], target: float | None = None
) -> Row:
    hits = [1.0 for one in events for gold, _ in one.pairs if is_meant(gold)]
    missed = [0.0 for one in events for gold in one.missed if is_meant(gold)]
    spurious = [0.0 for one in events for found in one.spurious if is_meant(found)]
    return Row(
        f"{name} ({len(hits) + len(missed)} annotated, {len(hits) + len(spurious)} found)",
        (
            Figure("precision", (*hits, *spurious)),
            Figure("recall", (*hits, *missed)),
            Figure("F1", (*hits, *hits, *missed, *spurious), target),
        ),
    )


def _details(read: Read, events: Sequence[Events]) -> Table:
    pairs = [
        (reading, gold, found) for reading, one in zip(read.readings, events, strict=True) for gold, found in one.pairs
    ]
    promised = [(gold, found) for _, gold, found in pairs if gold.category == "Commitment" and not gold.any_due]
    timed = [(gold, found) for _, gold, found in pairs if gold.event_time is not None]
    figures = (
        Figure("due day right", tuple(float(g.due == f.due) for g, f in promised if g.due is not None), 0.9),
        Figure("no due day made up", tuple(float(f.due is None) for g, f in promised if g.due is None)),
        Figure("day it happened right", tuple(float(g.event_time == f.event_time) for g, f in timed)),
        Figure("owner right", tuple(_owned(pairs))),
        Figure("quote verbatim", tuple(float(f.is_verbatim) for one in read.readings for f in one.events), 1.0),
    )
    counts = ", ".join(f"{len(figure.values)} {figure.name}" for figure in figures)
    note = f"Of the events found; quotes of all that the service has. Counted: {counts}."
    return Table("Extraction: what an event says", note, (Row("as shipped", figures),), compared=False)


def _owned(pairs: Iterable[tuple[Reading, GoldEvent, FoundEvent]]) -> Iterable[float]:
    """Yield for each event that has owners whether one of them is named, and nobody as owner who is no actor of it."""
    for reading, gold, found in pairs:
        owners = {actor.name for actor in gold.actors if actor.role == "owner"}
        if owners:
            forms = {actor.name: _forms(reading, actor.name) for actor in gold.actors}
            told = [actor.names for actor in found.actors if actor.role == "owner"]
            named = any(names & forms[owner] for names, owner in product(told, owners))
            yield float(named and all(any(names & known for known in forms.values()) for names in told))


def _forms(reading: Reading, name: str) -> set[str]:
    """Return all forms of the annotated entity that has this name or alias."""
    for entity in reading.document.entities:
        if name in (entity.name, *entity.aliases):
            return {comparable(form) for form in entity.names}
    return {comparable(name)}


def _entities(read: Read) -> Table:
    people = [told_apart(reading, type_="person") for reading in read.readings]
    all_of_them = [told_apart(reading) for reading in read.readings]
    one, joined = _identities(read)
    figures = (
        _entity_f1("person F1", people, 0.95),
        _entity_f1("all entities F1", all_of_them, 0.75),
        Figure(
            "type right", tuple(float(gold.type == found.type) for each in all_of_them for gold, found in each.pairs)
        ),
        Figure("one entity a person", tuple(one), 0.95),
        Figure("no two joined", tuple(joined), 0.98),
    )
    wanted = sum(len(each.pairs) + len(each.missed) for each in all_of_them)
    persons = sum(len(each.pairs) + len(each.missed) for each in people)
    note = (
        f"{wanted} entities, {persons} of them people, each counted in every document that names it, by name or alias; "
        f"{len(one)} people across documents, {len(joined)} entities that are one or more annotated ones. {_NOTE_F1}"
    )
    return Table("Extraction: entities and identity", note, (Row("as shipped", figures),), compared=False)


def _entity_f1(name: str, told: Sequence[Entities], target: float) -> Figure:
    hits = [1.0 for one in told for _ in one.pairs]
    found = [1.0 for one in told for _ in {entity.id for _, entity in one.pairs}]
    lost = [0.0 for one in told for _ in (*one.missed, *one.spurious)]
    return Figure(name, (*hits, *found, *lost), target)


def _identities(read: Read) -> tuple[list[float], list[float]]:
    """Return for each person found anywhere whether one entity is them, for each entity whether it is only one of all.

    A person whom the service found nowhere is missed, not split: they count in neither.
    """
    entities, identities = identified(read)
    return (
        [float(len(ids) == 1) for ids in entities.values()],
        [float(len(whom) == 1) for whom in identities.values()],
    )


def identified(read: Read) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Return which entities each annotated person is, and which annotated ones each entity is."""
    entities: dict[str, set[str]] = defaultdict(set)
    identities: dict[str, set[str]] = defaultdict(set)
    for reading in read.readings:
        for gold, found in same_as(reading):
            who = read.set.identity(reading.document, gold)
            identities[found.id].add(who)
            if gold.type == "person":
                entities[who].add(found.id)
    return entities, identities


def _ledger(read: Read) -> Table:
    title = "Extraction: the ledger"
    if read.ledger is None:
        return Table(title, "Not answered: the service has no tools `decisions` and `commitments`.", ())
    links, places, closing = read.set.links, placed(read), read.ledger.done
    reports = placed(read, any_category=True)
    known = set().union(*places.values())
    replaced = {pair: _pairs(places, *pair) for pair in sorted(read.ledger.superseding)}
    said = set().union(*replaced.values())
    closed = {commitment for commitment, _ in links.completions}
    done = {place for identity in closing for place in places.get(identity, ())}
    apart = [pair for pair in links.kept if known.issuperset(pair)]
    asked = set().union(*(_pairs(reports, *pair) for pair in sorted(read.ledger.asked)))
    reached = [
        *(pair in said | asked for pair in links.supersessions),
        *(one in done or (by, one) in asked for one, by in links.completions),
    ]
    left = sorted({commitment for commitment, _ in links.still_open} & known)
    figures = (
        Figure(
            "supersession precision", tuple(float(bool(pairs & _all_later(links))) for pairs in replaced.values()), 0.9
        ),
        Figure("supersession recall", tuple(float(pair in said) for pair in links.supersessions)),
        Figure("near misses kept", tuple(float(pair not in said) for pair in apart)),
        Figure("completion precision", tuple(float(bool(places.get(one, set()) & closed)) for one in sorted(closing))),
        Figure("completion recall", tuple(float(commitment in done) for commitment in sorted(closed))),
        Figure("by the right words", tuple(_named(links, places, reports, closing))),
        Figure("linked or asked", tuple(map(float, reached))),
        Figure("left open", tuple(float(commitment not in done) for commitment in left)),
    )
    counts = ", ".join(f"{len(figure.values)} {figure.name}" for figure in figures)
    note = (
        "Pairs of decisions of which the later replaces the earlier, and commitments that a later report closes, over "
        "all documents; recall misses what extraction missed. A link changes a status, so only certain ones are made; "
        "`review` asks about others: linked or asked are those that either names. Near misses are those whose events "
        "were both found. "
        f"Counted: {counts}."
    )
    return Table(title, note, (Row("as shipped", figures),), compared=False)


def _named(
    links: Links, places: Mapping[str, set[Place]], reports: Mapping[str, set[Place]], closing: Mapping[str, str | None]
) -> Iterable[float]:
    """Yield for each commitment that is rightly done whether the event named as its end rests on the words of that."""
    wanted = dict(links.completions)
    for identity, end in sorted(closing.items()):
        ends = {wanted[place] for place in places.get(identity, ()) if place in wanted}
        if ends:
            yield float(end is not None and bool(ends & reports.get(end, set())))


def placed(read: Read, *, any_category: bool = False) -> dict[str, set[Place]]:
    """Return which labelled annotations each event of the service rests on the words of, in its category or any."""
    places: dict[str, set[Place]] = defaultdict(set)
    for reading in read.readings:
        words = Words(reading.document.text)
        for gold, found in product(reading.document.events, reading.events):
            if gold.label and (any_category or gold.category == found.category) and overlap(words, gold, found):
                places[found.id].add(f"{reading.document.name}#{gold.label}")
    return places


def _pairs(places: dict[str, set[Place]], later: str, earlier: str) -> set[tuple[Place, Place]]:
    return set(product(places.get(later, ()), places.get(earlier, ())))


def _all_later(links: Links) -> set[tuple[Place, Place]]:
    """Return the pairs (later, earlier) with those over several steps: what replaced a replacement replaced both."""
    pairs = set(links.supersessions)
    while more := {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs:
        pairs |= more
    return pairs
