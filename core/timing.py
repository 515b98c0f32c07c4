"""Timing: retry times of failed jobs, polling, yielding to calls, and large values that are freed after a while."""

import ctypes
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final, Generic, Protocol, TypeVar
from weakref import WeakSet

from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_result,
    stop_after_delay,
    wait_exponential,
    wait_fixed,
    wait_random_exponential,
)

from core.dates import now
from core.errors import Unavailable

J = TypeVar("J")

#: The first wait, and the longest, in seconds.
_FIRST, _LONGEST = 1.0, 300.0
_JITTER: Final = 0.5
_WAIT: Final = wait_exponential(_FIRST, _LONGEST) + wait_random_exponential(_JITTER * _FIRST, _JITTER * _LONGEST)
#: Attempts after which work that fails for its own reasons is parked; work that waits for a service is never parked.
MAX_ATTEMPTS: Final = 5
#: A job that was lost more often than this is claimed alone, so that it can't fail other jobs with it.
_TAKEN_TOGETHER: Final = 1
#: Why a job is parked that was lost: its lease ran out each time, since its worker was killed or hangs.
LOST: Final = f"The process that did it ended or hung in the middle {MAX_ATTEMPTS} times."


def split_stuck_jobs(due: Sequence[J], lost: Callable[[J], int]) -> tuple[list[J], list[J]]:
    """Split due jobs, in order, into those to claim and those to park; `lost` returns how often a job was lost."""
    parked = [job for job in due if lost(job) >= MAX_ATTEMPTS]
    rest = [job for job in due if lost(job) < MAX_ATTEMPTS]
    if rest and lost(rest[0]) > _TAKEN_TOGETHER:
        return rest[:1], parked
    return [job for job in rest if lost(job) <= _TAKEN_TOGETHER], parked


def next_attempt_at(attempts: int) -> datetime:
    """Return when the next attempt is due: after 1 s, 2 s, 4 s … up to 5 minutes, each with up to half of jitter."""
    state = RetryCallState(Retrying(), None, (), {})
    state.attempt_number = attempts
    return now() + timedelta(seconds=_WAIT(state))


@contextmanager
def hold(lock: threading.Lock, seconds: float, obstacle: str) -> Iterator[None]:
    """Hold a lock while the block runs.

    Raises:
        Unavailable: another thread held it for so long; `obstacle` says what that does, and what to do.
    """
    if not lock.acquire(timeout=seconds):
        raise Unavailable(obstacle)
    try:
        yield
    finally:
        lock.release()


def poll_until(timeout_seconds: float, *, interval_seconds: float) -> Retrying:
    """Return a caller that repeats a function until it returns something other than None; None on timeout."""
    return Retrying(
        retry=retry_if_result(lambda result: result is None),
        stop=stop_after_delay(timeout_seconds),
        wait=wait_fixed(interval_seconds),
        retry_error_callback=lambda _: None,
    )


class ForegroundCalls:
    """Counts the calls that this process is answering. Safe to use from several threads."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._num_calls = 0

    @contextmanager
    def count_call(self) -> Iterator[None]:
        """Count a call while the block runs; the call must not wait for background work."""
        with self._changed:
            self._num_calls += 1
        try:
            yield
        finally:
            with self._changed:
                self._num_calls -= 1
                self._changed.notify_all()

    def wait_until_idle(self, most_seconds: float) -> None:
        """Wait until no call is being answered, at most for so long: background work continues under any load."""
        with self._changed:
            self._changed.wait_for(lambda: not self._num_calls, most_seconds)


FOREGROUND_CALLS: Final = ForegroundCalls()


T = TypeVar("T")

_log = logging.getLogger("remembrancer")

#: How long a value is kept after its last use, in seconds: to load a model again takes a fifth of one.
IDLE_SECONDS: Final = 60.0


class Cache(Protocol):
    """What keeps memory only to be faster."""

    def empty(self) -> None:
        """Free that memory, waiting for nobody."""
        ...


#: Emptied whenever a value expires; what nobody else refers to any more leaves by itself.
CACHES: Final = WeakSet[Cache]()


class ExpiringValue(Generic[T]):
    """A value made by `load` at its first use, once, and again after it expired. Safe to call from several threads."""

    def __init__(self, load: Callable[[], T], idle_seconds: float = IDLE_SECONDS) -> None:
        self._load = load
        self._idle_seconds = idle_seconds
        self._lock = threading.Lock()
        self._value: T | None = None
        self._used_at = 0.0
        self._timer: threading.Timer | None = None

    def get(self) -> T:
        """Return the value; raises what `load` raises. Whoever uses it keeps it alive for as long as they do."""
        with self._lock:
            self._used_at = time.monotonic()
            if self._value is None:
                self._value = self._load()
            if self._timer is None:
                self._expire_in(self._idle_seconds)
            return self._value

    def _expire_in(self, seconds: float) -> None:
        """Start a timer; if the system has no thread for it now, the next use of the value starts one."""
        timer = threading.Timer(seconds, self._expire)
        timer.daemon = True
        try:
            timer.start()
        except RuntimeError as error:
            self._timer = None
            _log.warning("A value in memory is kept until its next use: %s", error)
        else:
            self._timer = timer

    def _expire(self) -> None:
        with self._lock:
            left = self._used_at + self._idle_seconds - time.monotonic()
            if left > 0:
                self._expire_in(left)
                return
            self._value = self._timer = None
        for cache in list(CACHES):
            try:
                cache.empty()
            except Exception:  # noqa: BLE001 - the edge of a thread: one cache that fails must not keep the others
                _log.exception("A cache could not be emptied")
        trim_memory()


def trim_memory() -> None:
    """Return freed memory to the system: glibc keeps what lies below memory in use, up to hundreds of megabytes."""
    if sys.platform == "linux" and (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)) is not None:
        trim(0)
