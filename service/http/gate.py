"""The gate: what every HTTP request has to show and keep to, before anything is done for it."""

import asyncio
import json
import logging
import math
import re
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from ipaddress import IPv6Address, ip_address
from time import monotonic
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.errors import Unavailable
from core.interface.caller import CALLER, Caller
from service.http.credentials import Cookies, Credential, Tokens
from service.http.health import HTTP_REFUSALS
from service.http.limits import Limits, Rates

#: Seconds without a wrong token after which an address has a clean record.
_WINDOW: Final = 60.0
#: Wrong tokens in a window after which the answer is 429.
_MOST: Final = 20
#: The delay of the first answer, in seconds; each doubles it, up to the longest.
_FIRST_DELAY: Final = 0.1
_LONGEST_DELAY: Final = 5.0
#: Addresses that are remembered: about a megabyte.
_ADDRESSES: Final = 10_000
#: Seconds between two lines of the log.
_LOG_SPACING: Final = 1.0
_log = logging.getLogger("remembrancer.http")


@dataclass(frozen=True, slots=True)
class Penalty:
    """How to answer a wrong token: after so many seconds, and whether there were too many."""

    delay: float
    #: Seconds after which it makes sense to come back; None unless there were too many.
    retry_after: int | None


class Attempts:
    """Wrong tokens of the last minute, by address."""

    def __init__(self) -> None:
        self._seen = OrderedDict[str, tuple[int, float]]()
        self._logged_at = float("-inf")
        self._unlogged = 0

    def refuse(self, address: str) -> Penalty:
        """Count a wrong token from an address and return what follows."""
        moment, source = monotonic(), _network(address)
        count, last = self._seen.pop(source, (0, moment))
        count = 1 if moment - last > _WINDOW else count + 1
        self._seen[source] = (count, moment)
        if len(self._seen) > _ADDRESSES:
            self._seen.popitem(last=False)
        self._log(source, count, moment)
        delay = min(_FIRST_DELAY * 2.0 ** min(count - 1, 16), _LONGEST_DELAY)
        return Penalty(delay, round(_WINDOW) if count > _MOST else None)

    def _log(self, source: str, count: int, moment: float) -> None:
        """Log a line, at most one a second: never what was sent, which may be the token of another service."""
        self._unlogged += 1
        if moment - self._logged_at >= _LOG_SPACING:
            _log.warning(
                "Refused a request without a valid token from %s, %d lately; %d of all addresses since the last line.",
                source, count, self._unlogged,
            )  # fmt: skip
            self._logged_at, self._unlogged = moment, 0


def _network(address: str) -> str:
    """Return the address, or the /64 of IPv6, of which each customer has billions of addresses."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address[:64]
    return f"{IPv6Address(int(parsed) >> 64 << 64)}/64" if isinstance(parsed, IPv6Address) else str(parsed)


class BodyDeadline:
    """The channels of one request, which answer 408 in place of the application when the body does not come in time."""

    def __init__(self, receive: Receive, send: Send, limits: Limits) -> None:
        self._receive, self._send = receive, send
        self._pause = limits.seconds
        self._until = monotonic() + limits.body_seconds
        self._is_whole = self._is_answered = self._is_late = False

    async def receive(self) -> Message:
        """Return the next part of the body, or that the client is gone: also when its time is up."""
        if self._is_late:
            return {"type": "http.disconnect"}
        if self._is_whole:
            return await self._receive()
        try:
            message = await asyncio.wait_for(self._receive(), min(self._pause, max(0.0, self._until - monotonic())))
        except TimeoutError:
            await self._refuse()
            return {"type": "http.disconnect"}
        self._is_whole = message["type"] != "http.request" or not message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        """Send a part of the answer, unless the client was already answered 408."""
        if not self._is_late:
            self._is_answered = True
            await self._send(message)

    async def _refuse(self) -> None:
        self._is_late = True
        HTTP_REFUSALS.labels("slow_body").inc()
        if self._is_answered:
            return
        said = {"error": "The body of the request did not come in time: send it again.", "code": "unavailable"}
        headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
        await self._send({"type": "http.response.start", "status": 408, "headers": headers})
        await self._send({"type": "http.response.body", "body": json.dumps(said).encode()})


#: Paths that need no token: that the process is up reveals nothing about what is stored.
_OPEN_PATHS: Final = frozenset({"/healthz"})
#: Where the paths of the browser's API begin.
BROWSER: Final = "/api/"
#: Under which name a request carries its `Credential` on.
CREDENTIAL: Final = "remembrancer.credential"
_NO_SESSION: Final = "There is no session, or it is over: run `remembrancer browse`, or sign in with a token."
#: The caller of a server that asks for no token, and one who is about to sign in, and may use nothing yet.
_ANYBODY: Final = Caller("open")
_STRANGER: Final = Caller("sign-in", frozenset(), read_only=True)
#: Requests for signing in that come from one address in a minute.
_SIGN_IN_RATE: Final = 60
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
        sign_in: Collection[str] = (),
    ) -> None:
        """`user` makes of a credential what the MCP library binds sessions to.

        `metadata` is the address of this server's OAuth metadata (RFC 9728), which clients without a token are referred
        to. The paths of `sign_in` are open to all, within a rate.
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
        self._sign_in, self._sign_in_rates = frozenset(sign_in), Rates(_SIGN_IN_RATE)
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
        if scope["path"] in self._sign_in:
            if wait := self._sign_in_rates.wait(_network((scope.get("client") or ("", 0))[0])):
                message = "Too many requests to sign in: wait a minute."
                return _refusal(429, "rate", message, "unavailable", retry_after=math.ceil(wait))
            return await self._serve_for(_STRANGER, _STRANGER.name, scope, receive, send)
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
