"""Listener: the owner's side of the door. It serves MCP sessions, lends the vectors, and knows when to end."""

import logging
import os
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import anyio
from anyio.abc import SocketListener, SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream

from core.errors import MemoryServiceError, Unavailable
from service import __version__
from service.app import App
from service.owner import endpoint
from service.owner.home import Place
from service.owner.ownership import Ownership
from service.owner.shared_index import lend

_log = logging.getLogger("remembrancer.owner")

#: How long a caller may take for its first line, in seconds.
_GREETING_SECONDS: Final = 10.0
#: How long calls under way may take once the owner is asked to end, in seconds.
_LAST_CALLS: Final = 5.0
#: How often it looks whether it may end, in seconds.
_LOOK: Final = 0.25
#: How often it asks the record for waiting jobs while nobody is connected, in seconds.
_ASK: Final = 1.0

#: The working folder of the client whose call it is; None where that is not known.
CLIENT_FOLDER: ContextVar[str | None] = ContextVar("client_folder", default=None)

#: Holds one client's MCP session: what it sends, the way back, and who is told of each request (1) and answer (-1).
Session = Callable[[BufferedByteReceiveStream, SocketStream, Callable[[int], None]], Awaitable[None]]


@dataclass(slots=True)
class Listener:
    """Serves a home until it is asked to end, or nobody is connected and nothing waits for `idle` seconds.

    With `idle` None it stays. `ended` is set as soon as it is over, and from any thread ends it. When ownership is lost
    the process exits.
    """

    place: Place
    ownership: Ownership
    app: App
    session: Session
    idle: float | None
    ended: threading.Event = field(default_factory=threading.Event)
    clients: int = 0
    _calls: int = 0
    _since: float = field(default_factory=time.time)

    async def serve(self) -> None:
        """Open the door and answer who knocks until it is over; calls under way may take 5 seconds more.

        Raises:
            Unavailable: the door can't be opened.
        """
        listener = await SocketListener.from_socket(endpoint.listen(self.place.home))
        _log.info("Process %d of release %s owns %s.", os.getpid(), __version__, self.place.home)
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._end_in_time, listener, tasks.cancel_scope)
                try:
                    await listener.serve(self._answer, tasks)
                except anyio.ClosedResourceError:
                    await anyio.sleep_forever()  # until the calls under way are done
        finally:
            self.ended.set()
            endpoint.shut(self.place.home)
            _log.info("Process %d ends.", os.getpid())

    async def _end_in_time(self, listener: SocketListener, scope: anyio.CancelScope) -> None:
        quiet_since = asked_at = time.monotonic()
        while not self.ended.is_set():
            await anyio.sleep(_LOOK)
            if self.ownership.lost:
                _log.error("The home %s was deleted or moved: process %d ends.", self.place.home, os.getpid())
                # To close the stores would write to, and delete from, whatever has their paths by now. They recover
                # from this as from a kill.
                os._exit(1)
            moment = time.monotonic()
            if self.clients or self.idle is None:
                quiet_since = moment
            elif moment - quiet_since >= self.idle and moment - asked_at >= min(_ASK, self.idle):
                asked_at = moment
                if await anyio.to_thread.run_sync(self._has_work):
                    quiet_since = moment
                else:
                    break
        endpoint.shut(self.place.home)
        await listener.aclose()
        until = time.monotonic() + _LAST_CALLS
        while self._calls > 0 and time.monotonic() < until:
            await anyio.sleep(0.01)
        scope.cancel()

    def _has_work(self) -> bool:
        try:
            return self.app.store.job_counts().pending > 0
        except Unavailable as error:
            _log.warning("The record does not say whether work waits: %s", error)
            return True

    async def _answer(self, stream: SocketStream) -> None:
        received = BufferedByteReceiveStream(stream)
        async with stream:
            try:
                with anyio.fail_after(_GREETING_SECONDS):
                    asked = endpoint.read_greeting(await received.receive_until(b"\n", endpoint.MAX_GREETING))
                secret = endpoint.secret_of(self.place.home)
                if secret is not None and asked.get("secret") != secret:
                    return
                await stream.send(endpoint.greeting(**self._told(asked)))
                await self._give(asked, received, stream)
            except (anyio.EndOfStream, anyio.IncompleteRead, anyio.BrokenResourceError, anyio.ClosedResourceError):
                return  # the caller is gone
            except (TimeoutError, anyio.DelimiterNotFound, MemoryServiceError) as error:
                _log.warning("A caller said nothing that is understood: %s", error)
            except Exception:  # noqa: BLE001 - the edge of the owner: one client's failure ends no other's session
                _log.exception("A client's connection failed unexpectedly")

    async def _give(self, asked: Mapping[str, Any], received: BufferedByteReceiveStream, stream: SocketStream) -> None:
        want = asked.get("want")
        if want == "end":
            _log.info("Asked to end by a process of release %s.", asked.get("version"))
            self.ended.set()
        elif want in {"mcp", "vectors"}:
            self.clients += 1
            calls = 0

            def count(more: int) -> None:
                nonlocal calls
                calls += more
                self._calls += more

            try:
                if want == "mcp":
                    folder = asked.get("folder")
                    CLIENT_FOLDER.set(folder if isinstance(folder, str) and Path(folder).is_absolute() else None)
                    await self.session(received, stream, count)
                else:
                    await lend(self.app.index, received, stream)
            finally:
                self.clients -= 1
                self._calls -= calls  # those that were taken back, or that nobody waits for

    def _told(self, asked: Mapping[str, Any]) -> dict[str, object]:
        ours, theirs = self.place.digests, asked.get("settings")
        if not isinstance(theirs, dict):
            theirs = ours
        return {
            "version": __version__,
            "pid": os.getpid(),
            "since": self._since,
            "clients": self.clients,
            "calls": self._calls,
            "differs": sorted(name for name in {*theirs, *ours} if theirs.get(name) != ours.get(name)),
        }
