"""How long failed work waits, and how long the work of others is waited for."""

from core.backoff import not_before, polling
from core.dates import now


def test_waiting_grows_to_five_minutes_with_jitter() -> None:
    """1 s, 2 s, 4 s …, so that a service that comes back is not overrun."""
    for attempts, seconds in ((1, 1), (2, 2), (3, 4), (9, 256), (10, 300), (10_000, 300)):
        waits = [(not_before(attempts) - now()).total_seconds() for _ in range(20)]
        assert all(seconds - 0.1 < wait <= 1.5 * seconds for wait in waits)
        assert len(set(waits)) > 1


def test_polling_ends_with_the_first_result() -> None:
    """None is no result; False and nothing of something are."""
    for result in (True, False, 0, set[str]()):
        answers = iter([None, None, result, "later"])
        assert polling(5, interval_seconds=0.001)(lambda answers=answers: next(answers)) == result


def test_polling_that_times_out_has_no_result() -> None:
    """Whatever takes longer is the caller's to report; it is tried once at least."""
    calls: list[int] = []
    assert polling(0, interval_seconds=0.001)(calls.append, 1) is None
    assert calls == [1]
