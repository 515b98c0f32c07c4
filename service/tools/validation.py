"""Tools for the SDK: strict arguments, errors as JSON, answers that match their schema."""

import inspect
import json
import logging
import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import MISSING, fields, is_dataclass, replace
from functools import partial, wraps
from typing import Annotated, Any, Final, TypeVar, get_args, get_origin, get_type_hints

import anyio
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.resolve import resolve_arguments
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, InputRequiredResult, TextContent, ToolAnnotations
from pydantic import Field, TypeAdapter, ValidationError, WithJsonSchema

from core.backoff import FOREGROUND
from core.errors import InvalidInput, MemoryServiceError, TooLarge, Unavailable, nearest, suggestion
from core.interface.caller import CALLER, calling
from core.interface.memory import arguments
from core.interface.results import Detail, to_json
from core.knowledge.text_repair import repaired
from retrieval.messages.message import text_of
from service.actions.threads import ThreadLimit
from service.http.metrics import TOOL_CALLS, TOOL_SECONDS
from service.tools.arguments import DESCRIPTIONS

R = TypeVar("R")

_log = logging.getLogger("remembrancer.server")

#: Threads for calls that wait for background work, apart from those that answer: many waiters never hold up a reader.
_WAITING: Final = ThreadLimit("waiting calls", 64)
#: Threads for calls that work long and say how far they are; more calls wait their turn.
_WORKING: Final = ThreadLimit("long calls", 4)

#: Characters of a client's name that are kept.
_LONGEST_NAME: Final = 60
#: The longest list that a tool takes. A longer one is refused before each of its entries costs an error.
_MOST_ENTRIES: Final = 1_000
#: Faults that an error tells of.
_MOST_FAULTS: Final = 5
#: One of the values that the library says are expected.
_CHOICE: Final = re.compile(r"'([^']+)'")
#: Largest answer as JSON, in characters: the longest item with every character escaped has 60 million.
_LONGEST_ANSWER: Final = 64 * 1024 * 1024

#: Values of an optional argument that count as not given.
_EMPTY: Final[tuple[object, ...]] = (None, "", (), [])

ADDS: Final = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True)
READS: Final = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True)
DELETES: Final = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True)

#: Defaults that say nothing: what is not given is empty, false, 0, in brief, and in the project that most people have.
_UNTOLD: Final[tuple[object, ...]] = (None, "", [], False, "brief", "default")


class CheckedTool(Tool):
    """A tool whose arguments are checked strictly, whose unknown arguments are refused, and whose errors are JSON.

    The SDK's own `run` would read JSON out of strings, ignore unknown names and hide our messages.
    """

    async def run(
        self,
        arguments: dict[str, Any],
        context: Any,  # noqa: ANN401 - the SDK's signature
        convert_result: bool = False,  # noqa: ARG002, FBT001, FBT002
    ) -> CallToolResult | InputRequiredResult:
        """Call the tool on a worker thread; every failure is a result, so the server outlives any input.

        Parameters marked with the SDK's `Resolve` are filled in first; one that has to be asked of the client is the
        result, in the era in which clients answer by calling again.
        """
        begin = time.perf_counter()
        try:
            if self.annotations is None or not self.annotations.read_only_hint:
                CALLER.get().check_write(self.name)
            given = _checked(self, self.name, arguments)
            if self.resolved_params:
                resolved = await resolve_arguments(self.resolved_params, self.resolver_plans, given, context)
                if isinstance(resolved, InputRequiredResult):
                    return resolved
                given |= resolved
            limit = _WAITING if given.get("wait") else _WORKING if "progress" in self.resolved_params else None
            hurried = FOREGROUND.answering() if limit is None else nullcontext()
            limiter = None if limit is None else limit.limiter()
            with calling(replace(CALLER.get(), client=_client_name(context))), hurried:
                answer = await anyio.to_thread.run_sync(partial(self.fn, **given), limiter=limiter)
            outcome, result = "ok", _success(answer, given.get("detail", "full"))
        except MemoryServiceError as error:
            outcome, result = error.code, _failure(str(error), error.code)
        except Exception:  # noqa: BLE001 - the edge of the server: a bug is logged with its traceback, and reported without details
            _log.exception("Tool %s failed unexpectedly", self.name)
            outcome = Unavailable.code
            result = _failure(f"{self.name} failed unexpectedly: see the server's log.", outcome)
        TOOL_CALLS.labels(self.name, outcome).inc()
        TOOL_SECONDS.labels(self.name).observe(time.perf_counter() - begin)
        return result


def _client_name(context: Any) -> str | None:  # noqa: ANN401 - as in `CheckedTool.run`
    """Return what the client calls itself, None if it does not say."""
    parameters = context.session.client_params if isinstance(context, Context) else None
    name = "" if parameters is None else " ".join(parameters.client_info.name.split())
    return "".join(letter for letter in name if letter.isprintable())[:_LONGEST_NAME] or None


def call(tool: Tool, arguments: Mapping[str, Any], **asked: object) -> object:
    """Return a tool's answer itself, for a caller in this process; what would be asked of a client is left open, except
    for what is `asked` here.

    Raises:
        MemoryServiceError: an argument can't be used, or the tool failed.
    """
    resolved = dict.fromkeys(tool.resolved_params) | asked
    return tool.fn(**_checked(tool, tool.name, arguments), **resolved)


def _checked(tool: Tool, what: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments in their declared types; None counts as not given, and a list may come as JSON text."""
    model = tool.fn_metadata.arg_model
    arguments = repaired(arguments)
    if unknown := sorted(set(arguments) - set(model.model_fields)):
        raise InvalidInput(
            f"{what} has no argument {_some([_short(name) for name in unknown])}: {_meant(unknown, model.model_fields)}"
            f"it takes {', '.join(model.model_fields)}."
        )
    given = {
        name: _unwrapped(value, model.model_fields[name].annotation)
        for name, value in arguments.items()
        if value is not None or model.model_fields[name].is_required()
    }
    for name, value in given.items():
        if isinstance(value, list) and len(value) > _MOST_ENTRIES:
            raise TooLarge(f"{name} has {len(value):,} entries: send at most {_MOST_ENTRIES:,}.")
    try:
        read = model.model_validate(given, strict=True)
    except ValidationError as error:
        issues = error.errors(include_url=False)
        more = f"; {len(issues) - _MOST_FAULTS:,} more." if len(issues) > _MOST_FAULTS else ""
        raise InvalidInput("; ".join(map(problem, issues[:_MOST_FAULTS])) + more) from error
    stated = {"stated": frozenset(read.model_fields_set)} if hasattr(tool.fn, "takes_stated") else {}
    return read.model_dump_one_level() | stated


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST_FAULTS]) + (" …" if len(names) > _MOST_FAULTS else "")


def _meant(unknown: Sequence[str], known: Collection[str]) -> str:
    """Return the question whether the nearest of the known names are meant, with a blank after it; empty if none is."""
    meant = dict.fromkeys(filter(None, (nearest(name, known) for name in unknown[:_MOST_FAULTS])))
    return f"did you mean {', '.join(map(repr, meant))}? " if meant else ""


def problem(issue: Mapping[str, Any]) -> str:
    """Say in words what is wrong with one argument."""
    name = ".".join(str(part) for part in issue["loc"])
    if issue["type"] == "missing":
        return f"{name} is required."
    if issue["type"] == "literal_error" and isinstance(issue["input"], str):
        choices = _CHOICE.findall(issue["ctx"]["expected"])
        return (
            f"{name} {_short(issue['input'])} is not valid: {suggestion(issue['input'], choices)}{name} must be one of "
            f"{', '.join(choices)}."
        )
    return f"{name} {_short(issue['input'])} is not valid: {issue['msg'][0].lower()}{issue['msg'][1:]}."


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}…"


def _unwrapped(value: object, annotation: object) -> object:
    """Return the list or object that some clients send as JSON text where one is expected; anything else as it is."""
    wants = {get_origin(option) or option for option in (annotation, *get_args(annotation))} & {list, dict}
    if not isinstance(value, str) or not wants or value[:1] not in "[{":
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _success(answer: object, detail: Detail) -> CallToolResult:
    """Return an answer as structured content and as text: in full its JSON, in brief Markdown.

    One that is a text already is returned only as that.
    """
    text = answer if isinstance(answer, str) else text_of(answer, detail)
    if len(text) > _LONGEST_ANSWER:
        raise TooLarge(f"The answer has {len(text):,} characters: ask for less with limit, page_size or max_tokens.")
    shown = None if isinstance(answer, str) else to_json(answer, detail)
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=shown)


def _text(answer: object) -> TextContent:
    return TextContent(type="text", text=json.dumps(answer, ensure_ascii=False, separators=(",", ":")))


def _failure(message: str, code: str) -> CallToolResult:
    return CallToolResult(content=[_text({"error": message, "code": code})], is_error=True)


def unknown_tool(name: str, known: Collection[str]) -> CallToolResult:
    """Return the error of a tool that does not exist, with the nearest that does."""
    meant = suggestion(name, known)
    return _failure(f"There is no tool {_short(name)}: {meant}use {', '.join(known)}.", InvalidInput.code)


def takes(record: type, **described: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a tool the fields of `record` as its arguments, in place of its first parameter, which gets the record.

    So an argument is declared once, in `core`; its description is in `described`, else in `DESCRIPTIONS`.
    """
    hints = get_type_hints(record)

    def decorate(tool: Callable[..., Any]) -> Callable[..., Any]:
        _, *own = inspect.signature(tool, eval_str=True).parameters.values()
        declared = [
            inspect.Parameter(
                item.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if item.default is MISSING else _as_json(item.default),
                annotation=_described(_listed(hints[item.name]), (DESCRIPTIONS | described).get(item.name)),
            )
            for item in arguments(record)
        ]
        names = {item.name for item in arguments(record)}
        has_stated = any(item.name == "stated" for item in fields(record))
        readers: dict[str, Callable[[object], Any]] = {
            name: reader(inner, "It") for name in names if (inner := _entry(hints[name])) is not None
        }

        def read(name: str, value: object) -> object:
            if isinstance(value, list) and name in readers:
                return tuple(_entry_of(one, f"{name}[{place}]", readers[name]) for place, one in enumerate(value))
            return tuple(value) if isinstance(value, list) else value

        @wraps(tool)
        def call(**given: Any) -> Any:  # noqa: ANN401 - whatever the tool takes and returns
            values = {name: read(name, v) for name, v in given.items() if name in names}
            if has_stated:
                values["stated"] = frozenset(name for name in given.pop("stated", ()) if values.get(name) not in _EMPTY)
            return tool(record(**values), **{name: v for name, v in given.items() if name not in names})

        if has_stated:
            call.takes_stated = True  # type: ignore[attr-defined] # what `_checked` looks for

        parameters = [*declared, *own]
        call.__signature__ = inspect.Signature(  # type: ignore[attr-defined] # what inspect.signature reads
            parameters, return_annotation=inspect.signature(tool, eval_str=True).return_annotation
        )
        return call

    return decorate


def _entry(hint: Any) -> type | None:  # noqa: ANN401 - a type expression
    """Return the record that a field is a list of; None if it is none."""
    inner = get_args(hint)[0] if get_origin(hint) is tuple else None
    return inner if isinstance(inner, type) and is_dataclass(inner) else None


def _entry_of(value: object, place: str, read: Callable[[object], R]) -> R:
    """Return an entry of a list as a record; errors name its place."""
    try:
        return read(value)
    except MemoryServiceError as error:
        raise type(error)(f"{place}: {error}") from error


def reader(record: type[R], what: str) -> Callable[[object], R]:
    """Return what makes a record of an object, as strictly as a tool that `takes` it; `what` names it in errors."""

    @takes(record)
    def same(read: R) -> R:
        return read

    checking = CheckedTool.from_function(same, name=record.__name__, structured_output=False)

    def read(given: object) -> R:
        if not isinstance(given, Mapping):
            raise InvalidInput(f"{what} {_short(given)} is not an object: use names with values.")
        read: R = checking.fn(**_checked(checking, what, {str(name): value for name, value in given.items()}))
        return read

    return read


def _as_json(default: object) -> object:
    return list(default) if isinstance(default, tuple) else default


def _listed(hint: Any) -> Any:  # noqa: ANN401 - a type expression
    """Return a type expression with `tuple[X, ...]` as the `list[X]` that JSON has."""
    if (inner := _entry(hint)) is not None:
        return list[Annotated[Mapping[str, Any], WithJsonSchema(_shape(inner))]]
    if get_origin(hint) is tuple:
        return list[get_args(hint)[0]]  # type: ignore[misc] # built from a value
    options = get_args(hint)
    if any(get_origin(option) is tuple for option in options):
        return _listed(next(option for option in options if get_origin(option) is tuple)) | None
    return hint


def _shape(record: type) -> dict[str, Any]:
    """Return a short schema of the objects that are read as `record`: types, and choices of fields that must be there.

    Fields that say so are not listed, and taken all the same.
    """
    full = TypeAdapter(record).json_schema()
    kinds = {name: _kind(value, chosen=name in full["required"]) for name, value in full["properties"].items()}
    unlisted = [item.name for item in fields(record) if not item.metadata.get("listed", True)]
    for name in unlisted:
        del kinds[name]
    return {"type": "object", "properties": kinds, "required": full["required"]}


def _kind(schema: Mapping[str, Any], *, chosen: bool) -> dict[str, Any]:
    """Return of a field's schema its type, and its choices if it is always there."""
    first = schema.get("anyOf", [schema])[0]
    return {name: first[name] for name in ("type", "enum")[: 1 + chosen] if name in first}


def _described(hint: Any, description: str | None) -> Any:  # noqa: ANN401 - a type expression
    return hint if description is None else Annotated[hint, Field(description=description)]


def _lean(schema: Any, *, nulls: bool = False) -> Any:  # noqa: ANN401 - JSON
    """Return a schema without what says nothing: titles made of names, empty defaults, and, unless `nulls` are sent,
    the null of what may be left out. Every conversation of every client pays for the list of tools."""
    if isinstance(schema, list):
        return [_lean(inner, nulls=nulls) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    kept = dict(schema)
    if kept.get("default", True) in _UNTOLD:
        del kept["default"]
        options = [option for option in kept.pop("anyOf", []) if nulls or option != {"type": "null"}]
        kept |= options[0] if len(options) == 1 else {"anyOf": options} if options else {}
    kept = {name: value for name, value in kept.items() if not _says_nothing(name, value)}
    if nulls and (types := _types(kept.get("anyOf", []))):
        del kept["anyOf"]
        kept["type"] = types
    return {name: _lean(value, nulls=nulls) for name, value in kept.items()}


def _types(options: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the types of options that are no more than types; empty if one is more."""
    return [option["type"] for option in options] if all(set(option) == {"type"} for option in options) else []


def _says_nothing(name: str, value: object) -> bool:
    """Whether an entry of a schema may go: the title of a field, which is an object itself if it is called so."""
    return (name == "title" and isinstance(value, str)) or (name == "additionalProperties" and value is True)


def tool(function: Callable[..., Any], title: str, annotations: ToolAnnotations) -> Tool:
    """Return `function` as a tool, its docstring as the description; one that returns a text has no output schema."""
    made = CheckedTool.from_function(
        function,
        title=title,
        description=inspect.cleandoc(function.__doc__ or ""),
        annotations=annotations,
        structured_output=False,  # `CheckedTool.run` makes it; the SDK can't read slotted dataclasses
    )
    made.parameters = _lean(made.parameters)
    made.parameters["additionalProperties"] = False
    for argument in made.parameters["properties"].values():
        if argument.get("enum") == ["brief", "full"]:
            del argument["enum"]  # its description has them
    returned = inspect.signature(function).return_annotation
    if returned is not str:
        made.fn_metadata.output_schema = _lean(TypeAdapter(returned).json_schema(), nulls=True)
    return made


def without_choices(made: Tool, *arguments: str) -> Tool:
    """Return a tool whose schema does not have the choices of these arguments: `remember` or an error lists them."""
    for name in arguments:
        schema = made.parameters["properties"][name]
        if "items" in schema:
            schema["items"] = {"type": schema["items"]["type"]}
        schema.pop("enum", None)
    return made
