"""Sign-in: an authorization server (OAuth 2.1) for the one who owns the memory, of the MCP library's own parts.

Clients such as claude.ai and ChatGPT register themselves, send their user to a page, and get an access token that lasts
an hour, and a refresh token that is replaced with each use. On the page one signs in with a token of the memory, whose
rights the client gets: no client has more than some token, and to revoke that ends what it let in.
"""

import base64
import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from time import time
from typing import Final, Protocol, TypeVar

import anyio
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    AuthorizeError,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    RegistrationError,
    TokenError,
    construct_redirect_uri,
)
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyUrl, TypeAdapter, ValidationError

from core.dates import now
from core.errors import InvalidInput, Unavailable
from core.interface.caller import AccessToken as StoredToken
from core.interface.caller import hash_secret, make_secret
from graph.protocols.administration import AccessTokens
from service.http.credentials import Credential
from service.http.limits import is_loopback

#: The only scope: which projects, and whether to write, follows from the token that one signs in with.
SCOPE: Final = "memory"
#: How long an access token and an unused refresh token last.
ACCESS: Final = timedelta(hours=1)
REFRESH: Final = timedelta(days=90)
#: Seconds that a code and the page of a request are good for.
CODE_SECONDS, PAGE_SECONDS = 60, 600
#: Most clients, most sign-ins, and most codes at a time.
MOST_CLIENTS, MOST_GRANTS, _MOST_CODES = 100, 200, 200
#: Most redirect addresses of a client, and characters of one, of a name, and of a state.
_MOST_ADDRESSES, _LONGEST_ADDRESS, _LONGEST_NAME, _LONGEST_STATE = 10, 2_000, 80, 2_000
#: The note of the record that has clients and sign-ins; of secrets it has hashes, and the key that signs requests.
_NOTE: Final = "sign_in"
#: How often a change is tried that others get in the way of.
_TRIES: Final = 50
_CHALLENGE: Final = re.compile(r"[A-Za-z0-9_-]{43,128}")
_REFRESH: Final = re.compile(r"rmr_([0-9a-f]{16})\.[A-Za-z0-9_-]{43}")
#: Schemes of addresses that no program but a browser or a system opens.
_NEVER: Final = frozenset({"javascript", "data", "file", "blob", "about", "vbscript", "ftp", "ws", "wss", "mailto"})
#: Separate from the threads of tools, which may all be waiting.
_THREADS: Final = anyio.CapacityLimiter(4)


class Notes(AccessTokens, Protocol):
    """What is asked of the record."""

    def metadata_value(self, name: str) -> str | None: ...

    def compare_and_set(self, name: str, value: str, *, instead_of: str | None = None) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Client:
    """A registered client."""

    redirect_uris: list[str]
    name: str
    method: str
    at: float


@dataclass(frozen=True, slots=True)
class Rights:
    """What somebody let a client do, and by which token."""

    by: str
    projects: list[str] | None = None
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class Code:
    """An authorization code; the grant that it was exchanged for, if it was."""

    client_id: str
    redirect_uri: str
    explicit: bool
    challenge: str
    resource: str | None
    rights: Rights
    until: float
    grant: str | None = None


@dataclass(frozen=True, slots=True)
class Grant:
    """A sign-in: the name of its access token in the record, the hash of its refresh token, and until when that is
    good."""

    client_id: str
    token: str
    refresh: str
    rights: Rights
    until: float


@dataclass(frozen=True, slots=True)
class State:
    """All that is kept."""

    key: str
    clients: dict[str, Client] = field(default_factory=dict)
    codes: dict[str, Code] = field(default_factory=dict)
    grants: dict[str, Grant] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Request:
    """What a client asks the user for, as the page carries it."""

    client_id: str
    redirect_uri: str
    explicit: bool
    challenge: str
    state: str | None
    resource: str | None
    until: float


_STATE: Final = TypeAdapter(State)
_REQUEST: Final = TypeAdapter(Request)
_URL: Final = TypeAdapter(AnyUrl)
Made = TypeVar("Made")


class _KnownClient(OAuthClientInformationFull):
    """A client that gets the only scope whatever it asks for, as RFC 6749 (3.3) allows."""

    def validate_scope(self, requested_scope: str | None) -> list[str] | None:  # noqa: ARG002
        return [SCOPE]


class SignIn(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """Clients, codes and sign-ins, kept in the record, so that any replica knows them. Fulfils the library's protocol
    of a provider."""

    def __init__(
        self, address: str, notes: Notes, find: Callable[[Callable[[str], bool]], Awaitable[Credential | None]]
    ) -> None:
        """`address` is where the service is reached, `find` looks for a valid token by its digest."""
        self.address, self._notes, self._find = address, notes, find

    @property
    def resource(self) -> str:
        """What tokens are for."""
        return f"{self.address}/mcp"

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        state = await self._read()
        client = state.clients.get(client_id)
        if client is None:
            return None
        return _KnownClient(
            client_id=client_id,
            client_secret=None if client.method == "none" else _signed(state, client_id),
            redirect_uris=[_URL.validate_python(one) for one in client.redirect_uris],
            token_endpoint_auth_method=client.method,
            client_name=client.name,
            scope=SCOPE,
        )

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        addresses = [str(one) for one in client_info.redirect_uris or ()]
        if not addresses or len(addresses) > _MOST_ADDRESSES or not all(map(_may_return_to, addresses)):
            raise RegistrationError(
                "invalid_redirect_uri",
                f"Give 1 to {_MOST_ADDRESSES} addresses: https, http on this machine, or a scheme of the program.",
            )
        name = " ".join("".join(filter(str.isprintable, client_info.client_name or "")).split())[:_LONGEST_NAME]
        method = client_info.token_endpoint_auth_method or "none"
        known = Client(addresses, name or "A program without a name", method, time())

        def add(state: State) -> State:
            used = {one.client_id for one in state.grants.values()} | {one.client_id for one in state.codes.values()}
            idle = sorted((one.at, id_) for id_, one in state.clients.items() if id_ not in used)
            going = {id_ for _, id_ in idle[: max(0, len(state.clients) + 1 - MOST_CLIENTS)]}
            if len(state.clients) - len(going) >= MOST_CLIENTS:
                raise RegistrationError("invalid_client_metadata", "There are too many clients: revoke some.")
            kept = {id_: one for id_, one in state.clients.items() if id_ not in going}
            return replace(state, clients=kept | {client_info.client_id: known})

        state = await self._changed(add)
        client_info.scope = SCOPE
        client_info.client_name = known.name
        if client_info.client_secret is not None:  # the record keeps none: it is made of the key
            client_info.client_secret = _signed(state, client_info.client_id)

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        if (params.resource or self.resource).rstrip("/") not in {self.resource, self.address}:
            raise AuthorizeError("invalid_target", f"Tokens of this server are for {self.resource}.")
        if not _CHALLENGE.fullmatch(params.code_challenge):
            raise AuthorizeError("invalid_request", "code_challenge is no SHA-256 in base64url.")
        if len(params.state or "") > _LONGEST_STATE:
            raise AuthorizeError("invalid_request", f"state has over {_LONGEST_STATE:,} characters.")
        asked = Request(
            client.client_id, str(params.redirect_uri), params.redirect_uri_provided_explicitly, params.code_challenge,
            params.state, params.resource, time() + PAGE_SECONDS,
        )  # fmt: skip
        text = base64.urlsafe_b64encode(json.dumps(asdict(asked)).encode()).decode()
        return f"{self.address}/sign-in?request={text}.{_signed(await self._read(), text)}"

    async def request(self, text: str) -> tuple[Request, Client]:
        """Return what the page was opened for, and by which client.

        Raises:
            InvalidInput: this server did not write it, or too long ago.
        """
        body, _, signature = text.rpartition(".")
        state = await self._read()
        again = "begin again in the program that sent you here."
        if not hmac.compare_digest(_signed(state, body).encode(), signature.encode("utf-8", "replace")):
            raise InvalidInput(f"This address is not whole: {again}")
        asked = _REQUEST.validate_json(base64.urlsafe_b64decode(body))
        client = state.clients.get(asked.client_id)
        if client is None or asked.until < time():
            raise InvalidInput(f"This page was open for too long: {again}")
        return asked, client

    async def allow(self, asked: Request, credential: Credential) -> str:
        """Return where to send the user who let the client in with this credential."""
        if credential.digest is None:
            raise InvalidInput("A signed token lets nobody in: make one with `remembrancer token create NAME`.")
        caller, code = credential.caller, secrets.token_urlsafe(32)
        projects = None if caller.projects is None else sorted(caller.projects)
        made = Code(
            asked.client_id, asked.redirect_uri, asked.explicit, asked.challenge, asked.resource,
            Rights(credential.digest, projects, caller.read_only), time() + CODE_SECONDS,
        )  # fmt: skip

        def add(state: State) -> State:
            codes = {id_: one for id_, one in state.codes.items() if one.until > time() - CODE_SECONDS}
            if len(codes) >= _MOST_CODES:
                raise Unavailable("Too many sign-ins at a time: try again in a minute.")
            return replace(state, codes=codes | {hash_secret(code): made})

        await self._changed(add)
        return self._back(asked, code=code)

    def deny(self, asked: Request) -> str:
        """Return where to send the user who did not let the client in."""
        return self._back(asked, error="access_denied")

    def _back(self, asked: Request, **said: str) -> str:
        return construct_redirect_uri(asked.redirect_uri, **said, state=asked.state, iss=self.address)

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        code = (await self._read()).codes.get(hash_secret(authorization_code))
        if code is None or code.client_id != client.client_id:
            return None
        if code.grant is not None:  # somebody has it besides the client
            await self._revoke(code.grant)
            return None
        return AuthorizationCode(
            code=authorization_code,
            scopes=[SCOPE],
            expires_at=code.until,
            client_id=code.client_id,
            code_challenge=code.challenge,
            redirect_uri=_URL.validate_python(code.redirect_uri),
            redirect_uri_provided_explicitly=code.explicit,
            resource=code.resource,
        )

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        digest, id_ = hash_secret(authorization_code.code), secrets.token_hex(8)
        refresh = _refresh_secret(id_)
        going: list[str] = []

        def take(state: State) -> State:
            code = state.codes.get(digest)
            if code is None or code.grant is not None:
                raise TokenError("invalid_grant", "authorization code does not exist")
            name = state.clients[client.client_id].name if client.client_id in state.clients else "client"
            token = f"{re.sub(r'[^A-Za-z0-9._-]+', '-', name).strip('-')[:40] or 'client'}-{id_}"
            made = Grant(client.client_id, token, hash_secret(refresh), code.rights, time() + REFRESH.total_seconds())
            newest = sorted(state.grants.items(), key=lambda one: -one[1].until)
            kept = dict([one for one in newest if one[1].until > time()][: MOST_GRANTS - 1])
            going[:] = [one.token for one in state.grants.values() if one not in kept.values()]
            return replace(state, codes=state.codes | {digest: replace(code, grant=id_)}, grants=kept | {id_: made})

        grant = (await self._changed(take)).grants[id_]
        for token in going:
            await self._run(partial(self._notes.remove_token, token))
        return await self._issued(grant, refresh)

    async def load_refresh_token(self, client: OAuthClientInformationFull, refresh_token: str) -> RefreshToken | None:
        found = _REFRESH.fullmatch(refresh_token)
        grant = None if found is None else (await self._read()).grants.get(found[1])
        if found is None or grant is None or grant.client_id != client.client_id:
            return None
        names = {token.name for token in await self._run(self._notes.tokens)}
        is_replayed = not hmac.compare_digest(grant.refresh, hash_secret(refresh_token))
        # One that was used already is in other hands; one whose access token was revoked by name ends, too.
        if is_replayed or grant.token not in names or await self._find(lambda one: one == grant.rights.by) is None:
            await self._revoke(found[1])
            return None
        return RefreshToken(token=refresh_token, client_id=grant.client_id, scopes=[SCOPE], expires_at=int(grant.until))

    async def exchange_refresh_token(
        self,
        client: OAuthClientInformationFull,  # noqa: ARG002 - the library's signature
        refresh_token: RefreshToken,
        scopes: list[str],  # noqa: ARG002
    ) -> OAuthToken:
        id_, former = _grant_id(refresh_token.token), hash_secret(refresh_token.token)
        refresh = _refresh_secret(id_)

        def rotate(state: State) -> State:
            grant = state.grants.get(id_)
            if grant is None or grant.refresh != former:
                raise TokenError("invalid_grant", "refresh token does not exist")
            turned = replace(grant, refresh=hash_secret(refresh), until=time() + REFRESH.total_seconds())
            return replace(state, grants=state.grants | {id_: turned})

        try:
            grant = (await self._changed(rotate)).grants[id_]
        except TokenError:
            await self._revoke(id_)
            raise
        await self._run(lambda: self._notes.remove_token(grant.token))
        return await self._issued(grant, refresh)

    async def load_access_token(self, token: str) -> AccessToken | None:
        for grant in (await self._grants_of(token)).values():
            return AccessToken(token=token, client_id=grant.client_id, scopes=[SCOPE])
        return None

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        if isinstance(token, RefreshToken):
            await self._revoke(_grant_id(token.token))
            return
        for id_ in await self._grants_of(token.token):
            await self._revoke(id_)

    async def _grants_of(self, token: str) -> dict[str, Grant]:
        """Return the sign-ins whose access token this is, one or none, by their ids."""
        digest = hash_secret(token)
        names = {one.name for one in await self._run(self._notes.tokens) if one.digest == digest}
        return {id_: grant for id_, grant in (await self._read()).grants.items() if grant.token in names}

    async def _issued(self, grant: Grant, refresh: str) -> OAuthToken:
        secret, moment = make_secret(), now()
        rights = grant.rights
        token = StoredToken(
            name=grant.token,
            digest=hash_secret(secret),
            projects=None if rights.projects is None else tuple(rights.projects),
            read_only=rights.read_only,
            created_at=moment,
            expires_at=min(moment + ACCESS, datetime.fromtimestamp(grant.until, UTC)),
        )
        if not await self._run(lambda: self._notes.add_token(token)):
            raise TokenError("invalid_grant", "this sign-in was used twice at the same time: sign in again")
        return OAuthToken(
            access_token=secret, expires_in=int(ACCESS.total_seconds()), scope=SCOPE, refresh_token=refresh
        )

    async def _revoke(self, id_: str) -> None:
        """End a sign-in: its refresh token at once, its access token within the seconds that servers remember it."""
        grant = (await self._read()).grants.get(id_)
        if grant is not None:
            await self._run(lambda: self._notes.remove_token(grant.token))
            await self._changed(
                lambda state: replace(state, grants={one: kept for one, kept in state.grants.items() if one != id_})
            )

    async def _read(self) -> State:
        return (await self._run(self._stored))[1]

    def _stored(self) -> tuple[str | None, State]:
        text = self._notes.metadata_value(_NOTE)
        while text is None:
            text = self._notes.compare_and_set(_NOTE, json.dumps(asdict(State(secrets.token_hex(32)))))
        try:
            return text, _STATE.validate_json(text)
        except ValidationError as error:
            raise Unavailable(
                "What is kept of sign-ins can't be read: a newer release wrote it, update this."
            ) from error

    async def _changed(self, change: Callable[[State], State]) -> State:
        """Change what is kept, whoever else does so at the same time, and return it."""

        def work() -> State:
            for _ in range(_TRIES):
                text, state = self._stored()
                after = change(state)
                wanted = json.dumps(asdict(after))
                if wanted == text or self._notes.compare_and_set(_NOTE, wanted, instead_of=text) == wanted:
                    return after
            raise Unavailable("Too many sign in at the same time: try again in a moment.")

        return await self._run(work)

    async def _run(self, work: Callable[[], Made]) -> Made:
        return await anyio.to_thread.run_sync(work, limiter=_THREADS)


def _signed(state: State, text: str) -> str:
    return hmac.new(state.key.encode(), text.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def _refresh_secret(id_: str) -> str:
    return f"rmr_{id_}.{secrets.token_urlsafe(32)}"


def _grant_id(refresh: str) -> str:
    return refresh.removeprefix("rmr_").partition(".")[0]


def _may_return_to(address: str) -> bool:
    """Whether codes may be sent to this address: nobody else on the network can read them there."""
    parts = _URL.validate_python(address)
    if len(address) > _LONGEST_ADDRESS or parts.fragment is not None or parts.username or parts.password:
        return False
    host = (parts.host or "").strip("[]")
    if parts.scheme == "http":
        return is_loopback(host)
    return bool(host) if parts.scheme == "https" else parts.scheme not in _NEVER
