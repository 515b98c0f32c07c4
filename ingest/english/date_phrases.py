"""Dates in words, resolved against the day the text was written.

Days are the writer's, in the time zone of writing. Choices where usage differs: a time limit
without a clock time is the last moment of its day; "Friday" and "by Friday" are the next Friday after today, "this
Friday" may be today; "next Friday" is in the following calendar week (Monday first);
"this week" and "next week" end on Friday; "by March" and "in March" end with March; a day and month without a year is
the coming one (up to 30 days ago counts as this year's); numeric dates such as 03/04/2026 are only read when one order
is possible. "Before the weekend" ends on Friday.

What is told as past is read backwards instead: "Friday" is the last one, today included, and "22 April" the latest that
is not still to come.
"""

import calendar
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import count
from typing import Final

from core.dates import (
    COUNTS,
    MONTH_ABBREVIATION,
    MONTH_NAME,
    MONTH_STEM,
    WEEKDAY,
    coming_day,
    month_number,
    relative_weekday,
    weekday_number,
    zone,
)
from core.regex import regex


@dataclass(frozen=True, slots=True)
class DatePhrase:
    """A date in words: where it stands, the moment it means, and the word before it (`by`, `on`, … or empty).

    `full` is true if it names its year, and so means the same whenever it was written.
    """

    start: int
    end: int
    moment: datetime
    cue: str
    full: bool = False


_MONTH: Final = rf"(?P<{{0}}>{MONTH_NAME.title()}|{MONTH_ABBREVIATION.title()})\b\.?"
_DAY: Final = rf"(?P<{{0}}>{WEEKDAY})(?:day)?\b"
#: A weekday in front of a date says nothing that the date does not: "Friday, 13 March", "Tue 3/3/2026".
_WEEKDAY_BEFORE: Final = (
    rf"(?i:(?:(?:{WEEKDAY})(?:day)?\.?,? \(?(?:the )?"
    rf"(?=\d{{1,4}}(?![:\d]| ?[ap]m)|(?:{MONTH_STEM})[a-z]{{0,6}}\.? \d))?)"
)
#: What may follow the number of a day; before any other word it is the number of a thing: "by the 12th floor".
_AFTER_NTH: Final = (
    r"(?:and|but|or|so|at|to|if|as|because|since|while|when|where|which|who|for|in|via|with|then|please|latest|he|she|we|"
    r"they|I|you|it|is|will|instead|noon|of (?:this|next|the) month|\d)\b"
)
#: Holidays: with a fixed month and day, with the number of days after Easter, and of one weekday of a month.
_FIXED: Final = {
    "christmas eve": (12, 24), "boxing day": (12, 26), "christmas": (12, 25), "xmas": (12, 25),
    "new year's eve": (12, 31), "new year": (1, 1), "epiphany": (1, 6), "valentine's": (2, 14),
    "st patrick's day": (3, 17), "may day": (5, 1), "independence day": (7, 4), "halloween": (10, 31),
}  # fmt: skip
_BY_EASTER: Final = {
    "good friday": -2, "easter monday": 1, "easter": 0, "ascension day": 39, "pentecost": 49, "whitsun": 49,
    "whit monday": 50,
}  # fmt: skip
#: The month, the weekday, and which of them, counted from the end where negative.
_BY_WEEKDAY: Final = {"thanksgiving": (11, 3, 4), "memorial day": (5, 0, -1), "labor day": (9, 0, 1)}
_HOLIDAY: Final = "|".join(
    name.replace("'", "['’]?") + r"(?:['’]?s)?(?: day| sunday)?"
    for name in sorted({**_FIXED, **_BY_EASTER, **_BY_WEEKDAY}, key=len, reverse=True)
)
_PATTERN: Final = regex(
    r"(?<![\w/.-])(?:(?P<cue>(?i:by|before|until|till|due(?: on| by)?|no later than|not later than|on|in|within|for|"
    r"since|from|after|at|deadline|latest))"
    rf"(?: the)?(?: next| coming)??:?\s+)?{_WEEKDAY_BEFORE}(?:"
    r"(?P<iso>\d{4}-\d{2}-\d{2}|\d{4}/\d{1,2}/\d{1,2}|\d{4}\.\d{2}\.\d{2})(?!\d)"
    r"|(?P<numeric>\d{1,2}[./]\d{1,2}[./](?:\d{4}|\d{2}(?![./]\d)))(?!\d)"
    r"|(?P<point>\d{1,2}\.\d{1,2}\.)(?!\d|\.\d)"
    r"|(?P<slash>\d{1,2}/\d{1,2})(?![\d/])"
    rf"|(?i:(?P<end_of>(?:the )?(?:very )?(?:end|last day|beginning|start|middle) of "
    r"(?:the )?(?:(?P<end_which>this|next) )?)"
    rf"(?:(?P<end_unit>day|business|play|week|month|quarter|year)|{_MONTH.format('end_month')}"
    r"(?: (?P<end_month_year>\d{4}))?|Q(?P<end_quarter>[1-4])(?: (?P<end_quarter_year>\d{4}))?))\b"
    rf"(?i:,? (?:on )?(?:(?P<close_tomorrow>tomorrow)\b|{_DAY.format('close_day')}))?"
    rf"|(?P<mid>[Mm]id-|[Mm]id ){_MONTH.format('mid_month')}"
    rf"|(?i:(?P<day_first>\d{{1,2}})(?:st|nd|rd|"
    rf"th)?[ -](?:of )?{_MONTH.format('month_second')}(?:(?:,? |-)(?P<year_a>\d{{4}}))?)"
    rf"|(?i:{_MONTH.format('month_first')} (?P<day_second>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<year_b>\d{{4}}))?)"
    rf"|(?P<nth>\d{{1,2}})(?:st|nd|rd|th)\b(?! (?!{_AFTER_NTH})\w)(?P<nth_ahead> of next month)?"
    rf"|(?i:(?P<rank>first|second|third|fourth|last|[1-4](?:st|nd|rd|th)) {_DAY.format('rank_day')} (?:of|in) "
    rf"(?:(?P<rank_which>this|next|the) month|{_MONTH.format('rank_month')}(?: (?P<rank_year>\d{{4}}))?))"
    rf"|(?i:(?P<holiday>{_HOLIDAY}))(?: (?P<holiday_year>\d{{4}}))?\b(?! (?!{_AFTER_NTH})\w)"
    rf"|(?i:(?P<weeks_on>(?:{'|'.join(COUNTS)}|\d{{1,2}}) (?:weeks?|fortnights?)) "
    rf"(?:(?:from |after )?(?P<weeks_other>today|tomorrow)\b|(?:from|on|after) {_DAY.format('weeks_day')})"
    rf"|(?:(?P<week_today>today|tomorrow)|{_DAY.format('week_day')}) week\b|(?P<after_next>week after next)\b)"
    r"|(?P<quarter>Q[1-4])(?:[ /](?P<quarter_year>\d{4}))?\b"
    r"|(?i:(?P<unit_end>(?:week|month|quarter|year)['’]?s?[ -]end))\b"
    r"|(?i:(?P<weekend>(?:(?:this|next|over the|at the) )?weekend))\b"
    r"|(?i:(?P<short>EOD|COB|EOB|EOW|EOM|EOQ|EOY|close of business|(?:the )?day after tomorrow|tomorrow|today|tonight|"
    r"this (?:morning|afternoon|evening)|(?:the )?day before yesterday|yesterday|last night)\b"
    rf"(?: (?:on )?{_DAY.format('short_day')})?)"
    rf"|(?i:(?P<which>next|this|coming|last|the following) (?:(?P<unit>week|month|quarter|year)\b|"
    rf"{_DAY.format('which_day')}))"
    rf"|(?i:(?P<count>\d{{1,3}}|{'|'.join(COUNTS)}) "
    r"(?P<count_unit>hours?|(?:business |working )?days?|weeks?|months?|fortnight)"
    r"(?P<ago> ago)?(?P<hence>(?:['’] time)? (?:from (?:now|today)|hence))?)\b"
    r"|(?i:(?P<week>(?:(?:calendar )?week|CW|KW|(?P<week_year>\d{4})-?W|(?-i:W)(?=\d\d\b)) ?"
    r"(?P<week_number>\d{1,2})))\b"
    rf"|(?i:{_DAY.format('weekday')}(?P<of_next>(?: of)? next week)?)"
    rf"|{_MONTH.format('month_alone')}(?: (?P<month_alone_year>\d{{4}}))?"
    r"|(?P<soon>(?i:noon|midday|midnight|lunch(?:time)?)|(?:[01]?\d|2[0-3]):[0-5]\d\b|\d{1,2} ?[ap]m\b)"
    r")"
)
#: A time of day this near in front of a date, in characters, belongs to it.
_CLOCK_REACH: Final = 12
#: Groups that name no day.
_SPANS: Final = (
    "end_of", "mid_month", "quarter", "unit_end", "weekend", "unit", "week", "after_next", "month_alone", "soon",
)  # fmt: skip
#: Groups that name a year.
_FULL: Final = ("iso", "numeric", "week_year", "year_a", "year_b")
_CLOCK: Final = regex(
    r"(?:at |by |,? )?(?:(?<!\d)(\d{1,2})(?::(\d{2}))?\s?([ap])\.?m\b\.?|(?<![\d.:])([01]?\d|2[0-3]):([0-5]\d)\b)", re.I
)
#: Only after these does a month without a day mean its time: "May" begins sentences and "March" is a verb.
_MONTH_CUES: Final = frozenset({"by", "before", "until", "till", "due", "due by", "in", "no later than", "since",
    "deadline"})  # fmt: skip
#: A year of fewer digits is of this century.
_CENTURY: Final = 100
_COUNT_CUES: Final = frozenset({"in", "within", "due in"})
#: After these a time of day, or the number of a day, is a limit.
_LIMIT_CUES: Final = frozenset({"by", "before", "until", "till", "due", "due by", "due on", "no later than",
    "not later than", "deadline", "latest"})  # fmt: skip
#: Text before the date that closes an entry of a list: "Cut-over plan - Dana - 09.04.", "Data model (Wed)".
_CLOSES: Final = regex(r"(?: [-–—|→]|[(,;:|]|->) *\Z")
#: How far back it may be in a text about the past; a day of the coming weeks is not in the past.
_LONG_PAST: Final = timedelta(days=300)


def date_phrases(text: str, written: datetime | None, *, past: bool = False) -> Iterator[DatePhrase]:
    """Yield the dates in `text` that have one meaning for a text written at `written`; impossible ones are skipped.

    Where it isn't known when the text was written, only those that name their year have one.
    With `past` only days are yielded; they are read backwards, and those still to come are skipped.
    """
    matches = list(_PATTERN.finditer(text))
    for number, match in enumerate(matches):
        if match["soon"] is not None and _is_clock_of_another(number, matches):
            continue
        cue = (match["cue"] or "").casefold()
        try:
            today = date.max if written is None else written.date()
            day = _resolve(match, cue, today)
            day = _backwards(match, day, today) if past and day is not None else day
        except (ValueError, OverflowError):
            continue
        if day is not None:
            full = any(match[name] for name in _FULL)
            if full or written is not None:
                yield DatePhrase(match.start(), match.end(), _moment(text, match, day, written), cue, full)


def _is_clock_of_another(number: int, matches: Sequence[re.Match[str]]) -> bool:
    """Whether a time of day belongs to the date before or behind it."""
    match, following = matches[number], matches[number + 1 : number + 2]
    before = number > 0 and match.start() - matches[number - 1].end() <= len(", ")
    return before or any(other.start() - match.end() <= _CLOCK_REACH for other in following)


def _moment(text: str, match: re.Match[str], day: date, written: datetime | None) -> datetime:
    """Add the clock time that stands beside the date, else the last moment of the day; hours are exact."""
    here = zone() if written is None else written.tzinfo
    if written is not None and written.time() != time.min and (match["count_unit"] or "").casefold().startswith("hour"):
        return (written.astimezone(UTC) + _hours(match)).astimezone(here)
    own = _CLOCK.fullmatch(match["soon"]) if match["soon"] else None
    clock = own or _CLOCK.match(text, match.end()) or _CLOCK.match(text, match.end() + 1)
    if clock is None:
        before = list(_CLOCK.finditer(text, max(0, match.start() - _CLOCK_REACH), match.start()))
        clock = before[-1] if before and not text[before[-1].end() : match.start()].strip(" ,on") else None
    if clock is None:
        return datetime.combine(day, time.max, here)
    if clock[3]:
        hour, minute = int(clock[1]) % 12 + (12 if clock[3].lower() == "p" else 0), int(clock[2] or 0)
        return datetime.combine(day, time(hour, min(minute, 59)), here)
    return datetime.combine(day, time(int(clock[4]), int(clock[5])), here)


def _hours(match: re.Match[str]) -> timedelta:
    word = match["count"].casefold()
    amount = timedelta(hours=COUNTS[word] if word in COUNTS else int(word))
    return -amount if match["ago"] else amount


def _resolve(match: re.Match[str], cue: str, today: date) -> date | None:
    for name, rule in _RULES.items():
        if match[name] is not None:
            return rule(match, cue, today)
    return None


def _backwards(match: re.Match[str], day: date, today: date) -> date | None:
    """Return the latest such day that is not still to come, None if there is none that is near enough."""
    if any(match[name] for name in _SPANS) or (match["count_unit"] or "").casefold().startswith("month"):
        return None
    if day <= today:
        return day
    if match["weekday"] is not None or (match["which_day"] is not None and match["which"].casefold() == "this"):
        return day - timedelta(days=7)
    if match["nth"] is not None:
        year, month = divmod(today.year * 12 + today.month - 1 - (int(match["nth"]) > today.day), 12)
        return date(year, month + 1, int(match["nth"]))
    if (match["day_first"] or match["day_second"]) and not (match["year_a"] or match["year_b"]):
        found = day.replace(year=day.year - 1)
        return found if found >= today - _LONG_PAST else None
    return None


def _iso(match: re.Match[str], _cue: str, _today: date) -> date:
    return date(*map(int, re.split("[-/.]", match["iso"])))


def _numeric(match: re.Match[str], cue: str, _today: date) -> date | None:
    """Read a date of three numbers; a year of two digits only after a word that sets a limit."""
    first, second, year = (int(part) for part in re.split(r"[./]", match["numeric"]))
    if year < _CENTURY:
        if cue not in _LIMIT_CUES | {"on"}:
            return None
        year += 2000
    if "." in match["numeric"] or first > 12 or first == second:
        return date(year, second, first)
    return date(year, first, second) if second > 12 else None


def _point(match: re.Match[str], cue: str, today: date) -> date | None:
    """Read "15.3." as day and month, after a word that sets a limit or where it closes a line behind a dash.

    Elsewhere it may be the number of a section.
    """
    closes = _CLOSES.search(match.string, 0, match.start()) and not match.string[match.end() :].strip(" )|]*_")
    if cue not in _LIMIT_CUES | {"on"} and not closes:
        return None
    day, month = (int(part) for part in match["point"].strip(".").split("."))
    return _coming(month, day, None, today)


def _slash(match: re.Match[str], cue: str, today: date) -> date | None:
    """Read "by 3/27" and "by 27/3" where only one of the numbers can be a month."""
    first, second = map(int, match["slash"].split("/"))
    if cue not in _LIMIT_CUES | {"on"} or (first <= 12 and second <= 12 and first != second):
        return None
    return _coming(min(first, second), max(first, second), None, today)


def _nth(match: re.Match[str], cue: str, today: date) -> date | None:
    """Read "by the 22nd" as the coming 22nd."""
    if cue not in _LIMIT_CUES | {"on"}:
        return None
    day = int(match["nth"])
    later = bool(match["nth_ahead"]) or today.day > day
    year, month = divmod(today.year * 12 + today.month - 1 + later, 12)
    return date(year, month + 1, day)


def _unit_end_word(match: re.Match[str], _cue: str, today: date) -> date:
    unit = re.split(r"['’ s-]", match["unit_end"].casefold())[0]
    return _unit_end(unit, ahead=False, today=today)


def _rank(match: re.Match[str], _cue: str, today: date) -> date | None:
    """Read "the first Monday of June" and "the last Friday of the month"."""
    rank, weekday = match["rank"].casefold(), weekday_number(match["rank_day"])
    which = (
        -1
        if rank == "last"
        else ("first", "second", "third", "fourth").index(rank) + 1
        if rank.isalpha()
        else int(rank[0])
    )
    if match["rank_which"]:
        months = today.year * 12 + today.month - 1 + (match["rank_which"].casefold() == "next")
        return _weekday_of(months // 12, months % 12 + 1, weekday, which)
    month = month_number(match["rank_month"])
    if match["rank_year"]:
        return _weekday_of(int(match["rank_year"]), month, weekday, which)
    return coming_day(lambda year: _weekday_of(year, month, weekday, which), today)


def _holiday(match: re.Match[str], cue: str, today: date) -> date | None:
    """Read "by Easter" as the coming one; without such a word it mostly tells which: "the Easter poster"."""
    if cue not in _LIMIT_CUES | {"on", "at"}:
        return None
    if match["holiday_year"]:
        return _holiday_in(int(match["holiday_year"]), match["holiday"])
    found = _holiday_in(today.year, match["holiday"])
    return found if found >= today else _holiday_in(today.year + 1, match["holiday"])


def _holiday_in(year: int, called: str) -> date:
    called = called.casefold().replace("’", "'")
    for name, (month, day) in _FIXED.items():
        if called.replace("'", "").startswith(name.replace("'", "")):
            return date(year, month, day)
    for name, days in _BY_EASTER.items():
        if called.startswith(name):
            return _easter(year) + timedelta(days=days)
    return next(_weekday_of(year, *rule) for name, rule in _BY_WEEKDAY.items() if called.startswith(name))


def _easter(year: int) -> date:
    """Return Easter Sunday of the Gregorian calendar, by the algorithm of Meeus, Jones and Butcher."""
    century, rest = divmod(year, 100)
    golden = year % 19
    moon = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    sunday = (32 + 2 * (century % 4) + 2 * (rest // 4) - moon - rest % 4) % 7
    late = (golden + 11 * moon + 22 * sunday) // 451
    month, day = divmod(moon + sunday - 7 * late + 114, 31)
    return date(year, month, day + 1)


def _weekday_of(year: int, month: int, weekday: int, which: int) -> date:
    """Return the first (1) to fourth, or the last (-1), of a weekday in a month."""
    days = [day for day in calendar.Calendar().itermonthdates(year, month) if day.month == month]
    found = [day for day in days if day.weekday() == weekday]
    return found[which if which < 0 else which - 1]


def _weeks_on(match: re.Match[str], _cue: str, today: date) -> date:
    """Read "a week from Friday", "two weeks on Monday" and "a fortnight from tomorrow"."""
    word, unit = match["weeks_on"].casefold().rsplit(" ", 1)
    weeks = (COUNTS[word] if word in COUNTS else int(word)) * (2 if unit.startswith("fortnight") else 1)
    if match["weeks_day"]:
        first = relative_weekday("coming", match["weeks_day"], today)
    else:
        first = today + timedelta(days=match["weeks_other"].casefold() == "tomorrow")
    return first + timedelta(days=7 * weeks)


def _week_later(match: re.Match[str], _cue: str, today: date) -> date:
    """Read "Friday week" and "today week"."""
    if match["week_today"]:
        return today + timedelta(days=7 + (match["week_today"].casefold() == "tomorrow"))
    return relative_weekday("coming", match["week_day"], today) + timedelta(days=7)


def _after_next(_match: re.Match[str], _cue: str, today: date) -> date:
    return today + timedelta(days=18 - today.weekday())


def _weekend(match: re.Match[str], cue: str, today: date) -> date | None:
    """Read "before the weekend" as this week's Friday, and "this weekend" as its Sunday."""
    if (which := match["weekend"].casefold().removesuffix("weekend")) != "":
        return today + timedelta(days=6 - today.weekday() + (7 if which == "next " else 0))
    friday = today + timedelta(days=4 - today.weekday())
    return friday if cue in ("by", "before", "until", "till") and friday >= today else None


def _week(match: re.Match[str], cue: str, today: date) -> date | None:
    """Read a week's number as the Friday of the coming ISO week of that number."""
    if match["week_year"]:
        return date.fromisocalendar(int(match["week_year"]), int(match["week_number"]), 5)
    if match["week"].startswith("W") and match["week"][1:].isdecimal() and cue not in _LIMIT_CUES:
        return None
    return coming_day(lambda year: date.fromisocalendar(year, int(match["week_number"]), 5), today)


def _soon(_match: re.Match[str], cue: str, today: date) -> date | None:
    """Read "by noon" and "at 5 pm" as today's."""
    return today if cue in _LIMIT_CUES | {"at"} else None


def _end_of(match: re.Match[str], _cue: str, today: date) -> date | None:
    opening = match["end_of"].casefold().removeprefix("the ").removeprefix("very ")
    if opening.startswith("middle") and match["end_month"]:
        year = int(match["end_month_year"]) if match["end_month_year"] else None
        return _coming(month_number(match["end_month"]), 15, year, today)
    if opening.startswith(("beginning", "start")):
        return _begin_of(match, today)
    if not opening.startswith(("end", "last day")):
        return None
    if match["close_tomorrow"]:
        return today + timedelta(days=1)
    if match["close_day"]:
        return today + timedelta(days=(weekday_number(match["close_day"]) - today.weekday()) % 7)
    if match["end_month"]:
        year = int(match["end_month_year"]) if match["end_month_year"] else None
        return _month_end(month_number(match["end_month"]), year, today)
    if match["end_quarter"]:
        year = int(match["end_quarter_year"]) if match["end_quarter_year"] else None
        return _month_end(int(match["end_quarter"]) * 3, year, today)
    return _unit_end(match["end_unit"].casefold(), ahead=(match["end_which"] or "").casefold() == "next", today=today)


def _begin_of(match: re.Match[str], today: date) -> date | None:
    """Read "the beginning of May" and "the start of next week" as the first day."""
    if match["end_month"]:
        year = int(match["end_month_year"]) if match["end_month_year"] else None
        return _coming(month_number(match["end_month"]), 1, year, today)
    if (match["end_which"] or "").casefold() != "next":
        return None
    if (unit := match["end_unit"].casefold()) == "week":
        return today + timedelta(days=7 - today.weekday())
    if unit in ("day", "business", "play"):
        return None
    return _unit_end(unit, ahead=False, today=today) + timedelta(days=1)


def _mid(match: re.Match[str], _cue: str, today: date) -> date | None:
    return _coming(month_number(match["mid_month"]), 15, None, today)


def _day_month(match: re.Match[str], _cue: str, today: date) -> date | None:
    """Read "15 March"; "3 may" in small letters is a verb, not a month."""
    return _named_day(match["month_second"], match["day_first"], match["year_a"], today)


def _month_day(match: re.Match[str], _cue: str, today: date) -> date | None:
    return _named_day(match["month_first"], match["day_second"], match["year_b"], today)


def _named_day(month: str, day: str, year: str | None, today: date) -> date | None:
    if month in ("may", "mar", "march", "sun", "sat"):
        return None
    return _coming(month_number(month), int(day), int(year) if year else None, today)


def _quarter(match: re.Match[str], cue: str, today: date) -> date | None:
    if cue not in _MONTH_CUES:
        return None
    return _month_end(
        int(match["quarter"][1]) * 3, int(match["quarter_year"]) if match["quarter_year"] else None, today
    )


def _short(match: re.Match[str], _cue: str, today: date) -> date:
    word = match["short"].casefold()
    if match["short_day"] and word in ("eod", "cob", "eob", "close of business"):
        return today + timedelta(days=(weekday_number(match["short_day"]) - today.weekday()) % 7)
    if word in ("eow", "eom", "eoq", "eoy"):
        return _unit_end({"w": "week", "m": "month", "q": "quarter", "y": "year"}[word[2]], ahead=False, today=today)
    if "yesterday" in word or word == "last night":
        return today - timedelta(days=2 if "before" in word else 1)
    return today + timedelta(days=1 if word == "tomorrow" else 2 if "tomorrow" in word else 0)


def _which(match: re.Match[str], _cue: str, today: date) -> date:
    which = match["which"].casefold().replace("the following", "next")
    if match["unit"]:
        unit = match["unit"].casefold()
        if which == "last":
            spans = {"week": 7, "month": 30, "quarter": 91, "year": 365}
            return today - timedelta(days=spans[unit])
        return _unit_end(unit, ahead=which == "next", today=today)
    day = relative_weekday(which, match["which_day"], today)
    return day if which == "last" or day >= today else day + timedelta(days=7)


def _counted(match: re.Match[str], cue: str, today: date) -> date | None:
    """Read "in two weeks" and "three days ago"; a bare "two weeks" is a length, not a date."""
    word = match["count"].casefold()
    amount = COUNTS[word] if word in COUNTS else int(word)
    unit = match["count_unit"].casefold().rstrip("s")
    if match["ago"] is None and match["hence"] is None and cue not in _COUNT_CUES:
        return None
    if unit == "hour":
        return today + timedelta(days=-(-amount // 24)) if match["ago"] is None else today
    if unit == "fortnight":
        amount, unit = amount * 2, "week"
    direction = -1 if match["ago"] else 1
    if unit.startswith(("business", "working")):
        return _working_days(today, amount) if direction > 0 else today - timedelta(days=amount * 7 // 5)
    if unit == "month":
        months = today.year * 12 + today.month - 1 + direction * amount
        year, month = divmod(months, 12)
        return date(year, month + 1, min(today.day, calendar.monthrange(year, month + 1)[1]))
    return today + direction * timedelta(days=amount * (7 if unit == "week" else 1))


def _bare_weekday(match: re.Match[str], cue: str, today: date) -> date | None:
    """Read "Friday" as the coming one; short or lower-case forms ("sun", "sat") only after a word such as "by"."""
    text = match.group()[len(match["cue"] or "") :].strip(" :")
    if match["of_next"]:
        return relative_weekday("next", match["weekday"], today)
    closes = text[:1].isupper() and _CLOSES.search(match.string, 0, match.start())
    if (
        not cue
        and not text.casefold().endswith("day")
        and not (closes and match.string[match.end() :].strip(" |*_")[:1] in ("", ")"))
    ):
        return None
    return relative_weekday("coming", match["weekday"], today)


def _month_alone(match: re.Match[str], cue: str, today: date) -> date | None:
    if cue not in _MONTH_CUES and not match["month_alone_year"]:
        return None
    year = match["month_alone_year"]
    return _month_end(month_number(match["month_alone"]), int(year) if year else None, today)


_RULES: Final[dict[str, Callable[[re.Match[str], str, date], date | None]]] = {
    "iso": _iso, "numeric": _numeric, "point": _point, "slash": _slash, "rank": _rank, "holiday": _holiday,
    "weeks_on": _weeks_on, "week_today": _week_later, "week_day": _week_later, "after_next": _after_next,
    "end_of": _end_of, "mid": _mid, "day_first": _day_month, "day_second": _month_day, "nth": _nth,
    "quarter": _quarter, "unit_end": _unit_end_word, "weekend": _weekend, "short": _short, "which": _which,
    "count": _counted, "week": _week, "weekday": _bare_weekday, "month_alone": _month_alone, "soon": _soon,
}  # fmt: skip


def _coming(month: int, day: int, year: int | None, today: date) -> date | None:
    if year is not None:
        return date(year, month, day)
    if (month, day) == (2, 29):
        return next(date(year, 2, 29) for year in count(today.year + (today.month > 3)) if calendar.isleap(year))
    return coming_day(lambda year: date(year, month, day), today)


def _month_end(month: int, year: int | None, today: date) -> date:
    chosen = year if year is not None else today.year + (month < today.month)
    return date(chosen, month, calendar.monthrange(chosen, month)[1])


def _unit_end(unit: str, *, ahead: bool, today: date) -> date:
    if unit in ("day", "business", "play"):
        return today
    if unit == "week":
        friday = today + timedelta(days=4 - today.weekday())
        return friday + timedelta(days=7) if ahead or friday < today else friday
    if unit == "year":
        return date(today.year + ahead, 12, 31)
    step = 1 if unit == "month" else 3
    month = -(-today.month // step) * step + (step if ahead else 0)
    return _month_end((month - 1) % 12 + 1, today.year + (month - 1) // 12, today)


def _working_days(today: date, amount: int) -> date:
    day = today
    while amount > 0:
        day += timedelta(days=1)
        amount -= day.weekday() < 5
    return day
