"""The dates of a document: of the whole, of the sections that headings date, and of the lines of a chat or a log."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import PurePosixPath
from typing import Final

from core.dates import LOCALE_WEEKDAY, WEEKDAY, WEEKDAYS, now, weekday_number
from core.dates.locale_words import LOCALE_WORDS
from core.dates.reading import Order, WrittenDate, written_dates
from core.regex import regex
from graph.text.languages import classify, is_surely_english
from ingest.document.terms import header_in, lines_above_quotes
from ingest.english.date_phrases import date_phrases

#: How far into a document its own date is looked for, in characters and in lines that say something: of fields, others.
REACH: Final = 3_000
_FIELDS: Final = 20
#: How much of a document is read for its order of day and month.
_OWN_ORDER: Final = 20_000
_OPENING: Final = 8
#: Longest line besides a field that gives the document's date.
_SHORT: Final = 120
#: Most words of such a line.
_WORDS: Final = 14
#: Bars from which on a line is a row of a table with more than a name and its value: of something else.
_ROW_BARS: Final = 4
#: How many folders above a file may tell of its date.
_FOLDERS: Final = 3

_DAY_NAME: Final = rf"(?:{LOCALE_WEEKDAY}|(?:{WEEKDAY})(?:day)?)\b[.,]?"
#: Articles before a day in other languages.
_ARTICLE: Final = r"(?:am|den|dem|der|vom|le|du|el|del|la|il|o|a|em|op|de|dnia|w|в)\b"
_FIELD: Final = regex(
    r"[ \t>*_#|+-]*+(?:date(?: of (?:the )?meeting)?|meeting date|date and time|when|day|sent|"
    r"created(?: on| at)?|held(?: on)?|written|"
    r"decided(?: on)?|decision date|published(?: on)?)\b[ \t:*_|=-]*(?P<said>.{4,80})",
    re.I,
)
#: From here on a mail holds what others wrote earlier.
_QUOTED: Final = regex(r"^[ \t]*(?:>|On\b.{4,200}\bwrote:|-{2,} ?(?:Original|Forwarded))", re.M)
_LEAD: Final = regex(rf"(?:the |on |{_ARTICLE}|{_DAY_NAME}|[\W_])*+", re.I)
_WORD: Final = regex(r"[^\W\d_]+")
_BULLET: Final = regex(r"[ \t]*(?:[-*+•]|\d+[.)])[ \t]")
_SPEAKS: Final = regex(r"\W*(?:I|we|he|she|they|you|it|this|there)\b", re.I)
_HEADING: Final = regex(r"[ \t]*#{1,6}[ \t]|[ \t]*(?:\*\*|__)[^*_]+(?:\*\*|__)[ \t]*$|=+[ ].*")
#: What tells of another day than the document's own.
_OTHER: Final = regex(
    r"\b(?:next|previous|prior|last|upcoming|future|past|deadline|due|expir\w+|valid|effective|copyright|born|birth\w*|"
    r"target|eta|closed|scheduled|updated|modified|reschedul\w+|postponed|moved|until|till|back to|"
    r"action items from)\b|©|"
    rf"\b(?:by|before|since|after|to|through)\W{{0,3}}(?:{_DAY_NAME}\W?)?$",
    re.I,
)
#: A line that begins with a word in small letters behind another one, and ends as sentences do.
_ENDED_WORDS: Final = regex(r"\A\W*[^\W\d_]+ [a-z]{2,}\b.*[.!?]\s*\Z")
_YEAR: Final = regex(r"(?<![^\W_])(?<!\.)(?:19|20)\d\d(?![^\W_]|\.\d)")
_YEAR_FOLDER: Final = regex(r"\D{0,20}((?:19|20)\d\d)\D{0,20}")
_MONTH_DAY: Final = regex(r"(?<![\d])(\d\d?)[-_.](\d\d?)(?!\d)")
_NUMBER: Final = regex(r"\D{0,40}?(?<!\d)(\d\d?)(?:st|nd|rd|th)?(?!\d)\D*")
#: Between letters and a day in eight digits: `GMT20240304-150000`.
_DIGITS: Final = regex(r"(?<=[A-Za-z])(?=(?:19|20)\d{6}(?![^\W_]))")
_WEEK: Final = regex(r"(?<![^\W_])((?:19|20)\d\d)-?W(\d\d)(?!\d)", re.I)


@dataclass(frozen=True, slots=True)
class ItemDate:
    """A day or month in ISO 8601, and where it stands: `title`, `text`, `file name` or `folder`."""

    iso: str
    source: str

    @property
    def is_day(self) -> bool:
        """Whether it is more than a month."""
        return len(self.iso) > len("2024-03")


def item_date(
    content: str,
    title: str | None = None,
    path: PurePosixPath | None = None,
    *,
    order: Callable[[], Order | None] = lambda: None,
    near: date | None = None,
) -> ItemDate | None:
    """Return the document's own date, None where it can't be told.

    `order` says how day and month stand in the folder and is asked only where it matters. A date without a year is in
    the year nearest to `near` that is not in the future, else in a year that the text or the path names.
    """
    own: list[Order | None] = []

    def known() -> Order | None:
        if not own:
            own.append(shown_order([content[:_OWN_ORDER]]) or _usual_order(content) or order())
        return own[0]

    named = None if path is None else _named(path, known)
    title = None if path is not None and title in (path.name, path.stem) else title
    opening = _before_quoted(content[:REACH]).splitlines()
    lines = [line for line in opening if line.strip() and line.count("|") < _ROW_BARS]
    completed = _Completed(known, near or _day(named), _year_near(title, lines[:_OPENING], path))
    sure = [*completed.all(_sure(title, lines))]
    weak = [*completed.all((line, "text") for line in _weak(lines))]
    names = [] if named is None else [named]
    found = [*sure, *names, *weak]
    if not found or found[0].is_day:
        return next(iter(found), None)
    within = (one for one in found if one.is_day and one.iso.startswith(found[0].iso))
    return next(within, next((one for one in names if one.is_day), found[0]))


def _before_quoted(text: str) -> str:
    """Return the part of a mail's text that is above what others wrote earlier."""
    own = _QUOTED.split(text, maxsplit=1)[0]
    return own[: next((start for start, _ in lines_above_quotes(own)), len(own))]


def is_of_something_else(text: str, one: WrittenDate) -> bool:
    """Whether what stands before a date in a line makes it another day than that of the text."""
    return _OTHER.search(text[: one.start]) is not None


def shown_order(texts: Iterable[str]) -> Order | None:
    """Return the order of day and month that the dates of these texts show, None if they show none or both alike."""
    counts = Counter(one.order for text in texts for one in written_dates(text) if one.order is not None)
    ranked = counts.most_common(2)
    return None if not ranked or (len(ranked) > 1 and ranked[0][1] < 10 * ranked[1][1]) else ranked[0][0]


def _usual_order(text: str) -> Order | None:
    """Return the order that the language of a text has, where English has two."""
    return "day first" if not is_surely_english(text) and classify(text) in LOCALE_WORDS else None


@dataclass(frozen=True, slots=True)
class _Completed:
    """Dates with what they lack: the order of their numbers, and the year."""

    order: Callable[[], Order | None]
    near: date | None
    year: int | None

    def all(self, said: Iterable[tuple[str, str]]) -> Iterator[ItemDate]:
        """Yield the first date of each line with where it stands, unless it is of something else."""
        for text, source in said:
            for one in written_dates(text):
                if not is_of_something_else(text, one) and (iso := self.iso(one)) is not None:
                    is_span = one.day is None and len(written_dates(text)) > 1
                    if not is_span:
                        yield ItemDate(iso, source)
                    break

    def iso(self, one: WrittenDate) -> str | None:
        order = self.order() if one.swapped else None
        if one.year is not None or self.near is None:
            return one.iso(order, year=self.year)
        near = self.near
        days = [one.iso(order, year=near.year + step) for step in (-1, 0, 1)]
        past = [day for day in days if day and date.fromisoformat(day) <= now().date()]
        return min(past, key=lambda day: abs(date.fromisoformat(day) - near), default=None)


def _sure(title: str | None, lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    begin = _first_section(lines)
    yield from _fields(lines[: min(begin, _FIELDS)])
    if title is not None:
        yield title[:_SHORT], "title"
    for number, line in enumerate(lines[:_OPENING]):
        if len(line) <= _SHORT and (_HEADING.match(line) or _holds_only_a_date(line) or _is_title(number, lines)):
            yield line, "text"
    yield from _fields(lines[begin:_FIELDS])


def _first_section(lines: Sequence[str]) -> int:
    """Return the number of the first heading below prose: fields under it are about the matter of a section."""
    below_prose = False
    for number, line in enumerate(lines[:_FIELDS]):
        if _HEADING.match(line) and below_prose:
            return number
        below_prose |= _is_statement(line) and ":" not in line[:_SHORT]
    return len(lines)


def _fields(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        if (said := _dated_field(line)) is not None:
            first = next(iter(written_dates(said)), None)
            if first is not None and _LEAD.fullmatch(said[: first.start]):
                yield said, "text"


def _dated_field(line: str) -> str | None:
    """Return what the field of a date holds in any language; None if a line is no such field."""
    if (english := _FIELD.match(line)) is not None:
        return english["said"]
    header = header_in(line, is_mail=True)
    return line[header[1] :][:_SHORT] if header is not None and header[0] in ("date", "sent") else None


def _is_title(number: int, lines: Sequence[str]) -> bool:
    """Whether a line is the first of several, and no statement."""
    return number == 0 and len(lines) > 1 and not _is_statement(lines[0])


#: "2026 г.", "2026 r.": no sentence ends there.
_YEAR_SIGN: Final = regex(r"\d[ ]?[гr]\.\s*\Z")


def _is_statement(line: str) -> bool:
    """Whether a line is a sentence, the beginning of one, or an entry of a list."""
    ended = line.rstrip().endswith((".", "!", "?", ",", ";")) and _YEAR_SIGN.search(line) is None
    is_sentence = ended or len(_WORD.findall(line)) > _WORDS
    return is_sentence or _BULLET.match(line) is not None or _SPEAKS.match(line) is not None


def _weak(lines: Sequence[str]) -> Iterator[str]:
    """Yield first lines that may give the date among other words: a time stamp, or a line that is no sentence."""
    for line in lines[:_OPENING]:
        first = next(iter(written_dates(line[:_SHORT])), None)
        if first is None:
            continue
        is_stamp = first.day is not None and _LEAD.fullmatch(line[: first.start])
        if is_stamp or (len(line) <= _SHORT and len(lines) > 1 and not _is_statement(line)):
            yield line[:_SHORT]


def _holds_only_a_date(line: str) -> bool:
    rest, end = "", 0
    if _ENDED_WORDS.search(line):
        return False
    for one in written_dates(line):
        rest, end = rest + line[end : one.start], one.end
    words = _WORD.findall(re.sub(_DAY_NAME, "", rest + line[end:], flags=re.I)) if end else ["none"]
    return len(words) <= 4 and all(len(word) <= 4 for word in words) and _BULLET.match(line) is None


def _year_near(title: str | None, lines: Sequence[str], path: PurePosixPath | None) -> int | None:
    """Return the year that stands in the path, else in the title or the first lines."""
    folders = [] if path is None else [path.stem, *(folder.name for folder in path.parents)][: _FOLDERS + 1]
    for text in (*folders, title or "", *(line[:_SHORT] for line in lines)):
        years = [one.year for one in written_dates(text) if one.year is not None]
        years += [int(match[0]) for match in _YEAR.finditer(text)]
        if years:
            return years[0]
    return None


def _named(path: PurePosixPath, order: Callable[[], Order | None]) -> ItemDate | None:
    """Return the date that a file's name gives, with what the folders above it add, else that of a folder."""
    folders = [folder.name for folder in path.parents][:_FOLDERS]
    of_folders = [found for folder in folders if (found := _in_name(folder, order)) is not None]
    own = _in_name(path.stem, order)
    if own is not None and len(own) > len("2024-03"):
        return ItemDate(own, "file name")
    if (joined := _joined(path.stem, folders)) is not None:
        return ItemDate(joined, "file name")
    day = next((found for found in of_folders if len(found) > len("2024-03")), None)
    if own is not None and not (day or "").startswith(own):
        return ItemDate(own, "file name")
    if day is not None or of_folders:
        return ItemDate(day or of_folders[0], "folder")
    return None


def _in_name(name: str, order: Callable[[], Order | None]) -> str | None:
    """Return the first day, else the first month, that a name holds with its year."""
    if week := _WEEK.search(name):
        try:
            return date.fromisocalendar(int(week[1]), int(week[2]), 1).isoformat()
        except ValueError:
            return None
    dates = written_dates(_DIGITS.sub(" ", name))
    found = [iso for one in dates if (iso := one.iso(order() if one.swapped else None)) is not None]
    return max(found, key=len, default=None)


def _joined(stem: str, folders: Sequence[str]) -> str | None:
    """Return the date of `10-08` or `March 12` in a folder of a year, `08` in one of a month, `10` in one of a year."""
    year, month = _year_and_month(folders)
    if year is None:
        return None
    if (one := next(iter(written_dates(stem.title())), None)) is not None and one.year is None:
        return one.iso(year=year)
    if pair := _MONTH_DAY.search(stem):
        first, second = int(pair[1]), int(pair[2])
        return WrittenDate(0, 0, year, *((second, first) if first > 12 else (first, second))).iso()
    number = _NUMBER.fullmatch(stem)
    if number is not None:
        if month is not None:
            return WrittenDate(0, 0, year, month, int(number[1])).iso()
        return WrittenDate(0, 0, year, int(number[1]), None).iso() if len(stem) <= 2 else None
    return next((found.iso() for found in written_dates(f"{stem} {year}")), None)


def _year_and_month(folders: Sequence[str]) -> tuple[int | None, int | None]:
    """Return what the folders above a file give, the nearest first."""
    month: int | None = None
    for place, folder in enumerate(folders):
        if (one := next((one for one in written_dates(folder) if one.year is not None), None)) is not None:
            return one.year, one.month
        if match := _YEAR_FOLDER.fullmatch(folder):
            return int(match[1]), month
        if place == 0:
            number = _NUMBER.fullmatch(folder)
            named = next(iter(written_dates(f"{folder} 2000")), None)
            month = named.month if named else int(number[1]) if number and len(folder) <= 2 else None
    return None, None


def _day(found: ItemDate | None) -> date | None:
    return None if found is None else date.fromisoformat(f"{found.iso}-15"[:10])


#: How much of a heading is read, and of a document for its order of day and month, in characters.
_READ, _ORDER_READ = 200, 20_000
#: Most words before the day of a heading, weekdays aside.
_WORDS_BEFORE: Final = 3
#: Longest line that is a day alone, in characters.
_LONGEST: Final = 60
_LONGER_WORD: Final = regex(r"[^\W\d_]{2,}")
_SECTION_WEEKDAY: Final = rf"(?P<weekday>{LOCALE_WEEKDAY}|(?:{WEEKDAY})(?=day\b|\b))(?:day)?\b"
_WEEKDAYS: Final = regex(_SECTION_WEEKDAY, re.I)
_YEAR_ALONE: Final = regex(r"\W*(?:year )?((?:19|20)\d\d)\W*", re.I)
_DAY_ALONE: Final = regex(rf"\W*(?:{_SECTION_WEEKDAY}\W*)?(?P<number>\d{{1,2}})(?:st|nd|rd|th)?\W*", re.I)
_ONLY_WEEKDAY: Final = regex(rf"\W*{_SECTION_WEEKDAY}\W*", re.I)
_FIRST_LEVEL: Final = regex(r"^#[ \t][^\n]{1,200}", re.M)


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
        if (year := _YEAR_ALONE.fullmatch(heading)) is not None:
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
        number = _DAY_ALONE.fullmatch(heading)
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
    return len(_LONGER_WORD.findall(_WEEKDAYS.sub(" ", heading[: first.start])))


_STAMP: Final = regex(
    r"(?<!\d)(?:(?P<iso>\d{4}-\d\d-\d\d)(?!\d)|(?P<first>\d{1,2})[/.](?P<second>\d{1,2})[/.](?P<year>\d{4}|\d\d)(?!\d))"
)
#: A line between the messages of a chat, or above the notes of one day, that holds nothing but its date.
_ONLY_DAY: Final = regex(
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
