"""Credentials: whose a token is, the token of the home, and the tickets and cookies of a browser."""

import asyncio
import hashlib
import hmac
import logging
import os
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic, time
from typing import Final

import anyio
from starlette.datastructures import Headers
from starlette.types import Scope

from core.dates import now
from core.errors import InvalidInput, MemoryServiceError, Unavailable
from core.interface.caller import (
    LAST_USED_STEP,
    SHORTEST,
    AccessToken,
    Caller,
    check_strength,
    hash_secret,
    make_secret,
)
from graph.atomic_file import write_atomically
from graph.protocols.administration import AccessTokens
from service.http.issuer import Issuer, is_signed, make_caller, principal_name

#: Seconds for which tokens that were read from the record count as current: a revoked one is refused after these.
FRESH_SECONDS: Final = 5.0
#: Seconds between two readings of the record: unknown tokens, of which anybody can send any number, cause no more.
_SPACING: Final = 0.25
#: Seconds that a reading may take.
_PATIENCE: Final = 3.0
#: Seconds for which known tokens are valid while the record does not answer.
_GRACE: Final = 300.0
_log = logging.getLogger("remembrancer.http")


@dataclass(frozen=True, slots=True)
class Credential:
    """A valid token: who sent it, and what tells it from another of the same name."""

    caller: Caller
    #: Sessions are bound to it.
    principal: str
    #: The digest of its secret; None for a token that an issuer signed.
    digest: str | None = None


def callers_of_settings(secrets: Sequence[str]) -> dict[str, Caller]:
    """Return the callers of the tokens in REMEMBRANCER_TOKENS; all have every right.

    Raises:
        InvalidInput: one is too short, or not of printable ASCII, as headers are.
    """
    check_strength(secrets)
    if not all(secret.isascii() and secret.isprintable() for secret in secrets):
        raise InvalidInput("A token in REMEMBRANCER_TOKENS can't be sent: use letters, digits and signs of ASCII.")
    return {secret: Caller(f"environment:{number}") for number, secret in enumerate(secrets, 1)}


class RecordTokens:
    """The tokens of the record, read again when they are old, or a secret is not among them."""

    def __init__(self, store: AccessTokens) -> None:
        self._store = store
        self._known: dict[str, AccessToken] = {}
        #: When the last reading that succeeded began, and when the last one failed, by the monotonic clock.
        self._read_at = self._failed_at = float("-inf")
        self._reading = asyncio.Lock()
        # Separate from the threads of tools, which may all be waiting.
        self._threads = anyio.CapacityLimiter(2)
        self._touching = set[asyncio.Task[None]]()

    async def find(self, digest: str) -> AccessToken | None:
        """Return the valid token with this digest; None if there is none.

        Raises:
            Unavailable: the record does not answer, and did not lately.
        """
        asked = monotonic()
        known = digest in self._known
        is_old = asked - self._read_at > FRESH_SECONDS and asked - self._failed_at > FRESH_SECONDS
        if is_old or not known:
            try:
                await asyncio.wait_for(self._read(asked), _PATIENCE)
            except (MemoryServiceError, TimeoutError) as error:
                self._failed_at = monotonic()
                if not known or asked - self._read_at > _GRACE:
                    raise Unavailable("Tokens can't be checked while the record does not answer.") from error
        token = self._known.get(digest)
        if token is None or not token.is_valid(now()):
            return None
        self._note_use(token)
        return token

    async def find_matching(self, fits: Callable[[str], bool]) -> AccessToken | None:
        """Return the valid token whose digest fits; None if there is none. Raises as `find` does."""
        digest = next(filter(fits, self._known), None)
        if digest is None:
            await self.find("")  # reads the record
            digest = next(filter(fits, self._known), None)
        return None if digest is None else await self.find(digest)

    async def _read(self, asked: float) -> None:
        """Read the record, unless a reading began after `asked`."""
        async with self._reading:
            if self._read_at >= asked:
                return
            await asyncio.sleep(max(0.0, self._read_at + _SPACING - monotonic()))
            began = monotonic()
            found = await anyio.to_thread.run_sync(self._store.tokens, limiter=self._threads, abandon_on_cancel=True)
            self._known, self._read_at = {token.digest: token for token in found}, began

    def _note_use(self, token: AccessToken) -> None:
        moment = now()
        if token.last_used is not None and moment - token.last_used < LAST_USED_STEP:
            return
        self._known[token.digest] = replace(token, last_used=moment)

        async def touch() -> None:
            try:
                await anyio.to_thread.run_sync(self._store.touch_token, token.digest, moment, limiter=self._threads)
            except MemoryServiceError as error:
                _log.debug("The use of token %s was not noted: %s", token.name, error)

        task = asyncio.get_running_loop().create_task(touch())
        self._touching.add(task)
        task.add_done_callback(self._touching.discard)


class Tokens:
    """All tokens that a server accepts: from its settings, from the record, and signed by an issuer."""

    def __init__(self, given: Mapping[str, Caller], store: AccessTokens, issuer: Issuer | None = None) -> None:
        """`given` has the caller of each secret."""
        self._given = {hash_secret(secret): caller for secret, caller in given.items()}
        self._record = RecordTokens(store)
        self._issuer = issuer

    async def credential(self, secret: str) -> Credential | None:
        """Return the credential of a secret; None if it is unknown.

        What is compared are hashes, so the time that it takes tells nothing of the secrets.

        Raises:
            Unavailable: the record, or the issuer, is needed and does not answer.
        """
        digest = hash_secret(secret)
        if (caller := self._given.get(digest)) is not None:
            return Credential(caller, digest, digest)
        if self._issuer is not None and is_signed(secret):
            signed = await self._issuer.verify_token(secret)
            caller = None if signed is None else make_caller(signed)
            return None if caller is None else Credential(caller, principal_name(caller))
        token = await self._record.find(digest)
        return None if token is None else Credential(token.caller(), digest, digest)

    async def find_matching(self, fits: Callable[[str], bool]) -> Credential | None:
        """Return the credential of the secret with a matching digest; None if there is none. Raises as `credential`
        does."""
        for digest, caller in self._given.items():
            if fits(digest):
                return Credential(caller, digest, digest)
        token = await self._record.find_matching(fits)
        return None if token is None else Credential(token.caller(), token.digest, token.digest)


_NAME: Final = "http.token"
#: Rights that nobody else may have; Windows knows none of these, and says that all have them.
_OTHERS: Final = 0o077 if os.name == "posix" else 0


def token_path(home: Path) -> Path:
    """Return where the home keeps its token."""
    return home / _NAME


def load_home_token(home: Path) -> str:
    """Return the token of a home; the first call makes it, with mode 0600.

    One that other users may have read is replaced.

    Raises:
        Unavailable: the file can't be read or written.
    """
    path = token_path(home)
    try:
        if path.is_file():
            kept = path.read_text(encoding="utf-8").strip()
            if not path.stat().st_mode & _OTHERS and len(kept) >= SHORTEST:
                return kept
            _log.warning("Made a new token: %s was readable by others, or was not whole.", path)
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
    except (OSError, UnicodeDecodeError) as error:
        raise Unavailable(
            f"The token {str(path)!r} can't be read ({error}): check its permissions, or remove it."
        ) from error
    secret = make_secret()
    with write_atomically(path) as part:
        part.write_text(f"{secret}\n", encoding="utf-8")
    return secret


#: Seconds for which a ticket is good: a browser may have to be started.
TICKET_SECONDS: Final = 120.0


class Tickets:
    """The tickets that were issued in this process and not used yet; thread-safe."""

    def __init__(self, credential: Credential) -> None:
        """A ticket begins a session with this credential."""
        self._credential = credential
        self._until: dict[str, float] = {}
        self._lock = threading.Lock()

    def issue(self) -> str:
        """Return a new ticket."""
        ticket, moment = secrets.token_urlsafe(32), monotonic()
        with self._lock:
            self._until = {one: until for one, until in self._until.items() if until > moment}
            self._until[ticket] = moment + TICKET_SECONDS
        return ticket

    def take(self, ticket: str) -> Credential | None:
        """Redeem a ticket; return None if it is unknown, was used, or is too old."""
        with self._lock:
            until = self._until.pop(ticket, None)
        return self._credential if until is not None and until > monotonic() else None


#: Seconds that a session lasts.
SESSION_SECONDS: Final = 12 * 3_600


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
        until = str(int(time()) + SESSION_SECONDS)
        value = ".".join((_name_of(credential.digest), until, _signature(credential.digest, until)))
        return _header(scope, value, SESSION_SECONDS)

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
