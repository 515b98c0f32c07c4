"""What a user may rely on when a date is written in any of its forms."""

from datetime import UTC, date, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.dates import MONTHS, WEEKDAYS, is_relative, parse_filter, read_date
from core.errors import InvalidInput
from ingest.readers.fields import memory_from

#: A Wednesday.
AT = datetime(2026, 3, 4, 10, tzinfo=UTC)
YEARS = datetime.fromisoformat("1981-01-01"), datetime.fromisoformat("2060-01-01")
DAYS = st.dates(date(1981, 1, 1), date(2068, 12, 31))


def read(text: str) -> str:
    """Return what is stored of a date."""
    return read_date(text, field="date", at=AT)


def test_each_form_with_one_meaning_gives_the_same_day() -> None:
    """People, models and programs write a day in many ways."""
    forms = (
        "2026-03-05", "2026-3-5", "2026/03/05", "2026.03.05", "20260305", "2026-W10-4", "2026W104", "2026-064",
        "March 5, 2026", "5 March 2026", "5th of March 2026", "Mar 5 2026", "05-Mar-2026", "5. März 2026",
        "5 mars 2026", "5 de marzo de 2026", "05.03.2026", "5.3.2026", "5.3.26", "Thursday, March 5th, 2026",
        "Thu 5 March 2026", "tomorrow", " Tomorrow ", "in 1 day", "a day from now",
    )  # fmt: skip
    assert {form: read(form) for form in forms} == dict.fromkeys(forms, "2026-03-05")


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("1772700000", "2026-03-05T08:40:00Z"),
        ("1772700000000", "2026-03-05T08:40:00Z"),
        ("Thu, 05 Mar 2026 08:40:00 +0100", "2026-03-05T08:40:00+01:00"),
        ("Thu Mar 05 2026 08:40:00 GMT-0500 (Eastern Standard Time)", "2026-03-05T08:40:00-05:00"),
        ("yesterday 5 pm", "2026-03-03T17:00:00"),
        ("5:30 pm tomorrow", "2026-03-05T17:30:00"),
        ("March 5, 2026 at 12 am", "2026-03-05T00:00:00"),
        ("noon today", "2026-03-04T12:00:00"),
        ("2026-3-5 17:00", "2026-03-05T17:00:00"),
        ("2026-03-05 17:00 UTC", "2026-03-05T17:00:00Z"),
        ("2 hours ago", "2026-03-04T08:00:00Z"),
        ("2026-03-05T17:00:00.5-05:00", "2026-03-05T17:00:00.5-05:00"),
        ("3 days ago", "2026-03-01"),
        ("two weeks ago", "2026-02-18"),
        ("last Wednesday", "2026-02-25"),
        ("next Thursday", "2026-03-12"),
        ("Wednesday", "2026-03-04"),
        ("Thursday", "2026-02-26"),
        ("March 2026", "2026-03"),
    ],
)
def test_times_and_words_are_read(text: str, iso: str) -> None:
    """A time keeps the offset that it names, and gets none that it does not name."""
    assert read(text) == iso


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("03/05/2026", "2026-05-03 for 3 May, or 2026-03-05 for 5 March"),
        ("3/5/26", "2026-05-03 for 3 May, or 2026-03-05 for 5 March"),
        ("05-03-2026 10:00", "2026-03-05 for 5 March, or 2026-05-03 for 3 May"),
        ("5 March", "names no year"),
        ("last week", "names the days from 2026-02-23 to 2026-03-01"),
        ("2026", "names the days from 2026-01-01 to 2026-12-31"),
        ("Friday, 5 March 2026", "2026-03-05 is a Thursday"),
        ("5 - 8 March 2026", "is not a date"),
        ("March 5-8, 2026", "is not a date"),
        ("30 February 2026", "is not a date"),
        ("2026-03-05T25:00", "is not a date"),
        ("25 pm tomorrow", "is not a date"),
        ("5 pm", "is not a date"),
        ("12", "is not a date"),
        ("2026-366", "is not a date"),
        ("99999999999", "is not a date"),
        ("5 March 2026 " * 40, "is not a date"),
    ],
)
def test_what_does_not_name_one_day_is_refused_with_what_to_write(text: str, said: str) -> None:
    """Nothing is guessed."""
    with pytest.raises(InvalidInput, match=r"^date '") as caught:
        read(text)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("yesterday", "2026-03-03", "2026-03-03"),
        ("last week", "2026-02-23", "2026-03-01"),
        ("this week", "2026-03-02", "2026-03-08"),
        ("last month", "2026-02-01", "2026-02-28"),
        ("this quarter", "2026-01-01", "2026-03-31"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("2026-02", "2026-02-01", "2026-02-28"),
        ("February 2028", "2028-02-01", "2028-02-29"),
        ("2025", "2025-01-01", "2025-12-31"),
        ("Q4 2025", "2025-10-01", "2025-12-31"),
        ("2026-W01", "2025-12-29", "2026-01-04"),
    ],
)
def test_a_filter_may_name_several_days(text: str, first: str, last: str) -> None:
    """The beginning of a range is the first moment of the first, its end the last moment of the last."""
    assert parse_filter(text, field="date_from", at=AT).isoformat()[:19] == f"{first}T00:00:00"
    assert parse_filter(text, field="date_to", end_of_day=True, at=AT).isoformat()[:19] == f"{last}T23:59:59"


def test_what_is_due_before_a_weekday_is_due_before_the_next_one() -> None:
    """Other filters look back."""
    assert parse_filter("Wednesday", field="due_before", ahead=True, at=AT).date() == date(2026, 3, 11)
    assert parse_filter("Wednesday", field="date_from", at=AT).date() == date(2026, 3, 4)


@pytest.mark.parametrize("text", ["yesterday", "Monday", "3 days ago", "last Friday", "tomorrow 5 pm", "in an hour"])
def test_words_that_count_from_today_are_told_apart(text: str) -> None:
    """In a file they mean nothing: nobody knows from which day they count."""
    assert is_relative(text)
    with pytest.raises(InvalidInput, match="counts from a day that the file does not name"):
        memory_from({"content": "x", "date": text}, where="line 1")
    assert not is_relative("5 March 2026")
    assert not is_relative("no date")


@given(day=DAYS)
def test_every_form_of_a_day_names_it(day: date) -> None:
    """The standard library writes the forms."""
    month, week = MONTHS[day.month - 1].title(), day.isocalendar()
    forms = (
        f"{day:%Y%m%d}", f"{day.year}-{day.month}-{day.day}", f"{day:%Y/%m/%d}", f"{day:%d.%m.%Y}", f"{day:%d-%b-%Y}",
        f"{day:%Y}-{day:%j}", f"{day.day} {month} {day.year}", f"{month} {day.day}, {day.year}",
        f"{week.year}-W{week.week:02}-{week.weekday}", f"{day:%A}, {day:%d %B %Y}",
    )  # fmt: skip
    assert {form: read(form) for form in forms} == dict.fromkeys(forms, day.isoformat())
    numbers = (f"{day:%d/%m/%Y}", f"{day:%m/%d/%Y}")
    for text in numbers:
        if day.day > 12 or day.day == day.month:
            assert read(text) == day.isoformat()
        else:
            with pytest.raises(InvalidInput, match="may mean two days"):
                read(text)


@given(at=st.datetimes(*YEARS, timezones=st.timezones()), days=st.integers(0, 400))
def test_relative_words_count_from_the_day_in_the_zone_of_the_one_who_says_them(at: datetime, days: int) -> None:
    """Whatever the zone, the offset and the time of the year."""
    day, weekday = at.date(), WEEKDAYS[(at.date() + timedelta(days=days)).weekday()]
    expected = {
        "today": day, "yesterday": day - timedelta(days=1), "tomorrow": day + timedelta(days=1),
        f"{days} days ago": day - timedelta(days=days), f"in {days} days": day + timedelta(days=days),
        weekday: next(one for back in range(7) if WEEKDAYS[(one := day - timedelta(days=back)).weekday()] == weekday),
    }  # fmt: skip
    assert {text: read_date(text, field="date", at=at) for text in expected} == {
        text: one.isoformat() for text, one in expected.items()
    }


@given(moment=st.datetimes(*YEARS, timezones=st.just(UTC)))
def test_a_date_of_a_mail_keeps_its_offset(moment: datetime) -> None:
    """RFC 2822, as the standard library writes it."""
    assert datetime.fromisoformat(read(format_datetime(moment))) == moment.replace(microsecond=0)


@given(text=st.text(max_size=100))
def test_any_other_text_is_refused_and_nothing_else_happens(text: str) -> None:
    """Only `InvalidInput` is raised, and what is read is ISO 8601."""
    try:
        iso = read(text)
    except InvalidInput:
        return
    assert len(iso) == len("2026-03") or datetime.fromisoformat(iso)
