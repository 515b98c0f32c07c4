"""Statements: what a decision, a commitment or a report says, in the form in which two of them are compared."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, lru_cache
from pathlib import PurePath
from typing import Final, Literal

from core.dates import MONTH_ABBREVIATIONS, MONTHS, WEEKDAY_ABBREVIATIONS, WEEKDAYS
from core.knowledge.findings import ActorRole, Event
from core.knowledge.ledger import SURE, Origin
from core.regex import regex
from graph.text.tokens import ledger_stems

#: Texts and names whose parts are kept: an event is compared with many later ones.
KEPT: Final = 4_096
#: Verbs of deciding and promising, and words that any such sentence has: they don't say what it is about.
_GENERIC: Final = frozenset(
    ledger_stems(
        """decide decision agree agreement approve choose adopt use go set make keep have get need want let start
        new now today tomorrow yesterday week month action item todo task owner due will shall would team everyone
        we us our i please also still again already instead rather longer anymore actually next last first current
        currently final finally officially commit promise ensure take run put do done be propose accept confirm
        board committee council group member vote motion hold ok okay yes fine
        change replace reverse supersede drop withdraw cancel abandon switch move postpone resolve
        raise goes every each discuss discussion object objection defer reject"""
    )
)
#: Months, weekdays and units are values, not topics. "Wed" is left out: it is also the stem of "wedding".
_DAYS: Final = {*MONTHS, *WEEKDAYS, *MONTH_ABBREVIATIONS, *WEEKDAY_ABBREVIATIONS} - {"wed"}
_NO_EDITION: Final = _DAYS | {
    "in",
    "of",
    "since",
    "until",
    "by",
    "from",
    "before",
    "after",
    "to",
    "for",
    "and",
    "early",
    "late",
}
_VALUES: Final = frozenset(
    ledger_stems(
        f"""{" ".join(sorted(_DAYS))} noon midnight am pm utc eod cob euro euros dollar dollars eur usd percent
        cent per million hour hours minute minutes day days year years
        one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred dozen
        first second third"""
    )
)
_NUMBER: Final = regex(r"\d")
#: The number or version that distinguishes one of several similar things: statements about others are unrelated.
_IDENTIFIER: Final = regex(
    r"\b(?:(?:sprint|phase|wave|version|release|quarter|week|batch|round|milestone|ticket|issue|part|step|stage|tier|"
    r"level|adr|rfc|lot|gate|team|room|line|unit|build|hall|ward)[ -]?#?(\d+(?:\.\d+)*)|(v\d+(?:\.\d+)*)|(q[1-4])\b|"
    r"(\d+\.\d+\.\d+(?:\.\d+)*)|(?:(?-i:[A-Z])\w+ )(\d+\.\d+)(?!\d*\s?%))",
    re.I,
)
#: A year and the word before it: of a day it is a part, of anything else it is the edition.
_YEAR: Final = regex(r"\b([^\W\d_]+) ((?:19|20)\d\d)\b(?!-)")
#: The number of an issue or a pull request, alone or at the end of its address, and that of a proposal: "PEP 8".
_REFERENCE: Final = regex(
    r"(?<![\w&/#])#(?P<alone>\d+)\b|(?<![\w/.-])(?P<named>[\w.-]+/[\w.-]+)#(?P<of>\d+)\b|"
    r"(?<![\w-])(?P<series>(?:PEP|NEP|RFC|ADR|JEP|DEP|KEP|BIP|EIP)(?=[ -])|[A-Z]{2,8}(?=-))[ -]"
    r"(?P<place>\d{1,5})\b(?!-\d)|"
    r"https?://[^\s<>()]*?/(?P<path>[\w.-]+/[\w.-]+)/(?:-/)?(?:issues|pull|pulls|merge_requests)/(?P<number>\d+)"
)
#: A decision record's number: "ADR-3", "RFC 12", "Decision 7".
_RECORD_NUMBER: Final = regex(r"\b(adr|rfc|dr|decision(?: record)?)[ -]?#?0*(\d+)\b", re.I)
#: The heading at the start of a record: a Markdown heading, or a numbered line followed by a blank one.
_HEADING: Final = regex(r"\s*(?:#{1,3} +([^\n]{3,120})|((?i:adr|rfc|dr|decision)\b[^\n]{3,120})(?=\n[ \t\r]*\n))", re.M)
#: What a record says of others, and what stands behind that.
_BEHIND: Final = r"((?:\[[^\]\n]{0,120}\]\([^()\n]{0,200}\)|[^.\n]){0,80})"
_SUPERSEDES: Final = regex(rf"\b(?:supersedes?|replaces?|reverses?|overrides?)\b(?! by){_BEHIND}", re.I)
_SUPERSEDED_BY: Final = regex(rf"\b(?:superseded|replaced|overridden|obsoleted)\s+by\b{_BEHIND}", re.I)
#: The file of a record, in a link: "0001-store.md".
_FILE: Final = regex(r"(?<![\w-])0*(\d{1,3})(?=[-_][^\W\d])")
_ALONE: Final = regex(r"\W*(?:no\. ?|number |record )?#?0*(\d{1,4})\b(?!\W*[a-z])", re.I)
#: A title such as "7. Lighting desk".
_NUMBERED: Final = regex(r"(?:no\. ?|#)?0{0,8}(\d{1,4})(?:[.):]| [–—-])\s+\D")
#: How the file of a numbered record begins: "0007-lighting-desk.md"; a year is no such number.
_FILE_NUMBER: Final = regex(r"0{0,3}(\d{1,3})(?=[-_. ][^\W\d])")
_LABEL: Final = regex(
    r"^\s*(?:[-*•✅☑✔]\s*)*(?:\[[ xX]?\]\s*)?(?:(?:decision|decided|action|todo|done|change)s?\s*:\s*)?", re.I
)
_LINK: Final = regex(r"\bhttps?://[^\s<>()\[\]\"']+", re.I)
#: What distinguishes the records of one series from each other: days, months and numbers.
_DATED: Final = regex(rf"\b(?:{'|'.join(sorted(_DAYS | {'wed'}, key=len, reverse=True))})\b|\d+(?:st|nd|rd|th)?", re.I)
_SIGNS: Final = regex(r"[\W_]+")
_REPLY: Final = regex(r"^(?:(?:re|fwd?|aw|wg)\s*:\s*)+", re.I)
#: Contexts whose items are somebody's own, whatever their titles are.
_PERSONAL: Final = frozenset({"note", "chat", "conversation", "task", "fact", "preference", "decision", "email"})
#: Longer quotes say more than the event, which is then compared by its summary, in characters.
_LONGEST_QUOTE: Final = 300
#: How much of a statement is compared, in characters.
_LONGEST: Final = 600
_RECORD_WORDS: Final = frozenset(ledger_stems("record adr rfc decision minutes meeting notes document"))


#: Why a link is certain: its giver says it; a record names another's number, or has its title; the former choice or
#: decision is named; another value, the contrary, or the contrary verdict on one issue; the same task ticked; a report
#: by the owner, or of nobody else; or what is no longer wanted.
Basis = Literal[
    "given", "record number", "title", "former choice named", "another value", "contrary", "contrary verdict", "ticked",
    "reported by the owner", "reported", "no longer wanted",
]  # fmt: skip
#: The confidence of a link by its basis. What refers to the other explicitly is surer than what is about the same.
CONFIDENCE: Final[dict[Basis, float]] = {
    "given": 1.0,
    "record number": 0.95,
    "title": 0.95,
    "contrary": 0.95,
    "contrary verdict": 0.95,
    "ticked": 0.95,
    "former choice named": 0.95,
    "another value": 0.9,
    "reported by the owner": 0.9,
    "no longer wanted": 0.9,
    "reported": 0.85,
}
#: From this confidence on a link refers to the other explicitly.
EXPLICIT: Final = 0.95


@dataclass(frozen=True)
class Statement:
    """An event in the form in which it is compared; `record_text` is empty unless its artifact is a decision record."""

    event: Event
    origin: Origin
    record_text: str = ""
    text: str = field(init=False)
    stems: frozenset[str] = field(init=False)
    #: Stems that say what it is about: without names of actors, generic words, numbers and dates.
    words: frozenset[str] = field(init=False)
    #: Stems of numbers, months, weekdays and units.
    values: frozenset[str] = field(init=False)
    #: What distinguishes it from similar things: "sprint 12", "v2", "Q3", a year.
    identifiers: frozenset[str] = field(init=False)
    #: The issues, pull requests and numbered proposals that it names, by repository or series (if known) and number.
    references: frozenset[tuple[str, str]] = field(init=False)

    def __post_init__(self) -> None:
        quote = self.event.evidence[0].quote
        said = (quote if len(quote) <= _LONGEST_QUOTE else self.event.summary)[:_LONGEST]
        put = object.__setattr__
        put(self, "text", _LABEL.sub("", _LINK.sub(_one_word, said)))
        stems, values = _stems(self.text)
        put(self, "stems", stems)
        names = {stem for actor in self.event.actors for stem in _stems(actor.name)[0]}
        put(self, "values", values)
        put(self, "words", stems - values - _GENERIC - names)
        put(self, "identifiers", _identifiers(self.text))
        put(self, "references", references_of(f"{self.event.summary}\n{said}"))

    @property
    def is_sure(self) -> bool:
        """Whether the ledger lists it by default."""
        return self.event.confidence >= SURE

    @property
    def is_given(self) -> bool:
        """Whether somebody who read the text gave it, or stored the text as what it is."""
        is_declared = self.event.confidence >= 1 and self.origin.context in ("decision", "task")
        return self.event.origin == "given" or (is_declared and self.origin.file_path is None)

    @property
    def time(self) -> datetime:
        """When it happened, else when it was written."""
        return self.event.event_time or self.origin.written_at

    @property
    def order(self) -> tuple[datetime, datetime]:
        """When it happened, and when it was written: the order of the ledger."""
        return self.time, self.origin.written_at

    @property
    def start_char(self) -> int:
        return self.event.evidence[0].start_char

    @property
    def owners(self) -> frozenset[str]:
        """The ids of its owners."""
        return self.actors("owner")

    def actors(self, role: ActorRole) -> frozenset[str]:
        """Return the ids of those who take part in this role."""
        return frozenset(actor.entity_id for actor in self.event.actors if actor.role == role)

    @property
    def others(self) -> frozenset[str]:
        """The ids of those who take part and don't own it."""
        return frozenset(actor.entity_id for actor in self.event.actors) - self.owners

    @property
    def is_declared(self) -> bool:
        """Whether it is the decision that its artifact as a whole was stored as or is numbered as."""
        return self.origin.context != "decision" or self.event.confidence >= 1

    @cached_property
    def topic(self) -> frozenset[str]:
        """Stems of a decision record's title; empty for anything else."""
        if not is_record(self.origin):
            return frozenset()
        found = frozenset(stem for stem in ledger_stems(self.title) if not is_value(stem))
        return found - _GENERIC - _RECORD_WORDS

    @cached_property
    def number(self) -> str | None:
        """The number of its decision record: "adr 3", or "3" of a title or a file's name that begins with it."""
        plain = _NUMBERED.match(self.title) if self.origin.context == "decision" else None
        return next(iter(record_numbers(self.title)), file_number(self.origin) if plain is None else plain[1])

    @property
    def title(self) -> str:
        """The key or title of its artifact, else the heading of a decision record; empty if there is none."""
        if self.origin.topic is not None or self.origin.context != "decision":
            return self.origin.topic or ""
        heading = _HEADING.match(self.record_text)
        return "" if heading is None else heading[1] or heading[2]

    @cached_property
    def replaces(self) -> Sequence[str]:
        """The records that its own one says it replaces."""
        return _named_behind(_SUPERSEDES, self.record_text)

    @cached_property
    def replaced_by(self) -> Sequence[str]:
        """The records that its own one says have replaced it."""
        return _named_behind(_SUPERSEDED_BY, self.record_text)

    @cached_property
    def record_series(self) -> tuple[str, str]:
        """Whose record its artifact is: a folder and a series of dated files or titles, or one's own notes."""
        if self.origin.file_path is not None:
            return _series_of_file(self.origin.file_path)
        if self.origin.context in _PERSONAL or self.origin.title is None:
            return "", ""
        return "", _series(self.origin.title) or _plain(self.origin.title)


def same_body(one: Statement, other: Statement) -> bool:
    """Whether two statements are from the records of the same body."""
    return one.record_series == other.record_series


@lru_cache(KEPT)
def _series_of_file(file_path: str) -> tuple[str, str]:
    path = PurePath(file_path)
    return path.parent.as_posix(), _series(path.stem)


@lru_cache(KEPT)
def _series(name: str) -> str:
    """Return a name without its date and numbers; empty if it has neither, since it is then no part of a series."""
    plain = _REPLY.sub("", name).replace("_", " ")
    undated = _DATED.sub(" ", plain)
    return _plain(undated) if undated != plain else ""


def _plain(name: str) -> str:
    return " ".join(_SIGNS.sub(" ", name.casefold()).split())


@lru_cache(KEPT)
def references_of(text: str) -> frozenset[tuple[str, str]]:
    """Return the issues and numbered proposals that a text names, as repository or series (or empty) and number."""
    return frozenset(
        (
            match["named"] or match["path"] or match["series"] or "",
            match["alone"] or match["of"] or match["number"] or match["place"].lstrip("0"),
        )
        for match in _REFERENCE.finditer(text)
    )


def share_reference(one: Statement, other: Statement) -> bool | None:
    """Whether both name the same issue; None if one of them names none."""
    if not one.references or not other.references:
        return None
    return any(
        number == its and (not where or not there or where.casefold() == there.casefold())
        for where, number in one.references
        for there, its in other.references
    )


def are_of_different_things(one: Statement, other: Statement) -> bool:
    """Whether both name an issue, a version, a year or a numbered thing, and not the same one."""
    if share_reference(one, other) is False:
        return True
    return bool(one.identifiers and other.identifiers) and one.identifiers.isdisjoint(other.identifiers)


def _one_word(link: re.Match[str]) -> str:
    """Return a link as one word, which is the same for the same page."""
    return _SIGNS.sub("", link[0])


@lru_cache(KEPT)
def _stems(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the stems of a text, and those of them that are values."""
    stems = frozenset(ledger_stems(text))
    return stems, frozenset(stem for stem in stems if is_value(stem))


def is_value(stem: str) -> bool:
    """Whether a stem is a number, a month, a weekday or a unit."""
    return stem in _VALUES or _NUMBER.search(stem) is not None


@lru_cache(KEPT)
def _identifiers(text: str) -> frozenset[str]:
    found = (next(group for group in match.groups() if group) for match in _IDENTIFIER.finditer(text))
    years = (match[2] for match in _YEAR.finditer(text) if match[1].casefold() not in _NO_EDITION)
    return frozenset(one.casefold().removeprefix("v") for one in (*found, *years))


def record_numbers(text: str) -> list[str]:
    """Return the decision records that a text names, as "adr 3"."""
    return [f"{match[1][:3].casefold()} {match[2]}" for match in _RECORD_NUMBER.finditer(text)]


def _named_behind(verb: re.Pattern[str], text: str) -> list[str]:
    """Return the records behind "supersedes" or "superseded by": "ADR-3", or a number alone, or that of a file."""
    named: list[str] = []
    for match in verb.finditer(text):
        alone = _ALONE.match(match[1])
        named += record_numbers(match[1]) or ([] if alone is None else [alone[1]]) + _FILE.findall(match[1])
    return named


@lru_cache(KEPT)
def distinctive(stems: frozenset[str]) -> frozenset[str]:
    """Return the stems that say what something is about: no generic word, number or date."""
    return frozenset(stem for stem in stems - _GENERIC if not is_value(stem))


def share_evidence(one: Statement, other: Statement) -> bool:
    """Whether two events rest on the same words."""
    proof, other_proof = one.event.evidence[0], other.event.evidence[0]
    return (
        proof.artifact_id == other_proof.artifact_id
        and proof.start_char < other_proof.end_char
        and other_proof.start_char < proof.end_char
    )


def file_number(origin: Origin) -> str | None:
    """Return the number with which the name of the artifact's file begins, as those of decision records do."""
    return None if origin.file_path is None else _number_of_file(origin.file_path)


@lru_cache(KEPT)
def _number_of_file(file_path: str) -> str | None:
    found = _FILE_NUMBER.match(PurePath(file_path).stem)
    return None if found is None else found[1]


def is_record(origin: Origin) -> bool:
    """Whether an artifact is one decision: stored as such, or numbered as a decision record."""
    return origin.context == "decision" or bool(record_numbers(origin.topic or ""))
