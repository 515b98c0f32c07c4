"""Matching extracted events and entities to annotated ones."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from core.knowledge.findings import normalise_name
from evals.extraction_gold import Document, GoldEntity, GoldEvent

#: Least share of common words in all words of both.
_OVERLAP: Final = 0.5
_NOTHING: Final = (0, 0, 0, 0)
_WORD = re.compile(r"\w+")
_PREFIX = re.compile(r"^(?:@|(?:the|dr|prof|professor|mr|mrs|ms|miss|cllr|councillor)\.? )+")
#: A sentence ends at its stop, save after a title or an initial; so does a paragraph, an item of a list, a heading.
_END = re.compile(
    r"(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bProf)(?<!\bCllr)(?<!\b[A-Z])[.!?][\"'”’)\]*_]*\s+(?=[\"'“‘(\[*_@]*[A-Z0-9])"
    r"|\n\s*\n|\n(?=\s*(?:[-*•>|#\[]|\d+[.)]\s))"
)


#: The category of an event and the places of its words.
Said = tuple[str, Sequence[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class FoundActor:
    """Who the service says took part, under all names it knows, each `comparable`."""

    names: frozenset[str]
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundEvent:
    """An event of the service. `spans` are where its evidence stands in the document's text."""

    id: str
    category: str
    spans: tuple[tuple[int, int], ...]
    is_verbatim: bool
    actors: tuple[FoundActor, ...] = ()
    due: date | None = None
    event_time: date | None = None
    status: str | None = None


@dataclass(frozen=True, slots=True)
class FoundEntity:
    """An entity of the service: `name` is the one it is shown under, `names` are all; each `comparable`."""

    id: str
    name: str
    type: str
    names: frozenset[str]
    organization: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """A document beside what the service found in it."""

    document: Document
    events: tuple[FoundEvent, ...]
    entities: tuple[FoundEntity, ...]


@dataclass(frozen=True, slots=True)
class Events:
    """The events of one document, told apart: pairs, what was missed, and what should not be there.

    What is optional, and what was found only for that, is in none of them.
    """

    pairs: tuple[tuple[GoldEvent, FoundEvent], ...]
    missed: tuple[GoldEvent, ...]
    spurious: tuple[FoundEvent, ...]


@dataclass(frozen=True, slots=True)
class Entities:
    """The entities of one document, told apart as events are."""

    pairs: tuple[tuple[GoldEntity, FoundEntity], ...]
    missed: tuple[GoldEntity, ...]
    spurious: tuple[FoundEntity, ...]


class Words:
    """The words of a text by their place, and where its sentences end."""

    def __init__(self, text: str) -> None:
        """Take the text apart."""
        self._starts = [word.start() for word in _WORD.finditer(text)]
        self._ends = [end.start() for end in _END.finditer(text)]

    def of(self, span: tuple[int, int]) -> range:
        """Return the numbers of the words that begin in the span."""
        return range(bisect_left(self._starts, span[0]), bisect_left(self._starts, span[1]))

    def overlap(self, one: tuple[int, int], other: tuple[int, int]) -> float:
        """Return the common words over all words of both (Jaccard); 0 if they do not rest on the same words.

        They do from a half on, or where one contains the other and the longer is in one sentence.
        """
        mine, its = self.of(one), self.of(other)
        common = max(0, min(mine.stop, its.stop) - max(mine.start, its.start))
        if not common:
            return 0.0
        share = common / (len(mine) + len(its) - common)
        longer = max(one, other, key=lambda span: len(self.of(span)))
        contained = common == min(len(mine), len(its)) and self._is_sentence(longer)
        return share if share >= _OVERLAP or contained else 0.0

    def _is_sentence(self, span: tuple[int, int]) -> bool:
        """Whether no sentence ends before the last word of the span."""
        words = self.of(span)
        ends = bisect_left(self._ends, self._starts[words.start])
        return ends == len(self._ends) or self._ends[ends] >= self._starts[words.stop - 1]


def overlap(words: Words, wanted: GoldEvent, found: FoundEvent) -> float:
    """Return how much of the words is common for the best piece of evidence."""
    return _best(words, _said(wanted), (found.category, found.spans))


def matched(reading: Reading) -> Events:
    """Pair each event with one of its category that rests on the same words, the best overlaps first.

    What is left over is held against optional events.
    """
    words, events = Words(reading.document.text), reading.document.events
    pairs = _paired(words, [event for event in events if not event.optional], reading.events)
    found, wanted = {id(one) for _, one in pairs}, {id(one) for one, _ in pairs}
    left = [event for event in reading.events if id(event) not in found]
    debatable = _paired(words, [event for event in events if event.optional], left)
    passed = found | {id(one) for _, one in debatable}
    return Events(
        tuple(pairs),
        tuple(event for event in events if not event.optional and id(event) not in wanted),
        tuple(event for event in reading.events if id(event) not in passed),
    )


def _paired(
    words: Words, wanted: Sequence[GoldEvent], found: Sequence[FoundEvent]
) -> list[tuple[GoldEvent, FoundEvent]]:
    said = [(event.category, event.spans) for event in found]
    return [(wanted[first], found[second]) for first, second in paired(words, list(map(_said, wanted)), said)]


def paired(words: Words, wanted: Sequence[Said], found: Sequence[Said]) -> list[tuple[int, int]]:
    """Return the places of those of one category that rest on the same words, each in one pair, best overlaps first."""
    scored = [
        (share, first, second)
        for first, event in enumerate(wanted)
        for second, one in enumerate(found)
        if event[0] == one[0] and (share := _best(words, event, one))
    ]
    pairs, firsts, seconds = [], set[int](), set[int]()
    for _, first, second in sorted(scored, key=lambda score: (-score[0], score[1], score[2])):
        if first not in firsts and second not in seconds:
            firsts.add(first)
            seconds.add(second)
            pairs.append((first, second))
    return pairs


def _said(event: GoldEvent) -> Said:
    return event.category, ((event.start, event.end),)


def _best(words: Words, one: Said, other: Said) -> float:
    return max((words.overlap(mine, its) for mine in one[1] for its in other[1]), default=0.0)


def told_apart(reading: Reading, *, type_: str | None = None) -> Entities:
    """Pair the document's entities with those of the service; of one type alone if it is given, on both sides.

    A second entity for someone who has one is spurious.
    """
    same = same_as(reading)
    wanted = [one for one in reading.document.entities if type_ in (None, one.type)]
    found = [one for one in reading.entities if type_ in (None, one.type)]
    firsts: dict[str, FoundEntity] = {}
    for gold, entity in same:
        if gold in wanted and entity in found:
            firsts.setdefault(gold.name, entity)
    passed = {one.id for one in firsts.values()} | {one.id for gold, one in same if gold.optional}
    return Entities(
        tuple((gold, firsts[gold.name]) for gold in wanted if gold.name in firsts and not gold.optional),
        tuple(gold for gold in wanted if gold.name not in firsts and not gold.optional),
        tuple(entity for entity in found if entity.id not in passed),
    )


def same_as(reading: Reading) -> list[tuple[GoldEntity, FoundEntity]]:
    """Return who is whom in a document, for each annotated entity the best first.

    An entity is the one with which it shares the fullest name, names it is shown under before aliases; ties: the one
    of the same employer, the one that the document calls so, then the first, but of namesakes each is one. It is others
    too where it has a name that is theirs alone, and nothing else is them: then it joins them.
    """
    golds = reading.document.entities
    ranked = []
    for entity in reading.entities:
        ranks = sorted(((_common(gold, entity), -at) for at, gold in enumerate(golds)), reverse=True)
        if ranks and ranks[0][0][1] > 0:
            ranked.append((ranks, entity))
    pairs: list[tuple[tuple[int, ...], GoldEntity, FoundEntity]] = []
    for ranks, entity in sorted(ranked, key=lambda each: each[0][0][0], reverse=True):
        alike = [(rank, golds[-at]) for rank, at in ranks if rank[:2] == ranks[0][0][:2]]
        taken = {gold.name for _, gold, _ in pairs}
        rank, gold = next((pair for pair in alike if pair[1].name not in taken), alike[0])
        pairs.append((rank, gold, entity))
    found = {gold.name for _, gold, _ in pairs}
    joined = [
        (_NOTHING, gold, entity)
        for gold in golds
        if gold.name not in found
        for entity in reading.entities
        if entity.names & _own_names(gold, golds)
    ]
    return [(gold, entity) for _, gold, entity in sorted(pairs, key=lambda pair: pair[0], reverse=True)] + [
        (gold, entity) for _, gold, entity in joined
    ]


def comparable(name: str) -> str:
    """Return the form in which names are equal: `normalise_name`, without article, title, handle's sign and
    possessive."""
    return _PREFIX.sub("", normalise_name(name)).removesuffix("'s").removesuffix("’s")


def _names(gold: GoldEntity) -> set[str]:
    return {comparable(name) for name in gold.names}


def _own_names(gold: GoldEntity, golds: Sequence[GoldEntity]) -> set[str]:
    """Return the names that no other entity of the document has."""
    return _names(gold).difference(*(_names(other) for other in golds if other is not gold))


def _common(gold: GoldEntity, entity: FoundEntity) -> tuple[int, int, int, int]:
    """Return how good the best common name is: shown under it, its length, of one employer, used in the document.

    Zeros if none is. Who is of another employer is rather a namesake.
    """
    here = {comparable(name) for name in (gold.name, *gold.aliases)}
    shared = _names(gold) & entity.names
    ranks = ((int(name == entity.name), len(name), _employed(gold, entity), int(name in here)) for name in shared)
    return max(ranks, default=_NOTHING)


def _employed(gold: GoldEntity, entity: FoundEntity) -> int:
    """Return 1 if both are of one employer, -1 if of two, 0 if that is not known."""
    if not gold.organization or not entity.organization:
        return 0
    one, other = comparable(gold.organization), comparable(entity.organization)
    return 1 if one.split()[0] == other.split()[0] else -1
