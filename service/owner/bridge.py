"""Bridge: what an MCP client starts. It carries lines between the client and the owner, and outlives owners.

Made of the standard library, but for where a home is, so that a client has it in a tenth of a second and it takes few
megabytes. Where the vectors are on a server there is no owner, and the whole service runs here.
"""

import argparse
import importlib
import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any, BinaryIO, Final

from core.errors import MemoryServiceError
from service.owner.endpoint import Connection
from service.owner.home import Place
from service.owner.launcher import reach

#: How long answers may take that are still owed when the client has no more to say, in seconds.
_LAST_ANSWERS: Final = 60.0
#: The error code of JSON-RPC for a failure inside.
_INTERNAL: Final = -32603
_ENDED: Final = "The memory's process ended twice during this call: what was acknowledged is kept; see its log in logs."


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """Add the options of `stdio`: it has none."""


def run(command: str, options: argparse.Namespace) -> int:
    """Serve one client on standard input and output until it ends, Ctrl-C or SIGTERM."""
    place = Place.find()
    if place.shared:
        return int(importlib.import_module("server").run(command, options))
    # Nothing is kept here: there is nothing to finish.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    Bridge(place, sys.stdin.buffer, sys.stdout.buffer).carry()
    return 0


class _Call:
    """A request of the client's, and which owner was asked."""

    def __init__(self, id_: str, method: str, line: bytes) -> None:
        self.id, self.method, self.line = id_, method, line
        self.asked: Connection | None = None
        self.repeated = False


class Bridge:
    """One client's way to whichever process owns the home at the moment."""

    def __init__(self, place: Place, client: BinaryIO, answers: BinaryIO) -> None:
        self._place, self._client, self._answers = place, client, answers
        #: Held by whoever looks for an owner, or sends to one.
        self._owner = threading.Lock()
        self._writing = threading.Lock()
        self._idle = threading.Condition()
        self._connection: Connection | None = None
        self._told_apart = False
        #: Requests without an answer, by their ids as JSON.
        self._owed: dict[str, _Call] = {}
        #: What a client begins a session with, for the owners that come later.
        self._greeting: list[bytes] = []

    def carry(self) -> None:
        """Carry lines both ways until the client ends, then what is owed to it."""
        threading.Thread(target=self._prepare, daemon=True).start()
        try:
            for line in self._client:
                if line.strip():
                    self._take(line)
            with self._idle:
                self._idle.wait_for(lambda: not self._owed, _LAST_ANSWERS)
        except BrokenPipeError:
            return  # the client is gone
        finally:
            if self._connection is not None:
                self._connection.finish()

    def _prepare(self) -> None:
        """Have an owner ready before the client's first word."""
        try:
            with self._owner:
                self._reached()
        except (MemoryServiceError, OSError):
            return  # the first request meets the same, and says it to the client

    def _take(self, line: bytes) -> None:
        """Pass on a line of the client's; a request that no owner could be given is answered with the reason."""
        id_, method = _read(line)
        try:
            with self._owner:
                self._send(line, None if id_ is None or method is None else _Call(id_, method, line))
        except (MemoryServiceError, OSError) as error:
            if id_ is not None and method is not None:
                self._give(_failure(id_, method, str(error)))
        if method == "initialize":
            self._greeting = [line]
        elif method == "notifications/initialized":
            self._greeting.append(line)

    def _send(self, line: bytes, call: "_Call | None") -> None:
        while True:
            connection = self._reached()
            if call is not None:
                call.asked = connection
                self._owed[call.id] = call
            try:
                connection.send(line)
            except OSError:
                self._connection = None  # it ended a moment ago
                if call is not None:
                    self._owed.pop(call.id, None)
            else:
                return

    def _reached(self) -> Connection:
        """Return the connection to the owner, with the session begun as it was with the one before."""
        if self._connection is None:
            connection = reach(self._place, "mcp", folder=str(Path.cwd()))
            self._tell_apart(connection)
            if self._greeting:
                connection.send(b"".join(self._greeting))
                asked, _ = _read(self._greeting[0])
                while (line := connection.reader.readline()) and _read(line)[0] != asked:
                    self._give(line)
                if asked in self._owed:
                    self._give(line)
            self._connection = connection
            threading.Thread(target=self._return, args=(connection,), daemon=True).start()
        return self._connection

    def _tell_apart(self, connection: Connection) -> None:
        """Say once what the owner was set up with otherwise than this process is."""
        if (differs := connection.said.get("differs")) and not self._told_apart:
            self._told_apart = True
            sys.stderr.write(
                f"The memory in {self._place.home} is served by process {connection.said.get('pid')} with another "
                f"setting of {', '.join(differs)}, which holds for all clients. To use this client's: "
                "`remembrancer owner stop`, then start the client again.\n"
            )

    def _return(self, connection: Connection) -> None:
        """Give the client what the owner answers, until the owner ends."""
        try:
            for line in connection.reader:
                if line.endswith(b"\n"):
                    self._give(line)
        except OSError:
            pass  # ended by force
        with self._owner:
            if self._connection is connection:
                self._connection = None
            connection.close()
            for call in [call for call in list(self._owed.values()) if call.asked is connection]:
                self._repeat(call)

    def _repeat(self, call: "_Call") -> None:
        """Ask the next owner what the one before left unanswered; what it leaves too may be what ends them.

        Asked twice nothing is stored or deleted twice; an item may count as remembered once more.
        """
        reason = _ENDED
        if not call.repeated:
            call.repeated = True
            try:
                if call.method != "initialize":
                    self._send(call.line, call)
                else:
                    self._reached()
                return
            except (MemoryServiceError, OSError) as error:
                reason = str(error)
        self._give(_failure(call.id, call.method, reason))

    def _give(self, line: bytes) -> None:
        id_, method = _read(line)
        with self._writing:
            self._answers.write(line)
            self._answers.flush()
        if id_ is not None and method is None:
            with self._idle:
                self._owed.pop(id_, None)
                self._idle.notify_all()


def _read(line: bytes) -> tuple[str | None, str | None]:
    """Return a message's id as JSON, and its method; None for what it has not, or if it is no message."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None, None
    if not isinstance(message, dict):
        return None, None
    id_, method = message.get("id"), message.get("method")
    return None if id_ is None else json.dumps(id_), method if isinstance(method, str) else None


def _failure(id_: str, method: str, reason: str) -> bytes:
    """Return the answer that says why there is no other: a tool's in the form of its errors (docs/interface.md)."""
    answer: dict[str, Any] = {"jsonrpc": "2.0", "id": json.loads(id_)}
    if method == "tools/call":
        text = json.dumps({"error": reason, "code": "unavailable"}, ensure_ascii=False)
        answer["result"] = {"content": [{"type": "text", "text": text}], "isError": True}
    else:
        answer["error"] = {"code": _INTERNAL, "message": reason}
    return json.dumps(answer, ensure_ascii=False).encode() + b"\n"
