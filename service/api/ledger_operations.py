"""Promises and decisions: the ledger as the page shows it."""

from core.errors import Conflict, InvalidInput
from core.interface.operations import OPERATION
from service.api.operation import Method, Operation
from service.api.requests import OfProject, Resolve, arguments_of, request_like
from service.app import App
from service.tools.bindings import RUNS


def ledger_operations(app: App) -> list[Operation]:
    """Return the operations of the ledger."""
    every = request_like(OPERATION["decisions"], defaults={"status": "all"})
    return [
        _offer(app, "decisions", "GET", "List decisions", every),
        _offer(app, "commitments", "GET", "List commitments", request_like(OPERATION["commitments"])),
        _offer(app, "resolve", "POST", "Set a status", Resolve),
    ]


def _offer(app: App, name: str, method: Method, summary: str, asks: type[OfProject]) -> Operation:
    """Return the operation of a path that is called as one of the table, and answers in full as that does."""
    operation = OPERATION[name]

    def run(asked: OfProject) -> object:
        given = arguments_of(operation, asked)
        try:
            return RUNS[name](app, operation.request(**given, detail="full"), asked.project)
        except InvalidInput as error:
            if operation.rights == "read":
                raise
            # The request is valid, but not for this kind of thing.
            raise Conflict(str(error)) from error

    return Operation(method, f"/api/{name}", summary, asks, operation.result, run, writes=operation.rights != "read")
