"""Retry times of failed jobs, polling, and how background work yields to calls."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final, TypeVar

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
