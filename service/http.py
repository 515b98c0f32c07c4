"""HTTP beside MCP: health, metrics, and the token that every other request needs."""

import hmac
from collections.abc import Sequence
from ipaddress import ip_address
from typing import Final

from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import SecretStr
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from core.errors import InvalidInput, Unavailable
from service.app import App
from service.metrics import exposition

#: What answers without a token: whether the process is up says nothing about what it keeps.
_OPEN_PATHS: Final = frozenset({"/healthz"})


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


class TokenGate:
    """Answers 401 to every request without one of the tokens, but `/healthz`; without tokens it lets all through."""

    def __init__(self, inner: ASGIApp, tokens: Sequence[SecretStr]) -> None:
        self._inner = inner
        self._tokens = [token.get_secret_value().encode() for token in tokens]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not self._tokens or scope["path"] in _OPEN_PATHS or self._admits(scope):
            await self._inner(scope, receive, send)
            return
        response = JSONResponse(
            {
                "error": "Send a valid token: Authorization: Bearer <one of REMEMBRANCER_TOKENS>.",
                "code": "unauthorized",
            },
            status_code=401,
            headers={"WWW-Authenticate": "Bearer"},
        )
        await response(scope, receive, send)

    def _admits(self, scope: Scope) -> bool:
        for name, value in scope["headers"]:
            if name == b"authorization" and value[:7].lower() == b"bearer ":
                given = value[7:].strip()
                return any([hmac.compare_digest(given, token) for token in self._tokens])  # noqa: C419 - no early end
        return False
