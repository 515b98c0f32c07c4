"""The tools of the process that owns an embedded home, which a script shares with every client of that home."""

import json
import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from core.errors import TooLarge, Unavailable, make_error
from service import __version__
from service.owner.endpoint import Connection, NoOwner, NotAnswering
from service.owner.home_config import HomeConfig
from service.owner.launcher import connect_if_running, connect_to_owner

_log = logging.getLogger("remembrancer")

#: Largest message that an owner reads, in bytes.
_LONGEST: Final = 64 * 1024 * 1024
#: How many owners are asked before a call fails: it may be the call that ends them.
_OWNERS: Final = 2
#: The revision of MCP that is spoken.
_PROTOCOL: Final = "2025-06-18"
#: After how long without a word the owner is asked whether it still answers, in seconds.
_SILENCE_SECONDS: Final = 15.0


class OwnerTools:
    """Calls tools in the process that owns a home. Fulfils `remembrancer._client.Tools`.

    A connection carries one call at a time and is kept for the next one, so calls of several threads run side by side.
    A call that an owner leaves unanswered is repeated once: asked twice, nothing is stored or deleted twice.
    """

    def __init__(self, home_config: HomeConfig) -> None:
        """Connect to the owner, starting one if there is none.

        Raises:
            Unavailable: no owner can be reached or started.
            Conflict: the environment asks for another record than the owner has open.
        """
        self._home_config = home_config
        self._folder = str(Path.cwd())
        self._warned = False
        self._process = os.getpid()
        self._idle = [self._connected()]

    def call(self, tool: str, arguments: str) -> object:
        line = _line(1, "tools/call", f'{{"name": {json.dumps(tool)}, "arguments": {arguments}}}')
        if len(line) > _LONGEST:
            raise TooLarge(f"The arguments of {tool} take {len(line):,} bytes of JSON: at most {_LONGEST:,} are read.")
        # A program may read what its user may: what it names is open.
        opened = [json.loads(arguments)["path"]] if tool == "ingest" else []
        for _ in range(_OWNERS):
            connection = self._free() or self._connected()
            try:
                answer = _asked(connection, self._home_config, 1, line, opened)
            except OSError:
                connection.close()
            except BaseException:  # interrupted: the answer is still to come
                connection.close()
                raise
            else:
                self._idle.append(connection)
                return _content(answer)
        raise _ended()

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()

    def _free(self) -> Connection | None:
        """Return an idle connection; None if no owner is running."""
        if self._process != os.getpid():  # forked: the connections belong to the parent
            self.close()
            self._process = os.getpid()
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_readable():
                return connection
            connection.close()  # what can be read while nothing was asked is its end
        return None

    def _connected(self) -> Connection:
        """Begin an MCP session.

        Raises:
            Unavailable: no owner can be reached or started.
        """
        client = {"name": "remembrancer-python", "version": __version__}
        hello = {"protocolVersion": _PROTOCOL, "capabilities": {"roots": {}}, "clientInfo": client}
        ready = b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n'
        for _ in range(_OWNERS):
            connection = connect_to_owner(self._home_config, "mcp", folder=self._folder)
            self._compare(connection)
            try:
                _asked(connection, self._home_config, 0, _line(0, "initialize", json.dumps(hello)) + ready)
            except OSError:
                connection.close()
            except Unavailable:
                connection.close()
                raise
            else:
                return connection
        raise _ended()

    def _compare(self, connection: Connection) -> None:
        """Warn once if the environment asks for other settings than the owner has."""
        if (notice := connection.status.get("notice")) and not self._warned:
            self._warned = True
            _log.warning("%s", notice)


def _ended() -> Unavailable:
    return Unavailable("The memory's process ended twice during this call: what was acknowledged is kept.")


def _line(number: int, method: str, parameters: str) -> bytes:
    return f'{{"jsonrpc": "2.0", "id": {number}, "method": "{method}", "params": {parameters}}}\n'.encode()


def _answer(number: object, result: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "result": result}).encode() + b"\n"


def _heard(connection: Connection, home_config: HomeConfig) -> bytes:
    """Return the next line of the owner, which is asked from time to time whether it still answers.

    Raises:
        OSError: the owner ended.
        NotAnswering: it does not answer.
    """
    while True:
        try:
            return connection.line(_SILENCE_SECONDS)
        except NotAnswering:
            try:
                connect_if_running(home_config, "status").close()
            except NoOwner as error:
                raise ConnectionResetError from error


def _asked(
    connection: Connection, home_config: HomeConfig, number: int, line: bytes, opened: Sequence[str] = ()
) -> dict[str, Any]:
    """Send a request and return its result; `opened` are the roots, in case that the client is asked for them.

    Raises:
        OSError: the owner ended before it answered.
        NotAnswering: it does not answer.
        Unavailable: the owner refused the request.
    """
    connection.send(line)
    while (answer := _heard(connection, home_config)).endswith(b"\n"):
        message: dict[str, Any] = json.loads(answer)
        if message.get("method") == "roots/list":
            roots = [{"uri": Path(path).as_uri()} for path in opened]
            connection.send(_answer(message["id"], {"roots": roots}))
            continue
        if message.get("id") == number and "result" in message:
            return dict(message["result"])
        if "error" in message:
            raise Unavailable(f"The memory's process refused the request: {message['error'].get('message')}")
    raise ConnectionResetError


def _content(result: dict[str, Any]) -> object:
    """Return what a tool answered.

    Raises:
        MemoryServiceError: it failed.
    """
    text = result["content"][-1]["text"]
    if result.get("isError"):
        failure = json.loads(text)
        raise make_error(failure["code"], failure["error"])
    return result.get("structuredContent", text)
