"""Tools from a shell: `remember`, `learn`, `recall`, `pop`, `forget`, `status`."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import MISSING, is_dataclass
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from core.errors import Faults, match_choice, suggest_name
from core.interface.learning.annotation_requests import AnnotatedMemory, LearnRequest, Learnt
from core.interface.memory import argument_fields
from core.interface.question import Question, check_detail
from core.interface.results import Detail, Forgotten, Recall, Receipt, Status
from core.interface.stash import Popped, PopQuestion
from retrieval.shapes.status_shape import shape_status
from service.actions.job_wait import MAX_WAIT_SECONDS, WAIT_SECONDS
from service.app import App
from service.display import terminal
from service.display.search_page import RESULTS, show_search
from service.settings import Settings, load_settings
from service.tools.arguments import DESCRIPTIONS, argument_description
from service.tools.loose import make_record
from service.wiring import open_app

#: How long the jobs of other items are worked on after an answer was printed, in seconds.
_BACKLOG_SECONDS: Final = 5.0
_RECORDS: Final[dict[str, tuple[type, str]]] = {
    "remember": (AnnotatedMemory, "content"),
    "learn": (LearnRequest, "id"),
    "recall": (Question, "query"),
    "pop": (PopQuestion, "name"),
}


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """Add the tool's arguments as options, `snake_case` as `--snake-case`."""
    if command in _RECORDS:
        record, positional = _RECORDS[command]
        add_fields(parser, record, positional, tool=command)
    if command == "remember":
        parser.add_argument("--wait", action="store_true", help="wait until vectors and events are ready")
        parser.add_argument(
            "--wait-seconds", type=int, help=f"longest time to wait, 0 to {MAX_WAIT_SECONDS} (default: {WAIT_SECONDS})"
        )
    if command in {"forget", "status"}:
        purpose = {"forget": "art_… id of the item to delete", "status": "art_… id, to see its background jobs"}
        parser.add_argument("id", nargs="?", help=purpose[command])
    if command == "status":
        add_detail_options(parser)
    if command == "forget":
        parser.add_argument("--conversation-id", help="delete this whole conversation instead")
        parser.add_argument("--confirm", action="store_true", help="delete; without it nothing is deleted")
        parser.add_argument("--confirm-count", type=int, help="number of items, needed too if there are over 100")
        parser.add_argument("--dry-run", action="store_true", help="only count what would be deleted")
    parser.add_argument("--project-id", default="default", help="project to use (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print exactly the tool's structured result")


def run(command: str, options: argparse.Namespace) -> int:
    """Call the tool and print its answer; 0 also when it declined (see `error` in the answer)."""
    values = vars(options)
    as_json, project_id = values.pop("json"), values.pop("project_id")
    opened = open_app if command in {"remember", "learn"} else open_existing
    with opened(load_settings()) as app:
        answer: Receipt | Learnt | Recall | Popped | Forgotten | Status
        if command == "remember":
            wait, seconds = values.pop("wait"), values.pop("wait_seconds")
            memory = make_record(AnnotatedMemory, given_options(values), Faults())
            answer = app.remember(memory, project_id, wait=wait, wait_seconds=seconds)
        elif command == "learn":
            answer = app.learn(make_record(LearnRequest, given_options(values), Faults()), project_id)
        elif command == "recall":
            return _recall(app, given_options(values), project_id, as_json=as_json)
        elif command == "pop":
            answer = app.pop(PopQuestion(**given_options(values)), project_id)
        elif command == "forget":
            answer = app.forget(values.pop("id"), project_id, **values)
        else:
            shape: Detail = values["detail"] or "brief"
            check_detail(shape, values["max_tokens"])
            answer = shape_status(app.status(values["id"], project_id), shape, values["max_tokens"])
        _print(answer, as_json=as_json, detail=values.get("detail") or "brief")
        if isinstance(answer, Receipt | Learnt):
            app.worker.do_jobs_of(project_id, [answer.id])
            app.worker.drain(seconds=_BACKLOG_SECONDS)
    return 0


def _recall(app: App, asked: dict[str, Any], project_id: str, *, as_json: bool) -> int:
    """Answer on one screen if something is searched, unless everything is asked for."""
    is_page = "query" in asked and "id" not in asked and asked.get("detail") != "full" and not as_json
    question = Question(**({"limit": RESULTS} | asked if is_page else asked))
    answer = app.recall(question, project_id)
    if is_page and question.query is not None:
        show_search(answer, question.query, terminal.make_console(), is_limited="limit" in asked)
    else:
        _print(answer, as_json=as_json, detail=question.detail)
    return 0


def open_existing(settings: Settings) -> App:
    """Open the memory to read from; a line on standard error says if it does not exist yet."""
    if settings.graph == "embedded" and not settings.record_path.exists():
        sys.stderr.write(
            f"remembrancer: there is no memory in {settings.home} yet, so an empty one is created; if yours is "
            "elsewhere, set REMEMBRANCER_HOME.\n"
        )
    return open_app(settings)


def _print(answer: Receipt | Learnt | Recall | Popped | Forgotten | Status, *, as_json: bool, detail: Detail) -> None:
    if as_json:
        terminal.print_json(answer, detail if isinstance(answer, Recall | Popped | Status) else "full")
    else:
        terminal.show(answer)


def given_options(values: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were given, lists as tuples; content `-` is read from standard input."""
    there = {name: tuple(v) if isinstance(v, list) else v for name, v in values.items() if v is not None}
    if there.get("content") == "-":
        there["content"] = sys.stdin.read()
    return there


def add_fields(parser: argparse.ArgumentParser, record: type, positional: str, *, tool: str) -> None:
    """Add an option for each field of `record`; one not given is None, so that the record's default holds."""
    hints = get_type_hints(record)
    for item in argument_fields(record):
        option = f"--{item.name.replace('_', '-')}"
        kind, choices, many = _kind(hints[item.name])
        shown: dict[str, Any] = {"type": kind}
        if choices is not None:
            shown = {"type": _choice_of(choices), "metavar": f"{{{','.join(choices)}}}"}
        text = _help(argument_description(tool, item.name))
        if item.default not in {MISSING, None, ()}:
            text += f" (default: {item.default})" if kind is not bool else " (default)" * item.default
        if item.name == positional:
            from_input = "; - reads it from standard input" if item.name == "content" else ""
            parser.add_argument(item.name, nargs=None if item.default is MISSING else "?", help=text + from_input)
        elif kind is bool:
            parser.add_argument(option, action=argparse.BooleanOptionalAction, help=text)
        elif many:
            parser.add_argument(option, action="append", help=f"{text} (repeatable)", **shown)
        else:
            parser.add_argument(option, help=text, **shown)


def add_detail_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how much an answer says, of a tool whose arguments are no record."""
    for name in ("detail", "max_tokens"):
        kind = {"type": int} if name == "max_tokens" else {"choices": get_args(Detail)}
        parser.add_argument(f"--{name.replace('_', '-')}", help=_help(DESCRIPTIONS[name]), **kind)


def _choice_of(choices: Sequence[str]) -> Callable[[str], str]:
    """Return what reads one of the choices; its error names the nearest."""

    def read(text: str) -> str:
        if (meant := match_choice(text, choices)) not in choices:
            question = suggest_name(text, choices)
            raise argparse.ArgumentTypeError(f"invalid choice: {text!r}: {question}Choose from {', '.join(choices)}.")
        return meant

    return read


def _help(text: str) -> str:
    """Return the description of an argument in the style of argparse: no capital, no full stop, `%` escaped."""
    start = text if text[1:2].isupper() else text[:1].lower() + text[1:]
    return start.removesuffix(".").replace("%", "%%")


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
