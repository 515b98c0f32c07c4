"""Dates in words, as a text written on Tuesday 2026-03-10 means them."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from dateutil.easter import easter
from dateutil.relativedelta import relativedelta
from hypothesis import given
from hypothesis import strategies as st

from core.dates import WEEKDAYS
from ingest.english.date_phrases import date_phrases

TUESDAY = datetime(2026, 3, 10, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("by Friday", "2026-03-13T23:59"),
        ("by Tuesday", "2026-03-17T23:59"),
        ("this Tuesday", "2026-03-10T23:59"),
        ("Friday week", "2026-03-20T23:59"),
        ("a week today", "2026-03-17T23:59"),
        ("a week from Friday", "2026-03-20T23:59"),
        ("a fortnight from tomorrow", "2026-03-25T23:59"),
        ("the week after next", "2026-03-27T23:59"),
        ("this weekend", "2026-03-15T23:59"),
        ("by 27.3.", "2026-03-27T23:59"),
        ("by 27.03.26", "2026-03-27T23:59"),
        ("by 2026.03.27", "2026-03-27T23:59"),
        ("by 2026-03-27T15:00", "2026-03-27T15:00"),
        ("by Friday (27 March)", "2026-03-27T23:59"),
        ("by W14", "2026-04-03T23:59"),
        ("by 2026-W14", "2026-04-03T23:59"),
        ("by midnight", "2026-03-10T23:59"),
        ("by the beginning of May", "2026-05-01T23:59"),
        ("by the start of next week", "2026-03-16T23:59"),
        ("by the start of next quarter", "2026-04-01T23:59"),
        ("by the last day of the month", "2026-03-31T23:59"),
        ("by 3/27", "2026-03-27T23:59"),
        ("by 27/3", "2026-03-27T23:59"),
        ("by 2026/03/27", "2026-03-27T23:59"),
        ("by 29 February", "2028-02-29T23:59"),
        ("by the 2nd of next month", "2026-04-02T23:59"),
        ("by the first Monday of June", "2026-06-01T23:59"),
        ("on the last Friday of the month", "2026-03-27T23:59"),
        ("before Easter", "2026-04-05T23:59"),
        ("by Good Friday", "2026-04-03T23:59"),
        ("by Whitsun 2027", "2027-05-16T23:59"),
        ("by Christmas", "2026-12-25T23:59"),
        ("before New Year’s Eve", "2026-12-31T23:59"),
        ("by Thanksgiving", "2026-11-26T23:59"),
        ("at 5 pm", "2026-03-10T17:00"),
        ("by Friday, 17:00", "2026-03-13T17:00"),
        ("in 3 hours", "2026-03-10T12:00"),
        ("next Monday", "2026-03-16T23:59"),
        ("by next Thursday", "2026-03-19T23:59"),
        ("by 2026-03-15", "2026-03-15T23:59"),
        ("15 March", "2026-03-15T23:59"),
        ("on March 15th", "2026-03-15T23:59"),
        ("due 1 April 2027", "2027-04-01T23:59"),
        ("by 3 February", "2027-02-03T23:59"),
        ("tomorrow", "2026-03-11T23:59"),
        ("EOD", "2026-03-10T23:59"),
        ("in two weeks", "2026-03-24T23:59"),
        ("within 3 business days", "2026-03-13T23:59"),
        ("by end of March", "2026-03-31T23:59"),
        ("by the end of the week", "2026-03-13T23:59"),
        ("by the end of next month", "2026-04-30T23:59"),
        ("end of Q2", "2026-06-30T23:59"),
        ("by Q3", "2026-09-30T23:59"),
        ("by May", "2026-05-31T23:59"),
        ("mid-April", "2026-04-15T23:59"),
        ("next week", "2026-03-20T23:59"),
        ("last Friday", "2026-03-06T23:59"),
        ("three days ago", "2026-03-07T23:59"),
        ("by Friday at 5 pm", "2026-03-13T17:00"),
        ("by 5pm Friday", "2026-03-13T17:00"),
        ("by Friday 17:30", "2026-03-13T17:30"),
        ("no later than 3/15/2026", "2026-03-15T23:59"),
        ("by 15.03.2026", "2026-03-15T23:59"),
    ],
)
def test_a_phrase_means_one_moment(text: str, expected: str) -> None:
    """A time limit without a clock time is the last moment of its day."""
    assert [phrase.moment.isoformat()[:16] for phrase in date_phrases(text, TUESDAY)] == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "May we go",
        "I may 3 go",
        "two weeks of work",
        "the sun is out",
        "03/04/2026",
        "on 31 February",
        "we march on",
        "in 99999 weeks",
        "next frıday",
        "by 3/4",
        "version 1.12.26",
        "part W14",
        "at the start of the week",
        "the Easter poster",
        "by the Christmas party",
        "by 30 February",
    ],
)
def test_what_is_no_date_or_has_two_readings_is_left_out(text: str) -> None:
    """A wrong due date is worse than none."""
    assert list(date_phrases(text, TUESDAY)) == []


ZONES = st.timezones() | st.builds(lambda hours: timezone(timedelta(hours=hours)), st.integers(-12, 14))
MOMENTS = st.datetimes(datetime.fromisoformat("1990-01-01"), datetime.fromisoformat("2060-01-01"), timezones=ZONES)


@given(written=MOMENTS, number=st.integers(1, 99), weekday=st.sampled_from(range(7)))
def test_words_mean_the_day_that_a_calendar_gives_in_the_zone_of_the_writer(
    written: datetime, number: int, weekday: int
) -> None:
    """Whatever the zone, its offset, the change of its clocks, and the end of the month or year."""
    today, name = written.date(), WEEKDAYS[weekday].title()
    expected = {
        "today": today,
        "by tomorrow": today + timedelta(days=1),
        f"in {number} days": today + timedelta(days=number),
        f"within {number} weeks": today + timedelta(weeks=number),
        f"in {number} months": today + relativedelta(months=number),
        f"by {name}": today + relativedelta(days=1, weekday=weekday),
        f"this {name}": today + relativedelta(weekday=weekday),
        f"next {name}": today + relativedelta(days=7 - today.weekday(), weekday=weekday),
        f"{name} week": today + relativedelta(days=1, weekday=weekday) + timedelta(days=7),
        "by the end of the month": today + relativedelta(day=31),
        "by the end of next month": today + relativedelta(months=1, day=31),
        "by the end of the year": today + relativedelta(month=12, day=31),
        "by Easter": next(day for year in range(2) if (day := easter(today.year + year)) >= today),
        "by Christmas": today + relativedelta(years=(today.month, today.day) > (12, 25), month=12, day=25),
    }
    found = {text: [phrase.moment for phrase in date_phrases(text, written)] for text in expected}
    assert {text: [moment.date() for moment in moments] for text, moments in found.items()} == {
        text: [day] for text, day in expected.items()
    }
    assert all(moment.tzinfo is written.tzinfo for moments in found.values() for moment in moments)


@pytest.mark.parametrize("day", ["2026-03-28T22:00", "2026-10-24T22:00"])
def test_a_day_ends_with_the_clocks_of_its_own_time_of_the_year(day: str) -> None:
    """Clocks change on the following day, and the offset with them."""
    berlin = ZoneInfo("Europe/Berlin")
    written = datetime.fromisoformat(day).replace(tzinfo=berlin)
    [due] = [phrase.moment for phrase in date_phrases("by tomorrow", written)]
    assert due.utcoffset() != written.utcoffset()
    assert (due.date() - written.date()).days == 1
    assert f"{due:%H:%M}" == "23:59"
