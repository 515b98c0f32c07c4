"""The days that headings give the text below them: in a journal or log of one file each section has its own."""

import re
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Final

from core.dates import WEEKDAY, now, weekday_number
from core.dates.written_dates import Order, WrittenDate, written_dates
from ingest.document.item_date import is_of_something_else, shown_order

#: How much of a heading is read, and of a document for its order of day and month, in characters.
_READ, _ORDER_READ = 200, 20_000
#: Most words before the day of a heading, weekdays aside.
_WORDS_BEFORE: Final = 3
#: Longest line that is a day alone, in characters.
_LONGEST: Final = 60
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_DAY_NAME: Final = rf"(?P<weekday>(?:{WEEKDAY}))(?:day)?\b"
_WEEKDAYS: Final = re.compile(_DAY_NAME, re.I)
_YEAR: Final = re.compile(r"\W*(?:year )?((?:19|20)\d\d)\W*", re.I)
_NUMBER: Final = re.compile(rf"\W*(?:{_DAY_NAME}\W*)?(?P<number>\d{{1,2}})(?:st|nd|rd|th)?\W*", re.I)
_ONLY_WEEKDAY: Final = re.compile(rf"\W*{_DAY_NAME}\W*", re.I)
_FIRST_LEVEL: Final = re.compile(r"^#[ \t][^\n]{1,200}", re.M)


@dataclass(frozen=True, slots=True)
class _Named:
    """What a heading of a level, or one above it, says of the day."""

    level: int
    year: int | None = None
    month: int | None = None
    day: date | None = None


@dataclass(slots=True)
class SectionDays:
    """The days of the headings of a text, which are entered in their order.

    A day without a year is in that of a heading above, else in the one nearest to the day before it, at first to
    `written`; no day is later than `written` and today.
    """

    content: str
    written: date
    _above: list[_Named] = field(default_factory=list)
    _near: date | None = None
    _is_first: bool = True

    @property
    def day(self) -> date | None:
        """The day of the section that was entered last, None if no heading gives it one."""
        return self._above[-1].day if self._above else None

    def enter(self, level: int, heading: str) -> None:
        """Enter the section below a heading, which ends those of its level and below."""
        while self._above and self._above[-1].level >= level:
            self._above.pop()
        above = self._above[-1] if self._above else _Named(0)
        named = self._named(level, heading[:_READ], above)
        if self._is_first and level == 1 and named.day is not None and not self._has_several():
            named = _Named(level, named.day.year, named.day.month)  # the title of the whole document
        self._is_first = False
        self._above.append(named)

    def _has_several(self) -> bool:
        titles = _FIRST_LEVEL.findall(self.content)
        return sum(bool(written_dates(title)) for title in titles[:100]) > 1

    def _named(self, level: int, heading: str, above: _Named) -> _Named:
        inherited = _Named(level, above.year, above.month, above.day)
        dates = written_dates(heading)
        if dates and (is_of_something_else(heading, dates[0]) or _words_before(heading, dates[0]) > _WORDS_BEFORE):
            return inherited
        days = [one for one in dates if one.day is not None]
        if len(days) == 1:
            day = self._resolved(days[0], above.year)
            return inherited if day is None else self._of(level, day)
        if len(days) > 1 or (above.day is not None and not _ONLY_WEEKDAY.fullmatch(heading)):
            return inherited
        if (year := _YEAR.fullmatch(heading)) is not None:
            return _Named(level, int(year[1]))
        if (month := next(iter(dates or written_dates(f"1 {heading.strip()} 2000")), None)) is not None:
            return _Named(level, dates[0].year or above.year if dates else above.year, month.month)
        day = self._numbered(heading, above) or self._of_week(heading)
        return inherited if day is None else self._of(level, day)

    def _of(self, level: int, day: date) -> _Named:
        self._near = day
        return _Named(level, day.year, day.month, day)

    def _resolved(self, one: WrittenDate, year: int | None) -> date | None:
        """Return the day that is meant: of several years and orders the one nearest to the day before."""
        near = self._near or self.written
        years = [one.year or year] if one.year or year else [near.year + step for step in (-1, 0, 1)]
        shown = shown_order([self.content[:_ORDER_READ]]) if one.swapped else None
        orders: tuple[Order | None, ...] = (shown,) if shown or not one.swapped else ("day first", "month first")
        isos = [one.iso(order, year=each) for order in orders for each in years]
        days = [date.fromisoformat(iso) for iso in isos if iso is not None]
        return min((day for day in days if day <= self._latest()), key=lambda day: abs(day - near), default=None)

    def _latest(self) -> date:
        return max(self.written, now().date())

    def _numbered(self, heading: str, above: _Named) -> date | None:
        """Return the day of a heading such as "12" or "Thu 12" below that of a month."""
        number = _NUMBER.fullmatch(heading)
        if number is None or above.year is None or above.month is None:
            return None
        try:
            return date(above.year, above.month, int(number["number"]))
        except ValueError:
            return None

    def _of_week(self, heading: str) -> date | None:
        """Return the day of a heading that is the name of a weekday, in the week of the day before."""
        if (named := _ONLY_WEEKDAY.fullmatch(heading)) is None:
            return None
        near = self._near or self.written
        try:
            day = near + timedelta(days=weekday_number(named["weekday"]) - near.weekday())
        except OverflowError:
            return None
        return day if day <= self._latest() else None


def holds_only_a_day(line: str) -> bool:
    """Whether a line is a day, with or without its weekday, and nothing else."""
    dates = written_dates(line) if len(line) <= _LONGEST else []
    if len(dates) != 1 or dates[0].day is None:
        return False
    return not any(map(str.isalnum, _WEEKDAYS.sub(" ", line[: dates[0].start] + line[dates[0].end :])))


def _words_before(heading: str, first: WrittenDate) -> int:
    return len(_WORD.findall(_WEEKDAYS.sub(" ", heading[: first.start])))
