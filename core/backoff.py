"""When failed work is retried, and how a result that others produce is waited for."""

from datetime import datetime, timedelta
from typing import Final

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

#: The first wait, and the longest, in seconds.
_FIRST, _LONGEST = 1.0, 300.0
_JITTER: Final = 0.5
_WAIT: Final = wait_exponential(_FIRST, _LONGEST) + wait_random_exponential(_JITTER * _FIRST, _JITTER * _LONGEST)
#: Attempts after which work that fails for its own reasons is parked; work that waits for a service is never parked.
MAX_ATTEMPTS: Final = 5


def not_before(attempts: int) -> datetime:
    """Return when the next attempt is due: after 1 s, 2 s, 4 s … up to 5 minutes, each with up to half of jitter."""
    state = RetryCallState(Retrying(), None, (), {})
    state.attempt_number = attempts
    return now() + timedelta(seconds=_WAIT(state))


def polling(timeout_seconds: float, *, interval_seconds: float) -> Retrying:
    """Return what calls a function until it returns something other than None, and returns that; None on timeout."""
    return Retrying(
        retry=retry_if_result(lambda result: result is None),
        stop=stop_after_delay(timeout_seconds),
        wait=wait_fixed(interval_seconds),
        retry_error_callback=lambda _: None,
    )
