"""Tokens that an issuer signs: whose they are, what they allow, and that nobody else can make one."""

import base64
import hmac
import json
import threading
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm, RSAAlgorithm
from jwt.warnings import InsecureKeyLengthWarning

from core.interface.memory import Memory
from service.app import App
from service.cli import main
from service.http import issuer as issuer_module
from service.http.issuer import Issuer, PublishedKeys
from tests.http_serving import error_of, got, http_service, mcp_client

pytestmark = pytest.mark.anyio

NAME, AUDIENCE = "https://id.example", "https://memory.example/mcp"
RSA_KEY = rsa.generate_private_key(65537, 2048)
WEAK_KEY = rsa.generate_private_key(65537, 1024)
EC_KEY = ec.generate_private_key(ec.SECP256R1())


@dataclass
class Published:
    """A server on loopback with the keys of the issuer."""

    address: str = ""
    status: int = 200
    keys: list[dict[str, Any]] = field(
        default_factory=lambda: [
            RSAAlgorithm.to_jwk(RSA_KEY.public_key(), as_dict=True) | {"kid": "rsa", "use": "sig"},
            ECAlgorithm.to_jwk(EC_KEY.public_key(), as_dict=True) | {"kid": "ec"},
            RSAAlgorithm.to_jwk(WEAK_KEY.public_key(), as_dict=True) | {"kid": "weak"},
            {"kty": "oct", "k": "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3JldA", "kid": "shared", "alg": "HS256"},
            {"kty": ["RSA"], "kid": "odd", "alg": ["RS256"]},
        ]
    )
    asked: int = 0


@pytest.fixture
def published() -> Iterator[Published]:
    """Serve the keys."""
    state = Published()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.asked += 1
            body = json.dumps({"keys": state.keys}).encode()
            self.send_response(state.status)
            self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        state.address = f"http://127.0.0.1:{server.server_address[1]}/keys"
        yield state
        server.shutdown()
        thread.join()


@pytest.fixture
def issuer(published: Published) -> Issuer:
    return Issuer(NAME, AUDIENCE, PublishedKeys(published.address))


def signed(key: Any = RSA_KEY, algorithm: str = "RS256", kid: str | None = "rsa", **claims: Any) -> str:
    """Return a token; a claim that is None is left out."""
    usual = {"iss": NAME, "aud": AUDIENCE, "sub": "ann", "exp": int(time.time()) + 60}
    given = {name: value for name, value in (usual | claims).items() if value is not None}
    with warnings.catch_warnings(action="ignore", category=InsecureKeyLengthWarning):
        return jwt.encode(given, key, algorithm, headers={} if kid is None else {"kid": kid})


def confused() -> str:
    """Return a token signed with the public key as if it were a shared secret."""
    public = RSA_KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    claims = {"iss": NAME, "aud": AUDIENCE, "sub": "ann", "exp": int(time.time()) + 60}
    parts = [
        base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=")
        for part in ({"alg": "HS256", "kid": "rsa"}, claims)
    ]
    digest = hmac.digest(public, b".".join(parts), "sha256")
    return b".".join([*parts, base64.urlsafe_b64encode(digest).rstrip(b"=")]).decode()


def test_both_kinds_of_signature_are_taken(app: App, issuer: Issuer, published: Published) -> None:
    """RS256 and ES256; the keys are read once."""
    with http_service(app, issuer=issuer) as address:
        answers = [got(address, token) for token in (signed(), signed(EC_KEY, "ES256", "ec"))]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert published.asked == 1


def test_a_token_that_is_wrong_in_anything_is_refused(app: App, issuer: Issuer, published: Published) -> None:
    """Signature, algorithm, key, issuer, audience, expiry, subject, form; none makes the keys be read again."""
    head, claims, _ = signed().split(".")
    other = rsa.generate_private_key(65537, 2048)
    soon = int(time.time()) + 600
    wrong = {
        "another's key": signed(other),
        "no signature": f"{head}.{claims}.",
        "no algorithm": signed(None, "none"),
        "shared secret": signed("secret-secret-secret-secret-secret", "HS256", "shared"),
        "public key as secret": confused(),
        "other algorithm": signed(RSA_KEY, "RS512"),
        "weak key": signed(WEAK_KEY, kid="weak"),
        "key of the other kind": signed(RSA_KEY, "RS256", "ec"),
        "unknown key": signed(kid="gone"),
        "no key": signed(kid=None),
        "other issuer": signed(iss="https://id.example.evil"),
        "no issuer": signed(iss=None),
        "other audience": signed(aud="https://other.example"),
        "no audience": signed(aud=None),
        "expired": signed(exp=int(time.time()) - 60),
        "no expiry": signed(exp=None),
        "not yet": signed(nbf=soon),
        "no subject": signed(sub=None),
        "empty subject": signed(sub=""),
        "subject of two lines": signed(sub="ann\nlocal"),
        "nested": base64.urlsafe_b64encode(b"[" * 9_000).decode().rstrip("=") + ".e30.e30",
        "dots": "..",
    }
    with http_service(app, issuer=issuer) as address, pytest.MonkeyPatch.context() as patch:
        patch.setattr("service.http.gate._LONGEST_DELAY", 0.001)
        patch.setattr("service.http.gate._MOST", 1_000)
        answers = {reason: got(address, token).status_code for reason, token in wrong.items()}

    assert {reason: status for reason, status in answers.items() if status != 401} == {}
    assert published.asked == 1


async def test_the_claims_say_what_is_open(app: App, issuer: Issuer) -> None:
    """No list of projects opens none, and writing needs the scope; a name says where it comes from."""
    app.remember(Memory(content="The vault is under the stairs."), "beta")
    mine: dict[str, Any] = {"remembrancer_projects": ["alpha"]}
    with http_service(app, issuer=issuer) as address:
        async with mcp_client(address, signed(**mine, scope="openid memory:write")) as client:
            stored = await client.call_tool("remember", {"content": "Mine.", "project_id": "alpha"})
            foreign = await error_of(client, "recall", query="vault", project_id="beta")
        async with mcp_client(address, signed(**mine, scope="openid memory:writer")) as client:
            found = await client.call_tool("recall", {"query": "Mine", "project_id": "alpha"})
            reading = await error_of(client, "remember", content="More.", project_id="alpha")
        codes = []
        for listed in (None, "alpha", [["alpha"]]):
            async with mcp_client(address, signed(remembrancer_projects=listed, scope="memory:write")) as client:
                codes.append(await error_of(client, "recall", query="Mine", project_id="alpha"))

    assert (stored.is_error, found.is_error) == (False, False)
    assert [foreign, reading, *codes] == ["forbidden"] * 5


def test_a_session_goes_on_with_a_renewed_token_of_the_same_rights(app: App, issuer: Issuer) -> None:
    """Not with one that has others, which would act with those of the first."""
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}},
    }
    takes = {"Accept": "text/event-stream, application/json"}

    def posted(address: str, body: object, token: str, **more: str) -> httpx2.Response:
        headers = takes | {"Authorization": f"Bearer {token}"} | more
        return httpx2.post(f"{address}/mcp", json=body, headers=headers)

    with http_service(app, issuer=issuer) as address:
        session = posted(address, hello, signed(scope="memory:write")).headers["mcp-session-id"]
        answers = [
            posted(address, {"jsonrpc": "2.0", "id": 2, "method": "ping"}, token, **{"Mcp-Session-Id": session})
            for token in (signed(exp=int(time.time()) + 90, scope="memory:write"), signed(), signed(sub="ben"))
        ]

    assert [answer.status_code for answer in answers] == [200, 404, 404]


def test_keys_are_read_again_when_they_change(
    app: App, issuer: Issuer, published: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new key is found at once, and one that the issuer took back is refused after a while."""
    monkeypatch.setattr(issuer_module, "_SPACING", 0.0)
    with http_service(app, issuer=issuer) as address:
        before = got(address, signed()).status_code
        published.keys = published.keys[1:]
        new = got(address, signed(EC_KEY, "ES256", "ec")).status_code
        monkeypatch.setattr(issuer_module, "_FRESH_SECONDS", 0.0)
        after = got(address, signed()).status_code

    assert (before, new, after) == (200, 200, 401)


@pytest.mark.parametrize("status", [500, 302])
def test_known_keys_are_used_while_the_issuer_is_away(
    app: App, issuer: Issuer, published: Published, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    """Unknown ones can't be told from wrong ones then; a redirect is not followed."""
    monkeypatch.setattr(issuer_module, "_FRESH_SECONDS", 0.0)
    monkeypatch.setattr(issuer_module, "_SPACING", 0.0)
    with http_service(app, issuer=issuer) as address:
        before = got(address, signed()).status_code
        published.status = status
        known = got(address, signed()).status_code
        unknown = got(address, signed(kid="new"))
        monkeypatch.setattr(issuer_module, "_GRACE", 0.0)
        long_after = got(address, signed()).status_code

    assert (before, known, unknown.status_code, long_after) == (200, 200, 503, 503)
    assert int(unknown.headers["Retry-After"]) > 0


def test_who_has_no_token_is_told_where_to_get_one(app: App, issuer: Issuer) -> None:
    """RFC 9728: the 401 names the metadata, which names the issuer and needs no token."""
    with http_service(app, issuer=issuer) as address:
        refused = got(address, None)
        path = "/.well-known/oauth-protected-resource/mcp"
        metadata = got(address, None, path).json()

    assert refused.headers["WWW-Authenticate"] == f'Bearer resource_metadata="https://memory.example{path}"'
    assert (metadata["resource"], metadata["authorization_servers"]) == (AUDIENCE, [NAME])
    assert metadata["scopes_supported"] == ["memory:write"]


def test_doctor_says_whose_tokens_are_accepted_and_whether_their_keys_can_be_read(
    published: Published, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wrong address is seen before a client is refused."""
    monkeypatch.setenv("REMEMBRANCER_HOME", str(tmp_path))
    for name, value in (("ISSUER", NAME), ("AUDIENCE", AUDIENCE), ("KEYS", published.address)):
        monkeypatch.setenv(f"REMEMBRANCER_JWT_{name}", value)

    def said() -> list[str]:
        main(["doctor"])
        return [line for line in capsys.readouterr().out.splitlines() if " issuer " in line]

    accepted = f"issuer    tokens of {NAME} for {AUDIENCE}"
    assert said() == [f"ok      {accepted}: 3 keys for RS256 and ES256 at {published.address}"]
    published.keys = []
    assert said() == [f"error   {accepted}: 0 keys for RS256 and ES256 at {published.address}"]
    published.status = 302
    [line] = said()
    assert line.startswith(f"error   issuer    The keys at {published.address} can't be read: ")
    assert "302" in line
