"""Resource: serves the operations of one path: reads what is asked, works on a thread, and answers as JSON."""

import gzip
import hashlib
import json
import logging
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Final
from urllib.parse import urlsplit

import anyio
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from core.backoff import FOREGROUND_CALLS
from core.errors import Forbidden, InvalidInput, MemoryServiceError, TooLarge
from core.interface.caller import CALLER
from core.interface.results import to_json
from service.actions.threads import ThreadLimit
from service.api.operation import Operation

_log = logging.getLogger("remembrancer.http")

#: Threads for the API, separate from the tools' threads: a busy page keeps no client waiting.
_THREADS: Final = ThreadLimit("api", 8)
#: Largest body of a request, in bytes.
_MOST_SENT: Final = 64 * 1024
#: Smallest answer that is compressed, in bytes, and how well: zlib's levels.
_WORTH_COMPRESSING: Final = 1_000
_LEVEL: Final = 5
#: The status of an error by its code.
_STATUS: Final = {
    "invalid_input": 400, "forbidden": 403, "not_found": 404, "conflict": 409, "too_large": 413, "unavailable": 503,
}  # fmt: skip
#: What every answer to a browser says: nothing of it is for other sites, frames or caches, and no script is in it.
GUARDS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "private, no-cache",
}


class Resource:
    """An ASGI application for one path."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._operations: dict[str, Operation] = {operation.method: operation for operation in operations}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        response = await self._response(request)
        await response(scope, receive, send)

    async def _response(self, request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        operation = self._operations.get(method)
        if operation is None:
            allowed = ", ".join(self._operations)
            refusal = error_response(
                405, f"{request.url.path[:80]} takes {allowed}, not {method[:20]}.", "invalid_input"
            )
            refusal.headers["Allow"] = allowed
            return refusal
        try:
            check_origin(request)
            if operation.writes:
                CALLER.get().check_write(operation.path)
            asked = operation.parse_request(await _given(request, operation))
            with FOREGROUND_CALLS.count_call():
                response = await anyio.to_thread.run_sync(
                    partial(_answer, operation, asked, request), limiter=_THREADS.limiter()
                )
            operation.dress(request, response)
        except MemoryServiceError as error:
            return error_response(_STATUS[error.code], str(error), error.code)
        except Exception:  # noqa: BLE001 - the edge of the server: a bug is logged with its traceback, and reported without details
            _log.exception("%s %s failed unexpectedly", request.method, operation.path)
            return error_response(500, "This failed unexpectedly: see the server's log.", "unavailable")
        return response


def error_response(status: int, message: str, code: str) -> Response:
    """Return an error as the tools do."""
    body = json.dumps({"error": message, "code": code}, ensure_ascii=False)
    return Response(body.encode("utf-8", "replace"), status, dict(GUARDS), "application/json")


def cached_response(body: bytes, media_type: str, request: Request, compressed: bytes | None = None) -> Response:
    """Return a body with its ETag, compressed if the client takes that, or without it if the client has it already.

    `compressed` is the body by gzip, if that is known.
    """
    tag = f'W/"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {**GUARDS, "ETag": tag, "Vary": "Accept-Encoding, Authorization, Cookie"}
    known = [one.strip() for one in request.headers.get("if-none-match", "").split(",")]
    if tag in known or "*" in known:
        return Response(status_code=304, headers=headers)
    takes = {one.partition(";")[0].strip().lower() for one in request.headers.get("accept-encoding", "").split(",")}
    if "gzip" in takes and len(body) >= _WORTH_COMPRESSING:
        headers["Content-Encoding"] = "gzip"
        body = gzip.compress(body, _LEVEL, mtime=0) if compressed is None else compressed
    return Response(body, 200, headers, media_type)


def _answer(operation: Operation, asked: object, request: Request) -> Response:
    found = to_json(operation.run(asked))
    body = json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return cached_response(body, "application/json", request)


def check_origin(request: Request) -> None:
    """Refuse what another site has a browser send, also one on another port of this machine.

    Raises:
        Forbidden: it is such a request.
    """
    site, origin = request.headers.get("sec-fetch-site", "none"), request.headers.get("origin")
    host = request.headers.get("host", "").lower()
    if site not in {"none", "same-origin"} or (origin is not None and urlsplit(origin.lower()).netloc != host):
        raise Forbidden("Another site sent this request: use the page of this server, whose proxy must keep Host.")


async def _given(request: Request, operation: Operation) -> dict[str, object]:
    path = {name: str(value) for name, value in request.path_params.items()}
    query = QueryParams(request.scope.get("query_string", b""))
    texts = {name: query.getlist(name) for name in query}
    if operation.method != "GET" and (unknown := sorted(set(texts) - {"project"})):
        raise InvalidInput(f"The address takes project alone, not {unknown[0][:80]!r}: send the rest in the body.")
    given = {} if operation.method == "GET" else await _body(request)
    return given | operation.parse_query(texts) | operation.parse_query({name: [value] for name, value in path.items()})


async def _body(request: Request) -> dict[str, object]:
    """Return the object in the body; an empty body is an empty object.

    Raises:
        TooLarge: it has more than 64 KiB.
        InvalidInput: it is no object of JSON.
    """
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _MOST_SENT:
            raise TooLarge(f"The body has over {_MOST_SENT:,} bytes: send less.")
    if not body:
        return {}
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("The body is no JSON: send an object with the values that this path takes.") from error
    if not isinstance(found, dict):
        raise InvalidInput("The body is no object: send one with the values that this path takes.")
    return found
