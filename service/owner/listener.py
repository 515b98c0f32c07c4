"""Listener: the server side of the endpoint. It serves MCP sessions and the vector index, and ends when idle."""

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

from core.errors import InvalidInput, MemoryServiceError, Unavailable
from core.interface.caller import CLIENT_NOTICE
from core.interface.operations import choose_tools
from service import __version__
from service.api.pages import BrowserServer
from service.app import App
from service.owner import endpoint
from service.owner.home_config import HomeConfig, comparable_value, is_shown
from service.owner.ownership import Ownership
from service.owner.shared_index import serve_index
from service.settings import Settings

#: Settings that say which record is meant: a client that asks for another is not served from this one.
_RECORD: Final = frozenset({"REMEMBRANCER_GRAPH", "NEO4J_URI", "NEO4J_DATABASE"})
#: Beginnings of names that matter only where one of these settings has this value, to the client or to the owner.
_MATTERS: Final[Mapping[tuple[str, ...], tuple[tuple[str, ...], str]]] = {
    ("OPENAI_", "REMEMBRANCER_OPENAI_"): (("REMEMBRANCER_EMBEDDER", "REMEMBRANCER_EXTRACTOR"), "openai"),
    ("NEO4J_",): (("REMEMBRANCER_GRAPH",), "neo4j"),
    ("CHROMA_",): (("REMEMBRANCER_VECTORS",), "server"),
}
#: The setting that each client has for itself.
_TOOLS: Final = "REMEMBRANCER_TOOLS"


class RequestedSettings:
    """The settings that a client asks for (`HomeConfig.requested_settings`), as the owner of the home sees it."""

    def __init__(self, asked: object, home_config: HomeConfig, *, serves: bool) -> None:
        """Compare; `serves` says whether a `serve` owns the home, which has its own environment."""
        self._home_config, self._serves = home_config, serves
        self._asked = {str(name): str(value) for name, value in asked.items()} if isinstance(asked, dict) else {}
        self._ours = _settings_of(home_config)
        #: The names of the settings that differ.
        self.unmet: list[str] = sorted(name for name, value in self._asked.items() if self._is_unmet(name, value))

    @property
    def requests_other_store(self) -> bool:
        """Whether the client means another record than the owner has open."""
        return not _RECORD.isdisjoint(self.unmet)

    @property
    def tools(self) -> str | None:
        """The tools that the client asks for, as REMEMBRANCER_TOOLS has it; None if it leaves that to the owner."""
        return self._asked.get(_TOOLS)

    @property
    def fault(self) -> str | None:
        """What is wrong with the settings that hold for one client."""
        try:
            choose_tools(self.tools or "all")
        except InvalidInput as error:
            return str(error)
        return None

    @property
    def notice(self) -> str | None:
        """The notice for the client; None if the owner has the settings that it asks for."""
        if not self.unmet:
            return None
        asked = ", ".join(f"{name}={self._asked[name]}" if is_shown(name) else name for name in self.unmet)
        ours = ", ".join((self._ours[name] or "none") if is_shown(name) else f"another {name}" for name in self.unmet)
        if self._serves:
            return f"This client asks for {asked}; `serve`, which owns {self._home_config.home}, runs with {ours}."
        return (
            f"This client asks for {asked}; the owner of {self._home_config.home} runs with {ours}, because it reads "
            f"only {self._home_config.dotenv}: write the settings there, then run `remembrancer owner stop`."
        )

    def _is_unmet(self, name: str, value: str) -> bool:
        return name != _TOOLS and name in self._ours and self._ours[name] != value and self._matters(name)

    def _matters(self, name: str) -> bool:
        for beginnings, (settings, value) in _MATTERS.items():
            if name.startswith(beginnings):
                return any(value in (self._asked.get(one), self._ours[one]) for one in settings)
        return True


def _settings_of(home_config: HomeConfig) -> dict[str, str]:
    """Return all settings as they are compared; "" is one that is not set and has no default."""
    defaults = {str(field.alias): field.default for field in Settings.model_fields.values()}
    values = {name: home_config.variables.get(name, str(default or "")) for name, default in defaults.items()}
    return {name: comparable_value(name, value) for name, value in values.items()}


_log = logging.getLogger("remembrancer.owner")

#: How long a client may take for its greeting, in seconds.
_GREETING_SECONDS: Final = 10.0
#: How long calls in progress may take once the owner is asked to end, in seconds.
_LAST_CALLS_SECONDS: Final = 5.0
#: How often it checks whether to end, in seconds.
_CHECK_SECONDS: Final = 0.25
#: How often it counts pending jobs while no client is connected, in seconds.
_JOB_CHECK_SECONDS: Final = 1.0

#: The working folder of the client that makes the call; None where that is not known.
CLIENT_FOLDER: ContextVar[str | None] = ContextVar("client_folder", default=None)

#: Serves one MCP session: the stream from the client, the stream to it, a function that is called with 1 for each
#: request and -1 for each answer, and the tools that it asks for, None for those of the home.
Session = Callable[[BufferedByteReceiveStream, SocketStream, Callable[[int], None], str | None], Awaitable[None]]


@dataclass(slots=True)
class Listener:
    """Serves a home until it is asked to end, or for `idle` seconds no client is connected, no browser asks, and no job
    is pending.

    With `idle` None it never ends by itself. `ended` is set when it ends; any thread may set it to end it. When
    ownership is lost the process exits.
    """

    home_config: HomeConfig
    ownership: Ownership
    app: App
    session: Session
    idle: float | None
    browser_server: BrowserServer
    ended: threading.Event = field(default_factory=threading.Event)
    clients: int = 0
    _calls: int = 0
    _since: float = field(default_factory=time.time)

    async def serve(self) -> None:
        """Serve clients until the end; calls in progress may take 5 seconds more.

        Raises:
            Unavailable: the socket can't be opened.
        """
        listener = await SocketListener.from_socket(endpoint.open_listening_socket(self.home_config.home))
        _log.info("Process %d of release %s owns %s.", os.getpid(), __version__, self.home_config.home)
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._end_when_idle, listener, tasks.cancel_scope)
                try:
                    await listener.serve(self._handle, tasks)
                except anyio.ClosedResourceError:
                    await anyio.sleep_forever()  # until the calls in progress are done
        finally:
            self.ended.set()
            self.browser_server.close()
            endpoint.remove_socket(self.home_config.home)
            _log.info("Process %d ends.", os.getpid())

    async def _end_when_idle(self, listener: SocketListener, scope: anyio.CancelScope) -> None:
        quiet_since = asked_at = time.monotonic()
        while not self.ended.is_set():
            await anyio.sleep(_CHECK_SECONDS)
            if self.ownership.lost:
                _log.error("The home %s was deleted or moved: process %d ends.", self.home_config.home, os.getpid())
                # To close the stores would write to, and delete from, whatever has their paths by now. They recover
                # from this as from a kill.
                os._exit(1)
            moment = time.monotonic()
            if self.clients or self.idle is None or self.browser_server.is_used(self.idle):
                quiet_since = moment
            elif moment - quiet_since >= self.idle and moment - asked_at >= min(_JOB_CHECK_SECONDS, self.idle):
                asked_at = moment
                if await anyio.to_thread.run_sync(self._has_work):
                    quiet_since = moment
                else:
                    break
        endpoint.remove_socket(self.home_config.home)
        await listener.aclose()
        until = time.monotonic() + _LAST_CALLS_SECONDS
        while self._calls > 0 and time.monotonic() < until:
            await anyio.sleep(0.01)
        scope.cancel()

    def _has_work(self) -> bool:
        try:
            return self.app.store.job_counts().pending > 0
        except Unavailable as error:
            _log.warning("Pending jobs can't be counted: %s", error)
            return True

    async def _handle(self, stream: SocketStream) -> None:
        received = BufferedByteReceiveStream(stream)
        async with stream:
            try:
                with anyio.fail_after(_GREETING_SECONDS):
                    asked = endpoint.read_greeting(await received.receive_until(b"\n", endpoint.MAX_GREETING))
                secret = endpoint.read_secret(self.home_config.home)
                if secret is not None and asked.get("secret") != secret:
                    return
                await stream.send(endpoint.format_greeting(**self._status(asked)))
                await self._serve_request(asked, received, stream)
            except (anyio.EndOfStream, anyio.IncompleteRead, anyio.BrokenResourceError, anyio.ClosedResourceError):
                return  # the client is gone
            except (TimeoutError, anyio.DelimiterNotFound, MemoryServiceError) as error:
                _log.warning("A client sent an invalid greeting or request: %s", error)
            except Exception:  # noqa: BLE001 - the edge of the owner: one client's failure ends no other's session
                _log.exception("A client's connection failed unexpectedly")

    async def _serve_request(
        self, asked: Mapping[str, Any], received: BufferedByteReceiveStream, stream: SocketStream
    ) -> None:
        want = asked.get("want")
        if want == "end":
            _log.info("Asked to end by a process of release %s.", asked.get("version"))
            self.ended.set()
        elif want == "browse":
            await stream.send(endpoint.format_greeting(**await anyio.to_thread.run_sync(self._doorway_facts)))
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
                    requested = self._requested_settings(asked)
                    CLIENT_NOTICE.set(requested.notice)
                    CLIENT_FOLDER.set(folder if isinstance(folder, str) and Path(folder).is_absolute() else None)
                    await self.session(received, stream, count, requested.tools)
                else:
                    await serve_index(self.app.index, received, stream)
            finally:
                self.clients -= 1
                self._calls -= calls  # those that were cancelled

    def _doorway_facts(self) -> dict[str, str]:
        try:
            return {"address": self.browser_server.address()}
        except MemoryServiceError as error:
            return {"error": str(error)}

    def _requested_settings(self, asked: Mapping[str, Any]) -> RequestedSettings:
        return RequestedSettings(asked.get("settings"), self.home_config, serves=self.idle is None)

    def _status(self, asked: Mapping[str, Any]) -> dict[str, object]:
        requested = self._requested_settings(asked)
        return {
            "version": __version__,
            "pid": os.getpid(),
            "since": self._since,
            "clients": self.clients,
            "calls": self._calls,
            "serves": self.idle is None,
            "notice": requested.notice,
            "requests_other_store": requested.requests_other_store,
            "fault": requested.fault,
        }
