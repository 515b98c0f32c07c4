"""Periods: the times that a question names, and those that a text speaks of, as days that can be compared.

In a question "March" is any March and "last March" the latest one before it was asked; in a text "last week" is that
before it was written, and a month without a year is that of the same year.
"""

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import Final

from core.dates import COUNTS, MONTH_ABBREVIATION, MONTH_NAME, WEEKDAY, month_number, weekday_number

#: The first and the last day of a time.
Days = tuple[date, date]

#: Without ASCII a long s would match an s, as in "laſt week", which is no key of the tables here.
_FLAGS: Final = re.ASCII | re.IGNORECASE
#: "8 May 2023", "May 8th, 2023", "May 2023", "in May", "last May"; a bare month name may be a verb or a name.
_NAMED: Final = re.compile(
    r"\b(?:(?P<day>\d{1,2})(?:st|nd|rd|th)?(?: of)? "
    r"|(?P<cue>in|during|since|until|by|before|after|of|early|late|mid|last)[ -])?"
    rf"(?P<month>{MONTH_NAME}|(?:{MONTH_ABBREVIATION})\b\.?)"
    r"(?: (?P<day_after>\d{1,2})(?:st|nd|rd|th)?(?!\d))?(?:,? (?:of )?(?P<year>(?:19|20)\d\d))?\b",
    _FLAGS,
)
_ISO: Final = re.compile(r"\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b")
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
_UNIT: Final = r"(?P<{0}>day|week|weekend|month|year)s?"
_RELATIVE: Final = re.compile(
    r"\b(?:(?P<near>yesterday|last night|today|tonight|this morning|tomorrow)"
    rf"|(?P<which>last|past|previous|next|this) (?:{_UNIT.format('unit')}\b"
    rf"|(?P<weekday>{WEEKDAY})(?:day)?\b)"
    rf"|(?P<count>{'|'.join(sorted(COUNTS, key=len, reverse=True))}|\d{{1,2}}) {_UNIT.format('ago')}"
    r" (?:ago|back|earlier)\b)",
    _FLAGS,
)
_NEAR: Final = {"yesterday": -1, "last night": -1, "tomorrow": 1}
_STEPS: Final = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1}


def asked_about(query: str, today: date, years: Iterable[int]) -> list[Days]:
    """Return the times that a question asked on this day names; one without a year stands in each of `years`.

    A year alone counts if nothing closer is named.
    """
    found = [days for match in _RELATIVE.finditer(query) if (days := _relative(match, today))]
    for match in _NAMED.finditer(query):
        if _means_a_time(match):
            found += _days_of(match, [today.year - (_month(match) >= today.month)] if _is_last(match) else years)
    found += [days for year, month, day in _ISO.findall(query) if (days := _days(int(year), int(month), day))]
    return found or [days for year in _YEAR.findall(query) if (days := _days(int(year), None, None))]


def spoken_of(text: str, written: date) -> Iterator[Days]:
    """Yield the times that a text written on this day speaks of."""
    for match in _RELATIVE.finditer(text):
        if (days := _relative(match, written)) is not None:
            yield days
    for match in _NAMED.finditer(text):
        if _means_a_time(match):
            yield from _days_of(match, [written.year - (_month(match) >= written.month and _is_last(match))])


def overlap(one: Days, other: Days) -> bool:
    """Whether two times have a day in common."""
    return one[0] <= other[1] and other[0] <= one[1]


def _means_a_time(match: re.Match[str]) -> bool:
    """Whether a month's name stands for a month: "may" and "march" alone do not."""
    if match["cue"] or match["day"] or match["day_after"] or match["year"]:
        return True
    return match["month"].lower().rstrip(".") not in ("may", "mar", "march")


def _is_last(match: re.Match[str]) -> bool:
    return (match["cue"] or "").lower() == "last" and match["year"] is None


def _month(match: re.Match[str]) -> int:
    return month_number(match["month"])


def _days_of(match: re.Match[str], years: Iterable[int]) -> list[Days]:
    wanted = [int(match["year"])] if match["year"] else years
    day = match["day"] or match["day_after"]
    return [days for year in wanted if (days := _days(year, _month(match), day))]


def _days(year: int, month: int | None, day: str | None) -> Days | None:
    """Return the days of a year, month or day; None if there is no such day, as 30 February."""
    try:
        if month is None:
            return date(year, 1, 1), date(year, 12, 31)
        if day:
            return (only := date(year, month, int(day))), only
        return date(year, month, 1), date(year, month, monthrange(year, month)[1])
    except ValueError:
        return None


def _relative(match: re.Match[str], today: date) -> Days | None:
    """Return the days that a relative expression means, None where they lie outside the calendar."""
    try:
        if match["near"]:
            return (day := today + timedelta(_NEAR.get(match["near"].lower(), 0))), day
        if match["weekday"]:
            return (day := _weekday(match, today)), day
        if match["unit"]:
            return _unit(match["unit"].lower(), _STEPS[match["which"].lower()], today, loose=False)
        number = match["count"].lower()
        return _unit(match["ago"].lower(), -(COUNTS.get(number) or int(number)), today, loose=True)
    except (ValueError, OverflowError):
        return None


def _weekday(match: re.Match[str], today: date) -> date:
    ahead = (weekday_number(match["weekday"]) - today.weekday()) % 7
    return today + timedelta(ahead - 7 if _STEPS[match["which"].lower()] < 0 else ahead or 7)


def _unit(unit: str, steps: int, today: date, *, loose: bool) -> Days:
    """Return the calendar unit that lies so many steps away; "three weeks ago" is loosely the days around."""
    if unit == "day":
        return (day := today + timedelta(steps)), day
    if unit in ("week", "weekend"):
        if loose:
            middle = today + timedelta(7 * steps)
            return middle - timedelta(3), middle + timedelta(3)
        monday = today - timedelta(today.weekday()) + timedelta(7 * steps)
        return monday + timedelta(5 if unit == "weekend" else 0), monday + timedelta(6)
    if unit == "month":
        year, month = divmod(today.year * 12 + today.month - 1 + steps, 12)
        return date(year, month + 1, 1), date(year, month + 1, monthrange(year, month + 1)[1])
    return date(today.year + steps, 1, 1), date(today.year + steps, 12, 31)
