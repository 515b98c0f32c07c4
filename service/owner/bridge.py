"""Bridge: what an MCP client starts. It relays messages between the client and the owner, and outlives owners.

It imports little beyond the standard library, so that it starts in a tenth of a second and takes few megabytes. Where
the vectors are on a server there is no owner, and the whole service runs here.
"""

import argparse
import importlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final

from core.errors import MemoryServiceError
from core.knowledge.text import repair_text
from service.owner.endpoint import Connection, NoOwner, NotAnswering
from service.owner.home_config import HomeConfig
from service.owner.launcher import connect_if_running as connect
from service.owner.launcher import connect_to_owner
from service.owner.messages import INTERNAL_ERROR, MAX_MESSAGE, Fault, format_id, read_line

#: How long pending answers may take after the client closed its output, in seconds.
_LAST_ANSWERS_SECONDS: Final = 60.0
#: How long the owner may take to begin the session anew, in seconds.
_HANDSHAKE_SECONDS: Final = 20.0
#: After how long without a word the owner is asked whether it still answers, how often, and how often to look.
_SILENCE_SECONDS: Final = 10.0
_ATTEMPTS: Final = 2
_LOOK_SECONDS: Final = 2.0
_KEPT: Final = "What was acknowledged is kept, and to send the same call again is safe."
_ENDED: Final = "The memory's process ended twice during this call: what was acknowledged is kept; see its log in logs."


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """Add the options of `stdio`: it has none."""


def run(command: str, options: argparse.Namespace) -> int:
    """Serve one client on standard input and output until it ends, Ctrl-C or SIGTERM."""
    home_config = HomeConfig.find()
    if home_config.allows_multiple_servers:
        return int(importlib.import_module("..server", __package__).run(command, options))
    # There is no state here to save.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    Bridge(home_config, sys.stdin.buffer, sys.stdout.buffer).run()
    return 0


class _Call:
    """A line with requests of the client, their methods by their ids as JSON, and the connection it was sent on."""

    def __init__(self, methods: Mapping[str, str], line: bytes, *, is_batch: bool) -> None:
        self.methods, self.line, self.is_batch = methods, line, is_batch
        self.connection: Connection | None = None
        self.repeated = False

    def failure(self, reason: str) -> bytes:
        """Return error responses to all its requests."""
        answers = [_failure(id_, method, reason) for id_, method in self.methods.items()]
        return _line(answers if self.is_batch else answers[0])


class Bridge:
    """Connects one client to whichever process owns the home at the moment."""

    def __init__(self, home_config: HomeConfig, client: BinaryIO, answers: BinaryIO) -> None:
        self._home_config, self._input, self._output = home_config, client, answers
        #: Held while connecting or sending.
        self._owner = threading.Lock()
        self._writing = threading.Lock()
        self._idle = threading.Condition()
        self._connection: Connection | None = None
        self._warned = False
        #: Requests without an answer, by their ids as JSON.
        self._pending: dict[str, _Call] = {}
        #: The messages that began the session, sent again to each later owner.
        self._handshake: list[bytes] = []
        #: When the owner last said something, or showed that it still answers, on the monotonic clock.
        self._heard_at = time.monotonic()

    def run(self) -> None:
        """Relay messages both ways until the client closes its output, then wait for pending answers."""
        for task in (self._connect_early, self._watch):
            threading.Thread(target=task, daemon=True).start()
        try:
            for line in self._input:
                self._forward(line.rstrip(b"\r\n") + b"\n")
            with self._idle:
                self._idle.wait_for(lambda: not self._pending, _LAST_ANSWERS_SECONDS)
        except BrokenPipeError:
            return  # the client is gone
        finally:
            if self._connection is not None:
                self._connection.finish()

    def _connect_early(self) -> None:
        """Connect before the first request."""
        try:
            with self._owner:
                self._connected()
        except (MemoryServiceError, OSError):
            return  # the first request meets the same error, and is answered with it

    def _watch(self) -> None:
        """Ask the owner, while calls are pending and it says nothing, whether it still answers; else fail the calls."""
        while True:
            time.sleep(_LOOK_SECONDS)
            if not self._pending or time.monotonic() - self._heard_at < _SILENCE_SECONDS:
                continue
            try:
                self._check_owner()
            except NotAnswering as error:
                self._give_up(f"{error} {_KEPT}")
            except (NoOwner, MemoryServiceError, OSError):
                pass  # it has ended, which who reads from it sees
            self._heard_at = time.monotonic()

    def _check_owner(self) -> None:
        for attempt in range(_ATTEMPTS):
            try:
                connect(self._home_config, "status").close()
            except NotAnswering:
                if attempt == _ATTEMPTS - 1:
                    raise
            else:
                return

    def _give_up(self, reason: str) -> None:
        """Answer the pending calls with the reason, and take another connection for the next message."""
        with self._idle:
            calls = set(self._pending.values())
            connections = {call.connection for call in calls}
        for call in calls:
            self._write(call.failure(reason))
        for connection in connections:
            if connection is not None:
                connection.abort()

    def _forward(self, line: bytes) -> None:
        """Send a message on; what can't be read or sent is answered with the reason."""
        received = read_line(line, MAX_MESSAGE)
        messages = [part for part in received.parts if isinstance(part, dict)]
        if not messages:
            faults = [part.answer() for part in received.parts if isinstance(part, Fault)]
            if faults:
                self._write(_line(faults if received.is_batch else faults[0]))
            return
        methods = {format_id(message["id"]): message["method"] for message in received.requests()}
        call = _Call(methods, line, is_batch=received.is_batch) if methods else None
        try:
            with self._owner:
                self._send(line, call)
        except (MemoryServiceError, OSError) as error:
            if call is not None:
                self._write(call.failure(str(error)))
        for message in messages:
            self._follow(message, line)

    def _follow(self, message: Mapping[str, Any], line: bytes) -> None:
        """Keep what begins the session, and which calls the client takes back."""
        method = message.get("method")
        if method == "initialize" and "id" in message:
            self._handshake = [line]
        elif method == "notifications/initialized" and self._handshake:
            self._handshake.append(line)
        elif method == "notifications/cancelled":
            self._drop(message)

    def _drop(self, message: Mapping[str, Any]) -> None:
        """Expect no answer to a call that the client has taken back, and do not repeat it: there will be none."""
        parameters = message.get("params")
        if isinstance(parameters, dict):
            self._settle([format_id(parameters.get("requestId"))])

    def _settle(self, ids: Iterable[str]) -> None:
        with self._idle:
            for id_ in ids:
                self._pending.pop(id_, None)
            self._idle.notify_all()

    def _send(self, line: bytes, call: "_Call | None") -> None:
        while True:
            connection = self._connected()
            if call is not None:
                call.connection = connection
                self._pending |= dict.fromkeys(call.methods, call)
            try:
                connection.send(line)
            except OSError:
                self._connection = None  # it ended a moment ago, or does not read
                connection.abort()
                if call is not None:
                    self._settle(call.methods)
            else:
                return

    def _connected(self) -> Connection:
        """Return the connection to the owner; a new one begins with the handshake of the session."""
        if self._connection is None:
            connection = connect_to_owner(self._home_config, "mcp", folder=str(Path.cwd()))
            self._warn_of_settings(connection)
            if self._handshake:
                connection.send(b"".join(self._handshake))
                asked = {format_id(message["id"]) for message in read_line(self._handshake[0], MAX_MESSAGE).requests()}
                while (line := connection.line(_HANDSHAKE_SECONDS)) and asked.isdisjoint(_answered(line)):
                    self._write(line)
                if line and not asked.isdisjoint(self._pending):
                    self._write(line)
            self._connection, self._heard_at = connection, time.monotonic()
            threading.Thread(target=self._relay_answers, args=(connection,), daemon=True).start()
        return self._connection

    def _warn_of_settings(self, connection: Connection) -> None:
        """Warn once of settings that this process asks for and the owner does not have."""
        if (notice := connection.status.get("notice")) and not self._warned:
            self._warned = True
            sys.stderr.write(f"{notice}\n")

    def _relay_answers(self, connection: Connection) -> None:
        """Write the owner's answers to the client until the owner ends, then repeat what it left unanswered."""
        try:
            while (line := connection.line()).endswith(b"\n"):
                self._heard_at = time.monotonic()
                if self._is_awaited(line):
                    self._write(line)
        except OSError:
            pass  # the owner was killed
        with self._owner:
            if self._connection is connection:
                self._connection = None
            connection.close()
            for call in {call for call in list(self._pending.values()) if call.connection is connection}:
                self._repeat(call)

    def _is_awaited(self, line: bytes) -> bool:
        """Whether to hand on a line: not an answer to calls that were given up or taken back."""
        ids = set(_answered(line)) - {format_id(None)}
        return not ids or not ids.isdisjoint(self._pending)

    def _repeat(self, call: "_Call") -> None:
        """Send a call to the next owner, once: a call that ended two owners may be the reason why they ended.

        Tools are idempotent: nothing is stored or deleted twice, but an item may count as remembered once more.
        """
        reason = _ENDED
        if not call.repeated:
            call.repeated = True
            try:
                if "initialize" not in call.methods.values():
                    self._send(call.line, call)
                else:
                    self._connected()
                return
            except (MemoryServiceError, OSError) as error:
                reason = str(error)
        self._write(call.failure(reason))

    def _write(self, line: bytes) -> None:
        with self._writing:
            self._output.write(line)
            self._output.flush()
        self._settle(_answered(line))


def _answered(line: bytes) -> list[str]:
    """Return the ids, as JSON, of the requests that a line of the owner answers."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return []
    answers = value if isinstance(value, list) else [value]
    return [format_id(one.get("id")) for one in answers if isinstance(one, dict) and "method" not in one]


def _failure(id_: str, method: str, reason: str) -> dict[str, Any]:
    """Return an error response; for a tool call in the form of a tool error (docs/interface.md)."""
    answer: dict[str, Any] = {"jsonrpc": "2.0", "id": json.loads(id_)}
    if method == "tools/call":
        text = json.dumps({"error": reason, "code": "unavailable"}, ensure_ascii=False)
        answer["result"] = {"content": [{"type": "text", "text": text}], "isError": True}
    else:
        answer["error"] = {"code": INTERNAL_ERROR, "message": reason}
    return answer


def _line(answer: object) -> bytes:
    return repair_text(json.dumps(answer, ensure_ascii=False)).encode() + b"\n"
