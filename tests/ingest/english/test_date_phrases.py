"""Dates in words, as a text written on Tuesday 2026-03-10 means them."""

from datetime import UTC, datetime

import pytest

from ingest.english.date_phrases import date_phrases

TUESDAY = datetime(2026, 3, 10, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("by Friday", "2026-03-13T23:59"),
        ("by Tuesday", "2026-03-10T23:59"),
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
    """A time limit without a clock time is the last moment of its day in UTC."""
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
    ],
)
def test_what_is_no_date_or_has_two_readings_is_left_out(text: str) -> None:
    """A wrong due date is worse than none."""
    assert list(date_phrases(text, TUESDAY)) == []
