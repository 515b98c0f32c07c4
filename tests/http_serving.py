"""The HTTP service in this process, on a real socket, and clients of it."""

import json
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import TextContent

from core.dates import now
from core.interface.caller import LOCAL, AccessToken, Caller, hash_secret
from graph.store import Store
from service.app import App
from service.http.issuer import Issuer
from service.http.limits import Limits
from service.server import create_http, http_server

#: A token with every right.
SECRET = "secret-of-the-local-client-of-the-tests"


@contextmanager
def http_service(
    app: App,
    *,
    given: Mapping[str, Caller] | None = None,
    issuer: Issuer | None = None,
    limits: Limits | None = None,
    is_open: bool = False,
    port: int = 0,
    public_url: str | None = None,
) -> Iterator[str]:
    """Serve an app, at any free port if none is given, and yield its address.

    Tokens besides those of the record are `given`, `SECRET` if none are. Where it `is_open` nobody is asked for one.
    With `public_url` clients may sign in.
    """
    kept = Limits() if limits is None else limits
    tokens = None if is_open else {SECRET: LOCAL} if given is None else given
    asgi = create_http(app, host="127.0.0.1", given=tokens, issuer=issuer, limits=kept, public_url=public_url)
    server = http_server(asgi, kept)
    with socket.create_server(("127.0.0.1", port)) as bound:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive()
                time.sleep(0.01)
            yield f"http://127.0.0.1:{bound.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


def authorization(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def got(address: str, secret: str | None = SECRET, path: str = "/readyz") -> httpx2.Response:
    """Return the answer to a GET."""
    return httpx2.get(f"{address}{path}", headers={} if secret is None else authorization(secret), timeout=30)


@asynccontextmanager
async def mcp_client(address: str, secret: str = SECRET, mode: str = "auto", **headers: str) -> AsyncIterator[Client]:
    """Connect a client that sends a token."""
    async with (
        httpx2.AsyncClient(headers=authorization(secret) | headers, timeout=30) as http,
        Client(streamable_http_client(f"{address}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


def issued(store: Store, name: str, **rights: Any) -> str:
    """Store a token and return its secret."""
    secret = f"secret of {name}".replace(" ", "-")
    assert store.add_token(AccessToken(name=name, digest=hash_secret(secret), created_at=now(), **rights))
    return secret


async def error_of(client: Client, tool: str, **arguments: object) -> str:
    """Return the code with which a tool refuses."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    assert isinstance(result.content[0], TextContent)
    return str(json.loads(result.content[0].text)["code"])
