"""Tools called through the real client."""

from typing import Any

from mcp import Client


async def answered(client: Client, tool: str, **arguments: object) -> dict[str, Any]:
    """Return the answer of a tool that is expected to work."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return dict(result.structured_content or {})
