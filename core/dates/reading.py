"""Dates as people, models and programs write them: of a form with one meaning what it means, of another a refusal.

Read are ISO 8601 (days, times, weeks, ordinal dates), seconds or milliseconds since 1970, days and months with their
names or in numbers, RFC 2822, and words such as "yesterday", "3 days ago" and "last week", each with or without a time
and a zone. A date says its year; 03/05/2026 has two meanings. Time is linear in the text, which is short.
"""

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from itertools import groupby
from typing import Final, Literal

from core.dates.locale_dates import (
    LOCALE_MONTH_NAMES,
    LOCALE_MONTHS,
    LOCALE_WEEKDAY,
    LOCALE_WEEKDAYS,
    LocaleDate,
    cue_around,
    ideographic_number,
    limit_day,
    locale_dates,
    locale_span,
    plain,
)
from core.dates.moments import coming_day, day_bound, now, parse_iso, zone
from core.errors import InvalidInput
from core.regex import regex

Order = Literal["day first", "month first"]

#: English names, the abbreviation of which may be followed by a day; those of other languages from this length on.
_ENGLISH: Final = (
    "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sep sept|"
    "october oct|november nov|december dec"
)
_ENGLISH_MONTHS: Final = {name: number for number, names in enumerate(_ENGLISH.split("|"), 1) for name in names.split()}
_LONG: Final = 5
_MONTHS: Final = LOCALE_MONTHS | _ENGLISH_MONTHS
#: Abbreviations that are words of other languages: only between a day and a year are they months.
_ALSO_WORDS: Final = frozenset("set out ago gen mag lip sie lis dic lug giu cze".split())
#: Words before a date that do not change what it means.
_LEADING: Final = frozenset(
    "on the im in am den dem der le la en au el del il lo nel o a no na em op de w we dnia v в во на le du".split()
)
_WRITTEN_YEAR: Final = r"(?P<year>(?:1[89]|20)\d\d)(?!\d)"
_SHORT_YEAR: Final = r"(?P<year>(?:(?:1[89]|20)\d\d|['’]?\d\d))(?![\d:%]|[.,]\d)"
#: Grouped by their first letters, so that at most places few are tried.
_ANY_NAME: Final = "|".join(
    f"{first}(?:{'|'.join(name[1:] for name in sorted(names, key=len, reverse=True))})"
    for first, names in groupby(sorted(_MONTHS.keys() | LOCALE_MONTH_NAMES), key=lambda name: name[0])
    if not first.isdigit()
)
_NAME: Final = rf"(?P<name>{_ANY_NAME})(?![^\W\d_])\.?"
_DAY: Final = r"(?P<day>\d\d?)(?![\d:%]|[.,]\d)(?:st|nd|rd|th|er|[º°]|-?го|\.)?(?![^\W\d_])"
_GAP: Final = r"[ \t_./,-]{1,3}"
_OF: Final = r"(?:(?:of|del?|di|des)[ ])?"
#: The last day of several, behind the first.
_TO: Final = r"(?:[ ]?[-–/][ ]?\d\d?(?:st|nd|rd|th)?(?![\d:]))?"

#: The year before the first of an era.
_ERAS: Final = {"令和": 2018, "平成": 1988, "昭和": 1925, "民國": 1911, "民国": 1911}
_ERA_LETTERS: Final = {"R": 2018, "H": 1988, "S": 1925}
_ROMAN: Final = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
_DIGITS: Final = "〇零一二三四五六七八九十"
_MONTH_AND_DAY: Final = (
    rf"(?P<month>\d\d?|[{_DIGITS}]{{1,2}})[ ]?[月월][ ]?(?P<day>\d\d?|[{_DIGITS}]{{1,3}})[ ]?[日號号일]"
)
_IDEOGRAPH: Final = regex("[\u3041-\u30fa\u4e00-\u9fff]")

#: The forms, the surest first: where two overlap the earlier one counts.
_FORMS: Final = tuple(
    regex(rf"(?<![^\W_])(?<!\d[.:]){form}", re.IGNORECASE)
    for form in (
        r"(?P<year>(?:1[89]|20)\d\d)(?P<gap>[-/_. ])(?P<month>\d\d?)(?P=gap)(?P<day>\d\d?)(?!\d)",
        r"(?P<year>(?:19|20)\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>[0-3]\d)(?!\d)",
        rf"{_WRITTEN_YEAR}{_GAP}{_NAME}{_GAP}{_DAY}",
        rf"{_DAY}[ \t_-]{{0,2}}{_OF}{_NAME}{_GAP}{_OF}{_SHORT_YEAR}",
        rf"{_NAME}[ \t_-]{{0,2}}{_DAY}{_TO}{_GAP}{_OF}{_WRITTEN_YEAR}",
        rf"[«„“\"](?P<day>\d\d?)[»“”\"][ ]?{_NAME}{_GAP}{_WRITTEN_YEAR}",
        r"(?P<day>\d\d?)(?P<gap>\.? |[./-]) ?(?P<roman>(?-i:[IVX]{1,4}))(?P=gap) ?(?P<year>(?:19|20)\d\d)(?!\d)",
        r"(?P<first>\d\d?)(?P<gap>[./-])[ ]?(?P<second>\d\d?)(?P=gap)[ ]?(?P<year>(?:1[89]|20)\d\d)(?!\d)",
        r"(?P<first>\d\d?)(?P<gap>/)(?P<second>\d\d?)/(?P<year>\d\d)(?![\d/])",
        r"(?P<first>\d\d)(?P<gap>\.)(?P<second>\d\d)\.(?P<year>\d\d)(?![\d.])",
        rf"{_DAY}[ \t_-]{{0,2}}{_OF}{_NAME}",
        rf"{_NAME}[ \t_-]{{0,2}}{_DAY}",
        rf"{_NAME}[ ]?(?:&|and|und|et|y|e|en|i|и|to|[-–/])[ ]?(?:{_ANY_NAME}){_GAP}{_WRITTEN_YEAR}",
        rf"{_NAME}(?:{_GAP})?{_OF}{_WRITTEN_YEAR}",
        rf"{_WRITTEN_YEAR}{_GAP}{_NAME}",
        r"(?P<year>(?:1[89]|20)\d\d)[-_./](?P<month>0[1-9]|1[0-2])(?!\d)",
    )
) + tuple(
    regex(rf"(?<!\d){form}")  # Chinese, Japanese and Korean, whose words stand together
    for form in (
        rf"(?P<era>{'|'.join(_ERAS)})[ ]?(?P<year>\d{{1,3}}|元|[{_DIGITS}]{{1,3}})[ ]?年[ ]?{_MONTH_AND_DAY}",
        r"(?<![^\W_])(?P<era>[RHS])(?P<year>\d\d?)(?P<gap>[./-])(?P<month>\d\d?)(?P=gap)(?P<day>\d\d?)(?![\d.])",
        rf"(?:(?P<year>(?:[1１][89８９]|[2２][0０])\d\d|[一二〇零][{_DIGITS}]{{3}})[ ]?[年년][ ]?)?{_MONTH_AND_DAY}",
        r"(?P<year>(?:1[89]|20)\d\d)[ ]?[年년][ ]?(?P<month>\d\d?)[ ]?[月월]",
    )
)


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """A date from character `start` to `end` of a text; `year` or `day` is None where it isn't written.

    With `swapped` day and month may be meant the other way round; here the day comes first.
    """

    start: int
    end: int
    year: int | None
    month: int
    day: int | None
    swapped: bool = False
    #: The order that its numbers show, where one of them is no month.
    order: Order | None = None

    def iso(self, order: Order | None = None, *, year: int | None = None) -> str | None:
        """Return it as `2024-03-04`, or as `2024-03` if it is a month; a date without a year is of `year`.

        None if there is no year, if it is 29 February of another year than a leap year, and if only `order` could
        tell day from month and isn't given.
        """
        chosen = self.year or year
        if chosen is None or (self.swapped and order is None):
            return None
        turned = self.swapped and order == "month first"
        month, day = (self.day, self.month) if turned else (self.month, self.day)
        return _iso_text(chosen, month or 0, day)


def written_dates(text: str) -> list[WrittenDate]:
    """Return the dates in `text` by their places; impossible days, such as 30 February, are left out."""
    found: list[WrittenDate] = []
    taken = bytearray(len(text))
    for form in _FORMS:
        for match in form.finditer(text):
            start, end = match.span()
            if taken.find(1, start, end) < 0:
                taken[start:end] = b"\1" * (end - start)
                if (one := _read_match(match)) is not None:
                    found.append(one)
    return sorted(found, key=lambda one: one.start)


def _read_match(match: re.Match[str]) -> WrittenDate | None:
    parts = {"name": None, "first": None, "roman": None, "era": None} | match.groupdict()
    if parts["era"] in _ERA_LETTERS and not _IDEOGRAPH.search(match.string):
        return None  # a version
    year = _year(parts.get("year"), parts["era"])
    if parts["first"] is not None:
        return _numeric(match, int(parts["first"]), int(match["second"]), year)
    if parts["roman"] is not None:
        month = _ROMAN.index(parts["roman"]) + 1 if parts["roman"] in _ROMAN else 0
    else:
        month = _MONTHS.get(plain(parts["name"].casefold()), 0) if parts["name"] else ideographic_number(match["month"])
    day = None if parts.get("day") is None else ideographic_number(match["day"])
    if parts["name"] and not _means_month(match, parts["name"], is_whole=year is not None and day is not None):
        return None
    return None if _iso_text(year or 2000, month, day) is None else WrittenDate(*match.span(), year, month, day)


def _means_month(match: re.Match[str], name: str, *, is_whole: bool) -> bool:
    """Whether a name is a month's, not another word: "3 may", "set 5", "rolled out 2026"."""
    if is_whole:
        return True
    if plain(name) in _ALSO_WORDS:
        return False
    if match.groupdict().get("year") is not None:
        return True
    is_first = match.start("name") == match.start()
    return name not in ("may", "mar", "march", "sept") and not (
        is_first and plain(name) not in _ENGLISH_MONTHS and len(name) < _LONG
    )


def _numeric(match: re.Match[str], first: int, second: int, year: int | None) -> WrittenDate | None:
    """Read 03/04/2021: with points the day is first, else either may be."""
    by_day = _iso_text(year or 2000, second, first) is not None
    by_month = match["gap"] != "." and _iso_text(year or 2000, first, second) is not None
    if by_day:
        shown: Order | None = None if by_month or match["gap"] == "." else "day first"
        return WrittenDate(*match.span(), year, second, first, swapped=by_month and first != second, order=shown)
    return WrittenDate(*match.span(), year, first, second, order="month first") if by_month else None


def _year(digits: str | None, era: str | None = None) -> int | None:
    """Return a year, of an era or the common one; one of two digits is at most 2068, as POSIX has it."""
    if digits is None:
        return None
    year = 1 if digits == "元" else ideographic_number(digits.lstrip("'’"))
    if era is not None:
        return year + (_ERAS | _ERA_LETTERS)[era]
    return year if year > 99 else year + (2000 if year < 69 else 1900)


def _iso_text(year: int, month: int, day: int | None) -> str | None:
    try:
        return date(year, month, 1 if day is None else day).isoformat()[: 7 if day is None else 10]
    except ValueError:
        return None


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
#: Abbreviations before "day", or of the weekday itself.
WEEKDAY: Final = "mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun"

COUNTS: Final = {
    "a": 1, "an": 1, "one": 1, "two": 2, "a couple of": 2, "three": 3, "a few": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12,
}  # fmt: skip
_MONTH_STEMS: Final = MONTH_STEM.split("|")
_WEEKDAY_STEMS: Final = WEEKDAY_STEM.split("|")


def month_number(name: str) -> int:
    """Return the number, from 1 to 12, of a month's name or abbreviation in any case.

    Raises:
        ValueError: not such a name. A pattern that ignores case also matches one with a dotless i, "frıday".
    """
    return _MONTH_STEMS.index(name.casefold()[:3]) + 1


def weekday_number(name: str) -> int:
    """Return the number of a weekday's name in any case, or of an English abbreviation; Monday is 0.

    Raises as `month_number` does.
    """
    number = LOCALE_WEEKDAYS.get(plain(name))
    return _WEEKDAY_STEMS.index(name.casefold()[:3]) if number is None else number


def relative_weekday(which: str, name: str, today: date) -> date:
    """Return "last Friday", "this Friday", "coming Friday" or "next Friday": the one meaning everywhere.

    "Next" is in the following calendar week (Monday first), "this" in the current one, past or not; "last" is the
    latest before today, "coming" the first after it.
    """
    number = weekday_number(name)
    if which in ("last", "past", "previous"):
        return today - timedelta(days=(today.weekday() - number - 1) % 7 + 1)
    if which == "coming":
        return today + timedelta(days=(number - today.weekday() - 1) % 7 + 1)
    return today + timedelta(days=number - today.weekday() + (7 if which == "next" else 0))


#: The longest text that is read as a date, in characters.
_LONGEST: Final = 80
_RELATIVE: Final = regex(r"(\d{1,4})([hdwmy])")
#: Days in each relative unit; a month is 30 days and a year 365.
_DAYS: Final = {"d": 1, "w": 7, "m": 30, "y": 365}
#: The ISO 8601 forms that are kept as they are written.
_KEPT: Final = regex(r"\d{4}-\d\d(?:-\d\d(?:[T ].{2,30})?)?", re.DOTALL)
#: How many digits a time since 1970 has, with how many of them go into a second.
_SINCE_1970: Final = {9: 1, 10: 1, 12: 1_000, 13: 1_000, 15: 1_000_000, 16: 1_000_000}
_CLOCK: Final = regex(
    r"(?:,|\bat|T)? ?(?<![\d.:/-])(?:(?P<hour>\d{1,2})(?::(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d)(?:\.\d{1,9})?)?)?"
    r" ?(?P<half>[ap])\.?m\b\.?|(?P<hours>[01]?\d|2[0-3]):(?P<minutes>[0-5]\d)(?::(?P<seconds>[0-5]\d)(?:\.\d{1,9})?)?"
    r"(?![\d:])|(?P<word>noon|midday|midnight)\b)"
    r"(?: ?(?P<zone>Z|(?:UTC|GMT)?[+-]\d\d:?\d\d|(?:UTC|GMT))(?![\w:])(?: \([\w ]{1,40}\))?)?",
    re.IGNORECASE,
)
_DAY_NAME: Final = regex(rf"(?P<day>{LOCALE_WEEKDAY}|(?:{WEEKDAY})(?=day\b|\b))(?:day)?[.,]? ?", re.IGNORECASE)
_ORDINAL: Final = regex(r"((?:19|20)\d\d)-?([0-3]\d\d)")
_WEEK: Final = regex(r"(\d{4})-?w(\d\d)(?:-?([1-7]))?")
_WORDS: Final = {
    "today": 0, "now": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1, "the day before yesterday": -2,
    "day before yesterday": -2, "the day after tomorrow": 2, "day after tomorrow": 2,
}  # fmt: skip
_COUNTED: Final = regex(
    rf"(?P<ahead>in )?(?P<count>\d{{1,4}}|{'|'.join(COUNTS)}) (?P<unit>hour|day|week|month|year)s?"
    r"(?P<back> ago| back| before today)?(?P<hence> from (?:now|today)| hence)?"
)
_WHICH: Final = regex(
    r"(?P<which>this|last|next|past|previous|coming) "
    rf"(?:(?P<unit>week|month|quarter|year|weekend)|(?P<day>{WEEKDAY})(?:day)?)"
)
_MONTH: Final = regex(rf"(?P<month>{MONTH_NAME}|{MONTH_ABBREVIATION})\.?,? (?P<year>\d{{4}})")
_QUARTER: Final = regex(r"q([1-4])[ /-]?(\d{4})|(\d{4})[ /-]?q([1-4])")
_YEAR: Final = regex(r"(?:19|20)\d\d")
#: Two days between which each word for a day means another one.
_TWO_DAYS: Final = datetime(2001, 1, 1, tzinfo=UTC), datetime(2002, 3, 6, tzinfo=UTC)
_NUMBERS: Final = regex(r"(\d{1,2})([/.-])(\d{1,2})\2(\d{2}|\d{4})")


@dataclass(frozen=True, slots=True)
class _Read:
    """What a date names: the days from `first` to `last`, or a time on the one of them."""

    first: date
    last: date
    clock: time | None = None


class _Ambiguous(ValueError):
    """A date with several meanings; the text says what to write instead."""


def read_date(text: str, *, field: str, ahead: bool = False, at: datetime | None = None) -> str:
    """Return a date in any form that names one day, or a month, as ISO 8601: `2026-03-05`, with its time if it has one.

    A time without an offset stays without one. Relative words count from `at` in its zone, which defaults to now in
    that of the owner; "Monday" is the last one, today included, with `ahead` the next one.

    Raises:
        InvalidInput: it is no date, names more than a day, or has two meanings; the message says what to write.
    """
    stripped = text.strip()
    if _KEPT.fullmatch(stripped) and _is_iso(stripped):
        return stripped
    read = _read(text, field, ahead=ahead, at=at)
    if isinstance(read, datetime):
        return read.isoformat().replace("+00:00", "Z")
    if read.first != read.last:
        month = f"{read.first:%Y-%m}"
        if read.first.day == 1 and read.last == _month_end(read.first.year, read.first.month):
            return month
        raise InvalidInput(
            f"{field} {text[:40]!r} is not a date: it names the days from {read.first} to {read.last}, so write one."
        )
    if read.clock is None:
        return read.first.isoformat()
    moment = datetime.combine(read.first, read.clock)
    return moment.isoformat().replace("+00:00", "Z")


def is_relative(text: str) -> bool:
    """Whether the day that a text names depends on when it is read: "yesterday", "Monday", "3 days ago"."""
    try:
        early, late = (read_date(text, field="date", at=at) for at in _TWO_DAYS)
    except InvalidInput:
        return False
    return early != late


def parse_filter(
    text: str, *, field: str, end_of_day: bool = False, ahead: bool = False, at: datetime | None = None
) -> datetime:
    """Read a date filter: a date as `read_date` does, days, a month, quarter or year, or relative.

    Relative is `7d`, `3m` or `1y`: that long before `at`, which defaults to now. Days are days of the writers
    (`day_bound`): the first moment of the first, with `end_of_day` the last moment of the last. "Monday" is as in
    `read_date`.

    Raises:
        InvalidInput: `text` is not one of these forms, or has two meanings; the message names `field`.
    """
    relative = _RELATIVE.fullmatch(text.strip().lower())
    if relative is None:
        here = None if at is None else at.astimezone(zone())
        read = _read(text, field, ahead=ahead, at=here, other=", or a time before now such as 7d, 3m or 1y")
        if isinstance(read, datetime):
            return read
        if read.clock is not None:
            return datetime.combine(read.first, read.clock, read.clock.tzinfo or zone())
        return day_bound(read.last if end_of_day else read.first, end=end_of_day)
    amount, unit = int(relative[1]), relative[2]
    span = timedelta(hours=amount) if unit == "h" else timedelta(days=amount * _DAYS[unit])
    try:
        return (at or now()) - span
    except OverflowError as error:
        raise InvalidInput(f"{field} {text!r} lies before the year 1: use a shorter time.") from error


def parse_expiry(text: str, *, field: str, at: datetime) -> datetime:
    """Read a moment to come: a date, a day to its end in the owner's zone, or relative (`90d`: that long after `at`).

    Raises:
        InvalidInput: it is neither, or is past; the message names `field`.
    """
    if _RELATIVE.fullmatch(text.strip().lower()):
        try:
            return at + (at - parse_filter(text, field=field, at=at))
        except OverflowError as error:
            raise InvalidInput(f"{field} {text!r} lies after the year 9999: use a shorter time.") from error
    iso = read_date(text, field=field, ahead=True, at=at.astimezone(zone()))
    moment = parse_iso(iso, field=field, end_of_day=True)
    if moment <= at:
        raise InvalidInput(f"{field} {text[:40]!r} is past: use a date to come, or a time such as 90d.")
    return moment


def _read(text: str, field: str, *, ahead: bool, at: datetime | None, other: str = "") -> _Read | datetime:
    """Return the moment that a text names, else its days and time; `other` is what the message names as well.

    Raises:
        InvalidInput: it names neither, or its meaning is not certain.
    """
    plain = " ".join(text.split())
    found: _Read | datetime | None = None
    try:
        if len(plain) <= _LONGEST:
            found = (
                _iso(plain) or _since_1970(plain) or _worded(plain, ahead=ahead, here=at or now().astimezone(zone()))
            )
        if isinstance(found, datetime):
            found.astimezone(UTC)
        elif found is not None:
            for bound in (found.first, found.last):
                datetime.combine(bound, time.max, zone()).astimezone(UTC)
    except _Ambiguous as error:
        raise InvalidInput(f"{field} {text[:40]!r} {error}") from error
    except (ValueError, OverflowError):
        found = None
    if found is None:
        raise InvalidInput(
            f"{field} {text[:40]!r} is not a date: use ISO 8601, for example 2026-01-15 or 2026-01-15T09:30:00Z, or "
            f"a day with its year, for example 15 January 2026{other}."
        )
    return found


def _is_iso(text: str) -> bool:
    try:
        parse_iso(text, field="date")
    except InvalidInput:
        return False
    return True


def _iso(text: str) -> _Read | datetime | None:
    """Read ISO 8601; a week or month without a day is all its days."""
    if match := _WEEK.fullmatch(text.casefold()):
        first = date.fromisocalendar(int(match[1]), int(match[2]), int(match[3] or 1))
        return _Read(first, first if match[3] else first + timedelta(days=6))
    if match := _ORDINAL.fullmatch(text):
        day = date(int(match[1]), 1, 1) + timedelta(days=int(match[2]) - 1)
        return _Read(day, day) if day.year == int(match[1]) and int(match[2]) else None
    if match := re.fullmatch(r"(\d{4})-(\d\d?)", text):
        return _month(int(match[1]), int(match[2]))
    if not re.match(r"\d{4}-?\d\d-?\d\d|\d{4}-?[Ww]", text):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is not None:
        return moment
    is_time = len(text) > len("2026-W10-4")
    return _Read(moment.date(), moment.date(), moment.time() if is_time else None)


def _since_1970(text: str) -> datetime | None:
    """Read seconds, milliseconds or microseconds since 1970 as a moment in the owner's zone."""
    match = re.fullmatch(r"(\d{9,16})(?:\.\d{1,9})?", text)
    if match is None or len(match[1]) not in _SINCE_1970:
        return None
    seconds = int(match[1]) // _SINCE_1970[len(match[1])]
    return datetime.fromtimestamp(seconds, zone())


def _worded(text: str, *, ahead: bool, here: datetime) -> _Read | datetime | None:
    """Read a day in words or numbers, with a time and a zone before, behind or within it."""
    clock = _CLOCK.search(text)
    rest = text if clock is None else f"{text[: clock.start()]} {text[clock.end() :]}"
    rest = " ".join(rest.strip(" ,").removeprefix("on ").split())
    days = _counted(rest.casefold(), here) or _days(rest, here.date(), ahead=ahead)
    if clock is None or days is None:
        return days
    if isinstance(days, datetime) or days.first != days.last:
        return None
    return _Read(days.first, days.last, _time(clock))


def _time(clock: re.Match[str]) -> time:
    if clock["word"]:
        return time(0 if clock["word"].casefold() == "midnight" else 12)
    hour = int(clock["hour"] or clock["hours"])
    if clock["half"]:
        if not 1 <= hour <= 12:
            raise ValueError("no hour of a half day")
        hour = hour % 12 + (12 if clock["half"].casefold() == "p" else 0)
    minute, second = (int(clock[name] or clock[f"{name}s"] or 0) for name in ("minute", "second"))
    written = re.sub(r"(?i)utc|gmt", "", clock["zone"] or "")
    if clock["zone"] is None:
        return time(hour, minute, second)
    if written in ("", "Z", "z"):
        return time(hour, minute, second, tzinfo=UTC)
    offset = timedelta(hours=int(written[1:3]), minutes=int(written[-2:]))
    return time(hour, minute, second, tzinfo=timezone(-offset if written[0] == "-" else offset))


def _counted(text: str, here: datetime) -> _Read | datetime | None:
    """Read "3 days ago" and "in two weeks" as a day, hours as a moment."""
    match = _COUNTED.fullmatch(text)
    if match is None or bool(match["ahead"] or match["hence"]) == bool(match["back"]):
        return None
    amount = COUNTS[match["count"]] if match["count"] in COUNTS else int(match["count"])
    amount = -amount if match["back"] else amount
    if match["unit"] == "hour":
        return (here.astimezone(UTC) + timedelta(hours=amount)).astimezone(here.tzinfo)
    if match["unit"] in ("day", "week"):
        day = here.date() + timedelta(days=amount * (7 if match["unit"] == "week" else 1))
    else:
        months = here.year * 12 + here.month - 1 + amount * (12 if match["unit"] == "year" else 1)
        end = _month_end(months // 12, months % 12 + 1)
        day = end.replace(day=min(here.day, end.day))
    return _Read(day, day)


def _days(text: str, now_day: date, *, ahead: bool) -> _Read | None:
    plain = text.casefold()
    if plain in _WORDS:
        day = now_day + timedelta(days=_WORDS[plain])
        return _Read(day, day)
    for pattern, rule in _RULES:
        if match := pattern.fullmatch(plain):
            return rule(match, now_day)
    named = _DAY_NAME.match(text)
    if named is not None and named.end() == len(text):
        gap = (weekday_number(named["day"]) - now_day.weekday()) % 7
        day = now_day + timedelta(days=gap or 7 if ahead else -(-gap % 7))
        return _Read(day, day)
    if (found := locale_span(text, now_day, ahead=ahead)) is not None:
        return _Read(*found)
    return _written(text if named is None else text[named.end() :].removeprefix("the "), named)


def _written(text: str, named: re.Match[str] | None) -> _Read | None:
    """Read a date in numbers or with the name of its month, and check it against the weekday before it."""
    if match := _NUMBERS.fullmatch(text):
        first, second, year = int(match[1]), int(match[3]), f"20{match[4]}"[-4:]
        if match[2] != ".":
            _check_order(first, second, int(year))
        text = f"{match[1]}{match[2]}{match[3]}{match[2]}{year}"
    found = written_dates(text)
    if len(found) != 1 or not _adds_nothing(text[: found[0].start], text[found[0].end :]):
        return None
    one = found[0]
    if one.day is not None and match is None and len(re.findall(r"\d+", text)) > 2 and not text[:4].isdigit():
        return None  # several days: "5 to 8 March 2026"
    if one.year is None:
        raise _Ambiguous("names no year: write it, for example 2026-01-15.")
    iso = one.iso()
    if iso is None:
        return None
    if one.day is None:
        return _month(one.year, one.month)
    day = date.fromisoformat(iso)
    if named is not None and weekday_number(named["day"]) != day.weekday():
        raise _Ambiguous(f"is two days: {iso} is a {calendar.day_name[day.weekday()]}, so write only the date.")
    return _Read(day, day)


def _adds_nothing(before: str, behind: str) -> bool:
    """Whether the words around a date do not change what it means: "im März 2026", "7 marca 2026 r."."""
    return set(before.strip(" .,").casefold().split()) <= _LEADING and behind.strip(" .,") in ("", "r", "г")


def _check_order(first: int, second: int, year: int) -> None:
    if first != second and first <= 12 and second <= 12:
        raise _Ambiguous(
            f"may mean two days: write {date(year, second, first)} for {first} {calendar.month_name[second]}, or "
            f"{date(year, first, second)} for {second} {calendar.month_name[first]}."
        )


def _which(match: re.Match[str], now_day: date) -> _Read:
    """Read "last week" as its days from Monday to Sunday, "last Friday" as the one before today."""
    monday = now_day - timedelta(days=now_day.weekday())
    if match["day"]:
        day = relative_weekday(match["which"], match["day"], now_day)
        return _Read(day, day)
    step = {"this": 0, "next": 1, "coming": 1}.get(match["which"], -1)
    unit = match["unit"]
    if unit in ("week", "weekend"):
        first = monday + timedelta(days=7 * step)
        return _Read(first + timedelta(days=5 if unit == "weekend" else 0), first + timedelta(days=6))
    size = {"month": 1, "quarter": 3, "year": 12}[unit]
    months = (now_day.year * 12 + now_day.month - 1) // size * size + size * step
    return _months(months, size)


def _quarter(match: re.Match[str], _now_day: date) -> _Read:
    year, number = (match[2], match[1]) if match[1] else (match[3], match[4])
    return _months(int(year) * 12 + int(number) * 3 - 3, 3)


_RULES: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], _Read]], ...]] = (
    (_WHICH, _which),
    (_QUARTER, _quarter),
    (_YEAR, lambda match, _: _months(int(match[0]) * 12, 12)),
    (_MONTH, lambda match, _: _month(int(match["year"]), month_number(match["month"]))),
)


def _month(year: int, month: int) -> _Read:
    return _Read(date(year, month, 1), _month_end(year, month))


def _months(start: int, number: int) -> _Read:
    """Return several months in a row; `start` counts them from the year 0."""
    end = start + number - 1
    return _Read(date(start // 12, start % 12 + 1, 1), _month_end(end // 12, end % 12 + 1))


def _month_end(year: int, month: int) -> date:
    return date(year, month, calendar.monthrange(year, month)[1])


#: Between a weekday and the date that it belongs to: "Freitag, den 13. März".
_BESIDE: Final = regex(r"[\s,.()（）]*(?:d[ea][nsm]?|der|le|el|il|op)?[\s()（）]*")


def due_day(text: str, today: date | None, *, only_limits: bool = False, is_limit: bool = False) -> date | None:
    """Return the day by which a task in a language other than English is due; None if it names none.

    It is the last that words make a limit, else the last from `today` on that nothing makes a beginning. With
    `only_limits`, for a text that may be English, it is only the last that words without numbers make a limit; with
    `is_limit`, as in a column of due days, any. Without `today` a date must name its year.
    """
    found = []
    for one in [] if only_limits else written_dates(text):
        cue = cue_around(text, one.start, one.end)
        day = _due_of(one, today) if one.day is not None or cue == "limit" else None
        if day is not None:
            found.append(LocaleDate(one.start, one.end, day, day, cue))
    named = [] if today is None else locale_dates(text, today)
    if only_limits:  # "do 3/4 of it"
        named = [one for one in named if not any(map(str.isdigit, text[one.start : one.end]))]
    found += [one for one in named if all(_is_apart(text, one, other) for other in found)]
    found.sort(key=lambda one: one.start)
    found = [
        one
        for one in found
        if is_limit or one.cue == "limit" or (not only_limits and (today is None or one.due >= today))
    ]
    return limit_day(found)


def _is_apart(text: str, one: LocaleDate, other: LocaleDate) -> bool:
    first, second = sorted((one, other), key=lambda each: each.start)
    if first.end <= second.start and one.cue == "limit":
        return True
    return first.end <= second.start and _BESIDE.fullmatch(text, first.end, second.start) is None


def _due_of(one: WrittenDate, today: date | None) -> date | None:
    """Return the last day of a date; without its year the coming one."""

    def day_in(year: int) -> date | None:
        iso = one.iso("day first", year=year)
        if iso is None:
            return None
        return date.fromisoformat(iso) if one.day is not None else _month_end(year, one.month)

    if one.year:
        return day_in(one.year)
    return None if today is None else coming_day(day_in, today)
