"""Validation: what an error about many faults costs, and what it says."""

import json
import tracemalloc
from typing import Any

import pytest
from mcp import Client
from mcp_types import TextContent

from core.interface.memory import Memory
from service.app import App
from service.tools import validation

pytestmark = pytest.mark.anyio


async def refused(client: Client, tool: str, **arguments: Any) -> dict[str, str]:
    """Return the error of a call."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    assert isinstance(result.content[0], TextContent)
    return dict(json.loads(result.content[0].text))


async def test_a_long_list_is_refused_whatever_is_in_it(client: Client) -> None:
    """An error for each of 400,000 entries took half a gigabyte and two seconds."""
    wrong = [1] * 400_000
    tracemalloc.start()
    as_list = await refused(client, "remember", content="x", tags=wrong)
    as_text = await refused(client, "remember", content="x", tags=json.dumps(wrong))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert as_list == as_text == {"error": "tags has 400,000 entries: send at most 1,000.", "code": "too_large"}
    assert most < 50_000_000


async def test_an_error_tells_of_the_first_faults_and_counts_the_others(client: Client) -> None:
    """Five are enough to see what is wrong."""
    error = await refused(client, "remember", content="x", tags=[1] * 300)

    assert error["code"] == "invalid_input"
    assert error["error"].count("tags.") == 5
    assert error["error"].endswith("295 more.")


async def test_names_that_no_tool_has_are_not_all_repeated(client: Client) -> None:
    """Nor is one that is long."""
    error = await refused(client, "recall", query="x y", **{f"{number:04}{'x' * 500}": 1 for number in range(500)})

    assert error["code"] == "invalid_input"
    assert len(error["error"]) < 1_500


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("recall", {"quary": "x y"}, "recall has no argument 'quary': did you mean 'query'? it takes query, id,"),
        ("recall", {"query": "x y", "projectId": "p"}, "did you mean 'project_id'?"),
        ("recall", {"query": "x y", "context": "Meetings"}, "context 'Meetings' is not valid: did you mean 'meeting'?"),
        ("recall", {"query": "x y", "graph_filters": ["decisions"]}, "did you mean 'Decision'?"),
        (
            "decisions",
            {"status": "superceded"},
            "status 'superceded' is not valid: did you mean 'superseded'? status must",
        ),
        ("commitments", {"status": "overdu"}, "did you mean 'overdue'?"),
        ("context_search_stashed", {"filters": {"filepath": "a.py"}}, "did you mean 'file_path'?"),
        ("context_search_stashed", {"filters": {"type": "notes"}}, "did you mean 'note'?"),
        ("remember", {"content": "x", "sensitivity": "sensetive"}, "did you mean 'sensitive'?"),
    ],
)
async def test_what_is_mistyped_is_answered_with_the_nearest_known(
    client: Client, tool: str, arguments: dict[str, Any], expected: str
) -> None:
    """Names of arguments and their choices, within lists and objects too."""
    error = await refused(client, tool, **arguments)

    assert error["code"] == "invalid_input"
    assert expected in error["error"]


async def test_an_answer_that_is_too_large_is_an_error(
    client: Client, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says how to ask for less."""
    app.remember(Memory(content="The vault is under the stairs."))
    monkeypatch.setattr(validation, "_LONGEST_ANSWER", 20)
    error = await refused(client, "recall", query="vault")

    assert error["code"] == "too_large"
    assert "limit" in error["error"]
