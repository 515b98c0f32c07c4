"""The day a document, or a line of a chat, says it was written on."""

import re
from datetime import UTC, date, datetime
from typing import Final

from core.dates import WEEKDAYS
from ingest.english.date_phrases import date_phrases

#: How far into a document its own date is looked for, in characters and in lines that say something.
_REACH: Final = 3_000
_OPENING: Final = 8
#: Longest line besides a field that gives the document's date.
_SHORT: Final = 100
_FIELD: Final = re.compile(
    r"^[ \t>*_#|-]*+(?:date|sent|created|held on|held|written|meeting date|date of (?:the )?meeting|datum|decided on|"
    r"decision date|published|last updated)\b[ \t:*_|]*+(?P<said>[^\n]{4,80})$",
    re.M | re.I,
)
#: From here on a mail holds what others wrote earlier.
_QUOTED: Final = re.compile(r"^[ \t]*(?:>|On\b.{4,200}\bwrote:|-{2,} ?(?:Original|Forwarded))", re.M)
_STAMP: Final = re.compile(
    r"(?<!\d)(?:(?P<iso>\d{4}-\d\d-\d\d)(?!\d)|(?P<first>\d{1,2})[/.](?P<second>\d{1,2})[/.](?P<year>\d{4}|\d\d)(?!\d))"
)
#: A line between the messages of a chat, or above the notes of one day, that holds nothing but its date.
_ONLY_DAY: Final = re.compile(
    rf"[\s\W_]*(?:(?:{'|'.join(WEEKDAYS)}),? )?(?:\d{{1,2}}(?:st|nd|rd|th)? [a-z]{{3,9}}\.?,? \d{{4}}|"
    r"[a-z]{3,9}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}|\d{4}-\d\d-\d\d)[\s\W_]*",
    re.I,
)


def stated_day(content: str) -> date | None:
    """Return the day a document gives as its own: in a field such as "Date:", else in one of its first lines."""
    head = content[:_REACH]
    for field in _FIELD.finditer(head):
        if (day := full_date(field["said"])) is not None:
            return day
    lines = [line for line in _QUOTED.split(head)[0].splitlines() if line.strip()][:_OPENING]
    days = (full_date(line) for line in lines if len(line) <= _SHORT and not line.rstrip().endswith((".", "!", "?")))
    return next((day for day in days if day is not None), None)


def line_day(line: str) -> date | None:
    """Return the day of a line that holds nothing else."""
    return full_date(line) if _ONLY_DAY.fullmatch(line) else None


def full_date(text: str) -> date | None:
    """Return the first date in `text` that names its year."""
    anywhere = datetime(2001, 1, 1, tzinfo=UTC)
    return next((phrase.moment.date() for phrase in date_phrases(text, anywhere) if phrase.full), None)


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
