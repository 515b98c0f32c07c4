"""When a report says that something happened: the day that its own words give, if they tell of what is past."""

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from ingest.english.date_phrases import DatePhrase, date_phrases

#: Words before a date that make it the day of what is told; the others set a limit or a length.
_CUES: Final = frozenset({"", "on", "since"})
_DECIDED: Final = (
    r"(?:decided|agreed|resolved|approved|voted|chose|chosen|adopted|confirmed|settled|opted|selected|concluded|"
    r"rejected)"
)
#: What was done, by the form of its verb; with group `decided`, what was decided.
_PAST: Final = re.compile(
    rf"\b(?:(?P<decided>{_DECIDED})|was|were|had|did|(?:has|have) been|got|went|came|met|sent|gave|took|made|saw|said|"
    r"told|found|held|spoke|wrote|bought|sold|paid|put|set|cut|shut|hit|left|lost|won|ran|rang|began|broke|brought|"
    r"built|burnt|caught|drew|drove|fell|felt|flew|froze|grew|heard|kept|knew|laid|led|let|meant|read|rose|sat|shook|"
    r"shot|slid|slept|spent|split|spread|stood|stole|stuck|taught|thought|threw|understood|woke|wore|done|"
    r"[a-z]+[^\We]ed)\b",
    re.I,
)
#: What is still to be done, or might be.
_AHEAD: Final = re.compile(
    r"\b(?:will|shall|won['’]t|can|could|would|should|must|may|might|going to|(?:has|have|had|needs?|ought|is|are|was|"
    r"were|be|due) to|planned|scheduled|expected|supposed|meant|promised|if|unless)\b|['’]ll\b",
    re.I,
)
#: A date that tells of which thing something is said: "the minutes of 3 March", "Monday's meeting", "from A to B".
_OF_A_THING: Final = re.compile(
    r"\b(?:of|dated|than|instead|versus|between|and|to|planned|scheduled|due|meant)(?: of)?(?: the)? \Z", re.I
)
_POSSESSIVE: Final = re.compile(r"['’]s?\b|[ -](?:meeting|call|session|deadline|release|version|workshop|minutes)\b")
#: Between what was decided and a date, these make it a date of what comes of it.
_CONTENT: Final = re.compile(r"\b(?:to|that|for|against|with)\b|:", re.I)
#: Where one thing that is told ends and another begins.
_CLAUSE: Final = re.compile(r"[;:.!?]\s|,? (?:but|while|whereas|although|though|because|and then) |, (?=and )")
#: The day of what was told just before, and how many days later.
_THEN: Final = re.compile(
    r"\b(?:(?:the )?(?:next|following) (?:day|morning)|(?:the )?day after(?! tomorrow)|(?:a|one) day later|"
    r"(?P<two>two days later)|(?:on )?the (?P<same>same) (?:day|morning|afternoon|evening))\b",
    re.I,
)


def happened(text: str, before: str, written: datetime | None, *, decides: bool) -> datetime | None:
    """Return the last moment of the day on which a text tells that something was done, None if it names none.

    `before` is what stands before the text, for "the next day". Of what is decided (`decides`) only the day of deciding
    counts: one that stands before what was decided.
    """
    told = (date for date in date_phrases(text, written, past=True) if _is_of_the_deed(text, date, decides=decides))
    if (day := _before(told, written)) is not None:
        return day
    then = _THEN.search(text)
    if then is None or decides or _PAST.search(text) is None:
        return None
    day = _before(reversed(list(date_phrases(before, written, past=True))), written)
    if day is None:
        return None
    day += timedelta(days=0 if then["same"] else 2 if then["two"] else 1)
    return day if written is None or day.date() < written.date() else None


def _before(dates: Iterable[DatePhrase], written: datetime | None) -> datetime | None:
    """Return the first of these moments that is of an earlier day than that of writing, if this is known."""
    moments = (date.moment for date in dates)
    return next((moment for moment in moments if written is None or moment.date() < written.date()), None)


def _is_of_the_deed(text: str, date: DatePhrase, *, decides: bool) -> bool:
    if date.cue not in _CUES or _OF_A_THING.search(text, 0, date.start) or _POSSESSIVE.match(text, date.end):
        return False
    start, end = _clause(text, date)
    verb = _PAST.search(text, start, end)
    if verb is None:
        return date.cue == "since"
    if _AHEAD.search(text, start, max(date.start, verb.start())) is not None:
        return False
    is_content = decides and verb["decided"] and date.start > verb.end()
    return not (is_content and _CONTENT.search(text, verb.end(), date.start))


def _clause(text: str, date: DatePhrase) -> tuple[int, int]:
    """Return where the clause begins and ends in which a date stands; "3 May: the pump failed" is one."""
    breaks = [(match.start(), match.end()) for match in _CLAUSE.finditer(text) if match.start() != date.end]
    start = max((end for _, end in breaks if end <= date.start), default=0)
    return start, min((begin for begin, _ in breaks if begin >= date.end), default=len(text))
