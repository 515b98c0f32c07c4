"""The gate: what every HTTP request has to show and keep to, before anything is done for it."""

import asyncio
import math
import re
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from core.errors import Unavailable
from core.interface.caller import CALLER, Caller
from service.http.attempts import Attempts
from service.http.body_deadline import BodyDeadline
from service.http.cookies import Cookies
from service.http.limits import Limits, Rates
from service.http.metrics import HTTP_REFUSALS
from service.http.tokens import Credential, Tokens

#: Paths that need no token: that the process is up reveals nothing about what is stored.
_OPEN_PATHS: Final = frozenset({"/healthz"})
#: Where the paths of the browser's API begin.
BROWSER: Final = "/api/"
#: Under which name a request carries its `Credential` on.
CREDENTIAL: Final = "remembrancer.credential"
_NO_SESSION: Final = "There is no session, or it is over: run `remembrancer browse`, or sign in with a token."
#: The caller of a server that asks for no token.
_ANYBODY: Final = Caller("open")
#: Headers with which a proxy says that a request came from elsewhere.
_FORWARDING: Final = frozenset({"forwarded", "x-forwarded-for", "x-real-ip", "via"})
#: Wrong tokens whose answers are held back at the same time; others are answered at once, and disconnected.
_MOST_HELD: Final = 300


class Gate:
    """Checks every request and sets the `CALLER` of those that pass.

    421 for a foreign Host on a loopback server, 401 without a valid token, later and later and then 429 for those who
    go on without, 429 over a token's rate, 503 with too many requests in progress, 408 for a body that does not come.
    `/healthz`, `metadata` and the `pages` of the browser need no token; below `/api/` the cookie of a session is as
    good as one. Without `tokens` every request passes; without `names` every Host does.
    """

    def __init__(
        self,
        inner: ASGIApp,
        *,
        tokens: Tokens | None,
        names: Collection[str],
        limits: Limits,
        user: Callable[[Credential], object],
        metadata: str | None = None,
        cookies: Cookies | None = None,
        pages: Collection[str] = (),
    ) -> None:
        """`user` makes of a credential what the MCP library binds sessions to.

        `metadata` is the address of this server's OAuth metadata (RFC 9728), which clients without a token are referred
        to.
        """
        self._inner = inner
        self._tokens = tokens
        self._names = frozenset(names)
        self._limits = limits
        self._user = user
        self._challenge = "Bearer" if metadata is None else f'Bearer resource_metadata="{metadata}"'
        self._open_paths = _OPEN_PATHS.union(pages, () if metadata is None else (urlsplit(metadata).path,))
        self._cookies = cookies
        self._attempts = Attempts()
        self._rates = Rates(limits.rate)
        self._held = self._in_progress = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._inner(scope, receive, send)
        elif scope["type"] == "http":
            refusal = self._reject_unknown_host(scope) or await self._serve(scope, receive, send)
            if refusal is not None:
                await refusal(scope, receive, send)

    def _reject_unknown_host(self, scope: Scope) -> Response | None:
        host = Headers(scope=scope).get("host", "").lower()
        if not self._names or re.sub(r":\d*$", "", host) in self._names:
            return None
        message = f"This server accepts the hosts {', '.join(sorted(self._names))} only, not {host[:80]!r}."
        return _refusal(421, "host", message, "invalid_input")

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> Response | None:
        """Serve a request, or return why not."""
        if scope["path"] in self._open_paths:
            await self._inner(scope, receive, send)
            return None
        if self._tokens is None:
            return await self._serve_for(_ANYBODY, _ANYBODY.name, scope, receive, send)
        secret = _secret(scope)
        try:
            credential = await self._credential(self._tokens, secret, scope)
        except Unavailable as error:
            return _refusal(503, "record", str(error), "unavailable", retry_after=5)
        if credential is None and secret is None and scope["path"].startswith(BROWSER):
            return _refusal(401, "no_session", _NO_SESSION, "unauthorized")
        if credential is None:
            return await self._unauthorized(scope, "no_token" if secret is None else "wrong_token")
        scope[CREDENTIAL] = credential
        if credential.caller.is_here and not _FORWARDING.isdisjoint(Headers(scope=scope)):
            # Sessions of the two are apart as well: a call has the caller of the request that began its session.
            there = replace(credential.caller, is_here=False)
            credential = replace(credential, caller=there, principal=f"{credential.principal} forwarded")
        scope["user"] = self._user(credential)
        return await self._serve_for(credential.caller, credential.principal, scope, receive, send)

    async def _credential(self, tokens: Tokens, secret: str | None, scope: Scope) -> Credential | None:
        if secret is not None:
            return await tokens.credential(secret)
        if self._cookies is None or not scope["path"].startswith(BROWSER):
            return None
        return await self._cookies.credential(scope)

    async def _unauthorized(self, scope: Scope, reason: str) -> Response:
        """Hold the answer back: who guesses waits, without keeping others waiting."""
        penalty = self._attempts.refuse((scope.get("client") or ("", 0))[0])
        at_once = self._held >= _MOST_HELD
        if not at_once:
            self._held += 1
            try:
                await asyncio.sleep(penalty.delay)
            finally:
                self._held -= 1
        if penalty.retry_after is not None or at_once:
            message = "Too many requests without a valid token: wait, and send a valid one."
            return _refusal(429, reason, message, "unauthorized", retry_after=penalty.retry_after or 1)
        message = "Send a valid token: Authorization: Bearer TOKEN. `remembrancer token create NAME` makes one."
        answer = _refusal(401, reason, message, "unauthorized")
        answer.headers["WWW-Authenticate"] = self._challenge
        return answer

    async def _serve_for(
        self, caller: Caller, principal: str, scope: Scope, receive: Receive, send: Send
    ) -> Response | None:
        if wait := self._rates.wait(principal):
            message = f"More than {self._limits.rate} requests in a minute: wait, or raise REMEMBRANCER_HTTP_RATE."
            return _refusal(429, "rate", message, "unavailable", retry_after=math.ceil(wait))
        is_stream = scope["method"] == "GET" and not scope["path"].startswith(BROWSER)
        if not is_stream and self._in_progress >= self._limits.requests:
            message = f"{self._limits.requests} requests are in progress: try again in a moment."
            return _refusal(503, "busy", message, "unavailable", retry_after=1)
        # Each request is a separate task with its own context. What asyncio's transports remember of it
        # reaches no other, since each sets its caller.
        CALLER.set(caller)
        self._in_progress += not is_stream
        try:
            body = BodyDeadline(receive, send, self._limits)
            await self._inner(scope, body.receive, body.send)
        finally:
            self._in_progress -= not is_stream
        return None


def _secret(scope: Scope) -> str | None:
    """Return what a request shows to be let in; None if that is nothing."""
    scheme, _, given = Headers(scope=scope).get("authorization", "").partition(" ")
    return given.strip() if scheme.lower() == "bearer" else None


def _refusal(status: int, reason: str, message: str, code: str, *, retry_after: int | None = None) -> Response:
    """Return the answer to a request that is not served; its body, if it has one, is not read."""
    HTTP_REFUSALS.labels(reason).inc()
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return _Closing({"error": message, "code": code}, status_code=status, headers=headers)


class _Closing(JSONResponse):
    """Ends the connection of a request with a body, which would otherwise be read to its end."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        if headers.get("transfer-encoding") or headers.get("content-length", "0") != "0" or self.status_code == 429:
            self.headers["Connection"] = "close"
        await super().__call__(scope, receive, send)
