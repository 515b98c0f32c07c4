"""The day that a line of a chat or a log says it was written on."""

import re
from datetime import UTC, date, datetime
from typing import Final

from core.dates import WEEKDAYS
from ingest.english.date_phrases import date_phrases

_STAMP: Final = re.compile(
    r"(?<!\d)(?:(?P<iso>\d{4}-\d\d-\d\d)(?!\d)|(?P<first>\d{1,2})[/.](?P<second>\d{1,2})[/.](?P<year>\d{4}|\d\d)(?!\d))"
)
#: A line between the messages of a chat, or above the notes of one day, that holds nothing but its date.
_ONLY_DAY: Final = re.compile(
    rf"[\s\W_]*(?:(?:{'|'.join(WEEKDAYS)}),? )?(?:\d{{1,2}}(?:st|nd|rd|th)? [a-z]{{3,9}}\.?,? \d{{4}}|"
    r"[a-z]{3,9}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}|\d{4}-\d\d-\d\d)[\s\W_]*",
    re.I,
)


def line_day(line: str) -> date | None:
    """Return the day of a line that holds nothing else."""
    return full_date(line) if _ONLY_DAY.fullmatch(line) else None


def full_date(text: str) -> date | None:
    """Return the first date in `text` that names its year."""
    return next((phrase.moment.date() for phrase in date_phrases(text, None)), None)


def stamp_day(text: str, near: date) -> date | None:
    """Return the day of a chat line's time stamp; of two readings ("03/04/2026") the one nearer to `near`."""
    match = _STAMP.search(text)
    if match is None:
        return None
    try:
        if match["iso"]:
            return date.fromisoformat(match["iso"])
    except ValueError:
        return None
    first, second, year = int(match["first"]), int(match["second"]), int(match["year"])
    year += 2000 if year < 100 else 0
    readings = [day for day in (_date(year, second, first), _date(year, first, second)) if day is not None]
    return min(readings, key=lambda day: abs(day - near), default=None)


def moment(day: date) -> datetime:
    """Return the start of a day in UTC, as a date without a time means."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
