"""Scenes: whole documents of every kind, each with what a reader keeps of it (`scenes/*.txt`, `scenes/unseen/*.txt`).

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

from core.interface.memory import Memory
from core.knowledge.findings import Category, FoundEvent
from core.records import Artifact
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
def scenes(folder: str = "") -> tuple[Scene, ...]:
    """Return all scenes of the folder of scenes, or of one in it."""
    paths = sorted((Path(__file__).with_name("scenes") / folder).glob("*.txt"))
    texts = "".join("\n" + path.read_text(encoding="utf-8") for path in paths)
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


def plain(text: str) -> str:
    """Return the words of a text alone, in small letters."""
    return re.sub(r"\W+", " ", text.casefold()).strip()


def pairs(expected: Sequence[Expected], found: Sequence[FoundEvent]) -> Iterator[tuple[Expected, FoundEvent]]:
    """Pair what was expected with what was found: of one category, with the beginning in the quote."""
    left = list(expected)
    for event in found:
        quote = plain(event.quote)
        match = next((one for one in left if one.category == event.category and plain(one.begins) in quote), None)
        if match is not None:
            left.remove(match)
            yield match, event
