"""Days and months as people write them, in any order of their parts, in English, German, French and Spanish.

Days in Chinese, Japanese and Korean are read in digits.

They are read by their form alone: no part is filled in from today, "next Friday" is not such a date, and 03/04/2021
keeps both readings until somebody knows in which order its writer gives day and month. Time is linear in the text.
"""

import re
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

Order = Literal["day first", "month first"]

_NAMES: Final = (
    "january jan januar jänner janvier janv enero ene",
    "february feb februar février fevrier févr fevr fév febrero",
    "march mar märz maerz mär mrz mars marzo",
    "april apr avril avr abril abr",
    "may mai mayo",
    "june jun juni juin junio",
    "july jul juli juillet juil julio",
    "august aug août aout agosto ago",
    "september sep sept septembre septiembre setiembre",
    "october oct oktober okt octobre octubre",
    "november nov novembre noviembre",
    "december dec dezember dez décembre decembre déc diciembre dic",
)
_MONTHS: Final = {name: number for number, names in enumerate(_NAMES, 1) for name in names.split()}
_YEAR: Final = r"(?P<year>(?:1[89]|20)\d\d)(?!\d)"
_SHORT_YEAR: Final = r"(?P<year>(?:(?:1[89]|20)\d\d|['’]?\d\d))(?![\d:%]|[.,]\d)"
_ANY_NAME: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))
_NAME: Final = rf"(?P<name>{_ANY_NAME})(?![^\W\d_])\.?"
_DAY: Final = r"(?P<day>\d\d?)(?![\d:%]|[.,]\d)(?:st|nd|rd|th|er|º|\.)?(?![^\W\d_])"
_GAP: Final = r"[ \t_./,-]{1,3}"
_OF: Final = r"(?:(?:of|de|del)[ ])?"
#: The last day of several, behind the first.
_TO: Final = r"(?:[ ]?[-–/][ ]?\d\d?(?:st|nd|rd|th)?(?![\d:]))?"

#: The forms, the surest first: where two overlap the earlier one counts.
_FORMS: Final = tuple(
    re.compile(rf"(?<![^\W_])(?<!\d[.:]){form}", re.IGNORECASE)
    for form in (
        r"(?P<year>(?:1[89]|20)\d\d)(?P<gap>[-/_. ])(?P<month>\d\d?)(?P=gap)(?P<day>\d\d?)(?!\d)",
        r"(?P<year>(?:19|20)\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>[0-3]\d)(?!\d)",
        rf"{_YEAR}{_GAP}{_NAME}{_GAP}{_DAY}",
        rf"{_DAY}[ \t_-]{{0,2}}{_OF}{_NAME}{_GAP}{_OF}{_SHORT_YEAR}",
        rf"{_NAME}[ \t_-]{{0,2}}{_DAY}{_TO}{_GAP}{_OF}{_YEAR}",
        r"(?P<first>\d\d?)(?P<gap>[./-])[ ]?(?P<second>\d\d?)(?P=gap)[ ]?(?P<year>(?:1[89]|20)\d\d)(?!\d)",
        r"(?P<first>\d\d?)(?P<gap>/)(?P<second>\d\d?)/(?P<year>\d\d)(?![\d/])",
        r"(?P<first>\d\d)(?P<gap>\.)(?P<second>\d\d)\.(?P<year>\d\d)(?![\d.])",
        rf"{_DAY}[ \t_-]{{0,2}}{_OF}{_NAME}",
        rf"{_NAME}[ \t_-]{{0,2}}{_DAY}",
        rf"{_NAME}[ ]?(?:&|and|und|et|y|to|[-–/])[ ]?(?:{_ANY_NAME}){_GAP}{_YEAR}",
        rf"{_NAME}(?:{_GAP})?{_OF}{_YEAR}",
        rf"{_YEAR}{_GAP}{_NAME}",
        r"(?P<year>(?:1[89]|20)\d\d)[-_./](?P<month>0[1-9]|1[0-2])(?!\d)",
    )
) + tuple(
    re.compile(rf"(?<!\d){form}")  # Chinese, Japanese and Korean, whose words stand together
    for form in (
        r"(?:(?P<year>(?:1[89]|20)\d\d)[ ]?[年년][ ]?)?(?P<month>\d\d?)[ ]?[月월][ ]?(?P<day>\d\d?)[ ]?[日号號일]",
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
        return _iso(chosen, month or 0, day)


def written_dates(text: str) -> list[WrittenDate]:
    """Return the dates in `text` by their places; impossible days, such as 30 February, are left out."""
    found: list[WrittenDate] = []
    taken = bytearray(len(text))
    for form in _FORMS:
        for match in form.finditer(text):
            start, end = match.span()
            if taken.find(1, start, end) < 0:
                taken[start:end] = b"\1" * (end - start)
                if (one := _read(match)) is not None:
                    found.append(one)
    return sorted(found, key=lambda one: one.start)


def _read(match: re.Match[str]) -> WrittenDate | None:
    parts = {"name": None, "first": None} | match.groupdict()
    year = _year(parts.get("year"))
    if parts["first"] is not None:
        return _numeric(match, int(parts["first"]), int(match["second"]), year)
    month = _MONTHS[parts["name"].casefold()] if parts["name"] else int(match["month"])
    day = None if parts.get("day") is None else int(match["day"])
    if year is None and parts["name"] in ("may", "mar", "march", "mars", "ago", "sept"):
        return None  # "in 3 may": a verb or another word in small letters
    return None if _iso(year or 2000, month, day) is None else WrittenDate(*match.span(), year, month, day)


def _numeric(match: re.Match[str], first: int, second: int, year: int | None) -> WrittenDate | None:
    """Read 03/04/2021: with points the day is first, else either may be."""
    by_day = _iso(year or 2000, second, first) is not None
    by_month = match["gap"] != "." and _iso(year or 2000, first, second) is not None
    if by_day:
        shown: Order | None = None if by_month or match["gap"] == "." else "day first"
        return WrittenDate(*match.span(), year, second, first, swapped=by_month and first != second, order=shown)
    return WrittenDate(*match.span(), year, first, second, order="month first") if by_month else None


def _year(digits: str | None) -> int | None:
    """Return a year; one of two digits is at most 2068, as POSIX has it."""
    if digits is None:
        return None
    year = int(digits.lstrip("'’"))
    return year if year > 99 else year + (2000 if year < 69 else 1900)


def _iso(year: int, month: int, day: int | None) -> str | None:
    try:
        return date(year, month, 1 if day is None else day).isoformat()[: 7 if day is None else 10]
    except ValueError:
        return None
