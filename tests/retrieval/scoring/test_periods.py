"""What ranking may rely on when a question or a text names a time."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.dates import read_date
from ingest.english.date_phrases import date_phrases
from retrieval.scoring.query_analysis import (
    Days,
    find_periods_in_query,
    find_periods_in_text,
    periods_overlap,
    words_outside_periods,
)

#: A Wednesday.
TODAY = date(2024, 5, 15)
YEARS = (2022, 2023)


def day(text: str) -> Days:
    return date.fromisoformat(text), date.fromisoformat(text)


def days(first: str, last: str) -> Days:
    return date.fromisoformat(first), date.fromisoformat(last)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("What happened in May 2023?", [days("2023-05-01", "2023-05-31")]),
        ("what happened in may 2023", [days("2023-05-01", "2023-05-31")]),
        ("What happened on 8 May, 2023?", [day("2023-05-08")]),
        ("What happened on May 8th, 2023?", [day("2023-05-08")]),
        ("the 3rd of March 2023", [day("2023-03-03")]),
        ("in Sept. 2023", [days("2023-09-01", "2023-09-30")]),
        ("mid-June 2023", [days("2023-06-01", "2023-06-30")]),
        ("in February 2024", [days("2024-02-01", "2024-02-29")]),
        ("29 February 2024", [day("2024-02-29")]),
        ("in 2023-05", [days("2023-05-01", "2023-05-31")]),
        ("on 2023-05-08", [day("2023-05-08")]),
        ("during 2023", [days("2023-01-01", "2023-12-31")]),
        ("the summer of 1999 or 2001", [days("1999-01-01", "1999-12-31"), days("2001-01-01", "2001-12-31")]),
        ("room 2101, flight 123", []),
        # No such day: the year is left.
        ("29 February 2023", [days("2023-01-01", "2023-12-31")]),
        ("on 2023-02-30", [days("2023-01-01", "2023-12-31")]),
        # Without a year: any that there is.
        ("What did she do in June?", [days("2022-06-01", "2022-06-30"), days("2023-06-01", "2023-06-30")]),
        ("on 29 February", []),
        ("on 4 July", [day("2022-07-04"), day("2023-07-04")]),
        ("the January trip", [days("2022-01-01", "2022-01-31"), days("2023-01-01", "2023-01-31")]),
        # The latest before today.
        ("last March", [days("2024-03-01", "2024-03-31")]),
        ("last May", [days("2023-05-01", "2023-05-31")]),
        ("last December", [days("2023-12-01", "2023-12-31")]),
        # Verbs and names.
        ("What may she do?", []),
        ("May I march?", []),
        ("Where did they march to?", []),
        ("Does June's sister sing?", [days("2022-06-01", "2022-06-30"), days("2023-06-01", "2023-06-30")]),
        ("the mayor of Juneau decided", []),
        # Relative ones.
        ("yesterday", [day("2024-05-14")]),
        ("today or tomorrow", [day("2024-05-15"), day("2024-05-16")]),
        ("last night", [day("2024-05-14")]),
        ("last week", [days("2024-05-06", "2024-05-12")]),
        ("this week", [days("2024-05-13", "2024-05-19")]),
        ("last weekend", [days("2024-05-11", "2024-05-12")]),
        ("next month", [days("2024-06-01", "2024-06-30")]),
        ("last year", [days("2023-01-01", "2023-12-31")]),
        ("last Friday", [day("2024-05-10")]),
        ("last Wednesday", [day("2024-05-08")]),
        ("next Wednesday", [day("2024-05-22")]),
        ("this Thursday", [day("2024-05-16")]),
        ("two weeks ago", [days("2024-04-28", "2024-05-04")]),
        ("a couple of days ago", [day("2024-05-13")]),
        ("18 months ago", [days("2022-11-01", "2022-11-30")]),
        ("a year ago", [days("2023-01-01", "2023-12-31")]),
        ("10 years earlier", [days("2014-01-01", "2014-12-31")]),
        ("what is new in the shed", []),
        # Up to the day it is asked on.
        ("in the last 3 days", [days("2024-05-12", "2024-05-15")]),
        ("the past couple of weeks", [days("2024-05-01", "2024-05-15")]),
        ("over the last week", [days("2024-05-08", "2024-05-15")]),
        ("within the past fortnight", [days("2024-05-01", "2024-05-15")]),
        ("in the last 24 hours", [days("2024-05-14", "2024-05-15")]),
        ("since Monday", [days("2024-05-13", "2024-05-15")]),
        ("since Wednesday", [days("2024-05-08", "2024-05-15")]),
        ("since March", [days("2024-03-01", "2024-05-15")]),
        ("since June", [days("2023-06-01", "2024-05-15")]),
        ("since 2024-05-02", [days("2024-05-02", "2024-05-15")]),
        ("after 2024-05-02", [days("2024-05-03", "2024-05-15")]),
        ("before 2020", [days("0001-01-01", "2019-12-31")]),
        ("until 3 May 2024", [days("0001-01-01", "2024-05-03")]),
        ("between 2024-05-02 and 2024-05-04", [days("2024-05-02", "2024-05-04")]),
        ("from 2 May 2024 to 4 May 2024", [days("2024-05-02", "2024-05-04")]),
        ("on Monday", [day("2024-05-13")]),
        ("on Wednesday", [day("2024-05-15")]),
        ("the day before yesterday", [day("2024-05-13")]),
        ("the last three people, the past of it", []),
    ],
)
def test_the_times_that_a_question_names(query: str, found: list[Days]) -> None:
    """As days, the first and the last."""
    assert find_periods_in_query(query, TODAY, YEARS) == found


@pytest.mark.parametrize(
    ("query", "beside"),
    [
        ("What did I do in the last 3 days?", []),
        ("notes from last week", []),
        ("what happened since Tuesday", []),
        ("What happened in May 2023?", []),
        ("Which window did I repair yesterday?", ["window", "repair"]),
        ("what did we decide on Monday", ["decide"]),
        ("2023", ["2023"]),
    ],
)
def test_what_a_question_asks_for_beside_a_time(query: str, beside: list[str]) -> None:
    assert words_outside_periods(query) == beside


def test_a_year_counts_only_where_nothing_closer_is_named() -> None:
    """Otherwise "last week, of all weeks of 2024" would mean the year."""
    assert find_periods_in_query("last week of all weeks of 2024", TODAY, YEARS) == [days("2024-05-06", "2024-05-12")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("We went there yesterday.", [day("2024-05-14")]),
        ("I start next month!", [days("2024-06-01", "2024-06-30")]),
        ("It was on 3 March.", [day("2024-03-03")]),
        ("It was last May.", [days("2023-05-01", "2023-05-31")]),
        ("In May 2020 we moved.", [days("2020-05-01", "2020-05-31")]),
        ("You may march.", []),
    ],
)
def test_the_times_that_a_text_speaks_of(text: str, found: list[Days]) -> None:
    """Counted from the day it was written; a month without a year is that of the same year."""
    assert list(find_periods_in_text(text, TODAY)) == found


@pytest.mark.parametrize("weekday", ["Monday", "Wednesday", "Friday", "Sunday"])
@pytest.mark.parametrize("which", ["last", "coming", "next"])
@pytest.mark.parametrize("number", range(7))
def test_a_weekday_means_one_day_in_questions_texts_and_arguments(which: str, weekday: str, number: int) -> None:
    """On every day of the week; "next Friday" is in the following calendar week."""
    at, said = datetime(2026, 3, 2 + number, 9, tzinfo=UTC), f"{which} {weekday}"
    ((asked, _),) = find_periods_in_query(f"what is planned {said}?", at.date(), [])
    ((spoken, _),) = find_periods_in_text(f"We meet {said}.", at.date())
    (phrase,) = date_phrases(f"Submit the form by {said}.", at)
    assert asked == spoken == phrase.moment.date() == date.fromisoformat(read_date(said, field="date", at=at))
    if which == "next":
        assert asked.isocalendar().week == at.date().isocalendar().week + 1


@pytest.mark.parametrize("today", [date.min, date.max, date(2024, 2, 29)])
@pytest.mark.parametrize(
    "text",
    ["yesterday", "tomorrow", "last week", "next week", "last Monday", "next Friday", "last month", "next month",
     "last year", "next year", "last 999 years", "since Monday", "on Monday", "before 0001-01-01", "after 9999-12-31",
     "the day before yesterday", "99 years ago", "99 weeks ago", "last December", "in January", "last weekend"],
)  # fmt: skip
def test_the_ends_of_the_calendar_break_nothing(text: str, today: date) -> None:
    """Dates of the first and the last year are accepted by `remember`."""
    for first, last in [*find_periods_in_query(text, today, [today.year]), *find_periods_in_text(text, today)]:
        assert first <= last


@pytest.mark.parametrize(
    "text",
    ["laſt week", "thıs week", "in ſept 2023", "laſt frıday", "laſt nıght", "ſix days ago", "٣ days ago", "8 May 20٢3"],
)
def test_signs_that_fold_to_letters_break_nothing(text: str) -> None:
    """Old prints have a long s, and to a pattern that ignores case it is an s."""
    for first, last in [*find_periods_in_query(text, TODAY, YEARS), *find_periods_in_text(text, TODAY)]:
        assert first <= last


PARTS = st.sampled_from(
    "last next this past in of a may march June sept. Mon friday week weekend months year ago back 2 31 99 2023 19 "
    "2024-02-30 2023-05 today yesterday two couple few 8th , . - ſ ı K ² ٣".split()
)


@given(text=st.one_of(st.text(max_size=40), st.lists(PARTS, max_size=8).map(" ".join)), today=st.dates())
def test_any_text_names_times_whose_ends_are_in_order(text: str, today: date) -> None:
    """No question and no turn may break ranking."""
    for first, last in [*find_periods_in_query(text, today, [today.year, 1, 9999]), *find_periods_in_text(text, today)]:
        assert first <= last


def test_times_overlap_in_a_day() -> None:
    """Ends included."""
    may = days("2023-05-01", "2023-05-31")
    assert periods_overlap(may, day("2023-05-31"))
    assert periods_overlap(day("2023-05-01"), may)
    assert periods_overlap(days("2023-01-01", "2023-12-31"), may)
    assert not periods_overlap(may, day("2023-06-01"))
