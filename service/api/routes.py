"""Routes: every path of the API and of the page, and who looks at which memory."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from core.errors import NotFound
from core.interface.caller import CALLER
from core.interface.memory import check_project_id
from service import __version__
from service.api.browsing import browsing_operations, judgement_operations, ledger_operations, overview_operations
from service.api.exchange import exchange_routes
from service.api.operation import Operation, Resource, cached_response, describe_operations, error_response
from service.api.pages import Pages
from service.api.requests import Nothing, OfProject
from service.app import App
from service.http.credentials import Cookies, read_cookie
from service.http.gate import CREDENTIAL


@dataclass(frozen=True, slots=True)
class Session:
    """The memory that is looked at, and what the caller may see and do in it."""

    version: str
    engine: str
    projects: list[str]
    read_only: bool
    name: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The browser has no session any more."""

    ended: bool = True


def session_operations(app: App, cookies: Cookies | None) -> list[Operation]:
    """Return the operations of `/api/session`; without `cookies` every caller is let in, and there are no sessions."""

    def session(_: Nothing) -> Session:
        caller = CALLER.get()
        projects = app.store.projects() or ["default"] if caller.projects is None else sorted(caller.projects)
        return Session(__version__, app.store.engine, projects, caller.read_only, caller.name)

    def begin(request: Request, response: Response) -> None:
        credential = request.scope.get(CREDENTIAL)
        if cookies is not None and credential is not None:
            response.headers["Set-Cookie"] = cookies.begin_session(request.scope, credential)

    def renew(request: Request, response: Response) -> None:
        if read_cookie(request.scope) is not None:
            begin(request, response)

    def end(request: Request, response: Response) -> None:
        if cookies is not None:
            response.headers["Set-Cookie"] = cookies.end_session(request.scope)

    path = "/api/session"
    return [
        Operation("GET", path, "Who looks, at which memory", Nothing, Session, session, renew),
        Operation("POST", path, "Begin a session with a token", Nothing, Session, session, begin),
        Operation("DELETE", path, "End the session", Nothing, Ended, lambda _: Ended(), end),
    ]


class _Description:
    """Answers with the description of the API."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        self._operations = operations
        self._made: bytes | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._made is None:
            self._made = json.dumps(describe_operations(self._operations)).encode()
        response = cached_response(self._made, "application/json", Request(scope, receive))
        await response(scope, receive, send)


class _NoSuchPath:
    """Answers for every other path of the API."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = Request(scope, receive).url.path
        refusal = error_response(404, f"There is no {path[:80]!r}: /api/openapi.json lists all paths.", "not_found")
        await refusal(scope, receive, send)


def operations(app: App, cookies: Cookies | None) -> list[Operation]:
    """Return all operations of the API; operations on a project check that the caller may use it."""
    known = [
        *session_operations(app, cookies),
        *browsing_operations(app),
        *overview_operations(app),
        *ledger_operations(app),
        *judgement_operations(app),
    ]
    return [replace(one, run=_checked(app, one.run)) if issubclass(one.asks, OfProject) else one for one in known]


def _checked(app: App, run: Callable[[Any], object]) -> Callable[[Any], object]:
    """Return what runs only where the caller may use the project, and says so where that is empty."""

    def checked(asked: OfProject) -> object:
        check_project_id(asked.project)
        try:
            return run(asked)
        except NotFound as error:
            if (hint := app.empty_hint(asked.project)) is not None:
                raise NotFound(hint) from error
            raise

    return checked


def api_routes(app: App, pages: Pages, cookies: Cookies | None = None) -> list[BaseRoute]:
    """Return the routes of the API and of the pages; without `cookies` nobody is asked for a session."""
    known = operations(app, cookies)
    return [
        *_resources(known),
        Route("/api/openapi.json", _Description(known)),
        *exchange_routes(app),
        Route("/api/{rest:path}", _NoSuchPath()),
        *(Route(path, pages) for path in sorted(pages.paths)),
    ]


def _resources(known: Iterable[Operation]) -> list[BaseRoute]:
    by_path: defaultdict[str, list[Operation]] = defaultdict(list)
    for operation in known:
        by_path[operation.path].append(operation)
    return [Route(path, Resource(several)) for path, several in by_path.items()]
