"""Pages: the files of the graph browser, as they are, and the address with a ticket that begins a session."""

import gzip
import mimetypes
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from service.api.resource import GUARDS, cached_response, error_response
from service.http.cookies import Cookies
from service.http.tickets import Tickets

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
