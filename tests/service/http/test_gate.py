"""The gate: whose request is served, and what of it, over real sockets and a real record."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import httpx2
import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent

from core.dates import now
from core.interface.memory import Memory
from service.app import App
from service.http import credentials as tokens_module
from service.http.limits import Limits
from service.tools.operations import tools
from tests.http_serving import SECRET, authorization, error_of, got, http_service, issued, mcp_client

pytestmark = pytest.mark.anyio

ERAS = ("auto", "legacy")


@contextmanager
def begun(address: str) -> Iterator[socket.socket]:
    """Send a request whose body stays away, and wait until the server works on it."""
    host, _, port = address.removeprefix("http://").partition(":")
    head = {"Host": "localhost", "Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    lines = [f"{name}: {value}" for name, value in (head | authorization(SECRET) | {"Content-Length": "9"}).items()]
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall("\r\n".join(["POST /mcp HTTP/1.1", *lines, "", "{"]).encode())
        got(address, None, "/healthz")  # the server reads connections in turn
        yield connection


def test_every_path_but_one_asks_for_a_token(app: App) -> None:
    """docs/interface.md HTTP: `/healthz` says nothing about what is stored."""
    with http_service(app) as address:
        answers = {
            given: httpx2.get(f"{address}/readyz", headers={"Authorization": given} if given else {}).status_code
            for given in ("", "Bearer wrong", f"Basic {SECRET}", f"Bearer {SECRET}", f"bearer {SECRET}")
        }
        health = got(address, None, "/healthz")
        posted = httpx2.post(f"{address}/mcp", json={})

    assert list(answers.values()) == [401, 401, 401, 200, 200]
    assert (health.status_code, posted.status_code) == (200, 401)
    assert posted.headers["WWW-Authenticate"] == "Bearer"


def test_a_token_is_taken_up_at_once_and_refused_soon_after_it_was_revoked(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No restart: other processes make and revoke tokens in the record."""
    monkeypatch.setattr(tokens_module, "FRESH_SECONDS", 0.0)
    with http_service(app) as address:
        unknown = got(address, "secret-of-ci").status_code
        secret = issued(app.store, "ci")
        known = got(address, secret).status_code
        app.store.remove_token("ci")
        revoked = got(address, secret).status_code

    assert (unknown, known, revoked) == (401, 200, 401)


def test_an_expired_token_is_refused(app: App) -> None:
    """Though it is still in the list."""
    secret = issued(app.store, "old", expires_at=now() - timedelta(seconds=1))
    with http_service(app) as address:
        assert got(address, secret).status_code == 401


def test_the_use_of_a_token_is_noted_once_an_hour(app: App) -> None:
    """`token list` tells which tokens nobody needs; a token in use costs no write a request."""
    secret = issued(app.store, "ci")
    with http_service(app) as address:
        for _ in range(3):
            got(address, secret)

    used = app.store.tokens()[0].last_used
    assert used is not None
    assert now() - used < timedelta(minutes=1)


@pytest.mark.parametrize("mode", ERAS)
async def test_folders_are_read_for_the_homes_own_token_and_not_through_a_proxy(
    app: App, tmp_path: Path, mode: str
) -> None:
    """Nobody else learns the project or language of a folder of this user; they get what its name says."""
    folder = tmp_path / "hydra"
    folder.mkdir(mode=0o700)
    (folder / "go.mod").write_text("module cerberus\n")
    for content, scope in (
        ("Wrap errors.", "language:go"),
        ("No cost.", "project:cerberus"),
        ("Etcd.", "project:hydra"),
    ):
        app.remember(Memory(content=content, context="preference", scope=scope))
    asked = {
        "home": (SECRET, {}),
        "proxy": (SECRET, {"X-Forwarded-For": "192.0.2.1"}),
        "other proxy": (SECRET, {"Forwarded": "for=192.0.2.1"}),
        "token": (issued(app.store, "ci"), {}),
        "own project": (issued(app.store, "own", projects=("default",)), {}),
    }
    told = {}
    with http_service(app) as address:
        for name, (secret, headers) in asked.items():
            async with mcp_client(address, secret, mode, **headers) as client:
                result = await client.call_tool("memory_context", {"folder": str(folder)})
                assert isinstance(result.content[0], TextContent)
                told[name] = [rule for rule in ("Wrap errors", "No cost", "Etcd") if rule in result.content[0].text]

    assert told == {name: ["Etcd"] for name in asked} | {"home": ["Wrap errors", "No cost"]}


@pytest.mark.parametrize("mode", ERAS)
async def test_a_token_for_some_projects_sees_no_other(app: App, mode: str) -> None:
    """The same refusal whether the project has anything or not, in tools and resources."""
    kept = app.remember(Memory(content="The vault is under the stairs."), "beta")
    secret = issued(app.store, "ci", projects=("alpha",))
    with http_service(app) as address:
        async with mcp_client(address, secret, mode) as client:
            stored = await client.call_tool("remember", {"content": "Mine.", "project_id": "alpha"})
            codes = [await error_of(client, "recall", query="vault", project_id=name) for name in ("beta", "none")]
            codes.append(await error_of(client, "status"))
            with pytest.raises(MCPError) as refused:
                await client.read_resource(f"memory://beta/artifact/{kept.id}")

    assert not stored.is_error
    assert codes == ["forbidden"] * 3
    assert "vault" not in str(refused.value)


async def test_a_read_only_token_is_refused_every_tool_that_writes(app: App) -> None:
    """The annotations of the tools are the list; what reads answers."""
    app.remember(Memory(content="The vault is under the stairs."))
    writing = [tool.name for tool in tools(app) if not (tool.annotations and tool.annotations.read_only_hint)]
    secret = issued(app.store, "reader", read_only=True)
    with http_service(app) as address:
        async with mcp_client(address, secret) as client:
            found = await client.call_tool("recall", {"query": "vault"})
            codes = {name: await error_of(client, name) for name in writing}

    assert not found.is_error
    assert {"remember", "remember_many", "forget", "resolve", "context_stash"} <= set(writing)
    assert set(codes.values()) == {"forbidden"}
    assert app.status().counts is not None


async def test_a_session_serves_the_token_that_began_it_alone(app: App) -> None:
    """Its id in a log or a proxy is of no use to others, whatever their rights."""
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}},
    }
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    takes = {"Accept": "text/event-stream, application/json"}
    other = issued(app.store, "other")
    with http_service(app) as address:
        began = httpx2.post(f"{address}/mcp", json=hello, headers=takes | authorization(SECRET))
        session = takes | {"Mcp-Session-Id": began.headers["mcp-session-id"]}
        answers = [
            httpx2.post(f"{address}/mcp", json=ping, headers=session | authorization(secret)).status_code
            for secret in (other, SECRET)
        ]

    assert answers == [404, 200]


def test_numbers_of_all_projects_are_for_tokens_for_all(app: App) -> None:
    """How many jobs and calls there are tells of others' work."""
    app.remember(Memory(content="Counted."), "beta")
    secret = issued(app.store, "ci", projects=("alpha",))
    with http_service(app) as address:
        everything, own = (got(address, each, "/metrics").text for each in (SECRET, secret))

    assert 'remembrancer_jobs{state="pending"}' in everything
    assert "remembrancer_jobs" not in own
    assert "remembrancer_tool" not in own
    assert 'remembrancer_service_up{service="graph"} 1.0' in own


def test_known_tokens_are_valid_while_the_record_is_away(app: App) -> None:
    """`recall` answers from the vectors then; who is unknown is told to come back."""
    secret = issued(app.store, "ci")
    with http_service(app) as address:
        before = got(address, secret, "/healthz"), got(address, secret, "/metrics")
        app.store.close()
        known = got(address, secret, "/metrics")
        local = got(address, SECRET, "/metrics")
        unknown = got(address, "nobody's", "/metrics")

    assert [answer.status_code for answer in (*before, known, local)] == [200] * 4
    assert (unknown.status_code, unknown.json()["code"]) == (503, "unavailable")
    assert int(unknown.headers["Retry-After"]) > 0


def test_a_token_has_so_many_requests_a_minute(app: App) -> None:
    """One client in a loop holds up no other."""
    other = issued(app.store, "other")
    with http_service(app, limits=Limits(rate=3)) as address:
        answers = [got(address) for _ in range(4)]
        served = got(address, other)

    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 20
    assert served.status_code == 200


@pytest.mark.exhaustive
def test_guessing_becomes_slow_and_is_refused_while_a_valid_token_is_served(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the same address, as all clients behind one proxy come."""
    monkeypatch.setattr("service.http.gate._LONGEST_DELAY", 0.001)
    with http_service(app) as address:
        answers = [got(address, f"guess {number}") for number in range(22)]
        right = got(address)

    assert [answer.status_code for answer in answers] == [401] * 20 + [429] * 2
    assert answers[-1].headers["Retry-After"] == "60"
    assert right.status_code == 200


def test_only_so_many_requests_are_worked_on(app: App) -> None:
    """Others are told to come back, at once."""
    with http_service(app, limits=Limits(requests=1, seconds=30)) as address, begun(address):
        refused = httpx2.post(f"{address}/mcp", json={}, headers=authorization(SECRET))

    assert refused.status_code == 503
    assert refused.headers["Retry-After"] == "1"


def test_a_body_that_does_not_come_is_not_waited_for(app: App) -> None:
    """408, and the connection ends."""
    with http_service(app, limits=Limits(seconds=0.2)) as address, begun(address) as connection:
        answer = b""
        while part := connection.recv(4096):
            answer += part

    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"did not come in time" in answer
