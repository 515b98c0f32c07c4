"""The ledger from a shell: `decisions`, `commitments`, `resolve`."""

import argparse
from typing import Final

from core.interface.ledger_questions import CommitmentsQuestion, DecisionsQuestion
from core.interface.ledger_results import LedgerAnswer, LedgerItem
from core.interface.results import Detail
from service.commands.tools import add_detail_options, add_fields, given_options, open_existing
from service.display import ledger_table, terminal
from service.settings import load_settings

_QUESTIONS: Final[dict[str, tuple[type, str]]] = {
    "decisions": (DecisionsQuestion, "topic"),
    "commitments": (CommitmentsQuestion, "owner"),
}


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """Add the tool's arguments as options, `snake_case` as `--snake-case`."""
    if command in _QUESTIONS:
        record, positional = _QUESTIONS[command]
        add_fields(parser, record, positional, tool=command)
    else:
        parser.add_argument("id", help="an evt_… id of a decision, a commitment or a report")
        parser.add_argument(
            "status", nargs="?", help="open, done, cancelled; of a decision current, withdrawn; dismissed"
        )
        parser.add_argument("--supersedes", metavar="ID", help='the earlier decision that it replaces, or "none"')
        parser.add_argument("--completes", metavar="ID", help='the commitment that this report meets, or "none"')
        parser.add_argument("--note", help="reason, in a sentence")
        add_detail_options(parser)
    parser.add_argument("--project-id", default="default", help="project to use (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print exactly the tool's structured result")


def run(command: str, options: argparse.Namespace) -> int:
    """Call the tool and print its answer; a table has room for all of a page, whatever a model is sent of it."""
    values = given_options(vars(options))
    as_json, project_id = values.pop("json"), values.pop("project_id")
    detail: Detail = values.pop("detail", "brief")
    asked: Detail = detail if as_json else "full"
    with open_existing(load_settings()) as app:
        answer: LedgerAnswer | LedgerItem
        if command == "decisions":
            answer = app.decisions(DecisionsQuestion(**values, detail=asked), project_id)
        elif command == "commitments":
            answer = app.commitments(CommitmentsQuestion(**values, detail=asked), project_id)
        else:
            answer = app.resolve(
                values.pop("id"), values.pop("status", None), project_id=project_id, **values, detail=asked
            )
    if as_json:
        terminal.print_json(answer, detail)
    else:
        ledger_table.show(answer, whole=detail == "full")
    return 0
