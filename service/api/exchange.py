"""The paths by which `remembrancer pull` and `push` of another machine exchange a project with this one."""

import json
import logging
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from typing import IO, Any, Final

import anyio
from starlette.background import BackgroundTask
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from core.errors import MemoryServiceError, TooLarge
from core.interface.caller import CALLER
from core.interface.memory import check_project_id
from ingest.transfer.exchange import changes, format_states, parse_states, read_states
from service.actions.exchange import describe_taken, take_in
from service.api.operation import GUARDS, STATUS, check_origin, error_response
from service.app import App
from service.processes import ThreadLimit

#: Most bytes of one request: a part of a push, or the states of a million items.
MOST_SENT: Final = 128 * 1024 * 1024
#: Bytes of an answer that are read at a time.
_BLOCK: Final = 1 << 20
_THREADS: Final = ThreadLimit("exchange", 4)
_log = logging.getLogger("remembrancer.http")


def exchange_routes(app: App) -> list[BaseRoute]:
    """Return the routes."""

    def states(project_id: str, body: IO[bytes]) -> Response:  # noqa: ARG001 - all routes have one signature
        return Response(format_states(read_states(app.store, project_id)), 200, dict(GUARDS), "application/json")

    def changed(project_id: str, body: IO[bytes]) -> Response:
        known = parse_states(body.read())
        found = tempfile.TemporaryFile()  # noqa: SIM115 - closed when it is sent
        found.writelines(changes(app.store, project_id, known))
        found.seek(0)
        lines = StreamingResponse(_blocks(found), 200, dict(GUARDS), "application/jsonl")
        lines.background = BackgroundTask(found.close)
        return lines

    def taken(project_id: str, body: IO[bytes]) -> Response:
        CALLER.get().check_write("push")
        done = take_in(app, project_id, body)
        return Response(json.dumps(describe_taken(done)).encode(), 200, dict(GUARDS), "application/json")

    path = "/api/exchange/{project}"
    return [
        Route(f"{path}/states", _served(states), methods=["POST"]),
        Route(f"{path}/changes", _served(changed), methods=["POST"]),
        Route(path, _served(taken), methods=["POST"]),
    ]


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    while block := file.read(_BLOCK):
        yield block


def _served(work: Callable[[str, IO[bytes]], Response]) -> Callable[[Request], Any]:
    async def serve(request: Request) -> Response:
        try:
            check_origin(request)
            project_id = check_project_id(str(request.path_params["project"]))
            with tempfile.TemporaryFile() as body:
                size = 0
                async for part in request.stream():
                    size += len(part)
                    if size > MOST_SENT:
                        raise TooLarge(f"The body has over {MOST_SENT:,} bytes: send it in parts.")
                    body.write(part)
                body.seek(0)
                return await anyio.to_thread.run_sync(partial(work, project_id, body), limiter=_THREADS.limiter())
        except MemoryServiceError as error:
            return error_response(STATUS[error.code], str(error), error.code)
        except ClientDisconnect:
            raise
        except Exception:  # noqa: BLE001 - the edge of the server: a bug is logged with its traceback, and reported without details
            _log.exception("%s failed unexpectedly", request.url.path[:80])
            return error_response(500, "This failed unexpectedly: see the server's log.", "unavailable")

    return serve
