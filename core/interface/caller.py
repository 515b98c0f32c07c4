"""Caller: on whose behalf something is done, and what they may do."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

from core.errors import Forbidden


@dataclass(frozen=True, slots=True)
class Caller:
    """A client: one of this machine, or one that sent a token over HTTP."""

    #: The name that the audit trail gives: the token's, or `local`.
    name: str
    #: The projects that may be read and written; every project with None.
    projects: frozenset[str] | None = None
    #: Whether nothing may be changed.
    read_only: bool = False
    #: What program it is, as far as it says so, for the audit trail: its name over MCP, or the command of the shell.
    client: str | None = None
    #: Whether the folders that it names are on this machine, and its user may read the home's files.
    is_here: bool = False

    def may_use(self, project_id: str) -> bool:
        """Whether this project is open to the caller."""
        return self.projects is None or project_id in self.projects

    def check_project(self, project_id: str) -> None:
        """Check that a project is open to the caller; an error does not reveal whether it exists.

        Raises:
            Forbidden: it is not open.
        """
        if not self.may_use(project_id):
            raise Forbidden(f"Project {project_id!r} is not open to token {self.name!r}: use one of its projects.")

    def check_write(self, what: str) -> None:
        """Check that the caller may change something; `what` names the tool.

        Raises:
            Forbidden: the caller may only read.
        """
        if self.read_only:
            raise Forbidden(f"Token {self.name!r} is read-only, and {what} writes: use another token.")


#: A client of this machine: any user who can read the home's files has every right.
LOCAL: Final = Caller("local", is_here=True)

#: Whose request this thread or task works on; each transport sets it.
CALLER: Final = ContextVar("remembrancer_caller", default=LOCAL)


@contextmanager
def act_as(caller: Caller) -> Iterator[None]:
    """Act on behalf of this caller within the block."""
    token = CALLER.set(caller)
    try:
        yield
    finally:
        CALLER.reset(token)
