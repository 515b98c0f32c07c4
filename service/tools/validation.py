"""Tools for the SDK: strict arguments, errors as JSON, answers that match their schema."""

import inspect
import json
import logging
import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import fields, is_dataclass, replace
from functools import partial
from typing import Annotated, Any, Final, TypeVar, get_args, get_origin

import anyio
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.resolve import resolve_arguments
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, InputRequiredResult, TextContent, ToolAnnotations
from pydantic import Field, TypeAdapter, WithJsonSchema

from core.errors import Faults, InvalidInput, MemoryServiceError, TooLarge, Unavailable, suggest_name
from core.interface.caller import CALLER, act_as
from core.interface.operations import PROJECT_ID, TOOL_OPERATION, Operation, Rights
from core.interface.parameters import Parameter, argument_fields
from core.interface.results import Detail, to_json
from core.timing import FOREGROUND_CALLS
from retrieval.messages.message import render_text
from service.http.health import TOOL_CALLS, TOOL_SECONDS
from service.processes import ThreadLimit
from service.tools.lenient_arguments import Check, entry_record, make_record, read_values, shorten_value

R = TypeVar("R")

_log = logging.getLogger("remembrancer.server")

#: Threads for calls that wait for background work, separate from the others: many waiting calls never delay a reader.
_WAITING: Final = ThreadLimit("waiting calls", 64)
#: Threads for calls that work long and say how far they are; more calls wait their turn.
_WORKING: Final = ThreadLimit("long calls", 4)

#: Characters of a client's name that are kept.
_LONGEST_NAME: Final = 60
#: One of the values that the library says are expected.
_CHOICE: Final = re.compile(r"'([^']+)'")
#: Largest answer as JSON, in characters: the longest item with every character escaped has 60 million.
_LONGEST_ANSWER: Final = 64 * 1024 * 1024

_ANNOTATIONS: Final[Mapping[Rights, ToolAnnotations]] = {
    "read": ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True),
    "store": ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True),
    "delete": ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True),
}

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
            given = checked_arguments(self, arguments)
            if self.resolved_params:
                filled = _filled(self, given)
                resolved = await resolve_arguments(self.resolved_params, self.resolver_plans, filled, context)
                if isinstance(resolved, InputRequiredResult):
                    return resolved
                given |= resolved
            limit = _WAITING if given.get("wait") else _WORKING if "progress" in self.resolved_params else None
            hurried = FOREGROUND_CALLS.count_call() if limit is None else nullcontext()
            limiter = None if limit is None else limit.limiter()
            with act_as(replace(CALLER.get(), client=_client_name(context))), hurried:
                answer = await anyio.to_thread.run_sync(partial(self.fn, **given), limiter=limiter)
            outcome, result = "ok", _success(answer, _filled(self, given).get("detail", "full"))
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
    return tool.fn(**checked_arguments(tool, arguments), **resolved)


def checked_arguments(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that were given in their declared types.

    Raises:
        InvalidInput: some can't be used; the error lists all faults, also of the record made from them.
        TooLarge: likewise, and all of it is over a limit.
    """
    declared = tool.fn_metadata.arg_model.model_fields
    required = {name for name, field in declared.items() if field.is_required()}
    hints = {name: field.annotation for name, field in declared.items()}
    values, faults = read_values(tool.name, hints, required, arguments)
    if faults and isinstance(reads := getattr(tool.fn, "reads", None), _Reads):
        reads.record(values, faults)
    faults.raise_any()
    return values


def _filled(tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments with the defaults of those that were not given."""
    declared = tool.fn_metadata.arg_model.model_fields.items()
    defaults = {name: field.get_default(call_default_factory=True) for name, field in declared}
    return defaults | dict(given)


def describe_problem(issue: Mapping[str, Any]) -> str:
    """Say in words what is wrong with one argument."""
    name = ".".join(str(part) for part in issue["loc"])
    if not name:  # it is about the whole
        return str(issue["msg"]).removeprefix("Value error, ")
    if issue["type"] == "missing":
        return f"{name} is required."
    if issue["type"] == "literal_error" and isinstance(issue["input"], str):
        choices = _CHOICE.findall(issue["ctx"]["expected"])
        return (
            f"{name} {shorten_value(issue['input'])} is not valid: "
            f"{suggest_name(issue['input'], choices)}{name} must be one of "
            f"{', '.join(choices)}."
        )
    return f"{name} {shorten_value(issue['input'])} is not valid: {issue['msg'][0].lower()}{issue['msg'][1:]}."


def _success(answer: object, detail: Detail) -> CallToolResult:
    """Return an answer as structured content and as text: in full its JSON, in brief Markdown.

    One that is a text already is returned only as that.
    """
    text = answer if isinstance(answer, str) else render_text(answer, detail)
    if len(text) > _LONGEST_ANSWER:
        raise TooLarge(f"The answer has {len(text):,} characters: ask for less with limit, page_size or max_tokens.")
    shown = None if isinstance(answer, str) else to_json(answer, detail)
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=shown)


def _text(answer: object) -> TextContent:
    return TextContent(type="text", text=json.dumps(answer, ensure_ascii=False, separators=(",", ":")))


def _failure(message: str, code: str) -> CallToolResult:
    return CallToolResult(content=[_text({"error": message, "code": code})], is_error=True)


def unknown_tool(name: str, known: Collection[str]) -> CallToolResult:
    """Return the error of a tool that does not exist, with the nearest that does, or that is not served."""
    if name in TOOL_OPERATION:
        why = "is not among those that REMEMBRANCER_TOOLS serves; that is set in this client's settings"
        return _failure(f"The tool {shorten_value(name)} {why}: use {', '.join(known)}.", InvalidInput.code)
    meant = suggest_name(name, known)
    return _failure(f"There is no tool {shorten_value(name)}: {meant}use {', '.join(known)}.", InvalidInput.code)


class _Reads:
    """Makes the record that a tool takes of its arguments."""

    def __init__(self, record: type, checks: Check | None) -> None:
        self._record, self._checks = record, checks
        self.names = {item.name for item in argument_fields(record)}

    def record(self, given: Mapping[str, Any], faults: Faults) -> Any:  # noqa: ANN401 - whatever it makes
        """Return the record.

        Raises:
            InvalidInput: something is wrong with it, or there were faults; the error lists all faults.
            TooLarge: likewise, and all of it is over a limit.
        """
        values = {name: value for name, value in given.items() if name in self.names}
        return make_record(self._record, values, faults, self._checks)


def _call(operation: Operation, run: Callable[..., object], checks: Check | None) -> Callable[..., object]:
    """Return what reads the arguments of an operation and runs it, with a signature of which the SDK makes the schema.

    The signature has the operation's parameters, and those of `run` that the SDK resolves.
    """
    reads = _Reads(operation.request, checks)
    resolved = [
        parameter
        for parameter in inspect.signature(run, eval_str=True).parameters.values()
        if get_origin(parameter.annotation) is Annotated
    ]

    def call(**given: Any) -> object:  # noqa: ANN401 - whatever the operation takes
        asked = reads.record(given, Faults())
        others = {name: value for name, value in given.items() if name not in reads.names}
        return run(asked, **{"project_id": PROJECT_ID.default} | others)

    call.reads = reads  # type: ignore[attr-defined] # what `_checked` looks for
    parameters = [*map(_argument, operation.parameters), *resolved]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined] # what inspect.signature reads
        parameters, return_annotation=operation.result
    )
    return call


def _argument(parameter: Parameter) -> inspect.Parameter:
    hint = _listed(parameter.hint)
    if parameter.description is not None:
        hint = Annotated[hint, Field(description=parameter.description.text)]
    default = inspect.Parameter.empty if parameter.is_required else _as_json(parameter.default)
    return inspect.Parameter(parameter.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _as_json(default: object) -> object:
    return None if is_dataclass(default) else list(default) if isinstance(default, tuple) else default


def _listed(hint: Any) -> Any:  # noqa: ANN401 - a type expression
    """Return a type expression with `tuple[X, ...]` as the `list[X]` that JSON has."""
    if (inner := entry_record(hint)) is not None:
        return list[Annotated[Mapping[str, Any], WithJsonSchema(_shape(inner))]]
    if is_dataclass(hint):  # what it does not have is refused, naming all that it has
        return Annotated[Mapping[str, Any] | None, WithJsonSchema({"type": "object"})]
    if hint == tuple[Any, ...]:
        return list[Annotated[Any, WithJsonSchema({"type": "object"})]]
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
    kept = {name: first[name] for name in ("type", "enum")[: 1 + chosen] if name in first}
    return kept | ({"items": _kind(first["items"], chosen=chosen)} if "items" in first else {})


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
    if parts := kept.get("prefixItems"):
        kept = {"type": "array", "items": parts[0]}
    kept = {name: value for name, value in kept.items() if not _says_nothing(name, value)}
    if nulls and (types := _types(kept.get("anyOf", []))):
        del kept["anyOf"]
        kept["type"] = types
    return {name: _lean(value, nulls=nulls) for name, value in kept.items()}


def _types(options: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the types of options if all options are plain types; else empty."""
    return [option["type"] for option in options] if all(set(option) == {"type"} for option in options) else []


def _says_nothing(name: str, value: object) -> bool:
    """Whether an entry of a schema may go: the title of a field, which is an object itself if it is called so."""
    return (name == "title" and isinstance(value, str)) or (name == "additionalProperties" and value is True)


def make_tool(
    operation: Operation,
    run: Callable[..., object],
    checks: Check | None = None,
    listed: Collection[str] | None = None,
) -> Tool:
    """Return the tool of an operation; `run` is called with its request and the project.

    What is wrong by `checks` is reported with the other faults. A tool that returns a text has no output schema. Its
    schema has the `listed` parameters alone, None for all; the others are taken, too.
    """
    made = CheckedTool.from_function(
        _call(operation, run, checks),
        name=operation.name,
        title=operation.title,
        description=operation.description,
        annotations=_ANNOTATIONS[operation.rights],
        structured_output=False,  # `CheckedTool.run` makes it; the SDK can't read slotted dataclasses
    )
    made.parameters = _lean(made.parameters)
    shown = made.parameters["properties"]
    if listed is None or set(shown) <= set(listed):
        made.parameters["additionalProperties"] = False
    else:
        made.parameters["properties"] = {name: value for name, value in shown.items() if name in listed}
    for name, schema in made.parameters["properties"].items():
        if name in operation.unlisted_choices or schema.get("enum") == ["brief", "full"]:
            schema.pop("enum", None)  # its description or an error has them
            if "items" in schema:
                schema["items"] = {"type": schema["items"]["type"]}
    if operation.result is not str:
        made.fn_metadata.output_schema = _lean(TypeAdapter(operation.result).json_schema(), nulls=True)
    return made
