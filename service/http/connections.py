"""Connections: how many there are at a time, and how long one may take to say what it wants."""

import asyncio
import sys
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from service.http.health import HTTP_REFUSALS
from service.http.limits import Limits

if sys.platform != "win32":
    import resource

#: Descriptors for everything that is no connection: files, databases, other servers.
_RESERVE: Final = 256
#: Connections that are kept where the system lends few descriptors.
_FEWEST: Final = 32
_TIMEOUT: Final = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
_FULL: Final = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class Connections:
    """The connections of a server. Over the limit the oldest that waits for headers goes first, then the idle one."""

    def __init__(self, limits: Limits) -> None:
        self.seconds = limits.seconds
        self._most = _affordable(limits.connections)
        self._number = 0
        #: Connections without a request in progress, oldest first: those that never had one, and the others.
        self._untried: dict[GuardedProtocol, None] = {}
        self._idle: dict[GuardedProtocol, None] = {}

    def open(self) -> bool:
        """Take a connection in; False if there are too many with requests in progress."""
        self._number += 1
        if self._number <= self._most:
            return True
        oldest = next(iter(self._untried or self._idle), None)
        if oldest is not None:
            self.leave(oldest)
            oldest.drop()
        HTTP_REFUSALS.labels("connections").inc()
        return oldest is not None

    def wait(self, connection: "GuardedProtocol", *, tried: bool) -> None:
        """Note that a connection has no request in progress."""
        (self._idle if tried else self._untried)[connection] = None

    def leave(self, connection: "GuardedProtocol") -> None:
        """Note that a connection has one."""
        self._untried.pop(connection, None)
        self._idle.pop(connection, None)

    def close(self, connection: "GuardedProtocol") -> None:
        """Note that a connection is gone."""
        self._number -= 1
        self.leave(connection)

    def protocol(self, **given: Any) -> "GuardedProtocol":  # noqa: ANN401 - what uvicorn gives its protocols
        """Return the protocol of a new connection."""
        return GuardedProtocol(self, **given)


class GuardedProtocol(H11Protocol):
    """One connection, closed unless the headers of a request are complete in time.

    The server's own timeout begins after an answer and ends with the next byte, so that half a line keeps it open.
    """

    def __init__(self, guard: Connections, **given: Any) -> None:  # noqa: ANN401 - what uvicorn gives its protocols
        super().__init__(**given)
        self._guard = guard
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as in the base class
        super().connection_made(transport)
        if not self._guard.open():
            transport.write(_FULL)
            transport.close()
            return
        self._settle()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._settle()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._settle()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        self._guard.close(self)
        super().connection_lost(exc)

    def drop(self) -> None:
        """Close the connection to make room for another."""
        self._stop()
        self.transport.abort()

    @property
    def _request(self) -> RequestResponseCycle | None:
        """The last request; None if there was none."""
        return self.cycle

    def _settle(self) -> None:
        """Start or stop the deadline, as no request or one is in progress."""
        is_waiting = self._request is None or self._request.response_complete
        if not is_waiting or self.transport.is_closing():
            self._stop()
            self._guard.leave(self)
        elif self._deadline is None:
            seconds = self._guard.seconds + (0 if self._request is None else self.timeout_keep_alive)
            self._deadline = self.loop.call_later(seconds, self._expire)
            self._guard.wait(self, tried=self._request is not None)

    def _stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _expire(self) -> None:
        HTTP_REFUSALS.labels("slow_headers").inc()
        if self._request is None:
            self.transport.write(_TIMEOUT)
        self.transport.close()


def _affordable(connections: int) -> int:
    """Return how many of these connections the system's descriptors suffice for, once it lends as many as it may."""
    if sys.platform == "win32":
        return connections
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + _RESERVE
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        return min(connections, max(_FEWEST, soft - _RESERVE))
    return connections
