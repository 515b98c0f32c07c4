"""The isolated process itself: its limits, its messages, and the loop that answers requests."""

import importlib
import json
import os
import signal
import struct
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, Final

from core.errors import MemoryServiceError
from core.own_process import claim_process

if sys.platform != "win32":
    import resource

#: Bytes in a MiB.
_MIB: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """How long an item may take, in seconds, and how much memory the process may have, in MiB.

    The time is `seconds` and one second more for every `per_second` characters or bytes of the item.
    """

    seconds: float = 30.0
    memory: int = 2_048
    per_second: int = 1_000

    def allowed(self, size: int) -> float:
        """Return the seconds that an item of this size may take."""
        return self.seconds + size / self.per_second


def limit_memory(mebibytes: int) -> None:
    """Refuse this process more memory than that: its next request for some raises `MemoryError`.

    Linux counts all memory that is private to the process. macOS and Windows enforce no such limit.
    """
    if sys.platform == "linux":
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = mebibytes * _MIB
        resource.setrlimit(resource.RLIMIT_DATA, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


#: The lengths of head and body, in bytes.
_LENGTHS: Final = struct.Struct("!IQ")


def send(stream: IO[bytes], head: dict[str, Any], body: bytes = b"") -> None:
    """Write one message.

    Raises:
        OSError: nobody reads it any more.
    """
    text = json.dumps(head).encode()
    stream.write(_LENGTHS.pack(len(text), len(body)))
    stream.write(text)
    stream.write(body)
    stream.flush()


def receive(stream: IO[bytes]) -> tuple[dict[str, Any], bytes]:
    """Read one message.

    Raises:
        EOFError: the other process has ended, or sent half of one.
    """
    head, body = _LENGTHS.unpack(_read(stream, _LENGTHS.size))
    return json.loads(_read(stream, head)), _read(stream, body)


def _read(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


#: What a process can be asked to do, by name: each makes of a body the bodies of its answer, one after the other.
Operations = Mapping[str, Callable[[bytes], Iterable[bytes]]]

#: The nice value of the process, so that processes that answer go first.
_NICENESS: Final = 5


def serve(target: str, arguments: Sequence[str], memory: int) -> None:
    """Answer requests with the operations that the function `target` ("module:name") returns for these arguments.

    It ends when the process that asks does: its streams are closed then, and while it is busy a timer of the system,
    which no text can hold up, ends it.
    """
    asked, answers = _own_streams()
    claim_process()
    for name in ("SIGINT", "SIGTERM"):  # meant for the process that asks, which ends this one
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    limit_memory(memory)
    os.putenv("OPENBLAS_NUM_THREADS", "1")  # its threads wait by spinning, which takes more time than the products
    module, _, name = target.partition(":")
    operations: Operations = getattr(importlib.import_module(module), name)(*arguments)
    try:
        send(answers, {})
        while True:
            head, body = receive(asked)
            send(answers, {"begun": True})
            _set_timer(head["seconds"])
            answer(answers, operations[head["operation"]], body, each_seconds=head["seconds"] if head["each"] else None)
            _set_timer(0)
    except (EOFError, OSError):  # the process that asks has ended
        os._exit(0)  # an ordinary end writes what is unsent, which fails again


def answer(
    answers: IO[bytes], operation: Callable[[bytes], Iterable[bytes]], body: bytes, *, each_seconds: float | None
) -> None:
    """Send what the operation returns, a message each, and one that says how it ended.

    With `each_seconds` the timer, which runs, is set anew for each; time spent sending does not count.
    """
    try:
        for part in operation(body):
            if each_seconds is not None:
                _set_timer(0)
            send(answers, {"part": True}, part)
            if each_seconds is not None:
                _set_timer(each_seconds)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the asking process that reports it
        send(answers, _described(error))
        if isinstance(error, MemoryError):
            sys.exit(0)  # the next item begins in a process without what this one has left
    else:
        send(answers, {})


def _described(error: Exception) -> dict[str, Any]:
    code = error.code if isinstance(error, MemoryServiceError) else None
    trace = "" if isinstance(error, MemoryError) else "".join(traceback.format_exception(error))
    return {"error": type(error).__name__, "code": code, "message": str(error), "trace": trace}


def _own_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Return what requests are read from and answered to; whatever else is printed goes to standard error."""
    asked, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - a device
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    return asked, answers


def _set_timer(seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)
