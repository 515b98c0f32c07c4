"""The documents that the local extractor's statements are fitted to: with marked events, by `evals/marked/README.md`,
and those to practise on, by `evals/practice/README.md`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from core.errors import InvalidInput
from core.interface.memory import Memory
from core.knowledge.findings import CATEGORIES, Category
from core.records import Artifact
from evals.extraction_gold import Document, Part, annotated
from ingest.extract.local.extractor import Draft

MARKED: Final = Path(__file__).parent / "marked"
PRACTICE: Final = Path(__file__).parent / "practice"
#: Worlds of `evals/practice` that the classifier is not fitted to: what it says of them is as of any other text.
_LEFT_OUT: Final = ("film", "hotel", "insurance", "school", "startup", "winery")
#: The letter of nothing, then those of `CATEGORIES`.
LETTERS: Final = "NCXDLQFHS"
_FIELD: Final = re.compile(r"(context|title|date): *(.*)\n")
_MARK: Final = re.compile(r"\[\[(\??[CXDLQFHS]+):(.*?)\]\]", re.DOTALL)
#: Of documents without a date.
_WRITTEN: Final = "2026-05-12"
#: A passage that so much of an event's words are beside the one that tells most of it neither tells it nor not.
_SHARED: Final = 0.3

#: Of a document, what is told of each of `CATEGORIES` by each passage (1 or 0), and how much that counts.
Told = tuple[NDArray[np.float32], NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class MarkedEvent:
    """An event and where its words stand in the document's text; over an `optional` one readers would differ."""

    category: Category
    start: int
    end: int
    optional: bool = False


@dataclass(frozen=True, slots=True)
class MarkedDocument:
    """A document as the service would keep it, and the events that it tells."""

    name: str
    artifact: Artifact
    events: tuple[MarkedEvent, ...]

    def told(self, draft: Draft) -> Told:
        """Return what each passage of its draft tells; an event is told by the passage that has most of its words."""
        passages = [passage for passage, _ in draft.said]
        tells = np.zeros((len(passages), len(CATEGORIES)), np.float32)
        counts = np.ones_like(tells)
        for event in sorted(self.events, key=lambda event: event.optional):
            column = CATEGORIES.index(event.category)
            common = [min(event.end, each.end) - max(event.start, each.start) for each in passages]
            best = int(np.argmax(common))
            for at, (passage, shared) in enumerate(zip(passages, common, strict=True)):
                if at == best and shared > 0 and not event.optional:
                    tells[at, column] = counts[at, column] = 1
                elif tells[at, column]:
                    continue
                elif (at == best and shared > 0) or shared > _SHARED * (passage.end - passage.start):
                    counts[at, column] = 0
        return tells, counts


def marked_documents() -> list[MarkedDocument]:
    """Return all documents in the order of their names.

    Raises:
        InvalidInput: a document is not marked as the README asks.
    """
    return [_document(path) for path in sorted(MARKED.glob("*.md")) if path.name != "README.md"]


def practice_documents() -> list[MarkedDocument]:
    """Return the documents to practise on, world by world, each turn of a talk as one.

    Raises:
        InvalidInput: an annotation is not what the guide says.
    """
    worlds = [folder for folder in sorted(PRACTICE.iterdir()) if folder.is_dir()]
    return [
        _part(f"{world.name}/{document.name}/{number}", document, part)
        for world in worlds
        for document in annotated(world).documents
        for number, part in enumerate(document.parts)
    ]


def is_left_out(document: MarkedDocument) -> bool:
    """Whether a document is of a world that the sentence classifier is not fitted to."""
    return document.name.split("/")[0] in _LEFT_OUT


def _part(name: str, document: Document, part: Part) -> MarkedDocument:
    memory = Memory(**part.arguments)
    end = part.start + len(memory.content)
    events = tuple(
        MarkedEvent(event.category, event.start - part.start, event.end - part.start, event.optional)
        for event in document.events
        if part.start <= event.start and event.end <= end
    )
    return MarkedDocument(name, unstored(memory, memory.moment() or datetime.fromisoformat(_WRITTEN)), events)


def _document(path: Path) -> MarkedDocument:
    text, fields = path.read_text(encoding="utf-8"), dict[str, str]()
    while field := _FIELD.match(text):
        fields[field[1]] = field[2].strip()
        text = text[field.end() :]
    content, events = "", list[MarkedEvent]()
    for letters, piece in _unmarked(text.strip("\n")):
        events += [
            MarkedEvent(
                CATEGORIES[LETTERS.index(letter) - 1], len(content), len(content) + len(piece), letters.startswith("?")
            )
            for letter in letters.removeprefix("?")
        ]
        content += piece
    if "[[" in content or "]]" in content or not events or "context" not in fields:
        raise InvalidInput(f"{path.name} can't be read: mark events as [[D:words]], and name its context.")
    return MarkedDocument(path.stem, as_artifact(content, fields), tuple(events))


def _unmarked(text: str) -> Iterator[tuple[str, str]]:
    """Yield the pieces of a text in order, each with the letters of its mark."""
    at = 0
    for mark in _MARK.finditer(text):
        yield "", text[at : mark.start()]
        yield mark[1], mark[2]
        at = mark.end()
    yield "", text[at:]


def as_artifact(content: str, fields: dict[str, str]) -> Artifact:
    """Return a text with these fields as the service would keep it."""
    moment = datetime.fromisoformat(fields.get("date", _WRITTEN)[:10]).replace(hour=9, tzinfo=UTC)
    told: dict[str, Any] = {"context": "document" if fields["context"] == "report" else fields["context"]}
    return unstored(Memory(content=content, title=fields.get("title") or None, **told), moment)


def unstored(memory: Memory, moment: datetime) -> Artifact:
    """Return a memory as the service would keep it at this moment, but kept nowhere."""
    return Artifact(
        id="art_000000000001",
        project_id="unstored",
        memory=memory,
        fingerprint="",
        happened_at=moment,
        created_at=moment,
        updated_at=moment,
        last_occurred=moment,
        token_count=1,
        num_chunks=1,
    )
