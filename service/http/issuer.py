"""Issuer: an identity provider whose signed tokens (JWT) say who asks, what they may do, and the keys it publishes."""

import asyncio
import json
import logging
from time import monotonic
from typing import Final

from jwt import PyJWK, PyJWT, PyJWTError, get_unverified_header
from mcp.server.auth.provider import AccessToken, TokenVerifier

from core.errors import Unavailable
from core.interface.caller import Caller, hash_secret

#: Algorithms of signatures that are accepted. With none or with a shared secret anybody could sign.
ALGORITHMS: Final = ("RS256", "ES256")
#: Seconds after which keys are read again.
_FRESH_SECONDS: Final = 300.0
#: Seconds between two readings: tokens that name unknown keys, of which anybody can send any number, cause no more.
_SPACING: Final = 10.0
#: Seconds that a reading may take.
_PATIENCE: Final = 5.0
#: Seconds for which keys are used while their address does not answer.
_GRACE: Final = 3_600.0
#: Most bytes and most keys that are read.
_LARGEST, _MOST_KEYS = 256 * 1024, 100
_log = logging.getLogger("remembrancer.http")


class PublishedKeys:
    """The keys at an address (a JSON Web Key Set), by their ids."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._known: dict[str, PyJWK] = {}
        #: When the last reading that succeeded ended, and when the last one began, by the monotonic clock.
        self._read_at = self._tried_at = float("-inf")
        self._failed = False
        self._reading = asyncio.Lock()

    async def find(self, key_id: str) -> PyJWK | None:
        """Return the key with this id; None if the issuer has none.

        Raises:
            Unavailable: the address does not answer, and did not lately.
        """
        asked = monotonic()
        known = key_id in self._known
        if not known or (asked - self._read_at > _FRESH_SECONDS and not self._reading.locked()):
            await self._read(asked)
            if self._failed and (not known or asked - self._read_at > _GRACE):
                raise Unavailable("Tokens can't be checked while the keys of their issuer can't be read.")
        return self._known.get(key_id)

    async def count(self) -> int:
        """Return how many keys are published now that can check a signature.

        Raises:
            Unavailable: they can't be read; the message says why.
        """
        try:
            return len(await self._published())
        except (OSError, ValueError, RecursionError) as error:
            raise Unavailable(f"The keys at {self._address} can't be read: {_said(error)}.") from error

    async def _read(self, asked: float) -> None:
        """Read the keys, unless that was tried just now, or after `asked`."""
        async with self._reading:
            if monotonic() - self._tried_at < _SPACING or self._read_at >= asked:
                return
            self._tried_at = monotonic()
            try:
                self._known = await self._published()
            except (OSError, ValueError, RecursionError) as error:
                self._failed = True
                _log.warning("The keys at %s can't be read: %s", self._address, _said(error))
            else:
                self._failed, self._read_at = False, monotonic()

    async def _published(self) -> dict[str, PyJWK]:
        async with asyncio.timeout(_PATIENCE):
            return _keys_in(await self._fetch())

    async def _fetch(self) -> bytes:
        """Return what is at the address. Redirects are not followed: they could lead to where nothing is encrypted.

        Raises:
            OSError: it does not answer.
            ValueError: it answers with too much.
        """
        import httpx  # takes 60 ms, and most servers have no issuer

        body = bytearray()
        try:
            async with httpx.AsyncClient(timeout=_PATIENCE) as client, client.stream("GET", self._address) as answer:
                answer.raise_for_status()
                async for part in answer.aiter_bytes():
                    body += part
                    if len(body) > _LARGEST:
                        raise ValueError(f"more than {_LARGEST} bytes")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ConnectionError(str(error) or type(error).__name__) from error
        return bytes(body)


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__


def _keys_in(body: bytes) -> dict[str, PyJWK]:
    """Return the public keys of a key set that can verify with one of `ALGORITHMS`.

    Raises:
        ValueError: it is no key set.
    """
    document = json.loads(body)
    listed = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(listed, list):
        raise ValueError("not a JSON Web Key Set")
    found: dict[str, PyJWK] = {}
    for entry in listed[:_MOST_KEYS]:
        if not isinstance(entry, dict) or not isinstance(key_id := entry.get("kid"), str) or "d" in entry:
            continue
        if entry.get("use", "sig") != "sig" or entry.get("alg") not in (None, *ALGORITHMS):
            continue
        try:
            key = PyJWK(entry)
        except PyJWTError:
            continue
        if key.algorithm_name in ALGORITHMS:
            found[key_id] = key
    return found


#: Prefix of a subject that is used as a caller's name: names of tokens have no colon.
_PREFIX: Final = "jwt:"
#: The claim that lists the projects; without it no project is accessible.
PROJECTS_CLAIM: Final = "remembrancer_projects"
#: The scope without which a token only reads.
WRITE_SCOPE: Final = "memory:write"
#: Seconds by which clocks may differ.
_LEEWAY: Final = 10
_LONGEST_SUBJECT: Final = 200
_decoder: Final = PyJWT({"require": ["exp", "iss", "aud", "sub"], "enforce_minimum_key_length": True})


class Issuer(TokenVerifier):
    """The one issuer that a server trusts, with the keys that it publishes."""

    def __init__(self, name: str, audience: str, keys: PublishedKeys) -> None:
        """`name` and `audience` are the claims `iss` and `aud` that tokens must have."""
        self.name = name
        self.audience = audience
        self._keys = keys

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return what a token says; None unless it is signed by the issuer, for this audience, and has not expired.

        Raises:
            Unavailable: the keys of the issuer can't be read.
        """
        try:
            key_id = get_unverified_header(token).get("kid")
            key = await self._keys.find(key_id) if isinstance(key_id, str) else None
            if key is None:
                return None
            claims = _decoder.decode(
                token, key, algorithms=ALGORITHMS, audience=self.audience, issuer=self.name, leeway=_LEEWAY
            )
        except (PyJWTError, ValueError, OverflowError, RecursionError):
            return None
        return AccessToken(
            token="",  # nothing needs it again
            client_id=str(claims.get("client_id", claims["sub"])),
            scopes=_words(claims.get("scope")),
            expires_at=int(claims["exp"]),
            resource=self.audience,
            subject=claims["sub"],
            claims=claims,
        )


def make_caller(token: AccessToken) -> Caller | None:
    """Return who asks with a verified token; None if its subject is no name.

    The projects are those listed, none without a list; what may be changed needs the scope for it.
    """
    subject = token.subject or ""
    if not subject or len(subject) > _LONGEST_SUBJECT or not subject.isprintable():
        return None
    listed = (token.claims or {}).get(PROJECTS_CLAIM)
    projects = (
        frozenset(one for one in listed if isinstance(one, str)) if isinstance(listed, list) else frozenset[str]()
    )
    return Caller(f"{_PREFIX}{subject}", projects, read_only=WRITE_SCOPE not in token.scopes)


def principal_name(caller: Caller) -> str:
    """Return what sessions of a caller are bound to: a new token continues them if it gives the same rights."""
    return hash_secret(json.dumps([caller.name, sorted(caller.projects or ()), caller.read_only]))


def is_signed(secret: str) -> bool:
    """Whether a secret has the form of a signed token; those that `token create` makes have no dots."""
    return secret.count(".") == 2


def _words(claim: object) -> list[str]:
    return claim.split() if isinstance(claim, str) else []
