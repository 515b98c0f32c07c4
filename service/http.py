"""HTTP beside MCP: health, metrics, and the token that every other request needs."""

import hmac
import re
from collections.abc import Collection, Sequence
from ipaddress import ip_address
from typing import Final

from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import SecretStr
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from core.errors import InvalidInput, Unavailable
from service.app import App
from service.metrics import exposition

#: What answers without a token: whether the process is up says nothing about what it keeps.
_OPEN_PATHS: Final = frozenset({"/healthz"})
#: Names that a browser on this machine may call a loopback server by; any other is a page that rebinds its own name.
LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "[::1]")


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


def routes(app: App) -> list[Route]:
    """Return `/healthz` (the process is up), `/readyz` (the record answers) and `/metrics`."""

    async def healthz(_: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def readyz(_: Request) -> Response:
        try:
            detail = await run_in_threadpool(app.store.ping)
        except Unavailable as error:
            return JSONResponse({"ready": False, "graph": str(error)}, status_code=503)
        return JSONResponse({"ready": True, "graph": detail})

    async def metrics(_: Request) -> Response:
        jobs = await run_in_threadpool(app.store.job_counts)
        return Response(exposition(jobs.pending, jobs.failed), media_type=CONTENT_TYPE_LATEST)

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
