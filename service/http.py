"""HTTP beside MCP: health, metrics, and the token that every other request needs."""

import hmac
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final

import anyio
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import SecretStr
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from core.errors import InvalidInput, MemoryServiceError
from core.records import JobCounts
from service.app import App
from service.metrics import exposition

#: What answers without a token: whether the process is up says nothing about what it keeps.
_OPEN_PATHS: Final = frozenset({"/healthz"})
#: Names that a browser on this machine may call a loopback server by; any other is a page that rebinds its own name.
LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "[::1]")
#: How long a store may take to say that it is there, in seconds: whoever probes or scrapes gives up after 10 at most.
_PATIENCE: Final = 5
#: Threads that ask, apart from those that answer: a store that hangs holds up no one but who asks after it.
_ASKING: Final = anyio.CapacityLimiter(8)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a server bound to `host`."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def check_exposure(host: str, tokens: Sequence[SecretStr]) -> None:
    """Refuse to serve other machines without a token.

    Raises:
        InvalidInput: `host` is not a loopback address and there are no tokens.
    """
    if not tokens and not is_loopback(host):
        raise InvalidInput(
            f"Refusing to serve on {host!r} without a token: set REMEMBRANCER_TOKENS, or use --host 127.0.0.1."
        )


@dataclass(frozen=True, slots=True)
class _Health:
    """What each store says when it is asked: a line about itself, or why it does not answer."""

    details: dict[str, str]
    away: frozenset[str]
    jobs: JobCounts | None


async def _health(app: App) -> _Health:
    """Ask the record and the vectors at once, each for 5 seconds at most."""
    details: dict[str, str] = {}
    away: set[str] = set()
    jobs: list[JobCounts] = []

    def record() -> str:
        detail = app.store.ping()
        jobs.append(app.store.job_counts())
        return detail

    async def ask(name: str, ping: Callable[[], str]) -> None:
        try:
            with anyio.fail_after(_PATIENCE):
                details[name] = await anyio.to_thread.run_sync(ping, abandon_on_cancel=True, limiter=_ASKING)
        except (MemoryServiceError, TimeoutError) as error:
            away.add(name)
            details[name] = str(error) or f"No answer in {_PATIENCE} seconds: look after it."

    async with anyio.create_task_group() as group:
        group.start_soon(ask, "graph", record)
        group.start_soon(ask, "vectors", app.index.ping)
    return _Health(details, frozenset(away), jobs[0] if jobs and "graph" not in away else None)


def routes(app: App) -> list[Route]:
    """Return `/healthz` (the process is up), `/readyz` (the record answers) and `/metrics`.

    Without vectors a replica is ready, since words and graph answer; `degraded` names what is missing.
    """

    async def healthz(_: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def readyz(_: Request) -> Response:
        health = await _health(app)
        ready = "graph" not in health.away
        body = {"ready": ready, "degraded": sorted(health.away)} | health.details
        return JSONResponse(body, status_code=200 if ready else 503)

    async def metrics(_: Request) -> Response:
        health = await _health(app)
        up = {name: name not in health.away for name in health.details}
        return Response(exposition(up, health.jobs), media_type=CONTENT_TYPE_LATEST)

    return [Route("/healthz", healthz), Route("/readyz", readyz), Route("/metrics", metrics)]


class Gate:
    """What every request passes first: 421 to a foreign Host on a loopback server, 401 without one of the tokens.

    `/healthz` needs no token. Without tokens all are let through; without `names` any Host is.
    """

    def __init__(self, inner: ASGIApp, *, tokens: Sequence[SecretStr], names: Collection[str]) -> None:
        self._inner = inner
        self._tokens = [token.get_secret_value().encode() for token in tokens]
        self._names = frozenset(names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        await (refusal or self._inner)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "").lower()
        if self._names and re.sub(r":\d*$", "", host) not in self._names:
            message = f"This server answers to {', '.join(sorted(self._names))} only, not to {host[:80]!r}."
            return JSONResponse({"error": message, "code": "invalid_input"}, status_code=421)
        if self._tokens and scope["path"] not in _OPEN_PATHS and not self._admits(headers.get("authorization", "")):
            return JSONResponse(
                {
                    "error": "Send a valid token: Authorization: Bearer <one of REMEMBRANCER_TOKENS>.",
                    "code": "unauthorized",
                },
                status_code=401,
                headers={"WWW-Authenticate": "Bearer"},
            )
        return None

    def _admits(self, authorization: str) -> bool:
        scheme, _, given = authorization.partition(" ")
        known = [hmac.compare_digest(given.strip().encode(), token) for token in self._tokens]  # no early end
        return scheme.lower() == "bearer" and any(known)
