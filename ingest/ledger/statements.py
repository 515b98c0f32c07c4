"""Statements: what a decision, a promise or a report says, as words that can be compared."""

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from core.dates import MONTH_ABBREVIATIONS, MONTH_STEM, MONTHS, WEEKDAY_ABBREVIATIONS, WEEKDAYS
from core.knowledge.findings import Event, normalised
from core.knowledge.ledger import Origin
from graph.text.ledger_words import ledger_stems

#: Verbs of deciding and promising, and words that any such sentence has: they say nothing of what it is about.
_GENERIC: Final = frozenset(
    ledger_stems(
        """decide decision agree agreement approve choose adopt use go set make keep have get need want let start
        new now today tomorrow yesterday week month action item todo task owner due will shall would team everyone
        we us our i please also still again already instead rather longer anymore actually next last first current
        currently final finally officially commit promise ensure take run put do done be propose accept confirm
        board committee council group member vote motion hold ok okay yes fine
        change replace reverse supersede drop withdraw cancel abandon switch move postpone resolve
        raise goes every each"""
    )
)
#: Months, weekdays and units, by the stems of their full and short names: they are values, not topics. "Wed" is what
#: weddings have for a stem.
_DAYS: Final = {*MONTHS, *WEEKDAYS, *MONTH_ABBREVIATIONS, *WEEKDAY_ABBREVIATIONS} - {"wed"}
_UNITS: Final = frozenset(
    ledger_stems(
        f"""{" ".join(sorted(_DAYS))} noon midnight am pm utc eod cob euro euros dollar dollars eur usd percent
        cent per million hour hours minute minutes day days year years"""
    )
)
_NUMERALS: Final = frozenset(
    ledger_stems(
        """one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred dozen
        first second third"""
    )
)
_CARDINALS: Final = dict(zip(ledger_stems("first second third"), ledger_stems("one two three"), strict=True))
_NUMBER: Final = re.compile(r"\d")
#: What counts a thing among its like: two statements that name different ones are about different things.
_IDENTIFIER: Final = re.compile(
    r"\b(?:(?:sprint|phase|wave|version|release|quarter|week|batch|round|milestone|ticket|issue|part|step|stage|tier|"
    r"level|adr|rfc|lot|gate|team|room|line|unit|build)[ -]?#?(\d+(?:\.\d+)*)|(v\d+(?:\.\d+)*)|(q[1-4])\b|#(\d+)|"
    r"([a-z]+-\d+)|(\d+\.\d+\.\d+(?:\.\d+)*)|"
    r"(?:(?-i:[A-Z])\w+ )(\d+\.\d+)(?!\d*\s?(?:%|per ?cent|euros?|dollars?|usd|eur|million|k\b|m\b)))",
    re.I,
)
MONTH: Final = f"(?:{MONTH_STEM})[a-z]*"
#: Kinds of values: only those of one kind take each other's place.
_KINDS: Final = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        r"\b\d{1,2}[:.]\d\d\b|\b\d{1,2} ?[ap]m\b|\bnoon\b|\bmidnight\b",
        rf"\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {MONTH}|\b{MONTH} \d{{1,2}}\b|\bend of \w+",
        rf"\b(?:{'|'.join(WEEKDAYS)})s?\b",
        r"\d ?(?:%|per ?cent|k\b|euros?|dollars?|eur|usd|million)|[€$£] ?\d",
        r"\b\d+\.\d+\b(?! ?(?:%|per ?cent|k\b|euros?|dollars?|eur|usd|million))",
        r"\d ?°|\b\d[\d.,]{0,20} ?(?:degrees?|kg|km|cm|mm|m|kw|mb|gb|tb|ms|mg|ml)\b",
        r"\bevery (?:\w+ )?(?:hour|day|week|month|quarter|year)s?\b",
        rf"\b\d[\d,.]{{0,20}} (?!{MONTH}|euro|dollar|percent|am\b|pm\b)[a-z]{{3,}}",
    )
)
#: How a decision record is called: "ADR-3", "RFC 12", "Decision 7".
RECORD_NUMBER: Final = re.compile(r"\b(adr|rfc|dr|decision(?: record)?)[ -]?#?0*(\d+)\b", re.I)
#: The heading in front of a record: marked as one, or apart and numbered as records are.
_HEADING: Final = re.compile(
    r"\s*(?:#{1,3} +([^\n]{3,120})|((?i:adr|rfc|dr|decision)\b[^\n]{3,120})(?=\n[ \t\r]*\n))", re.M
)
#: "7. Lighting desk".
_NUMBERED: Final = re.compile(r"(?:no\. ?|#)?0{0,8}(\d{1,4})(?:[.):]| [–—-])\s+\D")
_LABEL: Final = re.compile(
    r"^\s*(?:[-*•]\s*)?(?:\[[ xX]?\]\s*)?(?:(?:decision|decided|action|todo|done|change)s?\s*:\s*)?", re.I
)
#: Where a page is: as a whole it says which one, its parts are what all pages of a place have in common.
_LINK: Final = re.compile(r"\bhttps?://[^\s<>()\[\]\"']+", re.I)
_SIGNS: Final = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Statement:
    """An event in the form it is compared in; `record` is the text of its artifact if that is a decision record."""

    event: Event
    origin: Origin
    record: str = ""
    text: str = field(init=False)
    #: Stems of what it is about: without names of people in it, generic words, numbers and dates.
    words: frozenset[str] = field(init=False)
    #: Numbers, months and weekdays, by stem.
    values: frozenset[str] = field(init=False)
    #: What tells it from its like: "sprint 12", "v2", "Q3".
    identifiers: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        said = self.event.evidence[0].quote if len(self.event.evidence[0].quote) <= _QUOTED else self.event.summary
        text = _LINK.sub(_one_word, _LABEL.sub("", said[:_LONGEST]))
        put = object.__setattr__
        put(self, "text", text)
        stems = ledger_stems(text)
        names = {stem for actor in self.event.actors for stem in ledger_stems(actor.name)}
        values = frozenset(stem for stem in stems if is_value(stem))
        put(self, "values", values)
        put(self, "words", frozenset(stems) - values - _GENERIC - names)
        put(self, "identifiers", identifiers_of(text))

    @property
    def time(self) -> datetime:
        """When it happened, else when it was written."""
        return self.event.event_time or self.origin.written_at

    @property
    def moment(self) -> tuple[datetime, datetime]:
        """When it happened, and when it was written: the order of the ledger."""
        return self.time, self.origin.written_at

    @property
    def start_char(self) -> int:
        return self.event.evidence[0].start_char

    @property
    def owner_names(self) -> tuple[str, ...]:
        """Who owns it; who contributes to what nobody owns."""
        owners = tuple(actor.name for actor in self.event.actors if actor.role == "owner")
        return owners or tuple(actor.name for actor in self.event.actors if actor.role == "contributor")

    @property
    def is_owned(self) -> bool:
        """Whether it says who owns it."""
        return any(actor.role == "owner" for actor in self.event.actors)

    @property
    def other_names(self) -> tuple[str, ...]:
        """Who has a part in it and does not own it."""
        return tuple(actor.name for actor in self.event.actors if actor.name not in self.owner_names)

    @property
    def is_declared(self) -> bool:
        """Whether it is what its artifact as a whole is said to be; of a text that only bears a number, any event."""
        return self.origin.context != "decision" or self.event.confidence >= 1

    @property
    def topic(self) -> frozenset[str]:
        """Stems of what a decision record is called; empty for anything else."""
        if not is_record(self.origin):
            return frozenset()
        found = frozenset(stem for stem in ledger_stems(self.title) if not is_value(stem))
        return found - _GENERIC - _RECORD_WORDS

    @property
    def number(self) -> str | None:
        """How its artifact is numbered as a decision record: "adr 3", or "3" of a title that begins with it."""
        plain = _NUMBERED.match(self.title) if self.origin.context == "decision" else None
        return next(iter(record_numbers(self.title)), None if plain is None else plain[1])

    @property
    def title(self) -> str:
        """What its artifact is called, if only by a heading in front of a decision record; empty if nothing says."""
        if self.origin.topic is not None or self.origin.context != "decision":
            return self.origin.topic or ""
        heading = _HEADING.match(self.record)
        return "" if heading is None else heading[1] or heading[2]


#: Longer quotes hold more than the statement, which is then read from its summary, in characters.
_QUOTED: Final = 300
#: What is compared of a statement, in characters.
_LONGEST: Final = 600
_RECORD_WORDS: Final = frozenset(ledger_stems("record adr rfc decision minutes meeting notes document"))


def _one_word(link: re.Match[str]) -> str:
    """Return a link as one word: the same for the same page."""
    return _SIGNS.sub("", link[0])


def is_value(stem: str) -> bool:
    """Whether a stem is a number, a month, a weekday or a unit."""
    return stem in _UNITS or stem in _NUMERALS or _NUMBER.search(stem) is not None


def numerals(statement: Statement) -> frozenset[str]:
    """Return the numbers that a statement spells out, which count what it is about: "wave one" is the first wave."""
    return frozenset(_CARDINALS.get(stem, stem) for stem in statement.values & _NUMERALS)


def share_a_kind(text: str, other: str) -> bool:
    """Whether both texts hold a value of one kind: a time of day, a date, a weekday, an amount, a number of things."""
    return any(kind.search(text) and kind.search(other) for kind in _KINDS)


def identifiers_of(text: str) -> frozenset[str]:
    """Return what tells things from their like, in small letters."""
    found = (next(group for group in match.groups() if group) for match in _IDENTIFIER.finditer(text))
    return frozenset(one.casefold().removeprefix("v") for one in found)


def record_numbers(text: str) -> list[str]:
    """Return the decision records that a text names, as "adr 3"."""
    return [f"{match[1][:3].casefold()} {match[2]}" for match in RECORD_NUMBER.finditer(text)]


def distinctive(stems: frozenset[str]) -> frozenset[str]:
    """Return the stems that say what something is about: no generic word, number or date."""
    return frozenset(stem for stem in stems - _GENERIC if not is_value(stem))


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of stems in common among all of both; 0 if there are none."""
    return len(one & other) / len(one | other) if one or other else 0.0


def share_a_name(names: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Whether somebody of one list may be one of the other: of one name, or of one first name if no more is known."""
    return any(_may_be(name, other) for name in names for other in others)


def _may_be(name: str, other: str) -> bool:
    words, others = normalised(name).split(), normalised(other).split()
    return words == others or (words[:1] == others[:1] and 1 in (len(words), len(others)))


def share_evidence(one: Statement, other: Statement) -> bool:
    """Whether two events rest on the same words."""
    proof, other_proof = one.event.evidence[0], other.event.evidence[0]
    return (
        proof.artifact_id == other_proof.artifact_id
        and proof.start_char < other_proof.end_char
        and other_proof.start_char < proof.end_char
    )


def is_record(origin: Origin) -> bool:
    """Whether an artifact is one decision: remembered as such, or numbered as a decision record."""
    return origin.context == "decision" or bool(record_numbers(origin.topic or ""))
