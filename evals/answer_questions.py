"""Questions for `python -m evals.answers`, with their evidence, and the memories that they are asked of.

Questions without evidence have no answer in the memory: those of one conversation asked of another, as they are and
with the other's names; of documents and paragraphs that were left out of a folder of their like.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol, Self

from core.dates import now
from core.errors import InvalidInput
from core.filters import Filters
from core.interface.memory import Memory
from evals import datasets, meetings
from evals.datasets import Conversation, Meeting, TurnQuestion
from evals.minutes.documents import Document, Minutes, minutes
from evals.minutes.intake import PROJECT as MINUTES
from evals.minutes.intake import take_in
from evals.unknown import with_names_of
from ingest.intake.artifacts import remember_together
from service.app import App

#: The folder of minutes without those that questions are about, and the paragraphs of every other article.
WITHOUT: Final = "minutes-without"
PARAGRAPHS: Final = "paragraphs"
#: Languages that questions about English paragraphs are asked in, and one of how many questions is asked.
_LANGUAGES: Final = ("en", "de", "es", "ru")
_PARAGRAPH_STEP: Final = 6
#: The kind of questions that ask of one speaker what the other said.
ADVERSARIAL: Final = datasets.KINDS[5]
#: What stands for words left out of a passage.
_LEFT_OUT: Final = re.compile(r"\s*…\s*")


def squeezed(text: str) -> str:
    """Return the text with each run of white space as one blank."""
    return " ".join(text.split())


@dataclass(frozen=True, slots=True)
class Shown:
    """The texts that an answer shows, white space squeezed, by the ids of their items."""

    texts: Mapping[str, str]

    @classmethod
    def of(cls, response: Mapping[str, Any]) -> Self:
        """Collect what is shown: passages with the turns around them, events' words, words of related events."""
        texts: dict[str, list[str]] = {}
        for id_, text in _parts(response):
            texts.setdefault(id_, []).append(squeezed(text))
        return cls({id_: "\n".join(parts) for id_, parts in texts.items()})


def _parts(response: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for result in response["results"]:
        for id_ in (result["id"], *(result.get("also") or ())):
            yield id_, result["content"]
        for turn in result.get("turns") or ():
            yield turn["id"], turn.get("content") or result["content"]
        for event in result.get("events") or ():
            yield result["id"], event.get("quote") or ""
    for event in response.get("related") or ():
        yield event["artifact_id"], event.get("quote") or ""


class Evidence(Protocol):
    """One thing that must be shown for a question to be answered."""

    @property
    def items(self) -> frozenset[str]:
        """The items that have it."""
        ...

    def is_in(self, shown: Shown) -> bool:
        """Whether it is shown."""
        ...


@dataclass(frozen=True, slots=True)
class Words:
    """Words of an item, all of which must be shown in one piece; those of a turn perhaps with the turns around it."""

    item: str
    text: str
    is_turn: bool = False

    @property
    def items(self) -> frozenset[str]:
        """Return the item."""
        return frozenset([self.item])

    def is_in(self, shown: Shown) -> bool:
        """Whether a passage of the item, or of a turn any passage, has the words, white space aside."""
        texts = shown.texts.values() if self.is_turn else [shown.texts.get(self.item, "")]
        return any(squeezed(self.text) in text for text in texts)


@dataclass(frozen=True, slots=True)
class Span:
    """A long span of an item, a piece of which must be shown."""

    item: str
    text: str

    @property
    def items(self) -> frozenset[str]:
        """Return the item."""
        return frozenset([self.item])

    def is_in(self, shown: Shown) -> bool:
        """Whether a piece of a passage, between omissions, is of the span."""
        span = squeezed(self.text)
        pieces = (piece for line in shown.texts.get(self.item, "").splitlines() for piece in _LEFT_OUT.split(line))
        return any(piece and (piece in span or span in piece) for piece in pieces)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it is asked of a project; no evidence where the project has no answer."""

    id: str
    project_id: str
    query: str
    kind: str
    evidence: tuple[Evidence, ...] = ()
    gold: str = ""
    #: Whether it is about a conversation and has an answer.
    is_spoken: bool = False
    #: Whether it is for a reader: answerable, or adversarial.
    is_read: bool = False
    #: The texts of short items of the project, by id.
    texts: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def is_adversarial(self) -> bool:
        """Whether it asks of one speaker what the other said."""
        return self.kind == ADVERSARIAL


def by_kind(asked: Iterable[Asked]) -> dict[str, list[Asked]]:
    """Return the questions of each kind, in order."""
    kinds: dict[str, list[Asked]] = {}
    for one in asked:
        kinds.setdefault(one.kind, []).append(one)
    return kinds


def remembered(app: App, data: Path, only: str | None) -> list[Asked]:
    """Store the data sets that the folder holds, each as projects of their own, and return the questions.

    Raises:
        InvalidInput: it holds none of them.
    """
    asked: list[Asked] = []
    for path in sorted(data.glob("locomo*.json")) if _wanted("conversations", only) else ():
        asked += _of_conversations(app, datasets.conversations(path))
    for path in sorted(data.glob("qmsum*.jsonl")) if _wanted("meetings", only) else ():
        asked += _of_meetings(app, datasets.qmsum(path))
    if (data / "minutes" / "read").is_dir() and _wanted("minutes", only):
        asked += _of_minutes(app, minutes(data / "minutes"))
    if (data / "languages" / "xquad.en.json").exists() and _wanted("paragraphs", only):
        asked += _of_paragraphs(app, data / "languages")
    if not asked:
        raise InvalidInput(f"{str(data)!r} holds no data set: `python -m evals.answers --help` says which there are.")
    return asked


def _wanted(name: str, only: str | None) -> bool:
    return only is None or name.startswith(only)


def _store(app: App, project_id: str, memories: Iterable[Mapping[str, Any]]) -> list[str]:
    told = [Memory(**memory) for memory in memories]
    return [one.added.artifact_id for one in remember_together(told, project_id, app.store, app.tokenizer)]


def _of_conversations(app: App, told: Sequence[Conversation]) -> Iterator[Asked]:
    stored = {}
    for one in told:
        made = _store(app, one.name, one.turns)
        stored[one.name] = dict(zip((str(turn["source_id"]) for turn in one.turns), made, strict=True))
    for here, there in zip(told, (*told[1:], *told[:1]), strict=True):
        ids = stored[here.name]
        contents = {ids[turn["source_id"]]: str(turn["content"]) for turn in here.turns}
        for number, question in enumerate(here.questions):
            yield _spoken(f"{here.name}-{number}", here, question, ids, contents)
            if question.is_answerable and len(told) > 1:
                named = with_names_of(question.query, here, there)
                yield Asked(f"{here.name}-{number}-x", there.name, question.query, "of another conversation")
                yield Asked(f"{here.name}-{number}-n", there.name, named, "of another, with its names")


def _spoken(
    id_: str, here: Conversation, question: TurnQuestion, ids: Mapping[str, str], contents: Mapping[str, str]
) -> Asked:
    evidence = tuple(Words(ids[turn], contents[ids[turn]], is_turn=True) for turn in question.evidence)
    return Asked(
        id=id_,
        project_id=here.name,
        query=question.query,
        kind=question.kind,
        evidence=evidence,
        gold=question.answer,
        is_spoken=question.is_answerable,
        is_read=True,
        texts=contents,
    )


def _of_meetings(app: App, met: Sequence[Meeting]) -> Iterator[Asked]:
    ids = _store(app, meetings.PROJECT, [one.memory for one in met])
    for id_, meeting in zip(ids, met, strict=True):
        text = str(meeting.memory["content"])
        for number, question in enumerate(meeting.questions):
            evidence = tuple(Span(id_, text[start:end]) for start, end in question.spans)
            name = f"{meeting.name}-{number}"
            yield Asked(name, meetings.PROJECT, question.query, "meetings", evidence, question.answer, is_read=True)


def _of_minutes(app: App, material: Minutes) -> Iterator[Asked]:
    ids = _ids(app, MINUTES, material.documents)
    others = [one for one in material.documents if one.path.parent.name == "rest"]
    _ids(app, WITHOUT, others)
    begins = {one.name.partition("__")[0] for one in others}
    for number, question in enumerate(material.questions):
        evidence = (Words(ids[question.document], question.answer),)
        yield Asked(f"minutes-{number}", MINUTES, question.query, "minutes", evidence, question.answer, is_read=True)
        if question.document.partition("__")[0] in begins:
            yield Asked(f"minutes-{number}-x", WITHOUT, question.query, "of minutes left out")


def _ids(app: App, project_id: str, documents: Sequence[Document]) -> dict[str, str]:
    """Return the items' ids by the documents' names; they are read and stored unless they are there."""
    there = app.store.count(project_id, Filters(at=now()))
    if there < len(documents):
        return take_in(app, documents, project_id).ids
    keys = {one.name: one.path.resolve().as_posix() for one in documents}
    return {name: app.store.by_key(project_id, key, Filters(at=now()))[0].id for name, key in keys.items()}


def _of_paragraphs(app: App, folder: Path) -> Iterator[Asked]:
    """Yield questions in several languages about paragraphs in English; only every other article is stored."""
    told = {
        language: json.loads(path.read_text(encoding="utf-8"))["data"]
        for language in _LANGUAGES
        if (path := folder / f"xquad.{language}.json").exists()
    }
    stored = [paragraph for article in told["en"][::2] for paragraph in article["paragraphs"]]
    ids = _store(app, PARAGRAPHS, [{"content": paragraph["context"]} for paragraph in stored])
    items = {paragraph["context"]: id_ for paragraph, id_ in zip(stored, ids, strict=True)}
    for language, articles in told.items():
        every = (
            (english["context"], right["answers"][0]["text"], right["id"], asked["question"])
            for article, wanted in zip(articles, told["en"], strict=True)
            for paragraph, english in zip(article["paragraphs"], wanted["paragraphs"], strict=True)
            for asked, right in zip(paragraph["qas"], english["qas"], strict=True)
        )
        for context, answer, name, query in list(every)[::_PARAGRAPH_STEP]:
            item = items.get(context)
            kind = f"paragraphs, in {language}" if item else f"of paragraphs left out, in {language}"
            yield Asked(f"{name}-{language}", PARAGRAPHS, query, kind, (Words(item, answer),) if item else (), answer)
