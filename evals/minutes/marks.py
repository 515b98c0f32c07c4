"""What careful readers marked in the documents of `read/`, by the folder's own guide."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evals.report import ROOT

#: Where the data lies unless another folder is named.
DATA: Final = ROOT.parent / "shared" / "data" / "minutes"
#: Least share of the shorter one that words and a mark have in common if they are of each other.
OVERLAP: Final = 0.5


@dataclass(frozen=True, slots=True)
class Mark:
    """A decision or a commitment at `text[start:end]`; one that is not `sure` counts neither for nor against."""

    start: int
    end: int
    sure: bool
    owners: tuple[str, ...] = ()
    due: str | None = None

    def overlap(self, start: int, end: int) -> float:
        """Return which share of the shorter one it and this range have in common; 0 where they are apart."""
        common = min(self.end, end) - max(self.start, start)
        return max(0, common) / max(1, min(self.end - self.start, end - start))


@dataclass(frozen=True, slots=True)
class Marked:
    """A document with its marks; `people` are all forms of each, `project` is the public project that it is of."""

    name: str
    project: str
    text: str
    decisions: Sequence[Mark]
    commitments: Sequence[Mark]
    people: Sequence[frozenset[str]]
    organisations: Sequence[str]

    def offset(self, content: str) -> int:
        """Return where in the text the content of its item begins, which has no front matter."""
        return self.text.index(content.strip()) - content.index(content.strip())


def marked(folder: Path) -> list[Marked]:
    """Return every document of `read/` with its `marks/NAME.json`, in the order of their names."""
    repositories = json.loads((folder / "sources.json").read_text(encoding="utf-8"))
    return [
        _marked(path, repositories[f"read/{path.name}"]["repo"], folder / "marks" / f"{path.name}.json")
        for path in sorted(folder.glob("read/*"))
    ]


def _marked(path: Path, project: str, marks: Path) -> Marked:
    text, told = path.read_text(encoding="utf-8"), json.loads(marks.read_text(encoding="utf-8"))
    decisions, commitments = (
        [
            Mark(
                text.index(one["quote"]),
                text.index(one["quote"]) + len(one["quote"]),
                one["sure"],
                tuple(one.get("owners") or ()),
                one.get("due"),
            )
            for one in told[kind]
        ]
        for kind in ("decisions", "commitments")
    )
    people = [frozenset({one["name"], *one["also"]}) for one in told["people"]]
    return Marked(path.name, project, text, decisions, commitments, people, told["organisations"])
