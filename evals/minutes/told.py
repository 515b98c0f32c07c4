"""What careful readers marked in minutes, as an agent gives it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

#: The kinds of marks that are given, with their category.
KINDS: Final = {"decisions": "Decision", "commitments": "Commitment"}


@dataclass(frozen=True, slots=True)
class Told:
    """A document and its marks as they stand in the file of marks."""

    name: str
    text: str
    marks: Mapping[str, Any]

    def events(self) -> list[dict[str, Any]]:
        """Return the sure marks as events of `learn`."""
        return [
            {name: value for name, value in event.items() if value}
            for kind, category in KINDS.items()
            for one in self.marks[kind]
            if one["sure"]
            for event in (_event(category, one),)
        ]

    def entities(self) -> list[dict[str, Any]]:
        """Return the marked people as entities of `learn`."""
        return [{"name": one["name"], "type": "person", "aliases": one["also"]} for one in self.marks["people"]]


def _event(category: str, mark: Mapping[str, Any]) -> dict[str, Any]:
    event = {"category": category, "quote": mark["quote"], "summary": mark["summary"]}
    if category == "Decision":
        return event | {"owners": mark["by"]}
    return event | {"owners": mark["owners"], "due": mark["due"], "status": "done" if mark["done"] else None}


def documents(folder: Path) -> list[Told]:
    """Return every document of `read/` that has marks of decisions and commitments."""
    return [
        Told(path.stem, (folder / "read" / path.stem).read_text(encoding="utf-8"), marks)
        for path in sorted(folder.glob("marks/*.json"))
        if "decisions" in (marks := json.loads(path.read_text(encoding="utf-8")))
    ]
