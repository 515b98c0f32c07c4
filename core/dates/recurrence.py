"""Recurrence: what is done on the same weekday every week, and when next."""

import re
from datetime import datetime, timedelta
from typing import Final

from core.dates.reading import WEEKDAYS, weekday_number
from core.regex import regex

_DAY: Final = "|".join(WEEKDAYS)
#: "every Friday", "each Monday morning", "on Tuesdays".
_WEEKLY: Final = regex(rf"\b(?:(?:every|each) (?P<every>{_DAY})|on (?P<on>{_DAY})s)\b", re.I)
_WEEK: Final = 7


def next_day(text: str, after: datetime) -> datetime | None:
    """Return the first moment's day from `after` on at which a weekly task is to be done; None if none is told."""
    found = [weekday_number(match["every"] or match["on"]) for match in _WEEKLY.finditer(text)]
    days = [(weekday - after.weekday()) % _WEEK for weekday in found]
    return after + timedelta(days=min(days)) if days else None


def weekly_words(after: datetime, before: datetime) -> tuple[str, ...]:
    """Return words of which a weekly task has one that is to be done again between two moments, in small letters."""
    days = (after + timedelta(days=number) for number in range(_WEEK))
    names = (WEEKDAYS[day.weekday()] for day in days if day < before)
    return tuple(words for name in names for words in (f"every {name}", f"each {name}", f"on {name}s"))


def without_recurrence(text: str) -> str:
    """Return a text without the words that say on which weekday something comes back."""
    return _WEEKLY.sub(" ", text)
