"""The local extractor on whole documents of every kind, each with what a reader keeps of it (`scenes/*.txt`).

A scene is a line `===== name | field=value …`, the text, a line `-----`, and what is expected: a letter for a category
and the beginning of a quote, with the owners (`o=`) and the day (`due=`) of a promise; or one for a type and names.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from core.knowledge import Category, Extraction, FoundEvent
from core.memory import Memory
from core.records import Artifact
from ingest.extract.declared import declared
from ingest.extract.evidence import verify
from ingest.extract.local import LocalExtractor
from tests.ingest.extracting import TUESDAY, artifact_of

_CATEGORIES: Final[dict[str, Category]] = {
    "C": "Commitment", "X": "Execution", "D": "Decision", "L": "Collaboration", "Q": "QualityRisk", "F": "Feedback",
    "H": "Change", "S": "Stakeholder",
}  # fmt: skip
_TYPES: Final = {"p": "person", "o": "org", "j": "project", "t": "object", "l": "place"}


@dataclass(frozen=True, slots=True)
class Expected:
    """An event to be found: its category, how its quote begins, its owners and its day."""

    category: Category
    begins: str
    owners: frozenset[str]
    due: str | None


@dataclass(frozen=True, slots=True)
class Scene:
    """A document, its fields, and what is to be found in it."""

    name: str
    artifact: Artifact
    events: tuple[Expected, ...]
    people: frozenset[str]


@cache
def scenes() -> tuple[Scene, ...]:
    """Return all scenes."""
    folder = Path(__file__).with_name("scenes")
    texts = "".join("\n" + path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.txt")))
    return tuple(_scene(block) for block in texts.split("\n===== ")[1:])


def _scene(block: str) -> Scene:
    head, _, rest = block.partition("\n")
    content, _, expected = rest.partition("\n-----\n")
    name, *given = (part.strip() for part in head.split("|"))
    lines = [line.partition(" ") for line in expected.splitlines() if line]
    people = {one.strip() for letter, _, said in lines if _TYPES.get(letter) == "person" for one in said.split(";")}
    events = tuple(_expected(_CATEGORIES[letter], said) for letter, _, said in lines if letter in _CATEGORIES)
    return Scene(name, _artifact(content + "\n", dict(_field(one) for one in given)), events, frozenset(people))


def _field(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name, value


def _artifact(content: str, given: dict[str, str]) -> Artifact:
    fields: dict[str, Any] = {name: value for name, value in given.items() if name not in ("nodate", "date")}
    if "turn_index" in fields:
        fields["turn_index"] = int(fields["turn_index"])
    if "participants" in fields:
        fields["participants"] = tuple(part.strip() for part in fields["participants"].split(";"))
    artifact = artifact_of(content, **fields)
    if "nodate" in given:
        return artifact
    written = datetime.fromisoformat(given.get("date", TUESDAY.date().isoformat())).replace(hour=9, tzinfo=UTC)
    memory = Memory(content=content, date=written.isoformat(), **fields)
    return replace(artifact, memory=memory, happened_at=written)


def _expected(category: Category, said: str) -> Expected:
    begins, *details = (part.strip() for part in said.split("|"))
    known = dict(_field(detail) for detail in details)
    return Expected(category, begins, frozenset(filter(None, known.get("o", "").split("&"))), known.get("due"))


def _found(scene: Scene) -> Extraction:
    return declared(scene.artifact, LocalExtractor().extract(scene.artifact))


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", text.casefold()).strip()


def _pairs(expected: Sequence[Expected], found: Sequence[FoundEvent]) -> Iterator[tuple[Expected, FoundEvent]]:
    left = list(expected)
    for event in found:
        quote = _plain(event.quote)
        match = next((one for one in left if one.category == event.category and _plain(one.begins) in quote), None)
        if match is not None:
            left.remove(match)
            yield match, event


def _day(event: FoundEvent) -> str | None:
    return None if event.due is None else event.due.date().isoformat()


@pytest.mark.parametrize("scene", scenes(), ids=lambda scene: scene.name)
def test_every_quote_of_a_scene_is_verbatim(scene: Scene) -> None:
    """What is kept of a document stands in it, word for word."""
    found = _found(scene)
    assert verify(scene.artifact.memory.content, found).dropped == 0


def test_most_of_what_the_scenes_say_is_found_and_little_else() -> None:
    """At least 92 % of the events are found by wording and structure alone, and 92 % of what is found is one."""
    wanted = found = right = 0
    for scene in scenes():
        told = _found(scene).events
        wanted, found = wanted + len(scene.events), found + len(told)
        right += len(list(_pairs(scene.events, told)))
    assert (right / wanted >= 0.92, right / found >= 0.92) == (True, True), (right, wanted, found)


def test_promises_of_the_scenes_fall_due_on_their_day() -> None:
    """Dates in words, in tables, in lists and behind arrows are resolved against the day the words were written."""
    pairs = [pair for scene in scenes() for pair in _pairs(scene.events, _found(scene).events)]
    wrong = [
        (e.begins, e.due, _day(event)) for e, event in pairs if e.category == "Commitment" and e.due != _day(event)
    ]
    assert wrong == []


def test_promises_of_the_scenes_belong_to_whom_they_name() -> None:
    """First names, handles, titles, "I" and "he" lead to the one who is meant; one in twenty may fail."""
    pairs = [pair for scene in scenes() for pair in _pairs(scene.events, _found(scene).events) if pair[0].owners]
    wrong = [
        (expected.begins, event.actors)
        for expected, event in pairs
        if {name for name, role in event.actors if role == "owner"} != expected.owners
    ]
    assert len(wrong) <= len(pairs) / 20, wrong


def test_the_people_of_the_scenes_are_found() -> None:
    """Whoever is named is a person, under the fullest name, and hardly anything else is."""
    wanted = found = right = 0
    for scene in scenes():
        told = [entity for entity in _found(scene).entities if entity.type == "person"]
        forms = {_plain(form) for entity in told for form in (entity.name, *entity.aliases)}
        wanted, found = wanted + len(scene.people), found + len(told)
        right += sum(_plain(name) in forms for name in scene.people)
    assert (right / wanted >= 0.95, right / found >= 0.93) == (True, True), (right, wanted, found)
