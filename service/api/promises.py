"""Promises and decisions: the ledger as the page shows it."""

from dataclasses import fields

from core.errors import Conflict, InvalidInput
from core.interface.ledger_questions import CommitmentsQuestion, DecisionsQuestion, ResolveRequest
from core.interface.ledger_results import LedgerAnswer, LedgerItem
from service.api import requests
from service.api.operation import Operation
from service.app import App


def ledger_operations(app: App) -> list[Operation]:
    """Return the operations of the ledger."""

    def decisions(asked: requests.Decisions) -> LedgerAnswer:
        question = DecisionsQuestion(
            topic=asked.topic,
            person=asked.person,
            status=asked.status,
            date_from=asked.date_from,
            date_to=asked.date_to,
            as_of=asked.as_of,
            limit=asked.limit,
            offset=asked.offset,
            detail="full",
        )
        return app.decisions(question, asked.project)

    def commitments(asked: requests.Commitments) -> LedgerAnswer:
        question = CommitmentsQuestion(
            topic=asked.topic,
            owner=asked.owner,
            status=asked.status,
            due_before=asked.due_before,
            as_of=asked.as_of,
            limit=asked.limit,
            offset=asked.offset,
            detail="full",
        )
        return app.commitments(question, asked.project)

    def resolve(asked: requests.Resolve) -> LedgerItem:
        try:
            given = {item.name: getattr(asked, item.name) for item in fields(asked) if item.name != "project"}
            return app.resolve(ResolveRequest(**given, detail="full"), asked.project)
        except InvalidInput as error:
            # The request is valid, but not for this kind of event.
            raise Conflict(str(error)) from error

    return [
        Operation("GET", "/api/decisions", "List decisions", requests.Decisions, LedgerAnswer, decisions),
        Operation("GET", "/api/commitments", "List commitments", requests.Commitments, LedgerAnswer, commitments),
        Operation("POST", "/api/resolve", "Set a status", requests.Resolve, LedgerItem, resolve, writes=True),
    ]
