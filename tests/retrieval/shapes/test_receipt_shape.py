"""Receipts of several items within their tokens, through the real client."""

from typing import Any

import pytest
from mcp import Client
from mcp_types import TextContent

from retrieval.models.tokenizer import estimate_model_tokens

pytestmark = pytest.mark.anyio

ITEMS: list[dict[str, Any]] = [{"content": f"The lamp number {number} was replaced."} for number in range(200)]


async def test_a_brief_receipt_is_its_id_and_what_came_of_it(client: Client) -> None:
    """Full ones have every field."""
    brief = await client.call_tool("remember_many", {"items": ITEMS[:2]})
    full = await client.call_tool("remember_many", {"items": ITEMS[:2], "detail": "full"})

    assert brief.structured_content is not None
    assert full.structured_content is not None
    assert [set(one) for one in brief.structured_content["results"]] == [{"id", "status"}] * 2
    assert {"context", "token_count", "events_queued"} <= set(full.structured_content["results"][0])


async def test_many_receipts_fit_and_the_refused_ones_stay(client: Client) -> None:
    """The last item is refused: its index tells which, though receipts before it are left out, and the hint says so."""
    result = await client.call_tool("remember_many", {"items": [*ITEMS, {"content": ""}], "max_tokens": 500})

    told = result.structured_content
    assert told is not None
    assert isinstance(result.content[0], TextContent)
    assert estimate_model_tokens(result.content[0].text) <= 500
    assert (told["stored"], told["failed"], told["results"][-1]["index"]) == (200, 1, 200)
    assert told["hint"] == f"Left out: {201 - len(told['results'])} receipts (raise max_tokens)."
    assert told["hint"] in result.content[0].text
    assert "refused item 200 (invalid_input)" in result.content[0].text


async def test_a_bad_shape_stores_nothing(client: Client) -> None:
    """It is refused before the items are."""
    refused = await client.call_tool("remember_many", {"items": ITEMS[:1], "max_tokens": 1})
    counted = await client.call_tool("status", {})

    assert refused.is_error
    assert counted.structured_content is not None
    assert counted.structured_content["counts"]["artifacts"] == 0
