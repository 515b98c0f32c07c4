"""What the paths of the API answer: search and neighbours, the ledger, merge decisions, paths and overviews."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from core.dates import now, parse_filter
from core.errors import Conflict, InvalidInput, NotFound
from core.filters import Filters
from core.interface.learning import MAX_REVIEWED, MergeAction, MergeRequest, ReviewItem, ReviewQuestion
from core.interface.operations import OPERATION
from core.interface.question import EVER, Exploration, Neighbourhood, Node, Question, as_id_or_name
from core.interface.results import Recall, Result, Shape, Status, fields_for_subclass
from core.knowledge.findings import Entity, EntityType
from core.records import ALWAYS, JobKind
from retrieval.browsing.details import Details, Pairs, list_open_pairs, load_details, load_nodes
from retrieval.browsing.source_text import Mark, SourceText, find_marks, read_source_text
from retrieval.browsing.surroundings import Around, Surroundings, load_surroundings
from service.api import requests
from service.api.operation import Method, Operation
from service.api.requests import OfProject, Resolve, arguments_of, request_like
from service.app import App
from service.tools.bindings import RUNS

#: Number of results that are filtered by a person, and of chunks that name the person.
_LOOKED_AT, _NAMING = 200, 5_000
#: Months that are counted.
_MONTHS: Final = 1_200
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


@dataclass(frozen=True, slots=True)
class Nodes:
    """Nodes in the order of the ids asked for; ids of nothing are left out."""

    nodes: list[Node] = field(default_factory=list, metadata=ALWAYS)


@dataclass(frozen=True, slots=True)
class Count:
    """A value, and how many items have it."""

    value: str
    items: int


@dataclass(frozen=True, slots=True)
class Facets:
    """The most frequent values first: types and tags of items, and all months such as 2026-05."""

    types: list[Count] = field(default_factory=list, metadata=ALWAYS)
    months: list[Count] = field(default_factory=list, metadata=ALWAYS)
    tags: list[Count] = field(default_factory=list, metadata=ALWAYS)


def browsing_operations(app: App) -> list[Operation]:
    """Return the operations that read the graph."""

    def search(asked: requests.OfPerson) -> Found:
        given = requests.arguments_of(OPERATION["recall"], asked, requests.SEARCHED)
        return _found(given["query"], _search(app, asked, given))

    def item(asked: requests.ItemText) -> SourceText:
        return read_source_text(app.store, asked.project, asked.id, asked.text_offset, moment(asked.as_of))

    def node(asked: requests.OneNode) -> Details:
        return load_details(app.store, asked.project, asked.id, moment(asked.as_of))

    def nodes(asked: requests.SomeNodes) -> Nodes:
        return Nodes(load_nodes(app.store, asked.project, asked.id))

    def around(asked: requests.Neighbours) -> Surroundings:
        return load_surroundings(app.store, asked.project, _around(app, asked))

    def names(asked: requests.Names) -> KnownNames:
        known = app.store.entities_by_prefix(asked.project, asked.q, asked.limit)
        return KnownNames([KnownName(e.id, e.name, e.type, e.mention_count, list(e.aliases)) for e in known])

    def facets(asked: requests.Facets) -> Facets:
        filters = _filters(asked, context=asked.context)
        known = app.store.facets(asked.project, filters, _MONTHS)
        whatever = replace(filters, context=None)
        of_any_type = app.store.facets(asked.project, whatever, asked.limit) if asked.context else known
        types, tags = of_any_type.types.values[: asked.limit], known.tags.values[: asked.limit]
        return Facets(*([Count(*one) for one in counted] for counted in (types, known.months.values, tags)))

    return [
        Operation("GET", "/api/facets", "Count the items of each kind", requests.Facets, Facets, facets),
        Operation("GET", "/api/search", "Search, or list the newest items", requests.Search, Found, search),
        Operation("GET", "/api/items/{id}", "Read the text of an item", requests.ItemText, SourceText, item),
        Operation("GET", "/api/nodes", "Name several nodes", requests.SomeNodes, Nodes, nodes),
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
        given["date_from"] = EVER
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


def _filters(asked: requests.Neighbours | requests.Facets, context: str | None = None) -> Filters:
    return Filters(
        at=now(),
        context=context,
        tags=tuple(asked.tag),
        date_from=moment(asked.date_from, "date_from", end_of_day=False),
        date_to=moment(asked.date_to, "date_to"),
        as_of=moment(asked.as_of),
    )


def _around(app: App, asked: requests.Neighbours) -> Around:
    return Around(
        id=asked.id,
        filters=_filters(asked),
        kinds=tuple(asked.kind),
        categories=tuple(asked.category),
        people=None if asked.person is None else people(app, asked.project, asked.person),
        limit=asked.limit,
        fold=asked.fold,
    )


def ledger_operations(app: App) -> list[Operation]:
    """Return the operations of the ledger."""
    every = request_like(OPERATION["decisions"], defaults={"status": "all"})
    return [
        _offer(app, "decisions", "GET", "List decisions", every),
        _offer(app, "commitments", "GET", "List commitments", request_like(OPERATION["commitments"])),
        _offer(app, "resolve", "POST", "Set a status", Resolve),
    ]


def _offer(app: App, name: str, method: Method, summary: str, asks: type[OfProject]) -> Operation:
    """Return the operation of a path that is called as one of the table, and answers in full as that does."""
    operation = OPERATION[name]

    def run(asked: OfProject) -> object:
        given = arguments_of(operation, asked)
        try:
            return RUNS[name](app, operation.request(**given, detail="full"), asked.project)
        except InvalidInput as error:
            if operation.rights == "read":
                raise
            # The request is valid, but not for this kind of thing.
            raise Conflict(str(error)) from error

    return Operation(method, f"/api/{name}", summary, asks, operation.result, run, writes=operation.rights != "read")


#: Tokens that a list of what is uncertain may have.
_REVIEWED: Final = 20_000
_KINDS: Final[dict[str, MergeAction]] = {"same": "accept", "different": "reject", "undo": "undo"}


@dataclass(frozen=True, slots=True)
class Judged:
    """The decision about a pair, whether it changed anything, and the entities as they are now."""

    a: str
    b: str
    verdict: str
    changed: bool
    entities: list[Entity] = field(default_factory=list, metadata=ALWAYS)


@dataclass(frozen=True, slots=True)
class Uncertain:
    """An event or a person that may be none, or a later event `id` that may supersede or complete `other`.

    `right` and `wrong` are what to send to `/api/resolve`.
    """

    id: str
    summary: str
    right: dict[str, str]
    wrong: dict[str, str]
    quote: str | None = None
    artifact_id: str | None = None
    category: str | None = None
    confidence: float | None = None
    other: str | None = None


@dataclass(frozen=True, slots=True)
class Uncertainties:
    """What a person can say for sure, the most worthwhile first; `total_count` also counts those behind them."""

    items: list[Uncertain] = field(default_factory=list, metadata=ALWAYS)
    total_count: int = field(default=0, metadata=ALWAYS)


def _uncertain(one: ReviewItem, names: Mapping[str, Entity]) -> Uncertain:
    if one.kind == "name":
        right, wrong = {"name": names[one.id].name}, {"status": "dismissed"}
    elif one.kind == "link":
        relation = "supersedes" if "supersedes=" in (one.settle or "") else "completes"
        right, wrong = {relation: one.other or "none"}, {relation: "none"}
    else:
        right, wrong = {"status": "current" if one.category == "Decision" else "open"}, {"status": "dismissed"}
    known = {name: getattr(one, name) for name in ("quote", "artifact_id", "category", "confidence", "other")}
    return Uncertain(one.id, one.summary, right, wrong, **known)


def judgement_operations(app: App) -> list[Operation]:
    """Return the operations of `/api/review`, and of what else is uncertain."""

    def uncertain(asked: requests.OfProject) -> Uncertainties:
        question = ReviewQuestion(limit=MAX_REVIEWED, max_tokens=_REVIEWED)
        found = app.review(question, asked.project)
        items = found.items
        names = app.store.entities(asked.project, [one.id for one in items if one.kind == "name"])
        listed = [one for one in items if one.kind in ("event", "link") or one.id in names]
        behind = found.total_count - len(items)
        return Uncertainties([_uncertain(one, names) for one in listed], len(listed) + behind)

    def review(asked: requests.Review) -> Pairs:
        return list_open_pairs(app.store, asked.project, asked.limit, asked.offset)

    def judge(asked: requests.Judge) -> Judged:
        request = MergeRequest(kind=_KINDS[asked.verdict], one=asked.a, other=asked.b, note=asked.note)
        ruled = app.apply_merge_request(request, asked.project)
        return Judged(asked.a, asked.b, asked.verdict, ruled.changed, ruled.entities)

    path = "/api/review"
    return [
        Operation("GET", "/api/uncertain", "List uncertain events and links", OfProject, Uncertainties, uncertain),
        Operation("GET", path, "List pairs that may be the same", requests.Review, Pairs, review),
        Operation("POST", path, "Judge a pair", requests.Judge, Judged, judge, writes=True),
    ]


#: Failures and long items that are listed.
_FAILURES, _LONGEST = 100, 5


@dataclass(frozen=True, slots=True)
class Failure:
    """Background work that gave up: its kind, of which item, what that is called, and why."""

    job: JobKind
    id: str
    reason: str
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Month:
    """How many items are dated in a month, such as 2026-05."""

    month: str
    items: int


@dataclass(frozen=True, slots=True)
class LongItem:
    """A long item, and its length in characters."""

    id: str
    title: str
    length: int


@dataclass(frozen=True, slots=True)
class Health(Status):
    """The answer of `status`, with the failures, the growth by month, and the longest items.

    `earliest` is the first day of the first month; None while nothing is stored.
    """

    failures: list[Failure] = field(default_factory=list, metadata=ALWAYS)
    growth: list[Month] = field(default_factory=list, metadata=ALWAYS)
    largest: list[LongItem] = field(default_factory=list, metadata=ALWAYS)
    earliest: str | None = None


@dataclass(frozen=True, slots=True)
class Retried:
    """Which work of an item is to be done again."""

    id: str
    queued: list[str]


def overview_operations(app: App) -> list[Operation]:
    """Return the operations that look at a memory as a whole, and the one that has work done again."""

    def paths(asked: requests.Paths) -> Neighbourhood:
        question = Exploration(**as_id_or_name(asked.from_), to=asked.to, detail="full")
        found = app.explore(question, asked.project)
        return replace(found, paths=(found.paths or [])[: asked.limit])

    def shape(asked: requests.ShapeOf) -> Shape:
        return app.shape(asked.project, asked.limit)

    def health(asked: requests.OfProject) -> Health:
        return _health(app, asked.project)

    def retry(asked: requests.Retry) -> Retried:
        reports = app.store.job_reports(asked.project, asked.id)
        failed = [report.kind for report in reports if report.state == "failed"]
        if not failed:
            raise NotFound(f"No work of {asked.id} has given up: /api/health lists what has.")
        queued = [kind for kind in failed if app.store.queue(asked.project, [asked.id], kind)]
        app.worker.wake()
        return Retried(asked.id, list(queued))

    return [
        Operation("GET", "/api/paths", "Show how two are connected", requests.Paths, Neighbourhood, paths),
        Operation("GET", "/api/shape", "Show the shape of a memory", requests.ShapeOf, Shape, shape),
        Operation("GET", "/api/health", "Show how a memory does", requests.OfProject, Health, health),
        Operation(
            "POST",
            "/api/retry",
            "Do failed work again",
            requests.Retry,
            Retried,
            retry,
            writes=True,
        ),
    ]


def _health(app: App, project: str) -> Health:
    status = app.status(project_id=project)
    known = fields_for_subclass(Status, status)
    if status.counts is None:
        return Health(**known)
    counted = app.store.facets(project, Filters(at=now()), _MONTHS).months
    months = [Month(month, items) for month, items in sorted(counted.values)]
    ids = app.store.longest(project, _LONGEST)
    items = app.store.get(project, ids)
    return Health(
        **known,
        failures=[
            Failure(job.kind, job.artifact_id, job.error, job.title)
            for job in app.store.parked_jobs(project, _FAILURES)
        ],
        growth=months,
        largest=[
            LongItem(one.id, one.memory.title or one.memory.key or one.memory.content[:80], len(one.memory.content))
            for one in (items[id_] for id_ in ids if id_ in items)
        ],
        earliest=f"{months[0].month}-01" if months else None,
    )
