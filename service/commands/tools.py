"""Operations from a shell: `remember`, `learn`, `recall`, `pop`, `forget`, `status`, `decisions`, `commitments`,
`resolve`, and `context`, the rules that apply to the work in a folder.
"""

import argparse
import json
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin

from core.errors import Faults, match_choice, suggest_name
from core.interface.learning import Learnt
from core.interface.ledger import LedgerAnswer, LedgerItem
from core.interface.operations import OPERATION, Operation
from core.interface.parameters import Parameter
from core.interface.question import ContextQuestion
from core.interface.results import Receipt
from service.app import App
from service.display import answers, terminal
from service.display.answers import RESULTS, show_search
from service.settings import Settings, load_settings
from service.tools.bindings import RUNS
from service.tools.lenient_arguments import make_record
from service.wiring import open_app
from service.workspace import Workspaces, working_folder

#: How long the jobs of other items are worked on after an answer was printed, in seconds.
_BACKLOG_SECONDS: Final = 5.0
#: Operations whose answers are printed as a table, which has room for all of a page, whatever a model is sent of it.
_TABLES: Final = frozenset({"decisions", "commitments", "resolve"})


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """Add the parameters of the operation."""
    add_parameters(parser, OPERATION[command])
    parser.add_argument("--json", action="store_true", help="print exactly the tool's structured result")


def run(command: str, options: argparse.Namespace) -> int:
    """Run the operation and print its answer; 0 also when it declined (see `error` in the answer)."""
    operation, asked = OPERATION[command], given_options(vars(options))
    as_json, project_id = asked.pop("json"), asked.pop("project_id")
    has_detail = any(parameter.name == "detail" for parameter in operation.parameters)
    detail = asked.get("detail", "brief" if has_detail else "full")
    if command in _TABLES and not as_json:
        asked["detail"] = "full"
    is_page = command == "recall" and not as_json and "query" in asked and "id" not in asked and detail != "full"
    defaults = {"limit": RESULTS} if is_page else {}
    opened = open_app if operation.rights == "store" and command not in _TABLES else open_existing
    with opened(load_settings()) as app:
        request: object = make_record(operation.request, defaults | asked, Faults())
        answer: Any = RUNS[command](app, request, project_id)
        if as_json:
            terminal.print_json(answer, detail)
        elif is_page:  # one screen
            show_search(answer, asked["query"], terminal.make_console(), is_limited="limit" in asked)
        elif isinstance(answer, LedgerAnswer | LedgerItem):
            answers.show(answer, whole=detail == "full")
        else:
            terminal.show(answer)
        if isinstance(answer, Receipt | Learnt):
            app.worker.do_jobs_of(project_id, [answer.id])
            app.worker.drain(seconds=_BACKLOG_SECONDS)
    return 0


def open_existing(settings: Settings) -> App:
    """Open the memory to read from; a line on standard error says if it does not exist yet."""
    if settings.graph == "embedded" and not settings.record_path.exists():
        sys.stderr.write(
            f"remembrancer: there is no memory in {settings.home} yet, so an empty one is created; if yours is "
            "elsewhere, set REMEMBRANCER_HOME.\n"
        )
    return open_app(settings)


def given_options(values: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were given, lists as tuples; content `-` is read from standard input."""
    there = {name: tuple(v) if isinstance(v, list) else v for name, v in values.items() if v is not None}
    if there.get("content") == "-":
        there["content"] = sys.stdin.read()
    return there


def add_parameters(parser: argparse.ArgumentParser, operation: Operation, without: Collection[str] = ()) -> None:
    """Add an option for each parameter of an operation, `snake_case` as `--snake-case`.

    One that is not given is None, so that the request's default holds; the project has its own.
    """
    for parameter in operation.parameters:
        if parameter.name not in without:
            _add(parser, parameter, is_positional=parameter.name in operation.positional)


def _add(parser: argparse.ArgumentParser, parameter: Parameter, *, is_positional: bool) -> None:
    option = f"--{parameter.name.replace('_', '-')}"
    kind, choices, many = _kind(parameter.hint)
    shown: dict[str, Any] = {"type": kind}
    if choices is not None:
        shown = {"type": _choice_of(choices), "metavar": f"{{{','.join(choices)}}}"}
    text = _help(parameter)
    if is_positional:
        from_input = "; - reads it from standard input" if parameter.name == "content" else ""
        parser.add_argument(parameter.name, nargs=None if parameter.is_required else "?", help=text + from_input)
    elif kind is bool:
        parser.add_argument(option, action=argparse.BooleanOptionalAction, help=text)
    elif many:
        parser.add_argument(option, action="append", help=f"{text} (repeatable)", **shown)
    elif parameter.name == "project_id":
        parser.add_argument(option, default=parameter.default, help=text)
    else:
        parser.add_argument(option, help=text, **shown)


def _choice_of(choices: Sequence[str]) -> Callable[[str], str]:
    """Return what reads one of the choices; its error names the nearest."""

    def read(text: str) -> str:
        if (meant := match_choice(text, choices)) not in choices:
            question = suggest_name(text, choices)
            raise argparse.ArgumentTypeError(f"invalid choice: {text!r}: {question}Choose from {', '.join(choices)}.")
        return meant

    return read


def _help(parameter: Parameter) -> str:
    """Return a parameter's description in the style of argparse, no capital, no full stop, `%` escaped, and its
    default."""
    described, default = parameter.description, parameter.default
    text = "" if described is None else described.help or described.text
    start = text if text[1:2].isupper() else text[:1].lower() + text[1:]
    said = start.removesuffix(".").replace("%", "%%")
    if parameter.is_required or default in (None, ()) or default is False:
        return said
    return f"{said} (default)" if default is True else f"{said} (default: {default})"


def _kind(hint: Any) -> tuple[Any, tuple[str, ...] | None, bool]:  # noqa: ANN401 - a type expression
    """Return how argparse reads a field of this type, its choices, and whether it takes several values."""
    options = [option for option in (get_args(hint) or (hint,)) if option is not type(None)]
    if get_origin(hint) is Literal:
        return str, get_args(hint), False
    if get_origin(hint) is tuple:
        kind, choices, _ = _kind(get_args(hint)[0])
        return kind, choices, True
    if get_args(hint) and get_origin(hint) is not dict:
        return _kind(options[0])
    return (_json_object, None, False) if get_origin(hint) is dict or is_dataclass(hint) else (hint, None, False)


def _json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            f"{text[:80]!r} is not JSON ({error}): use an object such as '{{\"ticket\": 7}}'."
        ) from error
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is not a JSON object: use one such as '{{\"ticket\": 7}}'.")
    return value


def configure_context(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - as every command's
    """Add the tool's arguments as options; the folder defaults to the current one."""
    add_parameters(parser, OPERATION["memory_context"])


def run_context(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - as every command's
    """Print the rules as Markdown."""
    values = given_options(vars(options))
    project_id = values.pop("project_id")
    if "folder" in values:
        values["folder"] = str(Path(values["folder"]).absolute())
    question = ContextQuestion(**values)
    with open_existing(load_settings()) as app:
        found = Workspaces(own=working_folder()).detect(question)
        sys.stdout.write(app.memory_context(question, project_id, found=found))
    return 0
