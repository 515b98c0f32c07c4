"""Progress: what a long call reports to its client, and whether the client has cancelled it."""

import concurrent.futures
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Final

from anyio import from_thread
from mcp.server.mcpserver import Context

from service.actions.threads import is_cancelled

#: Least time between two notifications, in seconds.
_PAUSE: Final = 0.25


class CallProgress:
    """The progress of one call. Its methods are for the thread that works on the call, and no other."""

    def __init__(self, tell: Callable[[float, float | None], Coroutine[Any, Any, None]]) -> None:
        self._tell = tell
        self._told, self._next = -1, 0.0

    def report(self, done: int, total: int | None = None) -> None:
        """Tell the client, if it wants to know, how many steps are done, and of how many; the last is always
        reported."""
        moment = time.monotonic()
        if done > self._told and (moment >= self._next or done == total) and not self.is_taken_back():
            self._told, self._next = done, moment + _PAUSE
            with suppress(concurrent.futures.CancelledError):  # taken back this moment
                from_thread.run(self._tell, done, total)

    @staticmethod
    def is_taken_back() -> bool:
        """Whether the client has taken the call back, or is gone."""
        return is_cancelled()


async def call_progress(context: Context[Any, Any]) -> CallProgress:
    """Return the progress of a call. A resolver of the SDK."""

    async def tell(done: float, total: float | None) -> None:
        await context.report_progress(done, total)

    return CallProgress(tell)
