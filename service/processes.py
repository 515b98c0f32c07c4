"""Processes that run for long: logging, signals, checks, and the threads that their calls run on."""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import FrameType
from typing import Any

import anyio
from anyio import from_thread
from anyio.lowlevel import RunVar

from core.errors import InvalidInput, Unavailable, escape_control_characters
from service.settings import Settings


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


#: Longest log file in bytes, and longest message in characters.
_LOG_BYTES, _MESSAGE_LENGTH = 1_000_000, 4_000
#: After how many seconds a thread gives way to others that wait.
_TURN = 0.0005


class LineFormatter(logging.Formatter):
    """Writes each message as one line of bounded length: what a service or a client said can't pass for an entry.

    The lines of a traceback are indented.
    """

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name in `logging`
        line = escape_control_characters(super().formatMessage(record))
        return line if len(line) <= _MESSAGE_LENGTH else f"{line[:_MESSAGE_LENGTH]}…"

    def formatException(self, ei: Any) -> str:  # noqa: ANN401, N802 - as `logging` has it
        return "\n".join(f"    {escape_control_characters(line)}" for line in super().formatException(ei).splitlines())


def log_to_folder(folder: Path) -> None:
    """Log to `owner.log` in a folder, a megabyte at a time, and keep three older files.

    Raises:
        Unavailable: the folder refuses.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handler = RotatingFileHandler(folder / "owner.log", maxBytes=_LOG_BYTES, backupCount=3, encoding="utf-8")
    except OSError as error:
        raise Unavailable(f"Logs can't be written to {str(folder)!r} ({error}): check the folder.") from error
    handler.setFormatter(LineFormatter("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"))
    logging.getLogger().addHandler(handler)
    logging.getLogger("remembrancer").setLevel(logging.INFO)


def set_up_process() -> None:
    """Log to standard error, and let SIGTERM end the process as Ctrl-C does, but with exit code 0; a second one kills.

    What `with` opened is closed on the way out. Threads take turns more often than Python's default of 5 ms has them:
    each native call of a request waits for its turn again during background work.
    """
    sys.setswitchinterval(_TURN)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LineFormatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    signal.signal(signal.SIGTERM, _end)


def _end(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the signature of a handler
    signal.signal(number, signal.SIG_DFL)
    raise SystemExit(0)


def end_by_signals(end: Callable[[], object]) -> None:
    """Have SIGTERM and Ctrl-C call `end`; a second one kills."""

    def take(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the signature of a handler
        signal.signal(number, signal.SIG_DFL)
        end()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, take)


@contextmanager
def ending_at_once() -> Iterator[None]:
    """Have SIGTERM and Ctrl-C end the process at once while it starts, when it has nothing under way.

    Native code that makes classes drops, or takes for another error, what a handler raises.
    """
    former = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    for number, handler in former.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, _leave)
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


def _leave(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the signature of a handler
    os._exit(0 if number == signal.SIGTERM else 128 + number)


@contextmanager
def reading_standard_input() -> Iterator[None]:
    """End the process as soon as a signal ends the block: nothing wakes the thread that waits for the next line."""
    try:
        yield
    except (SystemExit, KeyboardInterrupt):
        sys.stderr.flush()
        os._exit(0)


def check_shared(settings: Settings, what: str) -> None:
    """Make sure that work can be divided among processes.

    Raises:
        InvalidInput: the vectors are embedded, and belong to the one process that serves them.
    """
    if settings.vectors == "embedded":
        raise InvalidInput(
            f"{what} needs REMEMBRANCER_VECTORS=server: embedded vectors belong to one process, which also does the "
            "background work. Set it and CHROMA_URL, or run `remembrancer serve` alone."
        )
