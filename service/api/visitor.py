"""Visitor: who looks, at which memory, and how a session begins and ends."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from core.interface.caller import CALLER
from service import __version__
from service.api.operation import Operation
from service.api.requests import Nothing
from service.app import App
from service.http.cookies import Cookies, read_cookie
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
