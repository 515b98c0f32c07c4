"""BrowserServer: the loopback address at which a process serves the graph browser, opened when somebody asks for it."""

import socket
import threading
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Final

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from core.errors import Unavailable
from core.interface.access_token import hash_secret
from core.interface.caller import LOCAL
from service.http.home_token import load_home_token
from service.http.tickets import Tickets
from service.http.tokens import Credential

_HOST: Final = "127.0.0.1"
#: The port, if it is free: links stay good from one process to the next.
_PORT: Final = 8849

#: Makes of the home's token and tickets what answers.
Application = Callable[[str, Tickets], ASGIApp]
#: Makes of that a server.
Server = Callable[[ASGIApp], uvicorn.Server]


class BrowserServer:
    """Serves the browser from the first time that somebody asks for its address; thread-safe."""

    def __init__(self, home: Path, application: Application, server: Server) -> None:
        self._home, self._application, self._make_server = home, application, server
        self._lock = threading.Lock()
        self._tickets: Tickets | None = None
        self._port = 0
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None
        self._used_at = float("-inf")

    def address(self) -> str:
        """Return an address that lets a browser in, once and within two minutes.

        Raises:
            Unavailable: the home's token can't be kept, or no port be opened.
        """
        with self._lock:
            tickets = self._tickets or self._open()
            self._used_at = monotonic()
            return f"http://{_HOST}:{self._port}/?ticket={tickets.issue()}"

    def is_used(self, seconds: float) -> bool:
        """Whether a browser asked for anything within so many seconds."""
        return monotonic() - self._used_at < seconds

    def close(self) -> None:
        """Stop serving; requests in progress may take a few seconds."""
        with self._lock:
            if self._server is not None and self._thread is not None:
                self._server.should_exit = True
                self._thread.join()

    def _open(self) -> Tickets:
        secret = load_home_token(self._home)
        digest = hash_secret(secret)
        tickets = Tickets(Credential(LOCAL, digest, digest))
        server = self._make_server(self._noting(self._application(secret, tickets)))
        bound = _bound()
        self._port = bound.getsockname()[1]
        thread = threading.Thread(target=_serve, args=(server, bound), name="remembrancer-browser")
        thread.start()
        self._tickets, self._server, self._thread = tickets, server, thread
        return tickets

    def _noting(self, inner: ASGIApp) -> ASGIApp:
        async def noting(scope: Scope, receive: Receive, send: Send) -> None:
            self._used_at = monotonic()
            await inner(scope, receive, send)

        return noting


def _serve(server: uvicorn.Server, bound: socket.socket) -> None:
    with bound:
        server.run(sockets=[bound])


def _bound() -> socket.socket:
    """Return a socket that listens, so that a browser that connects at once waits instead of being refused."""
    try:
        return socket.create_server((_HOST, _PORT))
    except OSError:
        pass  # another process has that port
    try:
        return socket.create_server((_HOST, 0))
    except OSError as error:
        raise Unavailable(f"No port of {_HOST} can be opened ({error}): try again.") from error
