"""Sessions: MCP over connections to the owner, one message a line, as on standard input and output."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import anyio
from anyio.abc import ByteSendStream
from anyio.streams.buffered import BufferedByteReceiveStream
from mcp.server import MCPServer
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCRequest, jsonrpc_message_adapter


async def serve_session(
    server: MCPServer[Any],
    received: BufferedByteReceiveStream,
    sent: ByteSendStream,
    *,
    longest: int,
    count: Callable[[int], None],
) -> None:
    """Serve one session until the client ends it; calls in progress are finished first.

    `longest` is the largest message in bytes; a longer one ends the session. `count` is called with 1 for each
    request and -1 for each answer.
    """
    into, messages = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    answers, out = anyio.create_memory_object_stream[SessionMessage](0)

    async def read() -> None:
        async with into:
            try:
                while True:
                    line = await received.receive_until(b"\n", longest)
                    await into.send(_message(line, count))
            except (anyio.EndOfStream, anyio.IncompleteRead, anyio.DelimiterNotFound, anyio.BrokenResourceError):
                return  # the client is gone, or sent a message that is too long

    async def write() -> None:
        async with out:
            async for answer in out:
                if not hasattr(answer.message, "method"):
                    count(-1)
                text = answer.message.model_dump_json(by_alias=True, exclude_unset=True)
                with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # the client is gone
                    await sent.send(f"{text}\n".encode())

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read)
        tasks.start_soon(write)
        inner = server._lowlevel_server
        await inner.run(messages, answers, inner.create_initialization_options())
        tasks.cancel_scope.cancel()


def _message(line: bytes, count: Callable[[int], None]) -> SessionMessage | Exception:
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError as error:
        return error
    if isinstance(message, JSONRPCRequest):
        count(1)
    return SessionMessage(message)
