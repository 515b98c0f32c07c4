"""LocalExtractor: the order of steps from an artifact to its entities and events."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from core.knowledge import ActorRole, Extraction, FoundEvent, normalised
from core.records import Artifact
from ingest.extract.local.dates import DatePhrase, date_phrases
from ingest.extract.local.days import moment, stated_day
from ingest.extract.local.names import NAME, Name, Names, looks_like_name
from ingest.extract.local.people import (
    ASSIGNEE,
    declare_people,
    entry_name,
    listed_people,
    scan_people,
    speaker_of,
)
from ingest.extract.local.speech_acts import EXPLICIT, Act, acts, marker_end, may_act
from ingest.extract.local.structure import SPOKEN, Passage, is_settled, passages, speaker_labels
from ingest.extract.local.summary import summarise
from ingest.extract.local.things import scan_things

#: Contexts in which @name is a person; elsewhere it is more often code.
_SOCIAL: Final = SPOKEN | {"email", "note", "task", "decision", "project"}
_FIRST_PERSON: Final = re.compile(r"I\b|I['’]", re.I)
_PLURAL: Final = re.compile(r"we\b|our\b", re.I)
_CONTRIBUTES: Final = re.compile(r"\b(?:with|together with|and)\s+@?\Z", re.I)
_AGENT: Final = re.compile(r"\bby\s+@?\Z", re.I)
_REVIEWS: Final = re.compile(r"\breview(?:ed|s)? by\s+@?\Z", re.I)
_NAMED_OWNER: Final = re.compile(r"(?:\(|\[|—|–|->|→|\bowner:?|\bassigned to:?|\bassignee:?|@)\s*@?\Z", re.I)
_WORD: Final = re.compile(r"\w+")
#: Line breaks inside a sentence are blanks to every pattern; no place moves.
_FLAT: Final = str.maketrans("\n\r\t", "   ")
#: Date cues that set a time limit, most telling first; a date without one counts last.
_LIMITS: Final = (
    "by",
    "no later than",
    "before",
    "due",
    "due by",
    "due on",
    "until",
    "till",
    "within",
    "in",
    "on",
    "",
    "for",
)


class LocalExtractor:
    """Finds events by structure and wording, people and things by form; needs no model and no network.

    Time is linear in the content. It is made for English; other languages give the people and dates of its structure.
    """

    name = "local"

    def extract(self, artifact: Artifact) -> Extraction:
        """Return what the content and the fields say; never raises for any text."""
        written = _written(artifact)
        names, kept = _read(artifact, written)
        flat = artifact.memory.content.translate(_FLAT)
        reading = _Reading(artifact, flat, written, names, speaker_of(artifact.memory))
        events = tuple(event for passage, done in kept for event in reading.events(passage, done))
        return Extraction(names.found(), events)


def _written(artifact: Artifact) -> datetime:
    """Return when the artifact was written: as its fields say, else as its text does, else when it was stored."""
    if artifact.memory.moment() is None and (day := stated_day(artifact.memory.content)) is not None:
        return moment(day)
    return artifact.happened_at


def _read(artifact: Artifact, written: datetime) -> tuple[Names, list[tuple[Passage, list[Act]]]]:
    """Collect every name, and the passages that do something.

    Things without a type are only looked for in those passages, and not in transcripts, whose capitals are guesses.
    """
    memory, names = artifact.memory, Names()
    flat = memory.content.translate(_FLAT)
    declare_people(names, memory)
    known = frozenset({*names.people, *names.owners, *map(normalised, listed_people(memory.content))})
    settled = is_settled(memory.content)
    labels = speaker_labels(memory.content, memory.context, known)
    social = memory.context in _SOCIAL
    kept = []
    for passage in passages(
        memory.content, title=memory.title or "", labels=labels, context=memory.context, written=written.date()
    ):
        done = acts(flat, passage) if may_act(passage) else []
        done = [act for act in done if settled or act.category != "Decision" or act.confidence < EXPLICIT]
        telling = bool(done) and memory.context != "transcript"
        scan_people(names, flat, passage, social=social)
        scan_things(names, flat, passage, telling=telling)
        if done:
            kept.append((passage, done))
    if memory.title:
        scan_things(names, memory.title, Passage(0, len(memory.title), "heading"), telling=False)
    names.settle(memory.content, flat)
    return names, kept


@dataclass(frozen=True, slots=True)
class _Reading:
    """One document while its events are read."""

    artifact: Artifact
    flat: str
    written: datetime
    names: Names
    author: str | None

    def events(self, passage: Passage, done: list[Act]) -> list[FoundEvent]:
        return [event for act in done if (event := self._event(passage, act)) is not None]

    def _event(self, passage: Passage, act: Act) -> FoundEvent | None:
        quote = self.artifact.memory.content[passage.start : passage.end]
        written = self.written if passage.day is None else moment(passage.day)
        dates = list(date_phrases(quote.translate(_FLAT), written))
        due = _due(dates) if act.category == "Commitment" else None
        speaker = self._speaker(passage)
        actors = self._actors(passage, act, speaker)
        if act.category == "Commitment" and not self._firm(passage, act, due, actors):
            return None
        opening = marker_end(self.flat, passage)
        return FoundEvent(
            act.category,
            summarise(self.flat[opening : passage.end], speaker),
            quote,
            passage.start,
            actors,
            self._subjects(passage),
            self._event_time(dates, act, written),
            due,
            act.confidence,
        )

    def _speaker(self, passage: Passage) -> str | None:
        if passage.speaker is None:
            return self.author if self.author is None else self._canonical(self.author)
        name = entry_name(passage.speaker) if passage.speaker != "?" else None
        return None if name is None else self._canonical(name)

    def _canonical(self, name: str) -> str:
        known = self.names.called(name)
        return name if known is None else known.name

    def _firm(
        self, passage: Passage, act: Act, due: datetime | None, actors: tuple[tuple[str, ActorRole], ...]
    ) -> bool:
        """Whether a promise is one: "we will check" without a time or a place in a list is small talk."""
        who = self.flat[act.who_start : act.who_end].rsplit(" ", 1)[-1].casefold()
        if act.dated:
            named = (self.names.all[place.index] for place in self.names.between(act.who_start, act.who_end))
            return due is not None and (who in ("i", "he", "she") or any(name.type == "person" for name in named))
        if act.own:
            return due is not None or passage.speaker is not None
        if not act.has_who or due is not None:
            return True
        return who == "i" or any(role == "owner" for _, role in actors)

    def _actors(self, passage: Passage, act: Act, speaker: str | None) -> tuple[tuple[str, ActorRole], ...]:
        roles: dict[str, ActorRole] = {}
        who = self.flat[act.who_start : act.who_end].rsplit(" ", 1)[-1]
        if speaker is not None and _FIRST_PERSON.fullmatch(who):
            roles[speaker] = "owner"
        elif speaker is not None and _PLURAL.match(who):
            roles[speaker] = "contributor"
        for assignee in self._assignees(passage, act):
            roles[assignee] = "owner"
        for place in self.names.between(passage.start, passage.end):
            name = self.names.all[place.index]
            if name.type == "person":
                role = self._role(passage, act, place.start, owned="owner" in roles.values())
                if roles.get(name.name) != "owner":
                    roles[name.name] = role
        if "owner" not in roles.values() and speaker is not None and (act.own or self._says_i(passage, act)):
            roles[speaker] = "owner"
        return tuple(roles.items())

    def _says_i(self, passage: Passage, act: Act) -> bool:
        """Whether the first person owns an act whose subject no pattern caught ("I'm worried that …")."""
        if act.has_who:
            return False
        opening = self.flat[marker_end(self.flat, passage) : passage.end]
        return _FIRST_PERSON.match(opening.lstrip("*_ \"'“")) is not None

    def _assignees(self, passage: Passage, act: Act) -> list[str]:
        """Return the names before "to send …" or ": send …" of a task, known or not."""
        match = ASSIGNEE.match(self.flat, marker_end(self.flat, passage), passage.end)
        if match is None or act.category not in ("Commitment", "Execution"):
            return []
        owners = []
        for name in [match[1], *re.findall(NAME, match[2] or "")]:
            known = self.names.called(name)
            if known is None and looks_like_name(name) and not act.has_who:
                owners.append(name)
            elif known is not None and known.type == "person":
                owners.append(known.name)
        return owners

    def _role(self, passage: Passage, act: Act, start: int, *, owned: bool) -> ActorRole:
        before = self.flat[max(passage.start, start - 24) : start]
        if act.who_start <= start < act.who_end:
            return "owner"
        if _REVIEWS.search(before):
            return "reviewer"
        if not owned and (_AGENT.search(before) or (act.category == "Commitment" and _NAMED_OWNER.search(before))):
            return "owner"
        if not owned and act.category in ("Commitment", "Execution") and start == passage.start and not act.has_who:
            return "owner"
        return "contributor" if _CONTRIBUTES.search(before) else "stakeholder"

    def _subjects(self, passage: Passage) -> tuple[str, ...]:
        """Return the things named in the passage, else those of its heading, else those of the title."""
        named = [self.names.all[place.index] for place in self.names.between(passage.start, passage.end)]
        found = _things(named)
        for text in (passage.heading, self.artifact.memory.title or ""):
            if not found and text:
                found = _things([name for name in self.names.all if _names(text, name)])
        return found

    def _event_time(self, dates: list[DatePhrase], act: Act, happened: datetime) -> datetime:
        """Return the past date that the sentence names, else the artifact's own."""
        if act.category in ("Commitment", "QualityRisk", "Change"):
            return happened
        past = [date.moment for date in dates if date.moment < happened and date.cue in ("", "on")]
        return past[0] if past else happened


def _due(dates: list[DatePhrase]) -> datetime | None:
    known = [date for date in dates if date.cue in _LIMITS]
    return min(known, key=lambda date: _LIMITS.index(date.cue)).moment if known else None


def _things(names: list[Name]) -> tuple[str, ...]:
    things = [name for name in names if name.type in ("project", "org", "object", "other")]
    return tuple(dict.fromkeys(name.name for name in things))


def _names(text: str, name: Name) -> bool:
    folded = _plain(text)
    return any(_plain(form) in folded for form in (name.name, *name.forms))


def _plain(text: str) -> str:
    return f" {' '.join(_WORD.findall(normalised(text)))} "
