"""Health: `/healthz`, `/readyz` and `/metrics`, and the metrics that are counted."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final, Generic, TypeVar, get_args

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from core.errors import MemoryServiceError
from core.interface.caller import CALLER
from core.openai_usage import Usage
from core.records import JobCounts, JobKind
from service.app import App

_REGISTRY: Final = CollectorRegistry()

#: Calls of each tool, by outcome: `ok`, or the code of the error.
TOOL_CALLS: Final = Counter("remembrancer_tool_calls", "Tool calls", ["tool", "outcome"], registry=_REGISTRY)
#: Seconds each tool takes.
TOOL_SECONDS: Final = Histogram("remembrancer_tool_seconds", "Duration of tool calls", ["tool"], registry=_REGISTRY)
#: HTTP requests and connections that were not served: why not.
HTTP_REFUSALS: Final = Counter(
    "remembrancer_http_refusals", "HTTP requests and connections that were refused", ["reason"], registry=_REGISTRY
)
_JOBS: Final = Gauge("remembrancer_jobs", "Jobs of all projects", ["state"], registry=_REGISTRY)
_PARKED: Final = Gauge("remembrancer_parked_jobs", "Jobs of all projects that gave up", ["kind"], registry=_REGISTRY)
_UP: Final = Gauge("remembrancer_service_up", "Whether a store answers (1) or not (0)", ["service"], registry=_REGISTRY)


class _Usage(Collector):
    """Counts stored in the record, because workers produce them and can't be scraped."""

    def __init__(self, part: str) -> None:
        self.usage: Usage | None = None
        self._part = part

    def collect(self) -> Iterator[CounterMetricFamily]:
        if self.usage is None:
            return
        yield CounterMetricFamily(
            f"remembrancer_{self._part}_requests", f"Requests to the {self._part} service", value=self.usage.requests
        )
        tokens = CounterMetricFamily(
            f"remembrancer_{self._part}_tokens", "Tokens of these requests and their answers", labels=["kind"]
        )
        tokens.add_metric(["prompt"], self.usage.prompt_tokens)
        tokens.add_metric(["completion"], self.usage.completion_tokens)
        yield tokens


_EXTRACTION: Final = _Usage("extraction")
_EMBEDDING: Final = _Usage("embedding")
_REGISTRY.register(_EXTRACTION)
_REGISTRY.register(_EMBEDDING)


def render_metrics(
    up: Mapping[str, bool],
    jobs: JobCounts | None,
    usage: Usage | None = None,
    parked: Mapping[JobKind, int] | None = None,
    embedding: Usage | None = None,
) -> bytes:
    """Return all metrics as Prometheus text; unknown values are omitted, not zero.

    `usage` is what extraction has used and `embedding` what embeddings have, None for a local extractor or embedder.
    """
    _EXTRACTION.usage, _EMBEDDING.usage = usage, embedding
    _set(up)
    _JOBS.clear()
    if jobs is not None:
        _JOBS.labels("pending").set(jobs.pending)
        _JOBS.labels("failed").set(jobs.failed)
    _PARKED.clear()
    if parked is not None:
        for kind in get_args(JobKind):
            _PARKED.labels(kind).set(parked.get(kind, 0))
    return generate_latest(_REGISTRY)


def render_store_health(up: Mapping[str, bool]) -> bytes:
    """Return only whether each store answers."""
    _set(up)
    return generate_latest(_UP)


def _set(up: Mapping[str, bool]) -> None:
    for service, answers in up.items():
        _UP.labels(service).set(answers)


T = TypeVar("T")

#: Seconds that a store may take to answer a probe: load balancers and Prometheus time out after 10 at most.
_PATIENCE: Final = 5


@dataclass(frozen=True, slots=True)
class _Health:
    """The health of each store: a line about it, or why it does not answer."""

    details: dict[str, str]
    away: frozenset[str]
    jobs: JobCounts | None
    usage: Usage | None
    parked: Mapping[JobKind, int] | None
    embedding: Usage | None


class _Probe(Generic[T]):
    """Probes one store in a thread; concurrent requests share a probe, so a store that hangs blocks one thread."""

    def __init__(self, ask: Callable[[], T]) -> None:
        self._ask = ask
        self._asking: asyncio.Future[T] | None = None

    async def answer(self) -> T:
        """Return the answer of the store; a probe in progress is shared.

        Raises:
            TimeoutError: it does not answer within 5 seconds.
        """
        if self._asking is None or self._asking.done():
            self._asking = self._start()
        # A caller that times out does not cancel the probe for the others.
        return await asyncio.wait_for(asyncio.shield(self._asking), _PATIENCE)

    def _start(self) -> "asyncio.Future[T]":
        asking: Future[T] = Future()
        asking.set_running_or_notify_cancel()
        threading.Thread(target=self._run, args=(asking,), name="remembrancer-probe", daemon=True).start()
        waiting = asyncio.wrap_future(asking)
        waiting.add_done_callback(
            lambda done: done.cancelled() or done.exception()
        )  # retrieves an error that nobody awaits
        return waiting

    def _run(self, asking: Future[T]) -> None:
        try:
            asking.set_result(self._ask())
        except BaseException as error:  # noqa: BLE001 - raised where the answer is awaited
            asking.set_exception(error)


class _Probes:
    """Probes of the record and the vector index."""

    def __init__(self, app: App) -> None:
        store = app.store
        self._record = _Probe(
            lambda: (
                store.ping(),
                store.job_counts(),
                app.extraction_usage(),
                store.parked_counts(),
                app.embedding_usage(),
            )
        )
        self._vectors = _Probe(app.index.ping)

    async def health(self) -> _Health:
        """Probe both at once, each for at most 5 seconds."""
        record, vectors = await asyncio.gather(self._record.answer(), self._vectors.answer(), return_exceptions=True)
        details, away = dict[str, str](), set[str]()
        for name, said in (("graph", record), ("vectors", vectors)):
            if isinstance(said, MemoryServiceError | TimeoutError):
                away.add(name)
                details[name] = str(said) or f"No answer in {_PATIENCE} seconds: check that it runs."
            elif isinstance(said, BaseException):
                raise said
            else:
                details[name] = said if isinstance(said, str) else said[0]
        jobs, usage, parked, embedding = record[1:] if isinstance(record, tuple) else (None, None, None, None)
        return _Health(details, frozenset(away), jobs, usage, parked, embedding)


def routes(app: App) -> list[Route]:
    """Return `/healthz` (the process is up), `/readyz` (the record answers) and `/metrics`.

    A replica without vectors is ready, since words and graph answer; `degraded` names what is missing. A token for some
    projects sees no numbers, which would be of all.
    """

    probes = _Probes(app)

    async def healthz(_: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def readyz(_: Request) -> Response:
        health = await probes.health()
        ready = "graph" not in health.away
        body = {"ready": ready, "degraded": sorted(health.away)} | health.details
        return JSONResponse(body, status_code=200 if ready else 503)

    async def metrics(_: Request) -> Response:
        health = await probes.health()
        everything = CALLER.get().projects is None
        up = {name: name not in health.away for name in health.details}
        numbers = health.jobs, health.usage, health.parked, health.embedding
        return Response(
            render_metrics(up, *numbers) if everything else render_store_health(up), media_type=CONTENT_TYPE_LATEST
        )

    return [Route("/healthz", healthz), Route("/readyz", readyz), Route("/metrics", metrics)]
