"""Loose arguments: what models, proxies and people send means what they mean, and all that is wrong is told at once."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client
from mcp_types import TextContent

from core.errors import InvalidInput, TooLarge
from core.interface.learning import AnnotatedMemory
from core.interface.question import Question
from core.interface.stash import StashFilters
from service.app import App
from service.tools.lenient_arguments import read_record
from service.tools.operations import tools

pytestmark = pytest.mark.anyio

_WORD = st.text("abcdefghijk lmnop\u00e9\u4e2d", min_size=1, max_size=12).map(str.strip).filter(bool)
_EMPTY: st.SearchStrategy[Any] = st.sampled_from([None, "", "  ", [], {}])


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """Return the message of a call that is invalid input."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    assert isinstance(result.content[0], TextContent)
    error = json.loads(result.content[0].text)
    assert error["code"] == "invalid_input"
    return str(error["error"])


def memory(**given: Any) -> AnnotatedMemory:
    return read_record(AnnotatedMemory, "An item", {"content": "The ferry leaves at nine."} | given)


def _numbers(value: float) -> st.SearchStrategy[Any]:
    return st.sampled_from([value, str(value), f" {value} "])


def _wholes(value: int) -> st.SearchStrategy[Any]:
    return st.sampled_from([value, float(value), str(value), f" {value}\n", f"{value}.0"])


def _lists(value: list[str]) -> st.SearchStrategy[Any]:
    forms: list[Any] = [value, json.dumps(value), json.dumps(value, indent=1), repr(value)]
    forms += [", ".join(value), ",".join(value)] if value else [None, "", "[]"]
    return st.sampled_from(forms + (value if len(value) == 1 else []))


def _choices(value: str) -> st.SearchStrategy[Any]:
    spaced, hyphened = value.replace("_", " "), value.replace("_", "-")
    return st.sampled_from([value, value.upper(), value.title(), f" {spaced} ", spaced.title(), hyphened, f"`{value}`"])


def _truths(value: bool) -> st.SearchStrategy[Any]:
    word, digit = str(value), int(value)
    return st.sampled_from([value, word, word.lower(), word.upper(), f" {word} ", digit, str(digit), float(digit)])


@given(st.data())
@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_every_form_of_the_arguments_is_the_same_memory(data: st.DataObject) -> None:
    """Property: the item does not depend on how its arguments are spelt, nested ones included."""
    tags = data.draw(st.lists(_WORD, max_size=3, unique=True))
    owners = data.draw(st.lists(_WORD, min_size=1, max_size=2, unique=True))
    turn, importance = data.draw(st.integers(0, 10**6)), data.draw(st.sampled_from([0.0, 0.25, 1.0]))
    context = data.draw(st.sampled_from(["note", "anti_pattern", "meeting"]))
    fields = {"a": [None, "", {"b": "5.0"}]}
    event: dict[str, Any] = {"category": "Commitment", "quote": "leaves at nine", "owners": owners, "start_char": 3}
    plain = memory(
        tags=tags, turn_index=turn, importance=importance, context=context, metadata=fields, events=[event],
        sensitivity="highly_sensitive",
    )  # fmt: skip
    loose = dict(event)
    loose["category"] = data.draw(_choices("Commitment"))
    loose["owners"] = data.draw(_lists(owners))
    loose["start_char"] = data.draw(_wholes(3))
    loose |= {name: data.draw(_EMPTY) for name in ("summary", "due", "status", "subjects")}
    events = data.draw(st.sampled_from([[loose], loose, json.dumps([loose]), json.dumps(loose), [json.dumps(loose)]]))
    other = memory(
        tags=data.draw(_lists(tags)),
        turn_index=data.draw(_wholes(turn)),
        importance=data.draw(_numbers(importance)),
        context=data.draw(_choices(context)),
        sensitivity=data.draw(_choices("highly_sensitive")),
        metadata=data.draw(st.sampled_from([fields, json.dumps(fields)])),
        events=events,
        **{name: data.draw(_EMPTY) for name in ("title", "author", "date", "participants", "role", "expires_at")},
    )
    assert other == plain
    assert other.metadata == fields


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_every_form_of_a_question_is_the_same_question(data: st.DataObject) -> None:
    """Property: as above, for what asks."""
    limit, expand = data.draw(st.integers(1, 1000)), data.draw(st.booleans())
    filters: list[Any] = data.draw(st.lists(st.sampled_from(["Decision", "QualityRisk"]), min_size=1, unique=True))
    loose = {
        "query": "ferry",
        "limit": data.draw(_wholes(limit)),
        "expand": data.draw(_truths(expand)),
        "min_importance": data.draw(_numbers(0.5)),
        "graph_filters": data.draw(_lists(filters)),
        "id": data.draw(_EMPTY),
        "tags": data.draw(st.one_of(_EMPTY, st.just([""]), st.just([None]))),
        "date_from": data.draw(_EMPTY),
    }
    assert read_record(Question, "recall", loose) == Question(
        query="ferry", limit=limit, expand=expand, min_importance=0.5, graph_filters=tuple(filters)
    )


@pytest.mark.parametrize(
    "id_",
    ["art_0123456789ab", " art_0123456789AB\n", "`art_0123456789ab`", "[art_0123456789ab]", "<art_0123456789ab>."],
)
def test_an_id_is_read_without_what_stands_around_it(id_: str) -> None:
    assert read_record(Question, "recall", {"id": id_}).id == "art_0123456789ab"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("limit", "all"), ("limit", 5.5), ("limit", "5.5"), ("limit", True), ("limit", float("nan")), ("limit", "1e3"),
        ("min_importance", "high"), ("min_importance", float("inf")), ("min_importance", "nan"), ("expand", "maybe"),
        ("expand", 2), ("expand", "yes"), ("tags", 5), ("tags", [5]), ("context", 3), ("query", ["x"]), ("query", 12),
    ],
)  # fmt: skip
def test_what_has_no_such_meaning_is_refused(name: str, value: object) -> None:
    with pytest.raises(InvalidInput, match=name):
        read_record(Question, "recall", {"query": "ferry"} | {name: value})


def test_filters_of_the_stash_are_read_so_too() -> None:
    loose = {"tags": "a, b", "type": "Anti-Pattern", "task_id": "", "created_after": None}
    assert read_record(StashFilters, "filters", loose) == StashFilters(tags=("a", "b"), type="anti_pattern")


async def test_all_that_is_wrong_with_a_call_is_told_at_once(client: Client) -> None:
    """Unknown arguments, wrong types, values out of range, and quotes that do not stand in the text."""
    wrong: dict[str, Any] = {"importance": 7, "context": "diary", "turn_index": "high", "titel": "x"}
    error = await refused(
        client,
        "remember",
        content="The ferry leaves at nine.",
        events=[{"category": "Decision", "quote": "trains"}],
        **wrong,
    )

    for said in ("'titel'", "importance", "context 'diary'", "turn_index 'high'", "events[0]: its quote 'trains'"):
        assert said in error


async def test_faults_of_nested_objects_have_their_place(client: Client) -> None:
    """Each object of a list is read to the end; a value that is wrong is not said to be missing as well."""
    events: list[object] = [
        {"category": "Decision", "quote": "leaves at nine", "due": "tomorrow", "status": "open"},
        {"category": "Party", "quote": "ferry"},
        5,
        {"quote": "ferry", "kategory": "Decision"},
    ]
    error = await refused(client, "remember", content="The ferry leaves at nine.", events=events)

    assert error.count("events[0]: ") == 2
    assert "events[1]: category 'Party' is not valid" in error
    assert "events[2]: It 5 is not an object" in error
    assert error.endswith("; 1 more.")


async def test_a_turn_whose_index_is_wrong_is_not_also_said_to_have_none(client: Client) -> None:
    error = await refused(
        client, "remember", content="x", context="conversation", conversation_id="c", turn_index="one"
    )
    assert error == "turn_index 'one' is not valid: use a whole number."


async def test_faults_over_a_limit_alone_are_too_large() -> None:
    with pytest.raises(TooLarge):
        memory(title="x" * 3_000, author="x" * 3_000)
    with pytest.raises(InvalidInput):
        memory(title="x" * 3_000, importance=3)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("decisions", {"limit": 0, "status": "gone", "min_confidence": 4}),
        ("explore", {"depth": 9, "budget": 0, "id": "x", "name": "y"}),
        ("memory_context", {"limit": 0, "token_budget": 1, "scope": "galaxy"}),
        ("context_search_stashed", {"filters": {"type": "diary", "created_after": "soon", "path": "x"}}),
        ("faceted_search", {"page": 0, "memory_type": "diary", "date_from": "soon"}),
    ],
)
async def test_every_tool_tells_all(client: Client, tool: str, arguments: dict[str, Any]) -> None:
    error = await refused(client, tool, **arguments)
    assert error.count("; ") >= 2


def _nodes(schema: Any) -> list[dict[str, Any]]:
    if isinstance(schema, list):
        return [node for inner in schema for node in _nodes(inner)]
    if not isinstance(schema, dict):
        return []
    return [schema, *(node for inner in schema.values() for node in _nodes(inner))]


def test_schemas_hold_nothing_that_clients_refuse(app: App) -> None:
    """Every array says what its entries are; what tools take has no alternatives, references or nulls."""
    for tool in tools(app):
        taken, returned = _nodes(tool.parameters), _nodes(tool.fn_metadata.output_schema)
        for node in taken + returned:
            if node.get("type") == "array" or (isinstance(node.get("type"), list) and "array" in node["type"]):
                assert "items" in node, (tool.name, node)
        for node in taken:
            assert not {"anyOf", "oneOf", "allOf", "$ref", "$defs"} & set(node), (tool.name, node)
            assert not isinstance(node.get("type"), list), (tool.name, node)
            assert node.get("default", 0) is not None, (tool.name, node)
