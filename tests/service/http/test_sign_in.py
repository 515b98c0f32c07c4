"""Signing in over real sockets: the library's own client end to end, and what may not be."""

import base64
import hashlib
import re
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

from core.dates import now
from service.app import App
from service.http import sign_in
from tests.calling import answered
from tests.eventually import eventually
from tests.http_serving import SECRET, got, http_service, issued, mcp_client

pytestmark = [pytest.mark.anyio, pytest.mark.both_engines]

BACK = "https://chat.example/callback"
VERIFIER = "v" * 64
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")


@pytest.fixture
def hub(app: App) -> Iterator[str]:
    """The address of a service that one signs in to."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    with http_service(app, port=port, public_url=f"http://127.0.0.1:{port}") as address:
        yield address


@dataclass
class Storage:
    """Where the library's client keeps what it is given."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


def entered(page: str, token: str, answer: str = "allow", **headers: str) -> httpx2.Response:
    """Open a page of a request, and answer it as a person does."""
    shown = httpx2.get(page, timeout=30)
    assert shown.status_code == 200, shown.text
    found = re.search(r'name="request" value="([^"]+)"', shown.text)
    assert found is not None
    parts = urlsplit(page)
    own = {"Origin": f"{parts.scheme}://{parts.netloc}", "Sec-Fetch-Site": "same-origin"}
    data = {"request": found[1], "token": token, "answer": answer}
    return httpx2.post(f"{parts.scheme}://{parts.netloc}/sign-in", data=data, headers=own | headers, timeout=30)


@dataclass
class Chat:
    """A client that sends plain requests, as none should."""

    address: str
    id: str = ""
    secret: str | None = None
    redirect_uris: list[str] = field(default_factory=lambda: [BACK])

    def register(self, **more: Any) -> httpx2.Response:
        asked = {
            "redirect_uris": self.redirect_uris,
            "client_name": "Chat",
            "token_endpoint_auth_method": "none",
        } | more
        answer = httpx2.post(f"{self.address}/register", json=asked | more, timeout=30)
        if answer.status_code == 201:
            self.id, self.secret = answer.json()["client_id"], answer.json().get("client_secret")
        return answer

    def authorize(self, **more: str) -> httpx2.Response:
        asked = {
            "client_id": self.id, "response_type": "code", "redirect_uri": BACK, "code_challenge": CHALLENGE,
            "code_challenge_method": "S256", "state": "s1",
        }  # fmt: skip
        return httpx2.get(f"{self.address}/authorize", params=asked | more, timeout=30)

    def code(self, token: str = SECRET) -> str:
        """Return a code, which somebody let the client have."""
        answer = entered(self.authorize().headers["location"], token)
        assert answer.status_code == 303, answer.text
        found = parse_qs(urlsplit(answer.headers["location"]).query)
        assert found["state"] == ["s1"]
        assert found["iss"] == [self.address]
        return found["code"][0]

    def token(self, **asked: str) -> httpx2.Response:
        known = {"client_id": self.id} | ({} if self.secret is None else {"client_secret": self.secret})
        return httpx2.post(f"{self.address}/token", data=known | asked, timeout=30)

    def exchange(self, code: str, **more: str) -> httpx2.Response:
        asked = {"grant_type": "authorization_code", "code": code, "redirect_uri": BACK, "code_verifier": VERIFIER}
        return self.token(**(asked | more))

    def refresh(self, token: str) -> httpx2.Response:
        return self.token(grant_type="refresh_token", refresh_token=token)


@pytest.fixture
def chat(hub: str) -> Chat:
    """A registered client."""
    client = Chat(hub)
    assert client.register().status_code == 201
    return client


def may(address: str, token: str) -> bool:
    return got(address, token).status_code == 200


@pytest.mark.parametrize("method", ["none", "client_secret_post", "client_secret_basic"])
async def test_the_librarys_client_signs_in_and_works(app: App, hub: str, method: Any) -> None:
    """From the address alone: metadata, registration, page, code, token; and again with the refresh token."""
    pages: list[str] = []
    came: list[str] = []

    async def opened(page: str) -> None:
        pages.append(page)

    async def returned() -> AuthorizationCodeResult:
        moved = httpx2.get(pages[-1], timeout=30)
        came.append(entered(moved.headers["location"], SECRET).headers["location"])
        found = parse_qs(urlsplit(came[-1]).query)
        return AuthorizationCodeResult(code=found["code"][0], state=found["state"][0], iss=found["iss"][0])

    storage = Storage()
    metadata = OAuthClientMetadata(
        redirect_uris=[AnyUrl(BACK)], client_name="Chat", token_endpoint_auth_method=method, scope="claudeai"
    )
    auth = OAuthClientProvider(f"{hub}/mcp", metadata, storage, opened, returned)
    async with (
        httpx2.AsyncClient(auth=auth, timeout=60) as http,
        Client(streamable_http_client(f"{hub}/mcp", http_client=http)) as client,
    ):
        await answered(client, "remember", content="The gate is green.")
        before = auth.context.current_tokens
        auth.context.token_expiry_time = 1.0  # as after an hour
        found = await answered(client, "recall", query="green gate")
    assert found["total_count"] == 1
    assert storage.tokens is not None
    assert before is not None
    assert storage.tokens.access_token != before.access_token
    assert len(came) == 1
    assert came[0].startswith(BACK)
    names = {token.name for token in app.store.tokens()}
    assert names
    assert all(name.startswith("Chat-") for name in names)


def test_a_client_has_the_rights_of_the_token_that_was_entered(app: App, chat: Chat) -> None:
    """And none once that is revoked, or the sign-in itself by its name."""
    reader = issued(app.store, "reader", read_only=True, projects=("yard",))
    tokens = chat.exchange(chat.code(reader)).json()
    (row,) = [token for token in app.store.tokens() if token.name.startswith("Chat-")]
    assert (row.read_only, row.projects) == (True, ("yard",))
    assert row.expires_at is not None
    assert row.expires_at <= now() + timedelta(hours=1)
    assert may(chat.address, tokens["access_token"])
    again = chat.refresh(tokens["refresh_token"]).json()
    app.store.remove_token(row.name)
    assert chat.refresh(again["refresh_token"]).json()["error"] == "invalid_grant"

    tokens = chat.exchange(chat.code(reader)).json()
    app.store.remove_token("reader")
    wait_until_unknown(chat.address, reader)
    assert chat.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    assert [token.name for token in app.store.tokens()] == []


def wait_until_unknown(address: str, secret: str) -> None:
    """Return when a revoked token is refused, which takes seconds."""
    eventually(lambda: got(address, secret).status_code in {401, 429})


def test_a_refresh_token_works_once_and_a_second_use_ends_the_sign_in(app: App, chat: Chat) -> None:
    """Both that were given for it, and the access token."""
    first = chat.exchange(chat.code()).json()
    second = chat.refresh(first["refresh_token"]).json()
    assert second["refresh_token"] != first["refresh_token"]
    assert second["access_token"] != first["access_token"]
    assert chat.refresh(first["refresh_token"]).json()["error"] == "invalid_grant"
    assert chat.refresh(second["refresh_token"]).json()["error"] == "invalid_grant"
    assert app.store.tokens() == []


def test_a_code_works_once_and_a_second_use_ends_the_sign_in(app: App, chat: Chat) -> None:
    """Whoever has it besides the client gets nothing, and the client has to ask again."""
    code = chat.code()
    tokens = chat.exchange(code).json()
    assert chat.exchange(code).json()["error"] == "invalid_grant"
    assert chat.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    assert app.store.tokens() == []


def test_what_does_not_fit_is_refused(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong verifier, another address, another client, another server, a code or page that is too old."""
    other = Chat(chat.address)
    other.register()
    code = chat.code()
    assert chat.exchange(code, code_verifier="w" * 64).json()["error"] == "invalid_grant"
    assert chat.exchange(code, redirect_uri="https://chat.example/other").json()["error"] == "invalid_request"
    assert other.exchange(code).json()["error"] == "invalid_grant"
    assert other.refresh(chat.exchange(code).json()["refresh_token"]).json()["error"] == "invalid_grant"
    assert chat.token(grant_type="password", username="a", password="b").status_code == 400
    for more in ({"redirect_uri": "https://chat.example/callback/more"}, {"client_id": "none"}):
        refused = chat.authorize(**more)
        assert (refused.status_code, "location" in refused.headers) == (400, False)
    for more, error in (
        ({"resource": "https://elsewhere.example/mcp"}, "invalid_target"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"state": "s" * 3_000}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
    ):
        assert f"error={error}" in chat.authorize(**more).headers["location"]
    monkeypatch.setattr(sign_in, "CODE_SECONDS", -1)
    assert chat.exchange(chat.code()).json()["error"] == "invalid_grant"
    monkeypatch.setattr(sign_in, "PAGE_SECONDS", -1)
    assert httpx2.get(chat.authorize().headers["location"], timeout=30).status_code == 400


def test_the_page_says_who_asks_and_takes_no_answer_from_elsewhere(chat: Chat) -> None:
    """Where codes go stands beside the name, which anybody may give; another site can't answer, nor a wrong token."""
    Chat(chat.address).register(client_name="<script>alert(1)</script>")
    page = chat.authorize().headers["location"]
    shown = httpx2.get(page, timeout=30)
    assert "chat.example" in shown.text
    policy = shown.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    assert "form-action 'self' https://chat.example" in policy
    assert shown.headers["cache-control"] == "no-store"

    assert (
        entered(page, SECRET, **{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}).status_code == 403
    )
    wrong = entered(page, "a-token-that-nobody-made-a-token-that")
    assert (wrong.status_code, 'role="alert"' in wrong.text) == (401, True)
    denied = entered(page, "", answer="deny").headers["location"]
    assert "error=access_denied" in denied
    broken = httpx2.get(page[:-4] + "0000", timeout=30)
    assert (broken.status_code, "begin again" in broken.text) == (400, True)
    named = Chat(chat.address)
    named.register(client_name="<script>alert(1)</script>\u202e")
    shown = httpx2.get(named.authorize().headers["location"], timeout=30)
    assert "<script>" not in shown.text
    assert "\u202e" not in shown.text


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("https://chat.example/cb", 201), ("http://127.0.0.1:4711/cb", 201), ("http://localhost:4711/cb", 201),
        ("cursor://anysphere.cursor-mcp/oauth/callback", 201), ("http://[::1]:4711/cb", 201),
        ("http://chat.example/cb", 400), ("javascript:alert(1)", 400), ("data:text/html,x", 400),
        ("https://chat.example/cb#part", 400), ("https://a:b@chat.example/cb", 400),
        (f"https://chat.example/{'a' * 2_100}", 400), ("http://127.0.0.1.evil.example/cb", 400), ("cb", 400),
    ],
)  # fmt: skip
def test_codes_go_where_nobody_else_reads_them(hub: str, address: str, status: int) -> None:
    assert Chat(hub, redirect_uris=[address]).register().status_code == status


def test_a_sign_in_is_revoked_by_either_token(app: App, chat: Chat) -> None:
    """By a client without a secret too; another client's is left alone, and an unknown one is no error."""
    other = Chat(chat.address)
    other.register(token_endpoint_auth_method="client_secret_post")
    for kind in ("refresh_token", "access_token"):
        tokens = chat.exchange(chat.code()).json()
        stranger = {"client_id": other.id, "client_secret": other.secret or "", "token": tokens[kind]}
        assert httpx2.post(f"{chat.address}/revoke", data=stranger, timeout=30).status_code == 200
        assert len(app.store.tokens()) == 1
        for _ in range(2):
            own = {"client_id": chat.id, "token": tokens[kind]}
            assert httpx2.post(f"{chat.address}/revoke", data=own, timeout=30).status_code == 200
        assert app.store.tokens() == []
        assert chat.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"


async def test_a_token_goes_on_working_without_signing_in(hub: str) -> None:
    """And one without any is told where to sign in."""
    async with mcp_client(hub) as client:
        assert (await client.list_tools()).tools
    refused = got(hub, None, "/mcp")
    assert refused.status_code == 401
    assert f'resource_metadata="{hub}/.well-known/oauth-protected-resource/mcp"' in refused.headers["www-authenticate"]
    resource = got(hub, None, "/.well-known/oauth-protected-resource/mcp").json()
    server = got(hub, None, "/.well-known/oauth-authorization-server").json()
    assert (resource["resource"], resource["authorization_servers"]) == (f"{hub}/mcp", [hub])
    assert server["issuer"] == hub
    assert server["code_challenge_methods_supported"] == ["S256"]
    assert "none" in server["token_endpoint_auth_methods_supported"]


def test_what_is_kept_is_bounded_and_holds_no_secret(app: App, chat: Chat) -> None:
    """Clients that never signed in make room for others; requests of one address and their size are limited."""
    code = chat.code()
    tokens = chat.exchange(code).json()
    kept = app.store.metadata_value("sign_in") or ""
    for secret in (code, tokens["access_token"], tokens["refresh_token"], SECRET):
        assert secret not in kept
    large = httpx2.post(f"{chat.address}/register", content=b"{" + b" " * 100_000, timeout=30)
    assert large.status_code == 413
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: Chat(chat.address).register().status_code, range(200)))
    assert 429 in answers
    assert httpx2.get(f"{chat.address}/healthz", timeout=30).status_code == 200


async def test_clients_without_a_sign_in_make_room(app: App, hub: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of those there are at most so many; one that somebody signed in with stays."""
    monkeypatch.setattr(sign_in, "MOST_CLIENTS", 3)
    first = Chat(hub)
    first.register()
    first.exchange(first.code())
    for _ in range(5):
        assert Chat(hub).register().status_code == 201
    assert first.authorize().status_code == 302
    assert (app.store.metadata_value("sign_in") or "").count('"redirect_uris"') == 3
