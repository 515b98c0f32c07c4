"""The folder as it is given: annotated documents, others of the same projects, and the questions asked of them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Document:
    """A file with its text; `name` is the file's name, which no two have in common."""

    name: str
    path: Path
    text: str


@dataclass(frozen=True, slots=True)
class MinutesQuestion:
    """A question with the name of the only document that answers it, and its answer as it stands there."""

    query: str
    document: str
    answer: str


@dataclass(frozen=True, slots=True)
class Minutes:
    """Everything in the folder."""

    documents: Sequence[Document]
    questions: Sequence[MinutesQuestion]


def minutes(folder: Path) -> Minutes:
    """Read `read/` (annotated), `rest/` (what else lies there) and `marks/NAME.md.json` of those read.

    Raises:
        InvalidInput: the folder has no annotated document.
    """
    paths = sorted([*folder.glob("read/*"), *folder.glob("rest/*")], key=lambda path: path.name)
    questions = [
        MinutesQuestion(asked["question"], path.stem, asked["answer_quote"])
        for path in sorted(folder.glob("marks/*.json"))
        for asked in json.loads(path.read_text(encoding="utf-8"))["questions"]
    ]
    if not paths or not questions:
        raise InvalidInput(f"{str(folder)!r} has no read/ with marks/ beside it: name the folder with the minutes.")
    return Minutes([Document(path.name, path, path.read_text(encoding="utf-8")) for path in paths], questions)
