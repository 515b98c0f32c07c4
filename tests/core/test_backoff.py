"""How long failed work waits, how long the work of others is waited for, and whom background work gives way to."""

import threading
import time

from core.dates import now
from core.timing import ForegroundCalls, next_attempt_at, poll_until


def test_waiting_grows_to_five_minutes_with_jitter() -> None:
    """1 s, 2 s, 4 s …, so that a service that comes back is not overrun."""
    for attempts, seconds in ((1, 1), (2, 2), (3, 4), (9, 256), (10, 300), (10_000, 300)):
        waits = [(next_attempt_at(attempts) - now()).total_seconds() for _ in range(20)]
        assert all(seconds - 0.1 < wait <= 1.5 * seconds for wait in waits)
        assert len(set(waits)) > 1


def test_polling_ends_with_the_first_result() -> None:
    """None is no result; False and nothing of something are."""
    for result in (True, False, 0, set[str]()):
        answers = iter([None, None, result, "later"])
        assert poll_until(5, interval_seconds=0.001)(lambda answers=answers: next(answers)) == result


def test_polling_that_times_out_has_no_result() -> None:
    """Whatever takes longer is the caller's to report; it is tried once at least."""
    calls: list[int] = []
    assert poll_until(0, interval_seconds=0.001)(calls.append, 1) is None
    assert calls == [1]


def _seconds(foreground: ForegroundCalls, most: float) -> float:
    begin = time.monotonic()
    foreground.wait_until_idle(most)
    return time.monotonic() - begin


def test_nobody_is_waited_for_while_nothing_is_answered() -> None:
    """An idle service indexes at full speed."""
    foreground = ForegroundCalls()
    with foreground.count_call():
        pass
    assert _seconds(foreground, 30) < 5


def test_a_call_is_waited_for_until_it_is_answered() -> None:
    """The last of several ends the wait."""
    foreground, ended = ForegroundCalls(), threading.Event()

    def answer() -> None:
        with foreground.count_call(), foreground.count_call():
            begun.set()
            ended.wait(30)

    begun, background = threading.Event(), threading.Thread(target=foreground.wait_until_idle, args=(60,))
    call = threading.Thread(target=answer)
    call.start()
    begun.wait(30)
    background.start()
    assert background.is_alive()
    ended.set()
    background.join(30)
    assert not background.is_alive()
    call.join()


def test_work_goes_on_beside_calls_without_end() -> None:
    """A service that is always asked indexes all the same."""
    foreground = ForegroundCalls()
    with foreground.count_call():
        assert 0.05 <= _seconds(foreground, 0.05) < 30
