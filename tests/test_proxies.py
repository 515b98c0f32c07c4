"""The proxies of docs/proxy with TLS before `serve`: streams pass at once, tokens and origins are checked."""

import base64
import hashlib
import http.client
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ListRootsResult, Root

from servers.server import free_port
from tests.running_processes import PATIENCE, serving

pytestmark = [pytest.mark.exhaustive, pytest.mark.anyio, pytest.mark.timeout(240)]

ROOT = Path(__file__).parents[1]
NAME = "memory.example"
TOKEN = "t" * 40


@dataclass(frozen=True, slots=True)
class Proxy:
    """A running proxy: its port, and what trusts its certificate."""

    port: int
    trust: ssl.SSLContext

    def status(self, *, path: str = "/healthz", host: str = NAME, **headers: str) -> int:
        """Return the status of a GET, addressed to the proxy's own name in TLS and to `host` in HTTP."""
        raw = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        connection = http.client.HTTPConnection(NAME)
        connection.sock = self.trust.wrap_socket(raw, server_hostname=NAME)
        connection.request("GET", path, headers={"Host": host, "Authorization": f"Bearer {TOKEN}"} | headers)
        status = connection.getresponse().status
        connection.close()
        return status


@pytest.fixture(scope="module", params=["nginx", "caddy"])
def proxy(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """The shipped file, with other ports and paths, before a server that asks a token."""
    program = shutil.which(request.param, path="/usr/sbin:/usr/bin:/usr/local/bin:/opt/homebrew/bin")
    if not program or not shutil.which("openssl"):
        package = {"nginx": "nginx-light"}.get(request.param, request.param)
        pytest.skip(f"{request.param} is not installed: on Debian, apt-get install {package} openssl")
    folder = tmp_path_factory.mktemp(request.param)
    certificate, key = folder / "certificate.pem", folder / "certificate.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", f"/CN={NAME}",
         "-addext", f"subjectAltName=DNS:{NAME}", "-out", certificate, "-keyout", key],
        check=True, capture_output=True,
    )  # fmt: skip
    home = folder / "home"
    home.mkdir()
    port = free_port()
    with serving(home, REMEMBRANCER_TOKENS=TOKEN, REMEMBRANCER_PUBLIC_URL=f"https://{NAME}:{port}") as address:
        changed = {
            "127.0.0.1:8848": address.removeprefix("http://"),
            "/etc/ssl/memory.example.pem": str(certificate),
            "/etc/ssl/memory.example.key": str(key),
            "listen 443": f"listen 127.0.0.1:{port}",
            "https://memory.example {": f"https://memory.example:{port} {{",
            "admin off": f"admin off\n\tauto_https disable_redirects\n\tstorage file_system {folder}",
        }
        command = _command(request.param, program, folder, changed)
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(command, cwd=folder, stderr=log)
        try:
            proxy = Proxy(port, ssl.create_default_context(cafile=certificate))
            _wait(proxy, process, folder / "log")
            yield proxy
        finally:
            process.terminate()
            process.wait(timeout=PATIENCE)


def _command(name: str, program: str, folder: Path, changed: dict[str, str]) -> list[str]:
    """Write the shipped file into the folder, and return what runs it in the foreground."""
    shipped = "nginx.conf" if name == "nginx" else "Caddyfile"
    text = (ROOT / "docs" / "proxy" / shipped).read_text(encoding="utf-8")
    for old, new in changed.items():
        text = text.replace(old, new)
    if name == "caddy":
        (folder / shipped).write_text(text, encoding="utf-8")
        return [program, "run", "--adapter", "caddyfile", "--config", str(folder / shipped)]
    paths = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in "client_body proxy fastcgi uwsgi scgi".split())
    main = (
        f"daemon off;\npid {folder}/pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{paths}{text}}}\n"
    )
    (folder / shipped).write_text(main, encoding="utf-8")
    return [program, "-e", "stderr", "-p", str(folder), "-c", str(folder / shipped)]


def _wait(proxy: Proxy, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            assert proxy.status() == 200
            return
        except OSError:
            assert process.poll() is None, log.read_text(encoding="utf-8")
            assert time.monotonic() < deadline, log.read_text(encoding="utf-8")
            time.sleep(0.1)


def resolve_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the name of the certificate mean this machine."""
    resolve = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, *rest, **more: resolve(
        "127.0.0.1" if host in {NAME, NAME.encode()} else host, *rest, **more
    ))  # fmt: skip


async def test_a_server_may_ask_the_client_in_the_middle_of_a_call(
    proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The question comes on the stream of an answer that is not complete: a proxy that buffers would keep it back."""
    resolve_here(monkeypatch)
    asked: list[float] = []

    async def roots(context: Any) -> ListRootsResult:
        asked.append(time.monotonic())
        return ListRootsResult(roots=[Root(uri=tmp_path.as_uri())])

    headers = {"Authorization": f"Bearer {TOKEN}", "Origin": f"https://{NAME}"}
    async with httpx2.AsyncClient(verify=proxy.trust, headers=headers, timeout=60) as http_client:
        transport = streamable_http_client(f"https://{NAME}:{proxy.port}/mcp", http_client=http_client)
        async with Client(transport, mode="legacy", list_roots_callback=roots) as client:
            stored = await client.call_tool("remember", {"content": "Write tests first.", "context": "note"})
            answered = await client.call_tool("memory_context", {"task": "tests"})
            ended = time.monotonic()

    assert not stored.is_error
    assert not answered.is_error
    assert asked
    assert asked[0] < ended


def test_tokens_and_origins_are_checked(proxy: Proxy) -> None:
    """401 without the token, 403 from a stranger's page, and no metrics for those outside."""
    assert proxy.status(path="/readyz") == 200
    assert proxy.status(path="/readyz", Authorization="Bearer wrong") == 401
    assert proxy.status(path="/mcp", Origin="https://stranger.example", Accept="text/event-stream") == 403
    assert proxy.status(path="/metrics") == 404


async def test_a_client_signs_in(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the public address: what the metadata names, the page and its form, from the origin that the proxy turns.

    With the token that it gets, and only with that or another, tools are called.
    """
    resolve_here(monkeypatch)
    back, verifier = "https://chat.example/callback", "v" * 64
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    hub = f"https://{NAME}:{proxy.port}"
    with httpx2.Client(verify=proxy.trust, timeout=60) as client:
        known = client.get(f"{hub}/.well-known/oauth-authorization-server").json()
        assert known["issuer"] == hub
        asked = {"redirect_uris": [back], "client_name": "Chat", "token_endpoint_auth_method": "none"}
        id_ = client.post(known["registration_endpoint"], json=asked).json()["client_id"]
        query = {"client_id": id_, "response_type": "code", "redirect_uri": back, "code_challenge": challenge}
        page = client.get(known["authorization_endpoint"], params=query).headers["location"]
        field = re.search(r'name="request" value="([^"]+)"', client.get(page).text)
        assert field is not None
        form = {"request": field[1], "token": TOKEN, "answer": "allow"}
        stranger = client.post(f"{hub}/sign-in", data=form, headers={"Origin": "https://stranger.example"})
        allowed = client.post(f"{hub}/sign-in", data=form, headers={"Origin": f"https://{NAME}"})
        code = parse_qs(urlsplit(allowed.headers["location"]).query)["code"][0]
        given = {"grant_type": "authorization_code", "code": code, "redirect_uri": back, "code_verifier": verifier}
        token = client.post(known["token_endpoint"], data=given | {"client_id": id_}).json()["access_token"]
    assert stranger.status_code == 403
    headers = {"Authorization": f"Bearer {token}"}
    assert proxy.status(path="/readyz", **headers) == 200
    async with (
        httpx2.AsyncClient(verify=proxy.trust, headers=headers, timeout=60) as http_client,
        Client(streamable_http_client(f"{hub}/mcp", http_client=http_client)) as agent,
    ):
        stored = await agent.call_tool("remember", {"content": "The pump is in shed four."})
        found = await agent.call_tool("recall", {"query": "Where is the pump?"})
    assert not stored.is_error
    assert "shed four" in str(found.content)
