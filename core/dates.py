"""Dates: moments in time, each a timezone-aware UTC datetime, and the English names of months and weekdays."""

import calendar
import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from core.errors import InvalidInput

_MONTH = re.compile(r"\d{4}-\d\d")
_RELATIVE = re.compile(r"(\d{1,4})([hdwmy])")
#: Days in each relative unit; a month is 30 days and a year 365.
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}

MONTHS: Final = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTH_ABBREVIATIONS: Final = frozenset({*(month[:3] for month in MONTHS if month != "may"), "sept"})
WEEKDAY_ABBREVIATIONS: Final = frozenset({*(day[:3] for day in WEEKDAYS), "tues", "thur", "thurs"})

# Alternatives for patterns that ignore case; `str.title` makes those that do not.
MONTH_STEM: Final = "|".join(month[:3] for month in MONTHS)
WEEKDAY_STEM: Final = "|".join(day[:3] for day in WEEKDAYS)
MONTH_NAME: Final = "|".join(MONTHS)
MONTH_ABBREVIATION: Final = "jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
#: What stands before "day", or alone for the weekday.
WEEKDAY: Final = "mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun"

COUNTS: Final = {
    "a": 1, "an": 1, "one": 1, "two": 2, "a couple of": 2, "three": 3, "a few": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12,
}  # fmt: skip
_MONTH_STEMS: Final = MONTH_STEM.split("|")
_WEEKDAY_STEMS: Final = WEEKDAY_STEM.split("|")


def now() -> datetime:
    """Return the current moment in UTC, with microseconds."""
    return datetime.now(UTC)


def parse_iso(text: str, *, field: str, end_of_day: bool = False) -> datetime:
    """Read an ISO 8601 month, date or date-time; a naive time is UTC.

    A date or month alone means its first moment, a date with `end_of_day` its last one, and so does a month.

    Raises:
        InvalidInput: `text` is not ISO 8601; the message names `field`.
    """
    stripped = text.strip()
    try:
        if is_month(stripped):
            year, month = map(int, stripped.split("-"))
            stripped = f"{stripped}-{calendar.monthrange(year, month)[1] if end_of_day else 1:02}"
        moment = datetime.fromisoformat(stripped)
        if end_of_day and _is_date(stripped):
            moment = datetime.combine(moment, time.max)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidInput(
            f"{field} {text[:40]!r} is not a date: use ISO 8601, for example 2026-01-15 or 2026-01-15T09:30:00Z."
        ) from error


def is_month(text: str) -> bool:
    """Whether ISO 8601 text names a month without a day: 2026-01."""
    return _MONTH.fullmatch(text.strip()) is not None


def _is_date(text: str) -> bool:
    """Whether ISO 8601 text names a day without a time: 2026-01-15, 20260115 or 2026-W03-4."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def parse_filter(text: str, *, field: str, end_of_day: bool = False, at: datetime | None = None) -> datetime:
    """Read a date filter: ISO 8601, or relative (`7d`, `3m`, `1y`: that long before `at`, which defaults to now).

    Raises:
        InvalidInput: `text` is neither; the message names `field`.
    """
    relative = _RELATIVE.fullmatch(text.strip().lower())
    if relative is None:
        try:
            return parse_iso(text, field=field, end_of_day=end_of_day)
        except InvalidInput as error:
            raise InvalidInput(f"{str(error)[:-1]}, or a time before now such as 7d, 3m or 1y.") from error
    amount, unit = int(relative[1]), relative[2]
    span = timedelta(hours=amount) if unit == "h" else timedelta(days=amount * _DAYS[unit])
    try:
        return (at or now()) - span
    except OverflowError as error:
        raise InvalidInput(f"{field} {text!r} lies before the year 1: use a shorter time.") from error


def parse_expiry(text: str, *, field: str, at: datetime) -> datetime:
    """Read a moment to come: ISO 8601, a day to its end, or relative (`90d`, `1y`: that long after `at`).

    Raises:
        InvalidInput: it is neither, or is past; the message names `field`.
    """
    if _RELATIVE.fullmatch(text.strip().lower()):
        try:
            return at + (at - parse_filter(text, field=field, at=at))
        except OverflowError as error:
            raise InvalidInput(f"{field} {text!r} lies after the year 9999: use a shorter time.") from error
    moment = parse_iso(text, field=field, end_of_day=True)
    if moment <= at:
        raise InvalidInput(f"{field} {text[:40]!r} is past: use a date to come, or a time such as 90d.")
    return moment


def to_text(moment: datetime) -> str:
    """Write a moment as ISO 8601 in UTC with microseconds, `2026-01-15T09:30:00.000000Z`: text order is time order."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ").rjust(27, "0")


def month_number(name: str) -> int:
    """Return the number, from 1 to 12, of a month's name or abbreviation in any case.

    Raises:
        ValueError: it is none. A pattern that ignores case also matches one with a dotless i, "frıday".
    """
    return _MONTH_STEMS.index(name.casefold()[:3]) + 1


def weekday_number(name: str) -> int:
    """Return the number of a weekday's name or abbreviation in any case; Monday is 0. Raises as `month_number` does."""
    return _WEEKDAY_STEMS.index(name.casefold()[:3])
