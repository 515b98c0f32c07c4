"""Days and spans in the words of languages other than English: "bis Freitag", "la semana que viene", "来週".

Months with a day or year are read in `core.dates.reading`; here are weekdays, words for near days and weeks, counted
units, and the ends of months.
"""

import calendar
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from typing import Final, Literal

from core.dates.locale_words import LOCALE_WORDS, LocaleWords
from core.dates.moments import coming_day
from core.regex import regex

Cue = Literal["limit", "begin", ""]
#: Days of a week after its first, and those of the beginning and the middle of a month.
_WEEK: Final = 6
_START, _MIDDLE = (1, 10), (10, 20)
_UNITS: Final = ("day", "week", "month", "quarter", "year", "weekend")


@dataclass(frozen=True, slots=True)
class LocaleDate:
    """The days from `first` to `last` that `text[start:end]` names; the cue is what the words around make of them."""

    start: int
    end: int
    first: date
    last: date
    cue: Cue = ""

    @property
    def due(self) -> date:
        """The day by which something is done that is to be done in it: of a week its Friday, mid-May the 15th."""
        size = (self.last - self.first).days
        if size == _MIDDLE[1] - _MIDDLE[0] and self.first.day == _MIDDLE[0]:
            return self.first.replace(day=15)
        return self.first + timedelta(days=4) if size == _WEEK else self.last


def _base(sign: str) -> str:
    """Return a letter in small and without its accent, if that is one letter."""
    small = sign.lower() if len(sign.lower()) == 1 else sign
    plain = unicodedata.normalize("NFD", small)[0]
    return plain if plain.isalpha() else small


_PLAIN: Final = {ord(sign): _base(sign) for sign in map(chr, range(0x41, 0x530)) if _base(sign) != sign} | {0x2019: "'"}


def plain(text: str) -> str:
    """Return a text of the same length in small letters without accents."""
    return text.translate(_PLAIN)


def _forms(words: str) -> list[list[str]]:
    return [[plain(form) for form in part.split(",") if form] for part in words.split("|")]


def _numbered(words: str, first: int = 0) -> dict[str, int]:
    return {form: number for number, forms in enumerate(_forms(words), first) for form in forms}


def _any(words: str) -> str:
    forms = sorted((form for forms in _forms(words) for form in forms), key=len, reverse=True)
    return "|".join(re.escape(form).replace(r"\ ", r"\s+") for form in forms)


#: The number of each month's and each weekday's name in these languages, in small letters without accents.
LOCALE_MONTHS: Final = {
    name: number
    for words in LOCALE_WORDS.values()
    for part in (words.short_months, words.months)
    for name, number in _numbered(part, 1).items()
}
#: The names of months as they are written, and without accents.
LOCALE_MONTH_NAMES: Final = LOCALE_MONTHS.keys() | {
    name
    for words in LOCALE_WORDS.values()
    for part in (words.short_months, words.months)
    for name in re.split("[,|]", part)
    if name
}
LOCALE_WEEKDAYS: Final = (
    {name: number for words in LOCALE_WORDS.values() for name, number in _numbered(words.weekdays).items()}
    | {f"{sign}曜日": number for number, sign in enumerate("月火水木金土日")}
    | {f"{week}{sign}": number for week in ("星期", "周", "週", "礼拜") for number, sign in enumerate("一二三四五六日")}
)


#: The weekdays of these languages as they are written, and without accents, as alternatives of a pattern.
LOCALE_WEEKDAY: Final = "|".join(
    sorted(
        LOCALE_WEEKDAYS.keys() | {name for words in LOCALE_WORDS.values() for name in re.split("[,|]", words.weekdays)},
        key=len,
        reverse=True,
    )
)
#: Words for the end of a unit that are one word.
_ENDS: Final = {"monatsende": "month", "quartalsende": "quarter", "jahresende": "year", "wochenende": "week"}


@dataclass(frozen=True, slots=True)
class _Grammar:
    """The pattern of a language, compiled, and what its words mean."""

    words: LocaleWords
    pattern: re.Pattern[str]
    cue: re.Pattern[str]
    weekdays: dict[str, int]
    days: dict[str, int]
    units: dict[str, int]
    which: dict[str, int]
    numbers: dict[str, int]
    months: dict[str, int]


def _anchors(words: LocaleWords) -> frozenset[str]:
    """Return a word of each form, one of which a text has that names a day."""
    forms = [
        form
        for part in (words.weekdays, words.short_weekdays, words.days, words.units, words.weeks)
        for form in _forms(part)
    ]
    parts = [
        re.findall(r"[^\W\d_]+", form)
        for forms_ in (*forms, *_forms(words.end), *_forms(words.start), *_forms(words.middle))
        for form in forms_
    ]
    limits = [form.split()[-1] for forms in _forms(words.limit) for form in forms]
    return frozenset(max(part, key=len) for part in parts if part) | _ENDS.keys() | frozenset(limits)


_ANCHORS: Final = {code: _anchors(words) for code, words in LOCALE_WORDS.items()}


@cache
def _grammar(code: str) -> _Grammar:
    words = LOCALE_WORDS[code]
    between = rf"(?:(?:{_any(words.between)})(?:\s+|(?<=')))"
    number = rf"\d{{1,3}}|{_any(words.numbers)}"
    unit = _any(words.units)
    ahead = _any(words.ahead.split("|")[0])
    ago, ago_behind = (_any(part) for part in words.ago.split("|"))
    which = _any(words.which)
    weekday = _any(words.weekdays)
    limit, begin = _any(words.limit), _any(words.begin)
    months = {**_numbered(words.short_months, 1), **_numbered(words.months, 1)}
    back = (
        rf"{ago}\s+(?P<ago>{number})\s+(?P<ago_unit>{unit})"
        if ago
        else (rf"(?P<ago>{number})\s+(?P<ago_unit>{unit})\s+(?:{ago_behind})")
    )
    week = "|".join(re.escape(form) for form in _forms(words.units)[1])
    month = "|".join(map(re.escape, _forms_of(words)))
    core = (
        rf"(?P<week_word>{_any(words.weeks)})\s*(?P<week>\d{{1,2}})(?:\s*/\s*(?P<week_year>20\d\d))?(?![\d.,:%])"
        rf"|(?P<week_before>\d{{1,2}})(?:\.|-?[^\W\d]{{1,3}}|[ªº])\s+(?P<week_behind>{week}|{_any(words.weeks)})"
        rf"|(?:{ahead})\s+(?P<count>{number})\s+(?P<count_unit>{unit})"
        rf"|(?:(?P<start>{_any(words.start)})|(?P<middle>{_any(words.middle)}))\s*{between}{{0,2}}(?P<part_month>{month})"
        rf"(?:\s+(?:de\s+|del\s+)?(?P<part_year>\d{{4}}))?"
        rf"|(?:(?P<which>{which})\s+)(?:(?P<unit>{unit})(?:\s+(?:am\s+)?(?P<unit_day>{weekday}))?|(?P<weekday>{weekday}))"
        rf"|(?:(?P<bare>{weekday})|(?P<bare_unit>{unit}))(?:,?\s+(?P<behind>{which}))"
        rf"|(?P<alone>{weekday})"
        rf"|(?P<end>{_any(words.end)})\s+{between}{{0,2}}(?:(?P<end_month>{month})"
        rf"(?:\s+(?:de\s+|del\s+)?(?P<end_year>\d{{4}}))?|(?:(?P<end_which>{which})\s+)?(?P<end_unit>{unit})"
        rf"(?:\s+(?P<end_which_behind>{which}))?)"
        rf"|(?P<end_word>{'|'.join(_ENDS)})"
        rf"|(?P<day>{_any(words.days)})"
        rf"|(?:{back})"
        rf"|(?P<short>{_any(words.short_weekdays)})\.?"
        rf"|(?P<month>{month})(?!\s+\d)"
        r"|(?P<first>\d{1,2})(?P<sign>[./])(?P<second>\d{1,2})\.?(?![\d./])"
        r"|(?P<date>\d{1,2})(?P<date_mark>\.(?!\d)|[ºª]|-?[^\W\d]{1,3})?(?=\s*(?:\Z|[\n,;)\]–—]|\.(?!\d)|-\s))"
    )
    cue = rf"(?:(?P<limit>{limit})|(?P<begin>{begin}))[:\s]\s*"
    pattern = rf"(?<![\w-])(?:{cue})?{between}{{0,2}}(?:{core})(?:-ci|-là)?(?![\w-])"
    return _Grammar(
        words,
        re.compile(pattern.replace(r"(?:)|", "")),
        re.compile(
            rf"(?:(?<![\w-])|(?<=\())(?:(?P<limit>{limit})|(?P<begin>{begin}))[:\s]\s*{between}{{0,2}}(?:(?:{weekday}),?\s+{between}{{0,2}})?\Z"
        ),
        _numbered(words.weekdays) | _numbered(words.short_weekdays),
        _numbered(words.days, -2),
        _numbered(words.units),
        _numbered(words.which, -1),
        _numbered(words.numbers, 1),
        months,
    )


def _forms_of(words: LocaleWords) -> list[str]:
    return sorted((form for forms in _forms(words.months) for form in forms), key=len, reverse=True)


def locale_dates(text: str, today: date, *, ahead: bool = True) -> list[LocaleDate]:
    """Return the days and spans that a text of any of these languages names in words, counted from `today`.

    A weekday alone is the coming one, without `ahead` the latest, today included.
    """
    folded = plain(text)
    found = [*_in_ideographs(text, today, ahead=ahead)]
    words = frozenset(re.findall(r"[^\W\d_]+", folded))
    for code, anchors in _ANCHORS.items():
        if words & anchors:
            grammar = _grammar(code)
            for match in grammar.pattern.finditer(folded):
                if (one := _resolved(match, grammar, text, today, ahead=ahead)) is not None:
                    found.append(one)
    found.sort(key=lambda one: (one.start, -one.end))
    kept: list[LocaleDate] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


#: How much of a text before a date is searched for what makes it a limit.
_REACH: Final = 40
_LIMIT_BEHIND: Final = regex(
    r"\s*(?:[(（]?[月火水木金土日一二三四五六]?[)）])?\s*(?:まで|迄|之?前|以前|締切|〆切|截止)"
)
_BEGIN_BEHIND: Final = regex(r"\s*(?:から|以降|より|起|开始|開始|之?后|之?後)")
_LIMIT_BEFORE: Final = regex(
    r"(?:期限|締切|〆切|截止(?:日期|时间)?|完成(?:日期|时间)|最晚|不晚于|于|期日)[:：はは\s]*\Z"
)


def cue_around(text: str, start: int, end: int) -> Cue:
    """Return whether the words around a date at `text[start:end]` make it a limit or a beginning in any language."""
    if _LIMIT_BEHIND.match(text, end) or _LIMIT_BEFORE.search(text, max(0, start - _REACH), start):
        return "limit"
    if _BEGIN_BEHIND.match(text, end):
        return "begin"
    before = plain(text[max(0, start - _REACH) : start])
    if not before.strip():
        return ""
    begin: Cue = ""
    for code in LOCALE_WORDS:
        if match := _grammar(code).cue.search(before):
            if match["limit"]:
                return "limit"
            begin = "begin"
    return begin


def _resolved(match: re.Match[str], grammar: _Grammar, text: str, today: date, *, ahead: bool) -> LocaleDate | None:
    cue: Cue = "limit" if match["limit"] else "begin" if match["begin"] else ""
    try:
        days = _days(match, grammar, text, today, cue, ahead=ahead)
    except (ValueError, OverflowError):
        return None
    return None if days is None else LocaleDate(match.start(), match.end(), *days, cue)


def _key(form: str) -> str:
    return " ".join(form.split())


def _days(
    match: re.Match[str], grammar: _Grammar, text: str, today: date, cue: Cue, *, ahead: bool
) -> tuple[date, date] | None:
    if match["day"] is not None:
        said, before = text[slice(*match.span("day"))], plain(text[max(0, match.start("day") - 4) : match.start("day")])
        if said == "Morgen" or before.endswith(("la ", " 's ")):
            return None  # the morning
        day = today + timedelta(days=grammar.days[_key(match["day"])])
        return day, day
    if any(match[name] is not None for name in ("week", "week_before", "date", "part_month", "first", "count", "ago")):
        return _numbered_days(match, grammar, text, today, cue, ahead=ahead)
    if (short := match["short"]) is not None:
        return _weekday(grammar.weekdays[short], None, today, ahead=ahead, coming=True) if cue == "limit" else None
    if match["month"] is not None:
        return month_end(grammar.months[match["month"]], None, today) if cue == "limit" else None
    which = match["which"] or match["behind"] or match["end_which"] or match["end_which_behind"]
    step = None if which is None else grammar.which[_key(which)]
    if match["end_word"] is not None:
        return _unit_end(_ENDS[match["end_word"]], 0, today)
    if match["end"] is not None:
        if match["end_month"]:
            return month_end(grammar.months[match["end_month"]], match["end_year"], today)
        return _unit_end(_UNITS[grammar.units[match["end_unit"]]], step or 0, today)
    name = match["weekday"] or match["bare"] or match["alone"]
    if name is not None:
        coming = grammar.words.is_next_coming or (which or "").startswith(("komm", "aan", "naibl", "najbl", "ближ"))
        return _weekday(grammar.weekdays[name], step, today, ahead=ahead, coming=coming)
    unit = _UNITS[grammar.units[match["unit"] or match["bare_unit"]]]
    if unit == "day" or step is None:
        return None
    if unit == "weekend" and step == 1 and grammar.words.is_next_coming:
        step = 0
    first, last = span(unit, step, today)
    if match["unit_day"]:
        first = last = first + timedelta(days=grammar.weekdays[match["unit_day"]])
    return first, last


#: Words after which a number alone is a day of the month: "avant le 15", "até ao dia 15".
_ARTICLES: Final = frozenset(("le", "il", "el", "dia", "zum", "den", "de", "dnia"))


def _numbered_days(
    match: re.Match[str], grammar: _Grammar, text: str, today: date, cue: Cue, *, ahead: bool
) -> tuple[date, date] | None:
    """Return the days that a number names: of a week, of a month, or of units to count."""
    if match["week"] is not None or match["week_before"] is not None:
        is_whole = not any(map(str.isalnum, text[: match.start()] + text[match.end() :]))
        if cue == "limit" or is_whole or (match["week_word"] or match["week_behind"]) in ("kw", "kalenderwoche"):
            return _calendar_week(int(match["week"] or match["week_before"]), match["week_year"], today, ahead=ahead)
        return None  # the third week of something
    if match["date"] is not None:
        word = plain(text[match.start() : match.start("date")]).split()[-1:]
        is_day = match["date_mark"] is not None or not _ARTICLES.isdisjoint(word)
        return _day_of_month(int(match["date"]), today) if cue == "limit" and is_day else None
    if match["part_month"] is not None:
        return _part(
            grammar.months[match["part_month"]],
            _START if match["start"] else _MIDDLE,
            match["part_year"],
            today,
            ahead=ahead,
        )
    if match["first"] is not None:
        day, month = int(match["first"]), int(match["second"])
        return _both(coming_day(lambda year: date(year, month, day), today)) if cue == "limit" else None
    said, unit = (match["count"], match["count_unit"]) if match["count"] else (match["ago"], match["ago_unit"])
    amount = int(said) if said.isdigit() else grammar.numbers[said]
    name = _UNITS[grammar.units[unit]]
    return None if name == "weekend" else counted(amount if match["count"] else -amount, name, today)


def _both(day: date | None) -> tuple[date, date] | None:
    return None if day is None else (day, day)


def _calendar_week(number: int, year: str | None, today: date, *, ahead: bool) -> tuple[date, date] | None:
    """Return the week of that number in the ISO calendar; without a year the coming one, or that of this year."""
    if year or not ahead:
        monday: date | None = date.fromisocalendar(int(year) if year else today.year, number, 1)
    else:
        monday = coming_day(lambda each: date.fromisocalendar(each, number, 1), today)
    return None if monday is None else (monday, monday + timedelta(days=_WEEK))


def _day_of_month(number: int, today: date) -> tuple[date, date]:
    """Return the coming day of that number, today included, twice."""
    months = today.year * 12 + today.month - 1 + (number < today.day)
    day = date(months // 12, months % 12 + 1, number)
    return day, day


def _part(month: int, days: tuple[int, int], year: str | None, today: date, *, ahead: bool) -> tuple[date, date] | None:
    """Return these days of a month; without a year of the coming one, or of this year."""
    if year or not ahead:
        last: date | None = date(int(year) if year else today.year, month, days[1])
    else:
        last = coming_day(lambda each: date(each, month, days[1]), today)
    return None if last is None else (last.replace(day=days[0]), last)


def _unit_end(unit: str, step: int, today: date) -> tuple[date, date]:
    """Return the last day of a unit, twice; of a week its Friday."""
    first, last = span(unit, step, today)
    day = first + timedelta(days=4) if unit == "week" else last
    return day, day


def _weekday(number: int, step: int | None, today: date, *, ahead: bool, coming: bool) -> tuple[date, date]:
    if step is None or (step == 1 and coming):
        gap = (number - today.weekday()) % 7
        day = today + timedelta(days=gap or 7) if ahead or step == 1 else today - timedelta(days=-gap % 7)
    elif step == -1:
        day = today - timedelta(days=(today.weekday() - number - 1) % 7 + 1)
    else:
        day = today - timedelta(days=today.weekday()) + timedelta(days=number + 7 * step)
    return day, day


def counted(amount: int, unit: str, today: date) -> tuple[date, date]:
    """Return the day that is so many units from today."""
    if unit in ("day", "week"):
        day = today + timedelta(days=amount * (7 if unit == "week" else 1))
    else:
        months = today.year * 12 + today.month - 1 + amount * {"month": 1, "quarter": 3, "year": 12}[unit]
        year, month = months // 12, months % 12 + 1
        day = date(year, month, min(today.day, calendar.monthrange(year, month)[1]))
    return day, day


def span(unit: str, step: int, today: date) -> tuple[date, date]:
    """Return the first and the last day of the week, weekend, month, quarter or year that many after this one."""
    if unit == "day":
        return today + timedelta(days=step), today + timedelta(days=step)
    if unit in ("week", "weekend"):
        monday = today - timedelta(days=today.weekday()) + timedelta(days=7 * step)
        return monday + timedelta(days=5 * (unit == "weekend")), monday + timedelta(days=_WEEK)
    size = {"month": 1, "quarter": 3, "year": 12}[unit]
    start = (today.year * 12 + today.month - 1) // size * size + size * step
    end = start + size - 1
    last = calendar.monthrange(end // 12, end % 12 + 1)[1]
    return date(start // 12, start % 12 + 1, 1), date(end // 12, end % 12 + 1, last)


def month_end(month: int, year: str | None, today: date) -> tuple[date, date]:
    """Return the last day of a month, twice; without a year of the coming one."""
    chosen = int(year) if year else today.year + (month < today.month)
    day = date(chosen, month, calendar.monthrange(chosen, month)[1])
    return day, day


_IDEOGRAPHIC_DIGITS: Final = {sign: number for number, sign in enumerate("一二三四五六七八九十", 1)} | {
    "两": 2,
    "兩": 2,
}


def ideographic_number(digits: str) -> int:
    """Return a number below a hundred, or digit by digit, in Chinese or in any decimal digits: 十二, 二十五, 二〇二六.

    Raises:
        ValueError: it is none.
    """
    if digits.isdecimal():
        return int(digits)
    tens, ten, ones = digits.partition("十")
    if not ten:
        return int("".join("0" if sign in "〇零" else str(_IDEOGRAPHIC_DIGITS[sign]) for sign in digits))
    return 10 * (_IDEOGRAPHIC_DIGITS[tens] if tens else 1) + (_IDEOGRAPHIC_DIGITS[ones] if ones else 0)


_COUNT: Final = r"(?P<{0}>\d{{1,3}}|[一二两兩三四五六七八九十])[ ]?"
_STEP: Final = {
    "上": -1,
    "先": -1,
    "这": 0,
    "這": 0,
    "本": 0,
    "今": 0,
    "下": 1,
    "来": 1,
    "來": 1,
    "再来": 2,
    "上上": -2,
    "下下": 2,
}
_NEAR: Final = {
    "大前天": -3, "前天": -2, "昨天": -1, "昨日": -1, "今天": 0, "今日": 0, "本日": 0, "明天": 1, "明日": 1, "后天": 2,
    "後天": 2, "大后天": 3, "大後天": 3, "一昨日": -2, "おととい": -2, "きのう": -1, "きょう": 0, "あした": 1,
    "明後日": 2, "あさって": 2,
}  # fmt: skip
_KANA: Final = regex("[\u3041-\u30fa]")
_IDEOGRAPHS: Final = regex(
    rf"(?P<near>{'|'.join(sorted(_NEAR, key=len, reverse=True))})"
    r"|(?P<week>上上|下下|再来|[上这這本下先今来來])(?:个|個|一)?(?:周|週|星期|礼拜|禮拜)(?P<week_end>末)?(?:(?:の|之)?"
    r"(?P<week_day>[一二三四五六日天]|[月火水木金土日](?=曜))(?:曜日?)?)?"
    r"|(?:周|週|星期|礼拜|禮拜)(?P<zh_day>[一二三四五六日天])"
    r"|(?P<ja_day>[月火水木金土日])曜日?"
    rf"|{_COUNT.format('count')}(?P<unit>天|日間?|周|週間?|个?星期|(?:个|個|か|ヶ|カ|ケ)月|年)(?:之|以)?(?P<to>后|後|内|內|前)(?!的?月)"
    r"|(?P<month>(?:上|这|這|本|下|先|今|来)(?:个|個)?)月(?P<month_end>底|末|中)?"
    r"|(?P<year>去年|昨年|今年|明年|来年)(?P<year_end>底|末)?"
    r"|(?P<number>\d{1,2})月(?P<number_end>底|末)"
    r"|(?<!月)(?<!月の)第[ ]?(?P<iso_week>\d{1,2})[ ]?[周週]"
    rf"|(?P<part_month>\d{{1,2}}|[{''.join(_IDEOGRAPHIC_DIGITS)}]{{1,2}})月の?(?P<part>上旬|中旬|下旬|初)"
    r"|(?<![\d月.])(?P<date>\d{1,2})[日号號](?=\s*(?:まで|迄|之?前|以前))"
    r"|(?P<unit_end>月|年|周|週)(?:底|末)"
)


def _in_ideographs(text: str, today: date, *, ahead: bool) -> Iterator[LocaleDate]:
    for match in _IDEOGRAPHS.finditer(text):
        try:
            days = _ideographic_days(match, today, ahead=ahead)
        except (ValueError, OverflowError):
            continue
        cue = cue_around(text, *match.span())
        is_whole = not any(map(str.isalnum, text[: match.start()] + text[match.end() :]))
        if days is not None and (match["iso_week"] is None or cue == "limit" or is_whole):
            yield LocaleDate(*match.span(), *days, cue)


def _ideographic_days(match: re.Match[str], today: date, *, ahead: bool) -> tuple[date, date] | None:
    if match["near"]:
        day = today + timedelta(days=_NEAR[match["near"]])
        return day, day
    named = match["week_day"] or match["zh_day"] or match["ja_day"]
    number = (
        None if named is None else max("一二三四五六日".find(named), "月火水木金土日".find(named), 6 * (named == "天"))
    )
    if match["iso_week"]:
        return _calendar_week(int(match["iso_week"]), None, today, ahead=ahead)
    if match["date"]:
        return _day_of_month(int(match["date"]), today)
    if match["part"]:
        month = ideographic_number(match["part_month"])
        end = {"中": 20, "下": calendar.monthrange(today.year, month)[1]}.get(match["part"][0], _START[1])
        return _part(month, (end - 9 if end <= 20 else 21, end), None, today, ahead=ahead)
    if match["week"] and match["week_end"]:
        return span("weekend", _STEP[match["week"]], today)
    if match["week"]:
        first, last = span("week", _STEP[match["week"]], today)
        return (first, last) if number is None else (first + timedelta(days=number),) * 2
    if number is not None:
        return _weekday(number, None, today, ahead=ahead, coming=True)
    if match["count"]:
        amount = ideographic_number(match["count"])
        if ahead and match["unit"] == "日" and match["to"] == "前" and not _KANA.search(match.string):
            return _day_of_month(amount, today)  # in Japanese, but not in Chinese, so many days ago
        unit = match["unit"]
        name = "day" if unit[0] in "天日" else "year" if unit == "年" else "month" if unit[-1] == "月" else "week"
        return counted(-amount if match["to"] == "前" else amount, name, today)
    if match["month"]:
        first, last = span("month", _STEP[match["month"][0]], today)
        return (last, last) if match["month_end"] in ("底", "末") else (first, last)
    if match["year"]:
        step = -1 if match["year"] in ("去年", "昨年") else int(match["year"] != "今年")
        first, last = span("year", step, today)
        return (last, last) if match["year_end"] else (first, last)
    if match["number"]:
        return month_end(int(match["number"]), None, today)
    if match["unit_end"] in ("周", "週"):
        return span("weekend", 0, today)
    last = span({"月": "month", "年": "year"}[match["unit_end"]], 0, today)[1]
    return last, last


def locale_span(text: str, today: date, *, ahead: bool) -> tuple[date, date] | None:
    """Return the days that a text names that says nothing else; None if it does."""
    found = locale_dates(text, today, ahead=ahead)
    if len(found) != 1 or any(map(str.isalnum, text[: found[0].start] + text[found[0].end :])):
        return None
    return found[0].first, found[0].last


def limit_day(dates: list[LocaleDate]) -> date | None:
    """Return the day that is the limit among those of a task: the last that words make one, else the last of others."""
    for cue in ("limit", ""):
        if chosen := [one for one in dates if one.cue == cue]:
            return chosen[-1].due
    return None
