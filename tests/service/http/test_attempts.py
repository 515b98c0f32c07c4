"""Attempts and rates: how clients that do not keep to them are slowed."""

import pytest

from service.http import gate, limits
from service.http.gate import Attempts
from service.http.limits import Rates


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Replace the clock."""
    made = Clock()
    monkeypatch.setattr(gate, "monotonic", made)
    monkeypatch.setattr(limits, "monotonic", made)
    return made


def test_each_wrong_token_waits_twice_as_long_until_a_quiet_minute(clock: Clock) -> None:
    """Five seconds at most; after the twentieth it is told when to come back."""
    made = Attempts()
    penalties = [made.refuse("10.0.0.1") for _ in range(21)]
    other = made.refuse("10.0.0.2")
    clock.time = 61
    later = made.refuse("10.0.0.1")

    assert [penalty.delay for penalty in penalties[:8]] == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]
    assert [penalty.retry_after for penalty in penalties[-2:]] == [None, 60]
    assert (other.delay, later.delay) == (0.1, 0.1)


def test_the_addresses_of_one_network_of_ipv6_count_as_one(clock: Clock) -> None:
    """A host has 2 to the 64 of them."""
    made = Attempts()
    made.refuse("2001:db8::1")

    assert made.refuse("2001:db8::ffff:1").delay == 0.2
    assert made.refuse("2001:db8:0:1::1").delay == 0.1


def test_the_table_is_bounded(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those seen longest ago are forgotten."""
    monkeypatch.setattr(gate, "_ADDRESSES", 10)
    made = Attempts()
    for number in range(50):
        made.refuse(f"10.0.0.{number}")

    assert len(made._seen) == 10
    assert made.refuse("10.0.0.49").delay == 0.2


def test_the_log_has_a_line_a_second_and_no_secret(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    """A flood fills no disk."""
    made = Attempts()
    for _ in range(100):
        made.refuse("10.0.0.1")
    clock.time = 2
    made.refuse("10.0.0.1")

    assert len(caplog.records) == 2
    assert "100 of all addresses" in caplog.messages[1]


def test_a_rate_gives_back_what_time_brings(clock: Clock) -> None:
    """A minute's worth at once, then one a second at sixty a minute; never more than a minute's worth."""
    rates = Rates(60)
    burst = [rates.wait("ci") for _ in range(61)]
    clock.time = 1.0
    after = [rates.wait("ci"), rates.wait("ci"), rates.wait("other")]
    clock.time = 10_000
    again = [rates.wait("ci") for _ in range(61)]

    assert burst == [0.0] * 60 + [1.0]
    assert after == [0.0, 1.0, 0.0]
    assert again == [0.0] * 60 + [1.0]
