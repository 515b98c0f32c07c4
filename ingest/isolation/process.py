"""Isolated processes as those that ask them see them: started on first need, killed over a limit, ended when idle."""

import atexit
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from io import BufferedReader, BufferedWriter
from typing import IO, Any, Final, cast

from core.errors import Conflict, InvalidInput, MemoryServiceError, NotFound, TooLarge, Unavailable
from core.timing import IDLE_SECONDS
from ingest.isolation.child import Limits, receive, send

#: Import from the folders of this process, never from the working folder: anybody may have written its files.
_PROGRAM: Final = (
    "import sys; memory, target, number = sys.argv[1:4]; number = int(number); arguments = sys.argv[4:4 + number]; "
    f"sys.path[:] = sys.argv[4 + number:]; from {__package__}.child import serve; "
    "serve(target, arguments, int(memory))"
)
#: How long a process may take to start, in seconds; on an idle machine it takes one.
_START_SECONDS: Final = 120.0
#: How often it is looked for processes that are late or idle, in seconds.
_LOOK_SECONDS: Final = 0.25
#: How long it may take to end, in seconds.
_ENDING_SECONDS: Final = 2.0
#: What the system's timer in the process, which is exact, is ahead of that look, in seconds.
_AHEAD: Final = 1.0


#: The exit code that the system's timer gives it.
_TIMER: Final = -int(getattr(signal, "SIGALRM", 0))
_ERRORS: Final = (InvalidInput, NotFound, TooLarge, Unavailable, Conflict)


class IsolatedError(Exception):
    """An unexpected error in an isolated process, with its type and message."""


class IsolatedProcess:
    """Does one kind of work, each item in a process that is never asked two things at once.

    Each thread that asks while others do gets its own process. They end after a minute without work, and with this
    process, even if that is killed. Safe to call from several threads.
    """

    def __init__(
        self, work: str, target: str, arguments: Sequence[str], limits: Limits, idle_seconds: float = IDLE_SECONDS
    ) -> None:
        """Name the work as errors do ("Extraction"), and the function that returns its `Operations`."""
        self._work = work
        self._command = [sys.executable, "-P", "-c", _PROGRAM, str(limits.memory), target, str(len(arguments))]
        self._arguments = list(arguments)
        self._limits = limits
        self._idle_seconds = idle_seconds
        self._lock = threading.Lock()
        self._children: list[_Child] = []
        self._ending = self._is_watched = False
        atexit.register(self._end)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget)

    def ask(self, operation: str, body: bytes, size: int) -> list[bytes]:
        """Return what the operation makes of a body; `size`, in characters or bytes, says how long it may take.

        Raises:
            Conflict: it took too long or too much memory, or ended the process: trying again does not help.
            Unavailable: the process can't be started, or this one ends.
            MemoryServiceError: the operation raised it.
            IsolatedError: the operation raised another error.
        """
        return list(self._answers(operation, body, self._limits.allowed(size), each=False))

    def stream(self, operation: str, body: bytes, size: int) -> Iterator[bytes]:
        """Yield the same one after the other as they are made; the size, and so the time, is for each.

        Raises:
            Conflict, Unavailable, MemoryServiceError, IsolatedError: as `ask` does, after what was made before.
        """
        return self._answers(operation, body, self._limits.allowed(size), each=True)

    def _answers(self, operation: str, body: bytes, seconds: float, *, each: bool) -> Iterator[bytes]:
        child = self._taken()
        try:
            ended = yield from child.answers(operation, body, seconds, each=each)
        except (EOFError, OSError) as error:
            fate = self._fate(child, seconds)
            if child.has_ended_idle and not self._ending:
                yield from self._answers(operation, body, seconds, each=each)
                return
            raise fate from error
        except BaseException:
            child.kill()
            raise
        if ended:
            if ended["error"] == "MemoryError":
                child.kill()
                raise Conflict(f"{self._work} needed more than {self._limits.memory:,} MiB.")
            self._give_back(child)
            raise _raised(ended)
        self._give_back(child)

    def _taken(self) -> "_Child":
        """Return a process that nobody else asks, a new one if need be."""
        with self._lock:
            if self._ending:
                raise Unavailable(f"{self._work} stops, since this process ends.")
            self._drop_ended()
            child = next((child for child in self._children if not child.is_busy), None)
            if child is not None:
                child.is_busy = True
                return child
            child = _Child([*self._command, *self._arguments, *sys.path], self._work)
            self._children.append(child)
            if not self._is_watched:
                self._is_watched = True
                threading.Thread(target=self._watch, name="remembrancer-isolation", daemon=True).start()
        child.wait_until_ready()
        return child

    def _drop_ended(self) -> None:
        """Forget the processes that have ended; the thread that asks one closes what is left of that itself."""
        ended = [child for child in self._children if not child.is_alive()]
        for child in ended:
            if not child.is_busy:
                child.kill()
        self._children = [child for child in self._children if child not in ended]

    def _give_back(self, child: "_Child") -> None:
        with self._lock:
            child.is_busy, child.until = False, time.monotonic() + self._idle_seconds

    def _fate(self, child: "_Child", seconds: float) -> MemoryServiceError:
        """Return the error that says how the process of an item ended."""
        how = child.end()
        if self._ending:
            return Unavailable(f"{self._work} stopped, since this process ends.")
        if child.is_late:
            return Conflict(f"{self._work} took more than {seconds:,.0f} s.")
        return Conflict(f"The process of {self._work.lower()} ended with {how}.")

    def _watch(self) -> None:
        """Kill what is late and end what is idle, until there is nothing left."""
        while True:
            time.sleep(_LOOK_SECONDS)
            with self._lock:
                self._drop_ended()
                self._children = [child for child in self._children if not self._is_over(child)]
                self._is_watched = bool(self._children)
                if not self._is_watched:
                    return

    @staticmethod
    def _is_over(child: "_Child") -> bool:
        """Whether a process has used up its time; it was then asked to end."""
        if child.until > time.monotonic():
            return False
        if child.is_busy:  # the thread that asks sees it end
            child.is_late = True
            child.send_kill()
        else:
            child.kill()
        return True

    def _end(self) -> None:
        with self._lock:
            self._ending = True
            for child in self._children:
                with suppress(PermissionError):  # this process became another user; the child ends with its input
                    child.send_kill()

    def _forget(self) -> None:
        """Leave the processes to the one that this process was forked from."""
        self._lock = threading.Lock()
        for child in self._children:
            child.disown()
        self._children, self._is_watched = [], False


class _Child:
    """One process. What it says of itself is set by the thread that asks it, or under the lock of its owner."""

    def __init__(self, command: Sequence[str], work: str) -> None:
        self._work = work
        self.is_busy, self.is_late = True, False
        #: Whether it had answered before, and had ended when it was asked again: nothing that was asked ended it.
        self.has_ended_idle = False
        #: When it is late, or, without work, no longer needed, on the monotonic clock.
        self.until = time.monotonic() + _START_SECONDS
        try:
            self._process = subprocess.Popen(  # noqa: S603 - this program
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
        except OSError as error:
            raise Unavailable(f"The process of {work.lower()} can't be started ({error}): try again.") from error
        self._is_kept = False
        self._asked, self._answers = cast("IO[bytes]", self._process.stdin), cast("IO[bytes]", self._process.stdout)

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def wait_until_ready(self) -> None:
        """Wait until it can be asked.

        Raises:
            Unavailable: it ended before.
        """
        try:
            receive(self._answers)
        except (EOFError, OSError) as error:
            raise Unavailable(
                f"The process of {self._work.lower()} ended at its start with {self.end()}: standard error says why."
            ) from error
        except BaseException:
            self.kill()
            raise

    def answers(
        self, operation: str, body: bytes, seconds: float, *, each: bool
    ) -> Generator[bytes, None, dict[str, Any]]:
        """Yield the bodies of an answer, and return the error that ended it, empty if none did.

        The time is for all of them, or for `each`; then the clock stops while the caller works on one.

        Raises:
            EOFError, OSError: the process has ended.
        """
        self.until = time.monotonic() + seconds + _AHEAD
        self.has_ended_idle = self._is_kept
        send(self._asked, {"operation": operation, "seconds": seconds, "each": each}, body)
        receive(self._answers)
        self.has_ended_idle, self._is_kept = False, True
        while True:
            head, part = receive(self._answers)
            if not head.get("part"):
                return head
            if each:
                self.until = math.inf
            yield part
            if each:
                self.until = time.monotonic() + seconds + _AHEAD

    def end(self) -> str:
        """Return in words how it ended, which it has said it does: its exit code or its signal."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_ENDING_SECONDS)
        self.kill()
        code = self._process.returncode
        if code is None:
            return "no exit code, as it can't be killed now"
        return f"exit code {code}" if code >= 0 else f"signal {-code}"

    def send_kill(self) -> None:
        self._process.kill()

    def kill(self) -> None:
        """Kill it unless it has ended, and leave nothing of it; only for the thread that asks it, if one does."""
        self._process.kill()
        with suppress(subprocess.TimeoutExpired):  # one that waits for a disk or network ends when that answers
            self.is_late = self.is_late or self._process.wait(_ENDING_SECONDS) == _TIMER
        self._close()

    def disown(self) -> None:
        """Close the streams in a fork, without their locks, which threads of the parent may hold, and unsent bytes."""
        self._process.returncode = 0
        for stream in (self._asked, self._answers):
            cast("BufferedReader | BufferedWriter", stream).raw.close()

    def _close(self) -> None:
        for stream in (self._asked, self._answers):
            with suppress(OSError):
                stream.close()


def _raised(ended: dict[str, Any]) -> Exception:
    """Return the error that an operation raised."""
    kind = next((kind for kind in _ERRORS if kind.code == ended["code"]), None)
    told = f"{ended['error']}: {ended['message']}"
    error: Exception = IsolatedError(told) if kind is None else kind(ended["message"])
    error.add_note(ended["trace"])
    return error
