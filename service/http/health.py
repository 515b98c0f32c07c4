"""Health: `/healthz`, `/readyz` and `/metrics`."""

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from core.errors import MemoryServiceError
from core.interface.caller import CALLER
from core.openai.spending import Usage
from core.records import JobCounts, JobKind
from service.app import App
from service.http.metrics import render_metrics, render_store_health

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
