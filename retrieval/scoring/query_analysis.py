"""Query analysis: which of a question's words say what it is about, whom it names, and which times.

In a question "March" is any March and "last March" the latest one before it was asked. In a text "last week" is the one
before it was written, and a month without a year is in the same year. Times are days that can be compared.
"""

import re
from calendar import monthrange
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from math import ceil
from typing import Final, NamedTuple
from unicodedata import normalize

from core.dates import (
    COUNTS,
    MONTH_ABBREVIATION,
    MONTH_NAME,
    WEEKDAY,
    locale_dates,
    month_number,
    relative_weekday,
    weekday_number,
)
from core.dates.reading import written_dates
from graph.text.languages import EMOJI, is_in_another_language, question_forms, question_language
from graph.text.term_vectors import exact_tokens, term
from graph.text.tokens import STOP_WORDS, split_pairs, words

_WORD: Final = re.compile(r"[^\W_]+(?:['’._@-][^\W_]+)*")
_POSSESSIVE: Final = re.compile(r"['’]s$", re.IGNORECASE)
_QUOTED: Final = re.compile(r'"([^"\n]{2,200})"|[“„]([^”“\n]{2,200})[”“]|«([^»\n]{2,200})»')

#: Letters, digits and kana of full or half width.
_WIDE: Final = re.compile("[\uff01-\uff9f]+")
#: A tag as it is written in notes and search boxes: "#sales/eu", "tag:sales".
_TAG: Final = re.compile(r"(?<!\S)(?:tags?:[ ]?#?|#)((?=[^\W\d_])[\w/-]{1,200})", re.IGNORECASE)
_TAG_LABEL: Final = re.compile(r"(?<!\S)tags?:[ ]?", re.IGNORECASE)
#: Words about the act of asking or meeting, dropped as well unless nothing else is left.
META_WORDS: Final = frozenset(
    """
    summarize summarise summary discuss discussed discussing discussion meeting think thought say said talk talked
    talking mention mentioned opinion explain describe tagged
    """.split()
)
#: Most words that are looked up as names.
_MAX_NAMES: Final = 20


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a question says of the answer that it wants."""

    query: str
    #: The words worth looking up, each once, in order.
    words: Sequence[str]
    #: The words that may be names, without a possessive's end: written with a capital letter, or any in a question
    #: without one.
    names: Sequence[str]
    #: Its signs of several words, such as `ops-1203`, as `graph.text.term_vectors.exact_tokens` writes them.
    signs: Sequence[str] = ()
    #: The phrases in quotation marks.
    phrases: Sequence[str] = ()
    #: What words of it that no chunk has may be typing errors of.
    near: Sequence[str] = ()
    #: Its words, each with the further words that texts in the project's languages are found by.
    forms: Mapping[str, Sequence[str]] = field(default_factory=dict)
    #: The language that it is put in; None for English, and where it isn't certain.
    language: str | None = None
    #: The languages other than English that the project has texts in.
    languages: Collection[str] = ()

    @property
    def is_read(self) -> bool:
        """Whether it is, as far as can be said, in a language that the project has texts in.

        If not, it says nothing that the project does not know its words.
        """
        if self.language is not None:
            return self.language in self.languages
        return not is_in_another_language(self.query)

    def in_languages(self, languages: Collection[str], known: Container[int]) -> "Analysis":
        """Return the analysis for a project with texts in these languages, which has these terms."""
        every = {word: question_forms(word, languages) for word in self.words}
        forms = {word: [form for form in found if term(form) in known] for word, found in every.items()}
        return replace(
            self,
            forms={word: found for word, found in forms.items() if found},
            language=question_language(self.query, languages),
            languages=languages,
        )


def analyse_query(query: str) -> Analysis:
    """Read a question; a tag in it counts as its words."""
    plain = _TAG.sub(_tag_words, query)
    words = query_terms(plain)
    capitals = [word for word in words if word[0].isupper()]
    return Analysis(
        query=plain,
        words=words,
        names=_unique(_POSSESSIVE.sub("", word) for word in capitals or words)[:_MAX_NAMES],
        signs=_unique(exact_tokens(_TAG_LABEL.sub("", query))),
        phrases=_unique(phrase for match in _QUOTED.findall(query) if split_words(phrase := "".join(match))),
    )


def _tag_words(tag: re.Match[str]) -> str:
    return re.sub(r"[/_-]+", " ", tag[1])


def split_words(text: str) -> list[str]:
    """Return the words of `text` in order, case kept, inner apostrophes, dots, hyphens and @ kept."""
    return _WORD.findall(text)


def query_terms(query: str) -> list[str]:
    """Return the words of `query` worth looking up, each once, in order; runs of unspaced scripts in pairs of signs.

    Letters of full width are those of usual width, and an emoji is a word, behind all others.

    Stop and question words go, save those that a capital makes a name ("Where did Will go?"), then words about asking,
    unless nothing else would be left; a query of nothing but stop words keeps them all.
    """
    plain = _WIDE.sub(lambda signs: normalize("NFKC", signs[0]), query)
    found = _telling([part for word in split_words(plain) for part in split_pairs(word)], is_shouted=query.isupper())
    return found + list(dict.fromkeys(EMOJI.findall(plain)))


def distinctive_words(text: str) -> list[str]:
    """Return the same words of `text`, runs of unspaced scripts whole."""
    return _telling(split_words(text), is_shouted=text.isupper())


def _telling(spoken: Sequence[str], *, is_shouted: bool) -> list[str]:
    words = _unique(spoken)
    content = [word for word in words if not _is_stop_word(word)]
    if not is_shouted:
        named = {word.casefold() for word in spoken[1:] if _is_name(word)}
        content = [word for word in words if word in content or word.casefold() in named]
    return [word for word in content if word.casefold() not in META_WORDS] or content or words


def _is_stop_word(word: str) -> bool:
    return word.casefold().replace("’", "'") in STOP_WORDS


def _is_name(word: str) -> bool:
    """Whether a stop word inside a question is written as a name: "Will", "IT", but not "I" or "I'm"."""
    return len(word) > 1 and word[0].isupper() and word[1] not in "'’" and _is_stop_word(word)


def rephrase_for_authors(query: str, authors: Iterable[str]) -> str:
    """Return the question as those authors would put it of themselves: what they said is about "I" and "my".

    Their turns seldom say their name, so that without it the vectors of question and answer are nearer: of turns
    among the ten nearest in meaning 0.62 instead of 0.49 were right (docs/decisions/ranking.md).
    """
    for name in sorted(authors, key=len, reverse=True):
        query = re.sub(rf"\b{re.escape(name)}['’]s\b", "my", query, flags=re.IGNORECASE)
        query = re.sub(rf"\b{re.escape(name)}\b", "I", query, flags=re.IGNORECASE)
    return query


def _unique(words: Iterable[str]) -> list[str]:
    """Return each word in the form it has first, without regard to case."""
    first: dict[str, str] = {}
    for word in words:
        first.setdefault(word.casefold(), word)
    return list(first.values())


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
    rf"|(?P<which>last|past|previous|next|coming|this) (?:{_UNIT.format('unit')}\b"
    rf"|(?P<weekday>{WEEKDAY})(?:day)?\b)"
    rf"|(?P<count>{'|'.join(sorted(COUNTS, key=len, reverse=True))}|\d{{1,2}}) {_UNIT.format('ago')}"
    r" (?:ago|back|earlier)\b)",
    _FLAGS,
)
#: "last 3 days", "over the past week": the days up to the one that the question is asked on.
_NUMBERS: Final = {count.removeprefix("a "): number for count, number in COUNTS.items() if count not in ("a", "an")}
_SPAN_UNIT: Final = "hour|day|week|fortnight|month|year"
_SPAN: Final = re.compile(
    rf"\b(?:(?:last|past|previous) (?P<count>{'|'.join(sorted(_NUMBERS, key=len, reverse=True))}|\d{{1,3}})"
    rf" (?P<units>{_SPAN_UNIT})s?"
    rf"|(?:(?:in|over|during|within|for) the (?:last|past)|past) (?P<unit>{_SPAN_UNIT}))\b",
    _FLAGS,
)
_DAYS_OF_UNIT: Final = {"hour": 1 / 24, "day": 1, "week": 7, "fortnight": 14, "month": 31, "year": 366}
_NAMED_DAY: Final = re.compile(
    rf"\bday before yesterday\b|\b(?:on|since|from|until|till|before|after) (?P<weekday>{WEEKDAY})day\b"
    rf"|(?<=\w )(?<!last )(?<!next )(?<!this )(?<!past )(?<!coming )(?<!previous )(?P<ending>{WEEKDAY})day(?=[?.! ]*$)",
    _FLAGS,
)
#: Words before a time that begins or ends the period asked about.
_BOUND: Final = re.compile(r"\b(since|after|before|until|till|up to)(?: the)? ?$", _FLAGS)
#: The same in other languages, whose "of" is no such word: "Protokoll vom 3. März".
_LOCALE_SINCE: Final = re.compile(
    r"\b(?:seit|ab|depuis|dès|desde|dal|sinds|vanaf|od|начиная с|с)(?: (?:dem|der|el|la|il|o|a|le))? ?$", re.I
)
_LOCALE_UNTIL: Final = re.compile(
    r"\b(?:bis|jusqu['’](?:au|à|en)|hasta|fino a[l]?|até|tot|do|до)(?: (?:zum|zur|el|la|le|o|a))? ?$", re.I
)
_BOUND_WITHIN: Final = re.compile(r"(since|after|before|until|till)\b", _FLAGS)
_FROM: Final = re.compile(r"\b(?:between|from)(?: the)? $", _FLAGS)
_TO: Final = re.compile(r" (?:and|to|until|till)(?: the)? | ?[-–] ?", _FLAGS)
_NEAR: Final = {"yesterday": -1, "last night": -1, "tomorrow": 1}
#: Words of a question about a time that ask for nothing else.
_GENERAL: Final = frozenset(
    """
    happen happened happening happens note notes noted write wrote written new since remember remembered memory memories
    item items entry entries log logged logs store stored save saved add added record recorded thing things anything
    something everything work worked working event events list show give find get got search please update updates
    activity activities learn learned go going went see saw day week month year like us let s d ll ve m re
    say said talk talked discuss discussed mention mentioned topic topics time recent recently lately latest newest last
    """.split()
)
#: What asks for the newest where nothing else is asked for: "what's new?", "recent notes".
_RECENT: Final = re.compile(r"\b(?:recent|recently|lately|latest|newest|last|new)\b", _FLAGS)
_STEPS: Final = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1, "coming": 1}


def find_periods_in_query(query: str, today: date, years: Iterable[int]) -> list[Days]:
    """Return the times that a question asked on this day names; a time without a year is tried in each of `years`.

    "Since" and "before" reach to the question's day and to the beginning. A year alone counts if nothing closer is
    named; "what's new?" asks for all up to its day.
    """
    found = _times(query, today, list(years))
    if not found and asks_for_newest(query):
        return [(date.min, today)]
    if len(found) == 2 and _FROM.search(query, 0, (first := min(found)).start):
        last = max(found)
        if _TO.fullmatch(query, first.end, last.start):
            return [(one[0], other[1]) for one, other in zip(first.days, last.days, strict=False) if one[0] <= other[1]]
    days = [_bounded(query, one, days, today) for one in found for days in one.days]
    return [one for one in days if one[0] <= one[1]]


def asks_for_newest(query: str) -> bool:
    """Whether a question asks for nothing but what is newest: "what's new?", "my latest notes"."""
    return _RECENT.search(query) is not None and not words_outside_periods(query)


def words_outside_periods(query: str) -> list[str]:
    """Return the words of a question other than its times: none of "what did I do yesterday?".

    A year or a date alone may be a word that a text is to have.
    """
    if not words(_without_times(query)) and (_YEAR.search(query) or _ISO.search(query)):
        return words(query)
    return [word for word in words(_without_times(query)) if word not in _GENERAL and word not in STOP_WORDS]


#: A day to read times from where only their places matter.
_ANY_DAY: Final = date(2000, 1, 1)


def _without_times(query: str) -> str:
    for pattern in (_SPAN, _NAMED_DAY, _RELATIVE):
        query = pattern.sub(" ", query)
    query = _NAMED.sub(lambda match: " " if _means_a_time(match) else match[0], query)
    for one in reversed(_locale_times(query, _ANY_DAY, [_ANY_DAY.year], [])):
        query = f"{query[: one.start]} {query[one.end :]}"
    return _YEAR.sub(" ", _ISO.sub(" ", query))


class _Time(NamedTuple):
    """Where a question names a time, and which: one a year where it names none."""

    start: int
    end: int
    days: list[Days]
    #: Whether its words are of another language than English.
    is_foreign: bool = False


def _times(query: str, today: date, years: list[int]) -> list[_Time]:
    """Return the times that a question names, as they are written there."""
    found = []
    for pattern in (_SPAN, _NAMED_DAY):
        for match in pattern.finditer(query):
            found += _time(match, _span(match, today) if pattern is _SPAN else _named_day(match, today))
            query = query[: match.start()] + "\0" * len(match[0]) + query[match.end() :]
    for match in _RELATIVE.finditer(query):
        found += _time(match, _relative(match, today))
    for match in _NAMED.finditer(query):
        if _means_a_time(match):
            days = _days_of(match, [today.year - (_month(match) >= today.month)] if _is_last(match) else years)
            if _is_since(query, match):
                days = [one for one in _days_of(match, [today.year, today.year - 1]) if one[0] <= today][:1]
            found.append(_Time(match.start(), match.end(), days))
    for match in _ISO.finditer(query):
        found += _time(match, _days(int(match[1]), int(match[2]), match[3]))
    found = [one for one in found if one.days]
    found += _locale_times(query, today, years, found)
    return found or [one for match in _YEAR.finditer(query) for one in _time(match, _days(int(match[0]), None, None))]


def _locale_times(query: str, today: date, years: list[int], found: Sequence[_Time]) -> list[_Time]:
    """Return the times that a question names in other languages, where English words name none."""
    others = []
    for written in written_dates(query):
        chosen = [written.year] if written.year is not None else years
        day = None if written.day is None else str(written.day)
        days = [] if written.swapped else [some for year in chosen if (some := _days(year, written.month, day))]
        others.append(_Time(written.start, written.end, days, is_foreign=True))
    named = locale_dates(query, today, ahead=False)
    others += [_Time(one.start, one.end, [(one.first, one.last)], is_foreign=True) for one in named]
    kept: list[_Time] = []
    for one in others:
        if one.days and all(one.end <= other.start or one.start >= other.end for other in (*found, *kept)):
            kept.append(one)
    return kept


def _is_since(query: str, match: re.Match[str]) -> bool:
    bound = _BOUND.search(query, 0, match.start()) or _BOUND_WITHIN.match(match[0])
    return bound is not None and bound[1].lower() == "since" and match["year"] is None


def _time(match: re.Match[str], days: Days | None) -> list[_Time]:
    return [] if days is None else [_Time(match.start(), match.end(), [days])]


def _bounded(query: str, time: _Time, days: Days, today: date) -> Days:
    """Return the days from, after, before or up to those named, where the words before them say so."""
    bound = _BOUND.search(query, 0, time.start) or _BOUND_WITHIN.match(query, time.start, time.end)
    word = bound[1].lower() if bound else ""
    if time.is_foreign and _LOCALE_SINCE.search(query, 0, time.start):
        word = "since"
    elif time.is_foreign and _LOCALE_UNTIL.search(query, 0, time.start):
        word = "until"
    try:
        match word:
            case "since":
                return days[0], max(today, days[1])
            case "after":
                return days[1] + timedelta(1), max(today, days[1] + timedelta(1))
            case "before":
                return date.min, days[0] - timedelta(1)
            case "until" | "till" | "up to":
                return date.min, days[1]
    except OverflowError:
        return days
    return days


def _span(match: re.Match[str], today: date) -> Days | None:
    number = (match["count"] or "1").lower()
    length = (_NUMBERS.get(number) or int(number)) * _DAYS_OF_UNIT[(match["units"] or match["unit"]).lower()]
    try:
        return today - timedelta(ceil(length)), today
    except OverflowError:
        return None


def _named_day(match: re.Match[str], today: date) -> Days | None:
    """Return the latest day of that name, which is today's where today is not the beginning of what is asked about."""
    try:
        name = match["weekday"] or match["ending"]
        if name is None:
            return (day := today - timedelta(2)), day
        back = (today.weekday() - weekday_number(name)) % 7
        is_bound = _BOUND_WITHIN.match(match[0]) is not None
        return (day := today - timedelta(back or 7 * is_bound)), day
    except OverflowError:
        return None


def find_periods_in_text(text: str, written: date) -> Iterator[Days]:
    """Yield the times that a text written on this day speaks of."""
    for match in _RELATIVE.finditer(text):
        if (days := _relative(match, written)) is not None:
            yield days
    for match in _NAMED.finditer(text):
        if _means_a_time(match):
            yield from _days_of(match, [written.year - (_month(match) >= written.month and _is_last(match))])


def periods_overlap(one: Days, other: Days) -> bool:
    """Whether two times have a day in common."""
    return one[0] <= other[1] and other[0] <= one[1]


def _means_a_time(match: re.Match[str]) -> bool:
    """Whether a month's name means a month: "may" and "march" alone do not."""
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
            return (day := relative_weekday(match["which"].lower(), match["weekday"], today)), day
        if match["unit"]:
            return _unit(match["unit"].lower(), _STEPS[match["which"].lower()], today, loose=False)
        number = match["count"].lower()
        return _unit(match["ago"].lower(), -(COUNTS.get(number) or int(number)), today, loose=True)
    except (ValueError, OverflowError):
        return None


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
