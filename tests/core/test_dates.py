"""What a user may rely on when dates are read and written."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.dates import now, parse_filter, parse_iso, to_text
from core.errors import InvalidInput

NOON = datetime(2026, 1, 15, 12, tzinfo=UTC)
MOMENTS = st.datetimes(timezones=st.just(UTC))


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-15", datetime(2026, 1, 15, tzinfo=UTC)),
        ("2026-01-15T12:00:00", NOON),
        ("2026-01-15T12:00:00Z", NOON),
        ("2026-01-15 12:00", NOON),
        ("2026-01-15T14:00:00+02:00", NOON),
        (" 2026-01-15T12:00:00Z\n", NOON),
        ("20260115T120000Z", NOON),
        ("0001-01-01", datetime(1, 1, 1, tzinfo=UTC)),
    ],
)
def test_a_date_is_iso_8601_and_a_naive_time_is_utc(text: str, moment: datetime) -> None:
    """docs/interface.md, Dates."""
    assert parse_iso(text, field="date") == moment


@pytest.mark.parametrize("text", ["2026-01-15", "20260115", "2026-W03-4", " 2026-01-15 "])
def test_a_date_alone_ends_with_its_last_moment(text: str) -> None:
    """`date_to` and `as_of` include the whole day they name, however ISO 8601 writes it."""
    assert parse_iso(text, field="date_to", end_of_day=True) == datetime(2026, 1, 15, 23, 59, 59, 999_999, UTC)


def test_a_time_is_not_moved_to_the_end_of_its_day() -> None:
    """Only a date alone stands for a whole day."""
    assert parse_iso("2026-01-15T12:00:00Z", field="date_to", end_of_day=True) == NOON


@pytest.mark.parametrize(
    "text",
    ["", "soon", "2026-13-01", "2026-02-30", "15.01.2026", "2026-01-15T25:00", "0001-01-01T00:00+02:00", "7d", "\0"],
)
def test_nonsense_is_refused_naming_the_field_and_the_form(text: str) -> None:
    """The message says which field, which value, and what to write instead."""
    with pytest.raises(InvalidInput) as caught:
        parse_iso(text, field="expires_at")
    assert str(caught.value) == (
        f"expires_at {text!r} is not a date: use ISO 8601, for example 2026-01-15 or 2026-01-15T09:30:00Z."
    )


@pytest.mark.parametrize(
    ("text", "days"),
    [("7d", 7), ("2w", 14), ("3m", 90), ("1y", 365), ("36h", 1.5), ("0d", 0), (" 7D ", 7), ("2000y", 730_000)],
)
def test_a_relative_date_is_that_long_before_now(text: str, days: float) -> None:
    """docs/interface.md, Dates: `7d`, `3m`, `1y`."""
    assert parse_filter(text, field="date_from", at=NOON) == NOON - timedelta(days=days)


def test_a_relative_date_counts_from_now() -> None:
    """Without a moment given, now is meant."""
    moment = parse_filter("1d", field="as_of")
    assert timedelta(0) <= now() - timedelta(days=1) - moment < timedelta(minutes=1)


def test_a_time_before_the_year_1_is_refused() -> None:
    """The calendar ends there, and the message says so."""
    with pytest.raises(InvalidInput, match=r"^date_from '9999y' lies before the year 1: use a shorter time\.$"):
        parse_filter("9999y", field="date_from")


@pytest.mark.parametrize("text", ["-7d", "7", "d", "7 d", "7x", "99999d", "some day"])
def test_a_filter_that_is_neither_form_names_both(text: str) -> None:
    """Whoever wrote `some day` learns about 7d as well as about ISO 8601."""
    with pytest.raises(
        InvalidInput, match=r"^date_from .* use ISO 8601, .* or a time before now such as 7d, 3m or 1y\.$"
    ):
        parse_filter(text, field="date_from")


@given(first=MOMENTS, second=MOMENTS)
def test_text_order_is_time_order(first: datetime, second: datetime) -> None:
    """Stores compare dates as text; years below 1000 must not break that."""
    assert (to_text(first) < to_text(second)) == (first < second)
    assert len(to_text(first)) == 27


@given(moment=st.datetimes(timezones=st.timezones() | st.just(UTC)))
def test_a_moment_survives_its_text(moment: datetime) -> None:
    """Whatever the time zone it came in, the same instant comes back, in UTC."""
    assume(2 <= moment.year <= 9998)  # in UTC the others may lie outside the calendar
    back = datetime.fromisoformat(to_text(moment))
    assert back == moment.astimezone(UTC)
    assert back.tzinfo == UTC


def test_the_text_form_is_fixed() -> None:
    """It is part of answers (`created_at`) and of exports."""
    assert to_text(NOON) == "2026-01-15T12:00:00.000000Z"
    assert to_text(datetime(999, 1, 1, tzinfo=UTC)) == "0999-01-01T00:00:00.000000Z"
