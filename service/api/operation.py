"""Operation: one method of one path of the API; how it is served, and how it is described as OpenAPI 3.1."""

import gzip
import hashlib
import json
import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Literal
from urllib.parse import urlsplit

import anyio
from pydantic import TypeAdapter, ValidationError
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from core.errors import Forbidden, InvalidInput, MemoryServiceError, TooLarge, suggest_name
from core.interface.caller import CALLER
from core.interface.results import to_json
from core.knowledge.text import repair_json
from core.timing import FOREGROUND_CALLS
from service import __version__
from service.processes import ThreadLimit
from service.tools.validation import describe_problem

Method = Literal["GET", "POST", "DELETE"]
#: How numbers and truth values are written in an address.
_NUMBERS: Final = {"integer": re.compile(r"-?[0-9]{1,18}"), "number": re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?")}
_TRUTHS: Final = {"true": True, "false": False}
#: Most faults listed in an error.
_MOST_FAULTS: Final = 5


def leave_unchanged(request: Request, response: Response) -> None:
    """Leave a response as it is."""


@dataclass(frozen=True, slots=True)
class Operation:
    """What a request asks (a dataclass of the path's and the query's or the body's values), and what answers it."""

    method: Method
    #: With the names of its values in braces.
    path: str
    summary: str
    asks: type
    answers: type
    run: Callable[[Any], object]
    #: What is to be added to the response, such as a cookie.
    dress: Callable[[Request, Response], None] = leave_unchanged
    #: Whether it changes what is stored.
    writes: bool = False
    _adapter: TypeAdapter[Any] = field(init=False, repr=False)
    #: What is asked, as a JSON schema.
    schema: Mapping[str, Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        adapter: TypeAdapter[Any] = TypeAdapter(self.asks)
        object.__setattr__(self, "_adapter", adapter)
        object.__setattr__(self, "schema", adapter.json_schema())

    @property
    def values(self) -> Mapping[str, Mapping[str, Any]]:
        """What is asked, by name, as JSON schemas."""
        values: Mapping[str, Mapping[str, Any]] = self.schema.get("properties", {})
        return values

    def parse_request(self, given: Mapping[str, object]) -> object:
        """Return what a request asks.

        Raises:
            InvalidInput: it gives a value that is unknown or can't be used, or lacks one.
        """
        if unknown := sorted(set(given) - set(self.values)):
            names = ", ".join(self.values) or "nothing"
            raise InvalidInput(
                f"{self.path} takes no {unknown[0][:80]!r}: {suggest_name(unknown[0], self.values)}it takes {names}."
            )
        try:
            return self._adapter.validate_json(json.dumps(repair_json(given)), strict=True)
        except ValidationError as error:
            faults = error.errors(include_url=False)[:_MOST_FAULTS]
            raise InvalidInput("; ".join(map(describe_problem, faults))) from error

    def parse_query(self, texts: Mapping[str, list[str]]) -> dict[str, object]:
        """Convert the values of a query or a path to the declared types; what can't be converted stays a string.

        Raises:
            InvalidInput: what may be given once is given twice.
        """
        return {name: _typed(name, given, _kind(self.values.get(name, {}))) for name, given in texts.items()}


def _kind(schema: Mapping[str, Any]) -> str | None:
    """Return the type of a value, which may be null."""
    options = [schema, *schema.get("anyOf", ())]
    return next((one["type"] for one in options if one.get("type", "null") != "null"), None)


def _typed(name: str, given: list[str], kind: str | None) -> object:
    if kind == "array":
        return given
    if len(given) > 1:
        raise InvalidInput(f"{name[:80]} is given {len(given)} times: give it once.")
    text = given[0]
    if kind in {"integer", "number"} and _NUMBERS[kind].fullmatch(text):
        return int(text) if kind == "integer" else float(text)
    return _TRUTHS.get(text, text) if kind == "boolean" else text


_log = logging.getLogger("remembrancer.http")

#: Threads for the API, separate from the tools' threads: a busy page keeps no client waiting.
_THREADS: Final = ThreadLimit("api", 8)
#: Largest body of a request, in bytes.
_MOST_SENT: Final = 64 * 1024
#: Smallest answer that is compressed, in bytes, and how well: zlib's levels.
_WORTH_COMPRESSING: Final = 1_000
_LEVEL: Final = 5
#: The status of an error by its code.
STATUS: Final = {
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
            return error_response(STATUS[error.code], str(error), error.code)
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


_TEMPLATE: Final = "#/components/schemas/{model}"
#: What a path may answer besides what was asked for, by its status.
_REFUSALS: Final = {
    "400": "A value can't be used.", "401": "No valid token or session.", "403": "The caller may not do this.",
    "404": "Nothing is stored under this id or name.", "409": "It contradicts what is stored.",
    "413": "It is too large.", "429": "Too many requests.", "503": "A part does not answer now.",
}  # fmt: skip


def describe_operations(operations: Sequence[Operation]) -> Mapping[str, Any]:
    """Return the description of these operations."""
    answers = {operation.answers for operation in operations}
    by_type, definitions = TypeAdapter.json_schemas(
        [(one, "validation", TypeAdapter(one)) for one in sorted(answers, key=lambda one: one.__name__)],
        ref_template=_TEMPLATE,
    )
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        schema = by_type[operation.answers, "validation"]
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, schema)
    failed = {"type": "object", "properties": {"error": {"type": "string"}, "code": {"type": "string"}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Remembrancer", "version": __version__, "description": "What is remembered, and why."},
        "security": [{"token": []}, {"session": []}],
        "paths": paths,
        "components": {
            "schemas": definitions.get("$defs", {}) | {"Failed": failed | {"required": ["error", "code"]}},
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "session": {"type": "apiKey", "in": "cookie", "name": "remembrancer-PORT"},
            },
        },
    }


def _operation(operation: Operation, answer: Mapping[str, Any]) -> dict[str, Any]:
    failed = {"application/json": {"schema": {"$ref": _TEMPLATE.format(model="Failed")}}}
    said: dict[str, Any] = {
        "summary": operation.summary,
        "operationId": f"{operation.method.lower()}_{_id(operation.path)}",
        "parameters": list(_parameters(operation)),
        "responses": {
            "200": {"description": "What was asked for.", "content": {"application/json": {"schema": answer}}},
            "304": {"description": "The client has it already."},
            **{status: {"description": said, "content": failed} for status, said in _REFUSALS.items()},
        },
    }
    if operation.method == "POST":
        schema = {**operation.schema, "additionalProperties": False}
        said["requestBody"] = {
            "required": bool(operation.schema.get("required")),
            "content": {"application/json": {"schema": schema}},
        }
    return said


def _parameters(operation: Operation) -> Iterable[dict[str, Any]]:
    required = operation.schema.get("required", ())
    for name, schema in operation.values.items():
        in_path = f"{{{name}}}" in operation.path
        if in_path or operation.method == "GET":
            yield {
                "name": name,
                "in": "path" if in_path else "query",
                "required": in_path or name in required,
                "schema": _without_null(schema),
            }


def _without_null(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a value that is left out instead of being null."""
    options = [option for option in schema.get("anyOf", []) if option != {"type": "null"}]
    kept = {name: value for name, value in schema.items() if name != "anyOf" and (name, value) != ("default", None)}
    return kept | options[0] if len(options) == 1 else kept | ({"anyOf": options} if options else {})


def _id(path: str) -> str:
    return "_".join(part.strip("{}") for part in path.split("/") if part and part != "api")
