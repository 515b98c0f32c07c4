"""The table of operations: tools, shell options and Python methods have the parameters of its requests."""

import argparse
import inspect
from dataclasses import fields, make_dataclass, replace
from typing import Annotated, Any

import pytest
from mcp.server.mcpserver.tools import Tool

import remembrancer
from core.interface.operations import OPERATION, OPERATIONS, Operation
from core.interface.parameters import Description
from remembrancer._client import Client, make_method
from service.api.operation import Operation as HttpOperation
from service.api.requests import SEARCHED, arguments_of, request_like
from service.api.routes import operations as http_operations
from service.app import App
from service.cli import COMMANDS, command_function, import_command
from service.commands.tools import add_parameters
from service.tools.operations import tools
from service.tools.validation import call, make_tool
from tests.client_stub import STUB, stub

#: Tools by the commands that call them, where these have another name.
COMMAND_OF = {"memory_context": "context"}
#: Options of the shell that are not a parameter of the command's tool, and parameters that it gives in another way:
#: `explore WHAT` takes an id or a name, `path` is `explore` with to, and `review` with review=true.
SHELL_ONLY = {
    "review": {"accept", "reject", "split", "undo", "history", "pairs", "note", "by", "budget"},
    "explore": {"what"},
    "ingest": {"trust", "watch", "include", "exclude"},
}
NOT_IN_SHELL = {"explore": {"id", "name", "to", "review"}}


@pytest.fixture
def listed() -> dict[str, Tool]:
    """The tools by their names, over an app that is never asked."""
    return {tool.name: tool for tool in tools(App.__new__(App))}


def names(operation: Operation) -> list[str]:
    """Return the names of an operation's parameters."""
    return [parameter.name for parameter in operation.parameters]


def test_each_operation_is_a_tool_and_a_method_with_its_parameters(listed: dict[str, Tool]) -> None:
    """Names and descriptions; a model and a programmer read the same."""
    assert list(listed) == list(OPERATION)
    for operation in OPERATIONS:
        tool, method = listed[operation.name], getattr(remembrancer.Memory, operation.name)
        _, *parameters = inspect.signature(method).parameters
        assert list(tool.parameters["properties"]) == names(operation)
        assert sorted(parameters) == sorted(names(operation))
        assert tool.description == inspect.getdoc(method) == operation.description


def test_every_parameter_is_described() -> None:
    """In the request, where it is declared."""
    declared = [(one.name, parameter) for one in OPERATIONS for parameter in one.parameters]
    bare = [(name, parameter.name) for name, parameter in declared if parameter.description is None]

    assert bare == []


def test_type_checkers_know_the_methods() -> None:
    """The stub is what the table makes: if not, run `python -m tests.client_stub`."""
    assert STUB.read_text(encoding="utf-8") == stub()


def test_the_shell_has_an_option_for_each_parameter() -> None:
    """Of the operations that are commands too; `--json` prints what the tool answers."""
    compared = []
    for operation in OPERATIONS:
        command = COMMAND_OF.get(operation.name, operation.name)
        if command not in COMMANDS:
            continue
        parser = argparse.ArgumentParser(add_help=False)
        command_function(import_command(command), "configure", command)(parser, command)
        options = {action.dest for action in parser._actions} - {"json"}
        own = SHELL_ONLY.get(operation.name, set())
        assert options == set(names(operation)) - NOT_IN_SHELL.get(operation.name, set()) | own, command
        compared.append(operation.name)

    assert len(compared) == 13


#: Operations by the paths of the API that answer as they do.
PATHS = {
    "/api/search": "recall",
    "/api/decisions": "decisions",
    "/api/commitments": "commitments",
    "/api/resolve": "resolve",
}
#: What has to be given of an operation.
LEAST: dict[str, dict[str, Any]] = {
    "remember": {"content": "A text."},
    "remember_many": {"items": [{"content": "A text."}]},
    "recall": {"query": "A question."},
    "pop": {"name": "A name"},
    "learn": {"id": "art_000000000001", "replace": True},
    "context_stash": {"segment_ids": ["art_000000000001"]},
    "context_retrieve_stashed": {"segment_ids": ["art_000000000001"]},
    "resolve": {"id": "evt_000000000001", "status": "done"},
    "explore": {"name": "A name"},
    "ingest": {"path": "a.md"},
}


def grown(operation: Operation) -> Operation:
    """Return an operation with another parameter, `shade`."""
    declared = Annotated[str | None, Description("Only this shade.", "only items of this shade")]
    bases = (operation.request,)
    request = make_dataclass("Grown", [("shade", declared, None)], bases=bases, frozen=True, slots=True, kw_only=True)
    return replace(operation, request=request)


class Answering:
    """Tools that keep what they are asked. Fulfils `remembrancer._client.Tools`."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def call(self, tool: str, arguments: str) -> object:
        self.asked.append(arguments)
        raise InterruptedError

    def close(self) -> None:
        pass


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.name)
def test_a_parameter_is_declared_once(operation: Operation) -> None:
    """A field of the request is an argument of the tool, an option, a parameter of the path, and one of the method."""
    longer = grown(operation)
    asked: list[object] = []

    def run(request: object, *, project_id: str) -> None:
        asked.append(request)

    tool = make_tool(longer, run)
    assert tool.parameters["properties"]["shade"] == {"type": "string", "description": "Only this shade."}
    known = LEAST.get(operation.name, {})
    call(tool, known | {"shade": "green"})
    assert [getattr(one, "shade", None) for one in asked] == ["green"]

    parser = argparse.ArgumentParser()
    add_parameters(parser, longer)
    assert "--shade SHADE" in parser.format_help()
    assert "only items of this shade" in parser.format_help()

    asks: Any = request_like(longer)
    path = HttpOperation("GET", f"/api/{operation.name}", operation.title, asks, operation.result, print)
    assert path.values["shade"]["anyOf"][0]["type"] == "string"
    assert arguments_of(longer, asks(**known, shade="green"))["shade"] == "green"

    answering = Answering()
    method = make_method(longer)
    with pytest.raises(InterruptedError):
        method(Client(answering, "default"), **known, shade="green")
    assert '"shade": "green"' in answering.asked[0]
    assert "shade: str | None = None" in stub([longer])


@pytest.mark.parametrize(("path", "name"), sorted(PATHS.items()))
def test_the_api_has_the_parameters_of_its_operations(path: str, name: str) -> None:
    """Under their own names, but for those of a search; how much an answer says is up to the page."""
    [asks] = [one.asks for one in http_operations(App.__new__(App), None) if one.path == path]
    left_out = {"recall": {"id", "conversation_id", "text_offset"}}.get(name, set())
    known = {SEARCHED.get(one, one) if name == "recall" else one for one in names(OPERATION[name])}

    given = {field.name for field in fields(asks)} - {"project", "person" if name == "recall" else "project"}
    assert given == known - left_out - {"detail", "max_tokens", "project_id"}


def test_a_method_refuses_what_it_does_not_have() -> None:
    """As any function of Python does, by its name."""
    memory = remembrancer.Memory(Answering(), "default")
    with pytest.raises(TypeError, match=r"recall\(\) got an unexpected keyword argument 'quary'"):
        memory.recall(quary="x")  # type: ignore[call-arg] # what is tested
