"""Issuer: an identity provider whose signed tokens (JWT) say who asks, and what they may do."""

import json
from typing import Final

from jwt import PyJWT, PyJWTError, get_unverified_header
from mcp.server.auth.provider import AccessToken, TokenVerifier

from core.interface.access_token import hash_secret
from core.interface.caller import Caller
from service.http.published_keys import ALGORITHMS, PublishedKeys

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
