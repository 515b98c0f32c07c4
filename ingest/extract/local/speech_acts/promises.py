"""Promises: several in one sentence told apart, and which of the dates of each is its limit."""

import re
from dataclasses import replace
from datetime import datetime
from typing import Final

from ingest.document.structure import Passage
from ingest.english.date_phrases import DatePhrase, date_phrases
from ingest.english.name_patterns import NAME, TITLED
from ingest.english.verbs import ACTION, NO_ACT
from ingest.extract.local.entities.names import Names
from ingest.extract.local.speech_acts.acts import Act

_MARKED_DAY: Final = r"[ \t]*[<\[({]?(?P<day>\d{4}-\d\d-\d\d)(?: [^\W\d_]{2,10}\.?)?(?:[ T](?P<clock>\d{1,2}:\d\d))?"
#: How Obsidian, Org, Logseq, todo.txt and TaskPaper mark the day when a task is due, for which it is planned, and on
#: which it was written down, may begin, or was done.
_DUE: Final = re.compile(rf"(?:📅|📆|🗓\ufe0f?|\bDEADLINE:|\bdue:{{1,2}}(?! ?\D)|@due\(|@\{{){_MARKED_DAY}")
_PLANNED: Final = re.compile(rf"(?:⏳|⌛|\bSCHEDULED:|\bscheduled:{{1,2}}|@scheduled\(){_MARKED_DAY}")
_NO_LIMIT: Final = re.compile(
    rf"(?:➕|🛫|✅|❌|\bCLOSED:|\b(?:created|start|done|completed|completion):{{1,2}}|@(?:done|created|start) ?\()"
    rf"{_MARKED_DAY}"
)
#: Words before a date that make it a time limit, most telling first; a date without one counts last but for "for".
_LIMITS: Final = (
    "by", "no later than", "not later than", "latest", "before", "deadline", "due", "due by", "due on", "until", "till",
    "within", "in", "on", "at", "", "for",
)  # fmt: skip
#: With these a date is a limit for certain, even if it has passed.
_PLAIN: Final = frozenset(_LIMITS[: _LIMITS.index("within")])
#: What stands before a date that holds no more, or never did: "not by Friday", "originally on 3 May".
_FORMER: Final = re.compile(
    r"\b(?:not|no longer|never|rather than|instead of|originally|previously|formerly|initially|first|as late as|"
    r"(?:was|were) (?:due|planned|set|scheduled|meant))(?: (?:due|planned|set|scheduled|for|until|by|on))* ?\Z",
    re.I,
)
#: How far back that is looked for, in characters.
_BACK: Final = 40
_POSSESSIVE: Final = re.compile(r"['’]s\b")
#: A promise at its beginning, and whose it is; with group `dated` it is one only if it has a limit.
_PROMISE: Final = re.compile(
    rf"(?:{TITLED} )?(?P<who>@\w[\w.-]*|I\b|[Ww]e\b|[Yy]ou\b|[Hh]e\b|[Ss]he\b|{NAME})(?:"
    rf"(?:['’]ll| will| shall)(?: (?:also|then|now))? (?!{NO_ACT})[a-z]|(?:['’]s| is|['’]m| am) going to {ACTION}|"
    rf" to {ACTION}|(?P<dated> (?:(?:has to|needs to|must) {ACTION}|(?:the|a|an|our) |"
    rf"(?!(?:is|was|has|does|needs|wants|hopes|plans|thinks|says|knows|means|seems|expects|asks|feels|likes)\b)[a-z]{{2,}}s\b)))"
)
#: What stands between two promises of one sentence, and before the first.
_JOINT: Final = re.compile(
    r"(?:[,;](?: (?:and|but|while|whereas|then))?| (?:and|but|while|whereas|then|[–—-])) (?=[\w@])"
)
_OPENING: Final = re.compile(r"\W*(?:(?:so|and|ok|okay|yes|then|also),? )?", re.I)
#: Two that share one limit: "Ana will write it and Bob will check it, both by Friday".
_TOGETHER: Final = re.compile(r"\b(?:both|each|all) (?:by|before|until|due|on)\b", re.I)


def apart(content: str, passage: Passage, act: Act, names: Names, written: datetime) -> list[tuple[Passage, Act]]:
    """Return the promises of a sentence in which one was found, each with the words that are its own.

    What stands before the first belongs to it, and so does the act.
    """
    if passage.row is not None or _TOGETHER.search(content, passage.start, passage.end):
        return [(passage, act)]
    opening = _OPENING.match(content, passage.words, passage.end)
    places = [(passage.start, passage.words if opening is None else opening.end())]
    places += [(joint.start(), joint.end()) for joint in _JOINT.finditer(content, passage.words, passage.end)]
    begins = list[tuple[int, re.Match[str]]]()
    end = passage.end
    for before, start in reversed(places):
        promise = _promise(content, start, end, names, written)
        if promise is not None:
            begins.append((before, promise))
            end = before
    later = begins[-2::-1]
    ends = [before for before, _ in later] + [passage.end]
    if begins and begins[-1][1].start() > places[0][1]:  # what goes before it is no promise, whoever it begins with
        who_start, who_end = begins[-1][1].span("who")
        act = replace(act, who_start=who_start, who_end=who_end, own=False)
    parts = [(replace(passage, end=ends[0]), act)]
    for (_, promise), end in zip(later, ends[1:], strict=True):
        start, who_end = promise.span("who")
        another = replace(act, start=start, who_start=start, who_end=who_end, own=False)
        parts.append((replace(passage, start=promise.start(), end=end), another))
    return parts


def _promise(content: str, start: int, end: int, names: Names, written: datetime) -> re.Match[str] | None:
    """Return the promise that begins at a place, if one does; one that only its limit would make one has one."""
    promise = _PROMISE.match(content, start, end)
    if promise is None or not _is_somebody(promise["who"], names):
        return None
    is_dated = promise["dated"] is not None
    return None if is_dated and limit(content[start:end], written, plain=True) is None else promise


def _is_somebody(who: str, names: Names) -> bool:
    known = names.called(who)
    return who.casefold() in ("i", "we", "you", "he", "she") or (known is not None and known.type == "person")


def limit(text: str, written: datetime | None, *, plain: bool = False) -> datetime | None:
    """Return the time limit that a promise names, None if it names none; with `plain` only one that plainly is.

    Of several dates it is the one that the most telling word makes a limit, the first of those. What is denied, was so
    before, or has passed, counts only behind a word that makes it one. What lists of tasks mark as the day when one is
    due counts first, then that for which it is planned; days when it was written down or done count nowhere.
    """
    marked = _DUE.search(text) or _PLANNED.search(text)
    text = f"by {marked['day']} {marked['clock'] or ''}" if marked else _NO_LIMIT.sub(" ", text)
    known = [date for date in date_phrases(text, written) if _may_limit(date, text, written)]
    known = [date for date in known if date.cue in _PLAIN] if plain else known
    return min(known, key=lambda date: (_is_by_the_way(date, text), _LIMITS.index(date.cue))).moment if known else None


def _may_limit(date: DatePhrase, text: str, written: datetime | None) -> bool:
    if date.cue not in _LIMITS or _FORMER.search(text, max(0, date.start - _BACK), date.start):
        return False
    return date.cue in _PLAIN or written is None or date.moment.date() >= written.date()


def _is_by_the_way(date: DatePhrase, text: str) -> bool:
    """Whether a date only tells of which thing something is said: "the minutes of Monday's meeting"."""
    return date.cue not in _PLAIN and _POSSESSIVE.match(text, date.end) is not None
