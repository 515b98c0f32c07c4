"""Sessions: MCP over a stream of lines, one message or batch a line, as on standard input and output."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Any, Final

import anyio
from anyio.abc import ObjectSendStream
from anyio.streams.buffered import BufferedByteReceiveStream
from mcp.server import MCPServer
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCMessage, JSONRPCRequest, jsonrpc_message_adapter

from core.knowledge.text import repair_text
from service.owner.messages import INVALID_REQUEST, Fault, Received, format_id, read_line

#: What the client's side raises when it is gone.
_GONE: Final = (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, BrokenPipeError)
#: Bytes that are read at a time of what is passed over.
_SKIPPED: Final = 65_536


class _Batch:
    """A batch whose answers are sent together, when the last one is there."""

    def __init__(self, answers: list[dict[str, Any]], ids: Iterable[int | str]) -> None:
        self.answers, self.open = answers, set(map(format_id, ids))

    def take(self, answer: dict[str, Any]) -> bool:
        """Keep an answer; return whether it was the last."""
        self.answers.append(answer)
        self.open.discard(format_id(answer.get("id")))
        return not self.open


async def serve_session(
    server: MCPServer[Any],
    lines: AsyncIterator[bytes],
    send: Callable[[bytes], Awaitable[object]],
    *,
    longest: int,
    count: Callable[[int], None] = lambda _: None,
) -> None:
    """Serve one session until the client ends it; calls in progress are finished first.

    `longest` is the largest message in bytes. What can't be read is answered with an error of JSON-RPC, and the answers
    to a batch are sent as one. `count` is called with 1 for each request and -1 for each answer.
    """
    into, messages = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    answers, out = anyio.create_memory_object_stream[SessionMessage](0)
    batches: dict[str, _Batch] = {}

    async def say(answer: object) -> None:
        try:
            await send(f"{repair_text(json.dumps(answer, ensure_ascii=False, separators=(',', ':')))}\n".encode())
        except _GONE:
            return

    async def read() -> None:
        async with into:
            try:
                async for line in lines:
                    await _hand_on(read_line(line, longest), into, batches, say, count)
            except _GONE:
                return

    async def write() -> None:
        async with out:
            async for answer in out:
                fields = answer.message.model_dump(mode="json", by_alias=True, exclude_unset=True)
                if "method" in fields:
                    await say(fields)
                    continue
                count(-1)
                batch = batches.pop(format_id(fields.get("id")), None)
                if batch is None:
                    await say(fields)
                elif batch.take(fields):
                    await say(batch.answers)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read)
        tasks.start_soon(write)
        inner = server._lowlevel_server
        await inner.run(messages, answers, inner.create_initialization_options())
        tasks.cancel_scope.cancel()


async def _hand_on(
    received: Received,
    into: ObjectSendStream[SessionMessage | Exception],
    batches: dict[str, _Batch],
    say: Callable[[object], Awaitable[None]],
    count: Callable[[int], None],
) -> None:
    """Hand the messages of a line to the server, and answer what it can't take."""
    messages = [part if isinstance(part, Fault) else _message(part) for part in received.parts]
    faults = [message.answer() for message in messages if isinstance(message, Fault)]
    if received.is_batch:
        batch = _Batch(faults, [message.id for message in messages if isinstance(message, JSONRPCRequest)])
        batches.update(dict.fromkeys(batch.open, batch))
        if faults and not batch.open:
            await say(faults)
    else:
        for fault in faults:
            await say(fault)
    for message in messages:
        if not isinstance(message, Fault):
            if isinstance(message, JSONRPCRequest):
                count(1)
            await into.send(SessionMessage(message))


def _message(fields: dict[str, Any]) -> JSONRPCMessage | Fault:
    try:
        return jsonrpc_message_adapter.validate_python(fields, by_name=False)
    except ValueError:
        id_ = fields["id"] if "method" in fields and "id" in fields else None
        return Fault(id_, INVALID_REQUEST, "The message is not a JSON-RPC request, notification or response.")


async def read_lines(stream: BufferedByteReceiveStream, longest: int) -> AsyncIterator[bytes]:
    """Yield the lines of a stream; only the beginning of one that is longer than `longest`, which is longer still."""
    while True:
        try:
            yield await stream.receive_until(b"\n", longest + 1)
        except anyio.DelimiterNotFound:
            beginning = await stream.receive_exactly(longest + 1)
            await _skip_line(stream)
            yield beginning
        except anyio.IncompleteRead:  # the end of the stream, and a last line without a line break
            yield stream.buffer
            return
        except _GONE:
            return


async def _skip_line(stream: BufferedByteReceiveStream) -> None:
    while True:
        try:
            await stream.receive_until(b"\n", _SKIPPED)
        except anyio.DelimiterNotFound:
            await stream.receive(_SKIPPED)
        except (anyio.IncompleteRead, *_GONE):
            return
        else:
            return
