"""Browsing: search, an item's text, a node's details and neighbours, names."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from core.dates import now, parse_filter
from core.errors import InvalidInput, NotFound
from core.filters import Filters
from core.interface.operations import OPERATION
from core.interface.question import Question
from core.interface.results import Recall, Result, fields_for_subclass
from core.knowledge.findings import Entity, EntityType
from core.records import ALWAYS
from retrieval.browsing.details import Details, load_details
from retrieval.browsing.source_text import Mark, SourceText, find_marks, read_source_text
from retrieval.browsing.surroundings import Around, Surroundings, load_surroundings
from service.api import requests
from service.api.operation import Operation
from service.app import App

#: Before every item.
_EVER: Final = "0001-01-01"
#: Number of results that are filtered by a person, and of chunks that name the person.
_LOOKED_AT, _NAMING = 200, 5_000
#: Names listed in an error if a name has several owners.
_NAMESAKES: Final = 5


@dataclass(frozen=True, slots=True)
class MarkedResult(Result):
    """A result, with the positions of the query's words in its `content`."""

    marks: list[Mark] = field(default_factory=list, metadata=ALWAYS)


@dataclass(frozen=True, slots=True)
class Found(Recall):
    """An answer of `recall` in full, its results with marks."""

    results: list[MarkedResult] = field(default_factory=list, metadata=ALWAYS)  # type: ignore[assignment] # narrower


@dataclass(frozen=True, slots=True)
class KnownName:
    """A name of somebody or something."""

    id: str
    name: str
    type: EntityType
    mention_count: int
    aliases: list[str] = field(default_factory=list, metadata=ALWAYS)


@dataclass(frozen=True, slots=True)
class KnownNames:
    """Names that fit, the most mentioned first."""

    names: list[KnownName] = field(default_factory=list, metadata=ALWAYS)


def browsing_operations(app: App) -> list[Operation]:
    """Return the operations that read the graph."""

    def search(asked: requests.OfPerson) -> Found:
        given = requests.arguments_of(OPERATION["recall"], asked, requests.SEARCHED)
        return _found(given["query"], _search(app, asked, given))

    def item(asked: requests.ItemText) -> SourceText:
        return read_source_text(app.store, asked.project, asked.id, asked.text_offset, moment(asked.as_of))

    def node(asked: requests.OneNode) -> Details:
        return load_details(app.store, asked.project, asked.id, moment(asked.as_of))

    def around(asked: requests.Neighbours) -> Surroundings:
        return load_surroundings(app.store, asked.project, _around(app, asked))

    def names(asked: requests.Names) -> KnownNames:
        known = app.store.entities_by_prefix(asked.project, asked.q, asked.limit)
        return KnownNames([KnownName(e.id, e.name, e.type, e.mention_count, list(e.aliases)) for e in known])

    return [
        Operation("GET", "/api/search", "Search, or list the newest items", requests.Search, Found, search),
        Operation("GET", "/api/items/{id}", "Read the text of an item", requests.ItemText, SourceText, item),
        Operation("GET", "/api/nodes/{id}", "Show all about a node", requests.OneNode, Details, node),
        Operation("GET", "/api/nodes/{id}/neighbours", "List neighbours", requests.Neighbours, Surroundings, around),
        Operation("GET", "/api/names", "Complete a name", requests.Names, KnownNames, names),
    ]


def moment(text: str | None, field_name: str = "as_of", *, end_of_day: bool = True) -> datetime | None:
    """Return the moment that a request names.

    Raises:
        InvalidInput: it names none.
    """
    return None if text is None else parse_filter(text, field=field_name, end_of_day=end_of_day)


def _search(app: App, asked: requests.OfPerson, given: dict[str, Any]) -> Recall:
    if not any(given[name] for name in ("query", "context", "tags", "date_from", "date_to", "source")):
        given["date_from"] = _EVER
    question = Question(**given, detail="full")
    if asked.person is None:
        return app.recall(question, asked.project)
    ids = people(app, asked.project, asked.person)
    found = app.recall(replace(question, limit=_LOOKED_AT, offset=0), asked.project)
    return _of_people(app, asked.project, ids, found, question)


def _of_people(app: App, project: str, ids: tuple[str, ...], found: Recall, question: Question) -> Recall:
    """Return the page of results that name one of these people, or were written by one."""
    hits = app.store.mentions(project, ids, question.filters(), _NAMING)
    naming = {hit.artifact_id for hit in hits}
    known = app.store.entities(project, ids).values()
    called = {name.casefold() for entity in known for name in (entity.name, *entity.aliases)}
    kept = [one for one in found.results if one.id in naming or str(one.metadata.get("author")).casefold() in called]
    page = kept[question.offset : question.offset + question.limit]
    return replace(found, results=page, total_count=len(kept))


def _found(query: str | None, answer: Recall) -> Found:
    results = [
        MarkedResult(**fields_for_subclass(Result, one), marks=find_marks(query, one.content)) for one in answer.results
    ]
    return Found(**fields_for_subclass(Recall, answer) | {"results": results})


def people(app: App, project: str, name: str) -> tuple[str, ...]:
    """Return the id of whom a name, alias, address or id means.

    Raises:
        NotFound: nobody is known by it.
        InvalidInput: several are.
    """
    if name.startswith("ent_"):
        known: list[Entity] = list(app.store.entities(project, [name]).values())
    else:
        known = [entity for named in app.store.entities_by_name(project, [name]).values() for entity in named]
    if not known:
        raise NotFound(f"Nobody is known as {name[:80]!r}: type a part of the name to see which names there are.")
    if len(known) > 1:
        listed = "; ".join(f"{one.id} ({one.name}, {one.mention_count} mentions)" for one in known[:_NAMESAKES])
        raise InvalidInput(f"{len(known)} are called {name[:80]!r}: give the id of the one you mean: {listed}.")
    return (known[0].id,)


def _around(app: App, asked: requests.Neighbours) -> Around:
    filters = Filters(
        at=now(),
        tags=tuple(asked.tag),
        date_from=moment(asked.date_from, "date_from", end_of_day=False),
        date_to=moment(asked.date_to, "date_to"),
        as_of=moment(asked.as_of),
    )
    return Around(
        id=asked.id,
        filters=filters,
        kinds=tuple(asked.kind),
        categories=tuple(asked.category),
        people=None if asked.person is None else people(app, asked.project, asked.person),
        limit=asked.limit,
    )
