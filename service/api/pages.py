"""Pages: the files of the graph browser, the loopback address that serves them, and a ticket to begin a session."""

import gzip
import mimetypes
import socket
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from time import monotonic
from typing import Final

import uvicorn
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from core.errors import Unavailable
from core.interface.caller import LOCAL, hash_secret
from service.api.operation import GUARDS, cached_response, error_response
from service.http.credentials import Cookies, Credential, Tickets, load_home_token

#: Where they are in the source and where they are installed.
FOLDER: Final = Path(__file__).parents[2] / "web"
_TYPES: Final[Mapping[str, str]] = {
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
_NO_PAGE: Final = "The page of the graph browser is not installed: install the package again."


class Pages:
    """Serves the files of a folder by their paths, `/` as its `index.html`. An ASGI application.

    Which files there are is known at the start, so that no path leads out of the folder.
    """

    def __init__(self, cookies: Cookies | None, tickets: Tickets | None, folder: Path = FOLDER) -> None:
        """With `tickets` the address of `/` begins a session if it has one."""
        files = (path for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else ()
        self._files = {f"/{path.relative_to(folder).as_posix()}": path for path in files}
        self._files["/"] = folder / "index.html"
        self._cookies, self._tickets = cookies, tickets
        self._read: dict[str, tuple[int, bytes, bytes]] = {}

    @property
    def paths(self) -> frozenset[str]:
        """The paths that are served, to anybody."""
        return frozenset(self._files)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        await self._response(request)(scope, receive, send)

    def _response(self, request: Request) -> Response:
        if request.method not in {"GET", "HEAD"}:
            refusal = error_response(405, "This path takes GET.", "invalid_input")
            refusal.headers["Allow"] = "GET, HEAD"
            return refusal
        path = request.url.path
        if path == "/" and (ticket := request.query_params.get("ticket")):
            return self._begun(request, ticket)
        try:
            body, compressed = self._content(path)
        except FileNotFoundError:
            return error_response(404, _NO_PAGE, "not_found")
        suffix = self._files[path].suffix
        media_type = _TYPES.get(suffix) or mimetypes.guess_type(path)[0] or "text/plain"
        return cached_response(body, media_type, request, compressed)

    def _begun(self, request: Request, ticket: str) -> Response:
        """Begin a session, and leave the ticket out of the address; a page without a session says how to get one."""
        response = RedirectResponse("/", 303, dict(GUARDS))
        credential = None if self._tickets is None else self._tickets.take(ticket)
        if credential is not None and self._cookies is not None:
            response.headers["Set-Cookie"] = self._cookies.begin_session(request.scope, credential)
        return response

    def _content(self, path: str) -> tuple[bytes, bytes]:
        """Return a file and the same compressed, read again if it has changed."""
        file = self._files[path]
        changed = file.stat().st_mtime_ns
        kept = self._read.get(path)
        if kept is None or kept[0] != changed:
            body = file.read_bytes()
            kept = self._read[path] = changed, body, gzip.compress(body, mtime=0)
        return kept[1], kept[2]


_HOST: Final = "127.0.0.1"
#: The port, if it is free: links stay good from one process to the next.
_PORT: Final = 8849
#: How long requests in progress may take when it is closed, in seconds.
_CLOSE_SECONDS: Final = 30.0

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
                self._thread.join(_CLOSE_SECONDS)

    def _open(self) -> Tickets:
        secret = load_home_token(self._home)
        digest = hash_secret(secret)
        tickets = Tickets(Credential(LOCAL, digest, digest))
        server = self._make_server(self._noting(self._application(secret, tickets)))
        bound = _bound()
        self._port = bound.getsockname()[1]
        thread = threading.Thread(target=_serve, args=(server, bound), name="remembrancer-browser", daemon=True)
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
