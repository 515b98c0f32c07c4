"""`docs/tools.md`: every tool is there with its parameters and an example that works as shown."""

import inspect
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_types import TextContent, Tool

from service.actions.client_files import Intake
from service.app import App
from service.tools.operations import tools

pytestmark = pytest.mark.anyio

PAGES = Path(__file__).parents[1] / "docs"
PAGE = (PAGES / "tools.md").read_text(encoding="utf-8")
#: What the list of tools may cost a client, in characters of JSON, without the schemas of answers.
LARGEST_LIST = 20_000
#: What the schema of one tool's answers may cost.
LARGEST_ANSWER = 6_100
#: Stands for whatever is there: in a text, as a value, as the rest of a list, as the other members of an object.
ANYTHING = "…"


@pytest.fixture(autouse=True)
def _allowed(app: App) -> None:
    """The folder that the example of `ingest` reads from."""
    app.intake = Intake(roots=(PAGES.parent / "samples" / "corpus",))


@dataclass(frozen=True, slots=True)
class Example:
    """A call as the page shows it, and its answer: JSON, or the lines of a text."""

    tool: str
    arguments: dict[str, Any]
    answer: Any


def sections() -> dict[str, str]:
    """Return what the page says of each tool, in its order."""
    _, *parts = re.split(r"^## `(\w+)`$", PAGE, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def examples() -> Iterator[Example]:
    """Yield the examples in the order of the page: a block of arguments, then one of the answer."""
    for tool, text in sections().items():
        blocks = re.findall(r"^```(json|text)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        for (kind, call), (form, answer) in zip(blocks[::2], blocks[1::2], strict=True):
            assert kind == "json"
            yield Example(tool, json.loads(call), json.loads(answer) if form == "json" else answer.removesuffix("\n"))


def differs(shown: Any, found: Any, place: str = "the answer") -> str | None:
    """Return where what is shown is not what was found; None if it is, `ANYTHING` standing for what it may."""
    if isinstance(shown, dict) and isinstance(found, dict):
        named = {name: value for name, value in shown.items() if name != ANYTHING}
        if set(named) - set(found) or (ANYTHING not in shown and set(found) - set(named)):
            return f"{place} has {sorted(found)}, and {sorted(named)} are shown"
        pairs = [(named[name], found[name], f"{place}.{name}") for name in named]
    elif isinstance(shown, list) and isinstance(found, list):
        listed = shown[:-1] if shown[-1:] == [ANYTHING] else shown
        if len(listed) > len(found) or (listed is shown and len(listed) < len(found)):
            return f"{place} has {len(found)} entries, and {len(listed)} are shown"
        pairs = [(one, other, f"{place}[{at}]") for at, (one, other) in enumerate(zip(listed, found, strict=False))]
    elif isinstance(shown, str) and ANYTHING in shown:
        pattern = ".*".join(map(re.escape, shown.split(ANYTHING)))
        text = found if isinstance(found, str) else json.dumps(found)
        return None if re.fullmatch(pattern, text, re.DOTALL) else f"{place} is {found!r}, and {shown!r} is shown"
    else:
        return None if shown == found else f"{place} is {found!r}, and {shown!r} is shown"
    return next((told for one in pairs if (told := differs(*one)) is not None), None)


async def answer_of(client: Client, example: Example) -> Any:
    result = await client.call_tool(example.tool, example.arguments)
    assert not result.is_error, result.content
    assert isinstance(result.content[0], TextContent)
    return result.content[0].text.removesuffix("\n") if isinstance(example.answer, str) else result.structured_content


async def test_the_examples_work_as_shown(client: Client) -> None:
    """One after the other, beginning with an empty memory."""
    for example in examples():
        found = await answer_of(client, example)
        told = differs(example.answer, found)
        assert told is None, f"{example.tool}: {told}\n{json.dumps(found, ensure_ascii=False, indent=1)}"


async def test_every_tool_has_a_section_with_an_example_and_each_parameter(client: Client) -> None:
    """In the order in which the server lists them; a default is named where it says something."""
    listed: list[Tool] = list((await client.list_tools()).tools)
    shown = {example.tool for example in examples()}

    assert list(sections()) == [tool.name for tool in listed]
    assert shown == set(sections())
    for tool in listed:
        named = dict(re.findall(r"^\| `(\w+)` \|([^|]*)\|", sections()[tool.name], re.MULTILINE))
        properties = {name: value for name, value in tool.input_schema["properties"].items() if name != "project_id"}
        assert list(named) == list(properties), tool.name
        for name in properties:
            assert named[name].strip() == default_of(tool.name, name), f"{tool.name}.{name}"


@cache
def signatures() -> dict[str, inspect.Signature]:
    """Return how the function of each tool is declared."""
    return {tool.name: inspect.signature(tool.fn) for tool in tools(App.__new__(App))}


def default_of(tool: str, argument: str) -> str:
    """Return what the second column says: `required`, a default, or nothing."""
    default = signatures()[tool].parameters[argument].default
    if default is inspect.Parameter.empty:
        return "required"
    return "" if default in (None, []) else f"`{json.dumps(default)}`"


async def test_the_list_of_tools_is_cheap(client: Client) -> None:
    """What every conversation of every client pays for having the memory at hand; schemas of answers are short too."""
    listed = (await client.list_tools()).tools
    told = {tool.name: sent(tool.model_copy(update={"output_schema": None})) for tool in listed}
    answers = {tool.name: sent(tool) - told[tool.name] for tool in listed}

    assert sum(told.values()) + len('{"tools":[]}') + len(told) < LARGEST_LIST, told
    assert max(answers.values()) < LARGEST_ANSWER, answers


def sent(tool: Tool) -> int:
    """Return how many characters the server sends of a tool."""
    return len(tool.model_dump_json(by_alias=True, exclude_none=True))


async def test_every_parameter_is_described_and_no_schema_repeats_names(client: Client) -> None:
    """A model fills each of them rightly the first time; a title that only repeats a name costs and says nothing."""
    for tool in (await client.list_tools()).tools:
        for name, schema in tool.input_schema["properties"].items():
            assert schema.get("description"), f"{tool.name}.{name}"
        for schema in (tool.input_schema, tool.output_schema or {}):
            assert '"title":"' not in json.dumps(schema, separators=(",", ":")), tool.name


async def test_every_tool_says_when_not_to_use_it(client: Client) -> None:
    """By the tool that is meant instead, or by a plain "not" or "only"."""
    listed = (await client.list_tools()).tools
    names = {tool.name for tool in listed}
    for tool in listed:
        others = {name for name in names - {tool.name} if re.search(rf"\b{name}\b", tool.description or "")}
        assert others or re.search(r"\b(not|only)\b", tool.description or "", re.IGNORECASE), tool.name


@pytest.mark.parametrize(
    ("shown", "found", "same"),
    [
        ({"a": 1}, {"a": 1}, True),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ({"a": 1, "…": "…"}, {"a": 1, "b": 2}, True),
        ({"a": 1, "…": "…"}, {"b": 2}, False),
        ([1, 2], [1, 2], True),
        ([1], [1, 2], False),
        ([1, "…"], [1, 2, 3], True),
        ([2, "…"], [1, 2], False),
        ("…", {"any": 1}, True),
        ("a … c", "a b c", True),
        ("a … c", "a b d", False),
        (True, 1.5, False),
    ],
)
def test_an_example_is_compared_strictly_but_for_what_it_leaves_out(shown: Any, found: Any, *, same: bool) -> None:
    """Else an example could be wrong and pass."""
    assert (differs(shown, found) is None) == same
