"""A client's roots: the folders that it works in, asked of it while a tool is called."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

import anyio
from mcp.server.mcpserver import Context, ListRoots
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types import ListRootsRequest, ListRootsResult
from pydantic import ValidationError

#: How long a client may take to name its roots, in seconds.
_PATIENCE: Final = 1.0
#: Roots that are looked at.
_MOST: Final = 10
#: From this revision on a client answers by calling the tool again, and is not asked during a call.
_ANSWERS_BY_CALLING: Final = "2026-07-28"


async def client_roots(
    context: Context[Any, Any], scope: str | None, project: str | None, language: str | None, folder: str | None
) -> ListRoots | ListRootsResult | None:
    """Ask the client for its roots if the arguments leave open where it works; None if it has none or does not say.

    A resolver of the SDK: the marker `ListRoots` has the client asked and the tool called again with the answer.
    """
    return None if scope or folder or (project and language) else await ask_for_roots(context)


async def ask_for_roots(context: Context[Any, Any], patience: float = _PATIENCE) -> ListRoots | ListRootsResult | None:
    """Ask the client for its roots, which may take `patience` seconds; None if it has none or does not say.

    For a resolver, as `client_roots` is.
    """
    capabilities = context.client_capabilities
    if capabilities is None or capabilities.roots is None:
        return None
    if (context.protocol_version or "") < _ANSWERS_BY_CALLING:
        return await _asked(context, patience)
    if context.request_state is None:
        return ListRoots()
    answers = (context.input_responses or {}).values()
    return next((answer for answer in answers if isinstance(answer, ListRootsResult)), None)


async def _asked(context: Context[Any, Any], patience: float) -> ListRootsResult | None:
    """Ask during the call, and give up on a client that refuses, answers nonsense, or does not answer in time."""
    of_this_call = ServerMessageMetadata(related_request_id=context.request_id)
    answer: ListRootsResult | None = None
    with anyio.move_on_after(patience), suppress(MCPError, ValidationError):
        answer = await context.session.send_request(ListRootsRequest(), ListRootsResult, metadata=of_this_call)
    return answer


def make_roots(folders: Sequence[str]) -> ListRootsResult:
    """Return what a client answers that works in these folders, absolute ones."""
    return ListRootsResult.model_validate({"roots": [{"uri": Path(folder).as_uri()} for folder in folders]})


def root_folders(roots: ListRootsResult | None) -> list[str]:
    """Return the paths of those roots that are folders of a machine."""
    addresses = [urlsplit(str(root.uri)) for root in (roots.roots if roots else [])[:_MOST]]
    return [
        url2pathname(address.path)
        for address in addresses
        if address.scheme == "file" and address.netloc in {"", "localhost"}
    ]
