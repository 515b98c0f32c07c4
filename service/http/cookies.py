"""Cookies: a browser's session. It has the rights of the token that began it, and ends with that or after 12 hours.

The server keeps nothing of it: a cookie names its token by a digest and is signed with another, so that any replica
knows it, also after a restart. Whoever steals one can't tell the token, nor make another cookie of it.
"""

import hashlib
import hmac
from collections.abc import Mapping
from time import time
from typing import Final

from starlette.datastructures import Headers
from starlette.types import Scope

from core.errors import InvalidInput
from service.http.tokens import Credential, Tokens

#: Seconds that a session lasts.
LASTS: Final = 12 * 3_600


class Cookies:
    """Makes and reads the cookies of the browsers that a server lets in."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    def begin_session(self, scope: Scope, credential: Credential) -> str:
        """Return the header `Set-Cookie` that begins a session.

        Raises:
            InvalidInput: the credential is signed by an issuer, and can't be found again by a cookie.
        """
        if credential.digest is None:
            raise InvalidInput("A signed token begins no session: make one with `remembrancer token create NAME`.")
        until = str(int(time()) + LASTS)
        value = ".".join((_name_of(credential.digest), until, _signature(credential.digest, until)))
        return _header(scope, value, LASTS)

    def end_session(self, scope: Scope) -> str:
        """Return the header `Set-Cookie` that ends a session."""
        return _header(scope, "", 0)

    async def credential(self, scope: Scope) -> Credential | None:
        """Return whose session a request belongs to; None if it has none, or one that is over.

        Raises:
            Unavailable: the record is needed and does not answer.
        """
        name, until, signature = _parts(read_cookie(scope))
        if not until.isascii() or not until.isdigit() or len(until) > 12 or int(until) < time():
            return None
        credential = await self._tokens.find_matching(lambda digest: hmac.compare_digest(_name_of(digest), name))
        if credential is None or credential.digest is None:
            return None
        expected = _signature(credential.digest, until)
        return credential if hmac.compare_digest(expected.encode(), signature.encode()) else None


def read_cookie(scope: Scope) -> str | None:
    """Return the value of the cookie that a request carries; None if it has none."""
    headers = Headers(scope=scope)
    wanted = _cookie_name(headers)
    # Other programs at this host set cookies of any form, and of this name too: the one for the longest path is first.
    pairs = (pair.partition("=") for header in headers.getlist("cookie") for pair in header.split(";"))
    return next((value.strip() for name, _, value in pairs if name.strip() == wanted), None)


def _parts(value: str | None) -> tuple[str, str, str]:
    parts = (value or "").split(".")
    return (parts[0], parts[1], parts[2]) if len(parts) == 3 and parts[0].isascii() else ("", "", "")


def _name_of(digest: str) -> str:
    """Return what a cookie calls a token: nothing that the signature could be made of."""
    return hashlib.sha256(f"browser/{digest}".encode()).hexdigest()[:32]


def _signature(digest: str, until: str) -> str:
    return hmac.new(digest.encode(), until.encode(), hashlib.sha256).hexdigest()


def _cookie_name(headers: Mapping[str, str]) -> str:
    """Return a name for this port: browsers send a cookie to every port of a host."""
    port = headers.get("host", "").rpartition(":")[2]
    return f"remembrancer-{port}" if port.isdigit() else "remembrancer"


def _header(scope: Scope, value: str, seconds: int) -> str:
    secure = "; Secure" if scope.get("scheme") == "https" else ""
    name = _cookie_name(Headers(scope=scope))
    return f"{name}={value}; Max-Age={seconds}; Path=/api/; HttpOnly; SameSite=Strict{secure}"
