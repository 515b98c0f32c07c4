"""Caller: on whose behalf something is done and what they may do, and access tokens, which show it over HTTP."""

import hashlib
import secrets
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from core.errors import Forbidden, InvalidInput
from core.regex import regex


@dataclass(frozen=True, slots=True)
class Caller:
    """A client: one of this machine, or one that sent a token over HTTP."""

    #: The name that the audit trail gives: the token's, or `local`.
    name: str
    #: The projects that may be read and written; every project with None.
    projects: frozenset[str] | None = None
    #: Whether nothing may be changed.
    read_only: bool = False
    #: What program it is, as far as it says so, for the audit trail: its name over MCP, or the command of the shell.
    client: str | None = None
    #: Whether the folders that it names are on this machine, and its user may read the home's files.
    is_here: bool = False

    def may_use(self, project_id: str) -> bool:
        """Whether this project is open to the caller."""
        return self.projects is None or project_id in self.projects

    def check_project(self, project_id: str) -> None:
        """Check that a project is open to the caller; an error does not reveal whether it exists.

        Raises:
            Forbidden: it is not open.
        """
        if not self.may_use(project_id):
            raise Forbidden(f"Project {project_id!r} is not open to token {self.name!r}: use one of its projects.")

    def check_write(self, what: str) -> None:
        """Check that the caller may change something; `what` names the tool.

        Raises:
            Forbidden: the caller may only read.
        """
        if self.read_only:
            raise Forbidden(f"Token {self.name!r} is read-only, and {what} writes: use another token.")


#: A client of this machine: any user who can read the home's files has every right.
LOCAL: Final = Caller("local", is_here=True)

#: Whose request this thread or task works on; each transport sets it.
CALLER: Final = ContextVar("remembrancer_caller", default=LOCAL)
#: The notice for a client whose settings the owner does not have; None if it has them.
CLIENT_NOTICE: ContextVar[str | None] = ContextVar("client_notice", default=None)


@contextmanager
def act_as(caller: Caller) -> Iterator[None]:
    """Act on behalf of this caller within the block."""
    token = CALLER.set(caller)
    try:
        yield
    finally:
        CALLER.reset(token)


#: Fewest characters of a token that somebody thought up: guessing one has to be hopeless.
SHORTEST: Final = 32
#: `last_used` is renewed when it is older than this: a token in constant use costs the record a write an hour.
LAST_USED_STEP: Final = timedelta(hours=1)
_NAME: Final = regex(r"[A-Za-z0-9._-]{1,64}")
#: Names of callers that are not tokens.
_RESERVED: Final = frozenset({"local", "open", "environment", "retention", "sign-in"})


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessToken:
    """One token as the record keeps it. The secret itself is nowhere."""

    #: 1 to 64 of `A-Za-z0-9._-`; unique.
    name: str
    #: Of the secret: see `hash_secret`.
    digest: str
    #: The projects that are open to it, sorted; every project with None.
    projects: tuple[str, ...] | None = None
    read_only: bool = False
    created_at: datetime
    expires_at: datetime | None = None
    #: When it was last used, within `LAST_USED_STEP`; None if never.
    last_used: datetime | None = None

    def is_valid(self, at: datetime) -> bool:
        """Whether it has not expired."""
        return self.expires_at is None or at < self.expires_at

    def caller(self) -> Caller:
        """Return who asks with it."""
        return Caller(self.name, None if self.projects is None else frozenset(self.projects), self.read_only)


def make_secret() -> str:
    """Return a new secret: 256 random bits, in the characters that a header and a shell take as they are."""
    return f"rmb_{secrets.token_urlsafe(32)}"


def hash_secret(secret: str) -> str:
    """Return the SHA-256 of a secret in hex.

    A slow hash protects passwords, of which there are few enough to try; of 256 random bits there are not.
    """
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def check_token_name(name: str) -> str:
    """Return `name` if a token may be called that.

    Raises:
        InvalidInput: it may not.
    """
    if not _NAME.fullmatch(name):
        raise InvalidInput(f"Token name {name[:80]!r} is not valid: use 1 to 64 letters, digits, dots, _ or -.")
    if name.lower() in _RESERVED:
        raise InvalidInput(f"Token name {name!r} is taken by the service itself: choose another.")
    return name


def check_strength(given: Collection[str]) -> None:
    """Check tokens that somebody thought up.

    Raises:
        InvalidInput: one is short enough to be guessed.
    """
    if any(len(secret) < SHORTEST for secret in given):
        raise InvalidInput(
            f"A token in REMEMBRANCER_TOKENS has fewer than {SHORTEST} characters and could be guessed: make one with "
            "`openssl rand -hex 32`, or use `remembrancer token create NAME`."
        )
