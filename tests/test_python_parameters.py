"""Tools, shell and Python have one list of parameters: that of the tools."""

import argparse
import inspect
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Union, get_args, get_origin

import pytest
from mcp.server.mcpserver.tools import Tool

import remembrancer
from service.app import App
from service.cli import COMMANDS, import_command
from service.tools.operations import tools

#: Tools by the commands that call them, where these have another name.
COMMAND_OF = {"memory_context": "context"}
#: Options of the shell that are not a parameter of the command's tool, and parameters that it gives in another way:
#: `explore WHAT` takes an id or a name, `path` is `explore` with to, and `review` with review=true.
SHELL_ONLY = {
    "review": {"accept", "reject", "split", "undo", "history", "pairs", "note", "by", "budget"},
    "explore": {"what"},
    "ingest": {"trust", "watch", "include", "exclude"},
}
#: What a program is told unless it asks for less.
PYTHON_DEFAULTS: dict[tuple[str, str], object] = {("remember_many", "detail"): "full"}
NOT_IN_SHELL = {"explore": {"id", "name", "to", "review"}}


@pytest.fixture
def listed() -> dict[str, Tool]:
    """The tools by their names, over an app that is never asked."""
    return {tool.name: tool for tool in tools(App.__new__(App))}


def parameters(tool: Tool) -> dict[str, inspect.Parameter]:
    """Return what a caller may give to a tool."""
    found = inspect.signature(tool.fn, eval_str=True).parameters
    return {name: found[name] for name in found if name not in tool.resolved_params}


def methods() -> dict[str, Any]:
    """Return the methods of a memory that are tools."""
    public = {name: value for name, value in vars(remembrancer.Memory).items() if not name.startswith("_")}
    return {name: value for name, value in public.items() if inspect.isfunction(value) and name != "close"}


def plain(hint: Any) -> Any:
    """Return a type expression as both sides write it: without descriptions, and JSON's list and dict as Python's."""
    origin, options = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return plain(options[0])
    if origin in {Union, types.UnionType}:
        return frozenset(plain(option) for option in options)
    if origin in {list, Sequence}:
        inner = plain(options[0])
        return (list, Any if inner == (dict, str, Any) else inner)
    if origin in {dict, Mapping}:
        return (dict, *map(plain, options))
    return hint


def test_python_has_a_method_for_each_tool_with_its_parameters(listed: dict[str, Tool]) -> None:
    """Names, types and defaults; an empty list is an empty tuple, and the project is the one opened."""
    assert list(methods()) == list(listed)
    for name, method in methods().items():
        ours = dict(inspect.signature(method, eval_str=True).parameters)
        del ours["self"]
        theirs = parameters(listed[name])
        assert set(ours) == set(theirs), name
        for parameter in theirs.values():
            own = ours[parameter.name]
            where = f"{name}({parameter.name})"
            if parameter.name == "project_id":
                assert (plain(own.annotation), own.default) == (frozenset({str, types.NoneType}), None), where
            else:
                default = () if parameter.default == [] else parameter.default
                default = PYTHON_DEFAULTS.get((name, parameter.name), default)
                assert (plain(own.annotation), own.default) == (plain(parameter.annotation), default), where


def test_python_has_the_tools_descriptions_and_results(listed: dict[str, Tool]) -> None:
    """What a model reads of a tool, a programmer reads of the method."""
    for name, method in methods().items():
        assert inspect.getdoc(method) == listed[name].description, name
        returned = inspect.signature(listed[name].fn, eval_str=True).return_annotation
        assert typing.get_type_hints(method)["return"] is returned, name


def test_the_shell_has_an_option_for_each_parameter(listed: dict[str, Tool]) -> None:
    """Of the tools that are commands too; `--json` prints what the tool answers."""
    compared = []
    for name, tool in listed.items():
        command = COMMAND_OF.get(name, name)
        if command not in COMMANDS:
            continue
        parser = argparse.ArgumentParser(add_help=False)
        import_command(command).configure(parser, command)
        options = {action.dest for action in parser._actions} - {"json"}
        expected = set(parameters(tool)) - NOT_IN_SHELL.get(name, set()) | SHELL_ONLY.get(name, set())
        assert options == expected, command
        compared.append(name)

    assert len(compared) == 13
