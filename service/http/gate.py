"""The gate: what every HTTP request has to show, a token and the right host."""

import hmac
import re
from collections.abc import Collection, Sequence
from typing import Final

from pydantic import SecretStr
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

#: Paths that need no token: that the process is up reveals nothing about what is stored.
_OPEN_PATHS: Final = frozenset({"/healthz"})


class Gate:
    """Checks every request: 421 for a foreign Host on a loopback server, 401 without a valid token.

    `/healthz` needs no token. Without tokens every request passes; without `names` every Host does.
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
            message = f"This server accepts the hosts {', '.join(sorted(self._names))} only, not {host[:80]!r}."
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
        known = [hmac.compare_digest(given.strip().encode(), token) for token in self._tokens]  # constant time
        return scheme.lower() == "bearer" and any(known)
