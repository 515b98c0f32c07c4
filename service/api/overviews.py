"""Overviews: how two things are connected, the shape of a memory, and its health."""

from dataclasses import dataclass, field, replace

from core.dates import now
from core.errors import NotFound
from core.filters import Filters
from core.interface.neighbourhood import Exploration, Neighbourhood, as_id_or_name
from core.interface.results import Status, fields_for_subclass
from core.knowledge.shape import Shape
from core.records import ALWAYS, JobKind
from service.api import requests
from service.api.operation import Operation
from service.app import App

#: Failures, months and long items that are listed.
_FAILURES, _MONTHS, _LONGEST = 100, 1_200, 5


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
