"""What is answered where not even the first thing found fits, through the real client."""

import re
from typing import Any

import pytest
from mcp import Client
from mcp_types import TextContent

from core.interface.memory import Memory
from core.interface.stash import StashRequest
from service.app import App

pytestmark = pytest.mark.anyio

LONG = "Ines Costa decided to sell the old press" + ", the long bench and the tall shelf" * 14 + "."
ASKED: list[tuple[str, dict[str, Any]]] = [
    ("recall", {"query": "old press"}),
    ("recall", {"conversation_id": "c"}),
    ("decisions", {}),
    ("explore", {"name": "Ines Costa"}),
    ("context_search_stashed", {"query": "press"}),
]


@pytest.mark.parametrize(("tool", "arguments"), ASKED)
async def test_what_is_too_long_is_named_with_the_call_that_gets_it(
    app: App, client: Client, tool: str, arguments: dict[str, Any]
) -> None:
    """The call works as it is written, in the least number of tokens there is."""
    app.remember(Memory(content=LONG, author="Ines Costa", date="2026-03-01", title="The press " * 12))
    app.remember(Memory(content=LONG, context="conversation", conversation_id="c", turn_index=0))
    stashed = app.remember(Memory(content=LONG, context="stash", title="The press " * 12, key="press" * 12))
    app.worker.drain()
    app.stash(StashRequest(segment_ids=(stashed.id,)), "default")

    said = await client.call_tool(tool, {"max_tokens": 100} | arguments)

    assert isinstance(said.content[0], TextContent)
    called = re.search(r'recall\(id="(\w+)"\)', said.content[0].text)
    assert called is not None, said.content[0].text
    assert not (await client.call_tool("recall", {"id": called[1]})).is_error
