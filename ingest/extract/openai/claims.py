"""Claims: what an answer says about one window, parsed and checked against the window."""

import json
import math
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Final, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from core.dates import parse_iso
from core.errors import InvalidInput
from core.knowledge.findings import (
    CATEGORIES,
    ActorRole,
    EntityType,
    Extraction,
    FoundEntity,
    FoundEvent,
    Span,
    normalise_name,
)
from core.records import Artifact
from core.regex import regex
from ingest.document.evidence import locate_quote
from ingest.english.date_phrases import date_phrases
from ingest.extract.openai.prompt import (
    ActorAnswer,
    Answer,
    EntityAnswer,
    EventAnswer,
    MomentAnswer,
    Window,
    says_something,
    shown_fields,
)

Item = TypeVar("Item", bound=BaseModel)

_ROLES: Final[tuple[str, ...]] = get_args(ActorRole)
_TYPES: Final[tuple[str, ...]] = get_args(EntityType)
_LETTERS: Final = regex(r"[^a-z]")
#: A window of 900 tokens has no more statements, or names: what comes after is a model that has lost its way.
MOST_ITEMS: Final = 300


class Malformed(ValueError):
    """The answer is not an object with a list of entities and one of events."""


@dataclass(frozen=True, slots=True)
class Read:
    """The items of an answer that have the schema's form; `dropped` counts the others."""

    entities: tuple[EntityAnswer, ...]
    events: tuple[EventAnswer, ...]
    dropped: int


def parse_answer(text: str) -> Read:
    """Read an answer, in the fences or after the thoughts that some models put around JSON.

    Raises:
        Malformed: it holds no such object.
    """
    answer = _object(text)
    lists = [answer.get(name) for name in Answer.model_fields]
    if not all(isinstance(items, list) for items in lists):
        raise Malformed(f"no lists of entities and events in {text[:80]!r}")
    entities, events = ([item for item in items or [] if isinstance(item, dict)] for items in lists)
    read_entities = [entity for raw in entities[:MOST_ITEMS] if (entity := _entity(raw)) is not None]
    read_events = [event for raw in events[:MOST_ITEMS] if (event := _event(raw)) is not None]
    given = sum(len(items or []) for items in lists)
    return Read(tuple(read_entities), tuple(read_events), given - len(read_entities) - len(read_events))


def _object(text: str) -> dict[str, Any]:
    for candidate in (text, text[text.find("{") : text.rfind("}") + 1], text[text.rfind("</think>") + 8 :]):
        try:
            found = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            return found
    raise Malformed(f"no JSON object in {text[:80]!r}")


def _event(raw: dict[str, Any]) -> EventAnswer | None:
    actors = raw.get("actors")
    subjects = raw.get("subjects")
    return _valid(
        EventAnswer,
        {
            "confidence": 0.5,
            **_known(raw, EventAnswer),
            "category": _choice(raw.get("category"), CATEGORIES),
            "actors": [found for item in _list(actors) if (found := _actor(item)) is not None],
            "subjects": [item for item in _list(subjects) if isinstance(item, str)],
            "happened": _valid(MomentAnswer, raw.get("happened")),
            "due": _valid(MomentAnswer, raw.get("due")),
        },
    )


def _actor(raw: object) -> ActorAnswer | None:
    if not isinstance(raw, dict):
        return None
    return _valid(ActorAnswer, {"name": raw.get("name"), "role": _choice(raw.get("role"), _ROLES) or "other"})


def _entity(raw: dict[str, Any]) -> EntityAnswer | None:
    return _valid(
        EntityAnswer,
        {
            "role": None,
            "organization": None,
            **_known(raw, EntityAnswer),
            "type": _choice(raw.get("type"), _TYPES),
            "aliases": [item for item in _list(raw.get("aliases")) if isinstance(item, str)],
        },
    )


def _valid(model: type[Item], raw: object) -> Item | None:
    try:
        return model.model_validate(raw)
    except ValidationError:
        return None


def _known(raw: dict[str, Any], model: type[BaseModel]) -> dict[str, Any]:
    return {name: raw[name] for name in model.model_fields if name in raw}


def _list(raw: object) -> list[object]:
    return raw if isinstance(raw, list) else []


def _choice(raw: object, choices: tuple[str, ...]) -> str | None:
    """Return the choice that is meant, whatever its case and the signs between its words; None if there is none."""
    meant = _LETTERS.sub("", raw.casefold()) if isinstance(raw, str) else ""
    return next((choice for choice in choices if choice.casefold() == meant), None)


#: Longest summary, and longest name, role or organisation, in characters.
MAX_SUMMARY: Final = 300
_MAX_NAME: Final = 100
#: Longer quotes are cut after a sentence or a word, in characters.
MAX_QUOTE: Final = 500
#: What one event or entity may list.
_MOST_LISTED: Final = 12
#: Share of a summary's words that the document must have, by their first letters.
_GROUNDED: Final = 0.6
_STEM: Final = 4
#: Dates further than this from the day of writing are mistakes.
_REACH: Final = timedelta(days=20 * 365)

_WORD: Final = regex(r"\w+")
_UNSPACED: Final = regex("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0e7f\U00020000-\U0003ffff]")
_SENTENCE_END: Final = regex(r"[.!?。！？]\s|\n")
#: How a summary may begin without the document having the word.
_OPENINGS: Final = frozenset(
    "a an the this that it they he she we i team decision decided agreed approved chose chosen rejected commitment "
    "committed promised will plan plans planned risk concern there meeting met discussed discussion feedback praised "
    "criticised changed change moved completed finished delivered released launched fixed".split()
)
#: Words that turn a statement round, "n't" as it is left between signs.
_TURNING: Final = frozenset("not no never nobody nothing neither nor without cannot t".split())
_NOBODY: Final = frozenset(
    "i me we us you he she it they them him her everyone everybody someone somebody anyone nobody all team speaker "
    "author user none unknown".split()
)


@dataclass(frozen=True, slots=True)
class Claims:
    """What one window says, placed in the whole content. `left_out` counts events and entities it does not bear out."""

    extraction: Extraction
    left_out: int


def claims(artifact: Artifact, window: Window, answer: Read) -> Claims:
    """Return what of an answer is about this window: names, and words for a date, that are not there are left out.

    So is an event whose quote `evidence.place` does not find in the window; elsewhere in the content it would be of
    another event. A summary that says more than the document, or at too great a length, gives way to the quote.
    """
    checker = _Checker(artifact, window)
    entities = [entity for item in answer.entities if (entity := checker.entity(item)) is not None]
    events = [event for item in answer.events if (event := checker.event(item)) is not None]
    kept = len(entities) + len(events)
    return Claims(
        Extraction(tuple(entities), tuple(events)),
        answer.dropped + len(answer.entities) + len(answer.events) - kept,
    )


class _Checker:
    """Compares one answer with what the model was shown."""

    def __init__(self, artifact: Artifact, window: Window) -> None:
        self._written = artifact.written()
        self._window = window
        fields = (value for shown in shown_fields(artifact).values() for value in _each(shown))
        self._shown = "\n".join((window.text, *fields))

    @cached_property
    def _plain(self) -> str:
        return plain(self._shown)

    @cached_property
    def _stems(self) -> set[str]:
        return {word[:_STEM] for word in self._plain.split()}

    def entity(self, item: EntityAnswer) -> FoundEntity | None:
        """Return the entity with the name forms that occur in the text shown to the model; None if none does."""
        forms = [form for form in (item.name, *item.aliases[:_MOST_LISTED]) if self._names(_tidy(form), item.type)]
        if not forms:
            return None
        shown = list(dict.fromkeys(self._spelt(form) for form in forms))
        name = shown[0] if forms[0] == item.name else max(shown, key=len)
        return FoundEntity(
            name,
            item.type,
            tuple(form for form in shown if form != name),
            self._said(item.role),
            self._said(item.organization),
            tuple(self._mentions(shown)),
        )

    def event(self, item: EventAnswer) -> FoundEvent | None:
        """Return the event, its quote as the content has it; None for a quote that is not there or says nothing."""
        span = locate_quote(self._window.text, _cut(item.quote.strip()), 0)
        if span is None:
            return None
        quote = self._window.text[span.start_char : span.end_char]
        if not says_something(quote):
            return None
        return FoundEvent(
            item.category,
            self._summary(item.summary, quote),
            quote,
            self._window.start_char + span.start_char,
            tuple(self._actors(item.actors)),
            tuple(self._subjects(item)),
            self._happened(item.happened),
            self._due(item.due) if item.category == "Commitment" else None,
            min(1.0, max(0.0, item.confidence)) if math.isfinite(item.confidence) else 0.5,
        )

    def _names(self, form: str, type_: EntityType) -> bool:
        if not any(map(str.isalpha, form)) or not 2 <= len(form) <= _MAX_NAME:
            return False
        return not (type_ == "person" and normalise_name(form) in _NOBODY) and self._shows(form)

    def _shows(self, words: str) -> bool:
        """Whether the model was shown these words, in this order and whole."""
        wanted = plain(words)
        return bool(wanted.strip()) and (
            wanted in self._plain or (bool(_UNSPACED.search(words)) and words in self._shown)
        )

    def _spelt(self, form: str) -> str:
        """Return a form as the model was shown it, if its letters had another case there."""
        tidy = _tidy(form)
        exact = rf"(?<!\w){_spaced(tidy)}(?!\w)"
        match = re.search(exact, self._shown) or re.search(exact, self._shown, re.I)
        return tidy if match is None else _tidy(match[0])

    def _said(self, value: str | None) -> str | None:
        tidy = _tidy(value or "")
        return tidy if tidy and len(tidy) <= _MAX_NAME and self._shows(tidy) else None

    def _mentions(self, forms: Iterable[str]) -> Iterable[Span]:
        longest = sorted(forms, key=len, reverse=True)
        pattern = "|".join(rf"(?<!\w){_spaced(form)}(?!\w)|{_in_run(form)}" for form in longest)
        begin = self._window.start_char
        for match in re.finditer(pattern, self._window.text):
            if match[0]:
                yield Span(begin + match.start(), begin + match.end())

    def _actors(self, actors: list[ActorAnswer]) -> Iterable[tuple[str, ActorRole]]:
        found: dict[str, ActorRole] = {}
        for actor in actors:
            name = _tidy(actor.name)
            if self._names(name, "person") and len(found) < _MOST_LISTED:
                found.setdefault(self._spelt(name), actor.role)
        return found.items()

    def _subjects(self, item: EventAnswer) -> Iterable[str]:
        acting = {normalise_name(actor.name) for actor in item.actors}
        names = [name for name in map(_tidy, item.subjects) if self._names(name, "other")]
        spelt = dict.fromkeys(self._spelt(name) for name in names if normalise_name(name) not in acting)
        return list(spelt)[:_MOST_LISTED]

    def _summary(self, summary: str, quote: str) -> str:
        tidy = _tidy(summary)
        turned = _TURNING.isdisjoint(plain(tidy).split()) != _TURNING.isdisjoint(plain(quote).split())
        if 0 < len(tidy) <= MAX_SUMMARY and not turned and self._bears(tidy):
            return tidy
        return _shortened(_tidy(quote))

    def _bears(self, summary: str) -> bool:
        """Whether numbers, names and most other words of a summary are the document's."""
        _, *rest = _WORD.findall(summary) or [""]
        if not all(self._shows(word) for word in rest if word[0].isupper() or any(map(str.isdigit, word))):
            return False
        words = plain(summary).split()
        if not words or (words[0] not in _OPENINGS and words[0][:_STEM] not in self._stems):
            return False
        known = sum(word[:_STEM] in self._stems or len(word) < _STEM for word in words)
        return known >= _GROUNDED * len(words)

    def _happened(self, moment: MomentAnswer | None) -> datetime | None:
        """Return a past moment that the document names, else when it was written."""
        day = None if moment is None or not self._shows(moment.words) else self._day(moment.date, end_of_day=False)
        return day if day is not None and (self._written is None or day < self._written) else self._written

    def _due(self, moment: MomentAnswer | None) -> datetime | None:
        """Return what the words mean, as dates in words are read everywhere.

        Where these rules find no date in them, or several, it is the model's own.
        """
        if moment is None or not self._shows(moment.words):
            return None
        phrases = list(date_phrases(moment.words, self._written))
        return phrases[0].moment if len(phrases) == 1 else self._day(moment.date, end_of_day=True)

    def _day(self, text: str, *, end_of_day: bool) -> datetime | None:
        """Return the day that a model makes of words, which it can't where it isn't known when they were written."""
        if self._written is None:
            return None
        try:
            day = parse_iso(text, field="date", end_of_day=end_of_day, here=self._written.tzinfo)
        except InvalidInput:
            return None
        return day if abs(day - self._written) < _REACH else None


def plain(text: str) -> str:
    """Return the words of a text in small letters, each between blanks."""
    return f" {' '.join(_WORD.findall(unicodedata.normalize('NFKC', text).casefold()))} "


def _each(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def _tidy(text: str) -> str:
    """Return a text on one line without signs that are not printed."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split()).strip("\"'“”")


def _spaced(form: str) -> str:
    return r"\s+".join(map(re.escape, form.split()))


def _in_run(form: str) -> str:
    """Return a pattern for a name in a script without blanks, which is next to other letters."""
    return re.escape(form) if _UNSPACED.search(form) else r"(?!)"


def _cut(quote: str) -> str:
    """Return a long quote up to the last sentence, else word, that fits: still a slice of what was quoted."""
    if len(quote) <= MAX_QUOTE:
        return quote
    ends = [match.start() + 1 for match in _SENTENCE_END.finditer(quote, 0, MAX_QUOTE)]
    return quote[: ends[-1]] if ends else quote[:MAX_QUOTE].rpartition(" ")[0] or quote[:MAX_QUOTE]


def _shortened(quote: str) -> str:
    return quote if len(quote) <= MAX_SUMMARY else f"{quote[: MAX_SUMMARY - 1].rpartition(' ')[0]} …"
