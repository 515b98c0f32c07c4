"""Threads that calls run on: how many an event loop may use, and whether the call of one was cancelled."""

import asyncio

import anyio
from anyio import from_thread
from anyio.lowlevel import RunVar


class ThreadLimit:
    """A number of threads that each event loop may use at a time for one purpose.

    A process has several loops (HTTP, the owner's socket), and a limiter of anyio's belongs to the one that uses it:
    shared, it may never wake a task of another.
    """

    def __init__(self, purpose: str, threads: int) -> None:
        self._threads = threads
        self._limiter = RunVar[anyio.CapacityLimiter](purpose)

    def limiter(self) -> anyio.CapacityLimiter:
        """Return the limiter of the running event loop."""
        try:
            return self._limiter.get()
        except LookupError:
            limiter = anyio.CapacityLimiter(self._threads)
            self._limiter.set(limiter)
            return limiter


def is_cancelled() -> bool:
    """Whether the call that this thread works on was cancelled by its client; False outside a thread of anyio's."""
    try:
        from_thread.check_cancelled()
    except asyncio.CancelledError:
        return True
    except RuntimeError:  # no event loop waits for this thread
        return False
    return False
