"""The deadline of a request's body."""

import asyncio
import json
from time import monotonic

from starlette.types import Message, Receive, Send

from service.http.limits import Limits
from service.http.metrics import HTTP_REFUSALS


class BodyDeadline:
    """The channels of one request, which answer 408 in place of the application when the body does not come in time."""

    def __init__(self, receive: Receive, send: Send, limits: Limits) -> None:
        self._receive, self._send = receive, send
        self._pause = limits.seconds
        self._until = monotonic() + limits.body_seconds
        self._is_whole = self._is_answered = self._is_late = False

    async def receive(self) -> Message:
        """Return the next part of the body, or that the client is gone: also when its time is up."""
        if self._is_late:
            return {"type": "http.disconnect"}
        if self._is_whole:
            return await self._receive()
        try:
            message = await asyncio.wait_for(self._receive(), min(self._pause, max(0.0, self._until - monotonic())))
        except TimeoutError:
            await self._refuse()
            return {"type": "http.disconnect"}
        self._is_whole = message["type"] != "http.request" or not message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        """Send a part of the answer, unless the client was already answered 408."""
        if not self._is_late:
            self._is_answered = True
            await self._send(message)

    async def _refuse(self) -> None:
        self._is_late = True
        HTTP_REFUSALS.labels("slow_body").inc()
        if self._is_answered:
            return
        said = {"error": "The body of the request did not come in time: send it again.", "code": "unavailable"}
        headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
        await self._send({"type": "http.response.start", "status": 408, "headers": headers})
        await self._send({"type": "http.response.body", "body": json.dumps(said).encode()})
