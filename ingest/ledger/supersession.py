"""Supersession: whether a later decision certainly replaces an earlier one, or may do so."""

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import lru_cache
from itertools import chain
from typing import Final

from core.dates import MONTH_ABBREVIATION, MONTH_NAME
from core.regex import regex
from graph.text.tokens import STOP_WORDS, ledger_stems
from ingest.ledger.statements import (
    CONFIDENCE,
    KEPT,
    Basis,
    Statement,
    are_of_different_things,
    distinctive,
    is_record,
    is_value,
    same_body,
    share_evidence,
    share_reference,
)

_WORD: Final = regex(r"\d+(?:[.:,]\d+)*|[^\W\d_]+(?:['’-][^\W\d_]+)*")
#: What a statement says of its being decided, and of now.
_FILLERS: Final = frozenset(
    """
    we i have has had been decided decide agreed agree resolved decision plan planned chose chosen to that will shall
    the a an our now from
    """.split()
)
_MONTH: Final = regex(f"{MONTH_NAME}|{MONTH_ABBREVIATION}")
#: Days of the week, and kinds of what a thing is said to be: behind the thing, since "the red gate" is another gate.
_WEEKDAYS: Final = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays
    sundays
    """.split()
)
_KINDS: Final = tuple(
    frozenset(kind.split())
    for kind in (
        "morning noon midday afternoon evening midnight night",
        "hourly daily nightly weekly fortnightly biweekly monthly quarterly yearly annually",
        (
            "red green blue yellow orange purple violet pink brown black white grey gray beige turquoise teal cyan "
            "magenta gold silver navy crimson"
        ),
        "light dark",
        "small medium large",
        "low normal high",
        "public private internal",
        "on off",
        "enabled disabled",
        "open closed",
        "mandatory optional",
        "allowed forbidden",
        "left right centre center",
    )
)
#: Verbs by which a value becomes another one; what they leave is where the value is.
_MOVED: Final = regex(
    r"\b(?:(?:is|are|was|were|has been|have been|will be) )?(?:now )?(?:moved?|moves|postponed|rescheduled|shifted|"
    r"brought forward|pushed back|put off) to (?:the )?",
    re.I,
)
_REVALUED: Final = regex(
    r"\b(?P<is>is|are) (?:now )?(?:raised|lowered|reduced|increased|cut|extended|shortened|changed) to ", re.I
)
_PLACED: Final = regex(r"\b(?:is|are|will be|shall be|takes? place|goes out) (?=(?:on|at|in) )", re.I)
#: What stands before a number that says when or how much, and not which.
_BEFORE_NUMBER: Final = frozenset("on at in by until till is are be of costs cost for within after before".split())
#: Most words of a value.
_VALUE_WORDS: Final = 2


def exchanges_value(later: str, earlier: str) -> bool:
    """Whether the later says word by word what the earlier says, but for one value of the same kind."""
    values, before, end = _difference(_plain_words(later), _plain_words(earlier))
    if values is None:
        return False
    if not end and len(values[0]) == len(values[1]) == 1:
        kinds = (kind for kind in _KINDS if values[0][0] in kind and values[1][0] in kind)
        if any(kinds):
            return True
    return _are_times_or_amounts(*values, before=before)


def _exchanges_choice(later: Statement, earlier: Statement) -> bool:
    """Whether both say the same but for one choice: "use MySQL for the ticket database", and not Postgres."""
    values, _, _ = _difference(_words(later.text), _words(earlier.text))
    if values is None or len(later.words & earlier.words) < _FEW:
        return False
    named = {stem for one in (later, earlier) for actor in one.event.actors for stem in ledger_stems(actor.name)}
    return named.isdisjoint(ledger_stems(" ".join((*values[0], *values[1]))))


def _difference(
    one: Sequence[str], other: Sequence[str]
) -> tuple[tuple[Sequence[str], Sequence[str]] | None, str, int]:
    """Return the only words in which two texts differ, the word before them and how many follow; None if these are too
    many, or all.
    """
    begin = 0
    while begin < min(len(one), len(other)) and one[begin] == other[begin]:
        begin += 1
    end = 0
    while end < min(len(one), len(other)) - begin and one[-1 - end] == other[-1 - end]:
        end += 1
    values = one[begin : len(one) - end], other[begin : len(other) - end]
    rest = [word for word in (*one[:begin], *one[len(one) - end :]) if word not in STOP_WORDS]
    if not all(1 <= len(value) <= _VALUE_WORDS for value in values) or not rest or begin == 0:
        return None, "", end
    return values, one[begin - 1], end


@lru_cache(KEPT)
def _plain_words(text: str) -> Sequence[str]:
    """Return the words of a text with "on" or "is" before a value, whatever verb says where it is now."""
    return _words(_PLACED.sub("", _REVALUED.sub(r"\g<is> ", _MOVED.sub("on ", text))))


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.casefold()) if word not in _FILLERS]


def _are_times_or_amounts(one: Sequence[str], other: Sequence[str], *, before: str) -> bool:
    """Whether both values are days, or numbers and months behind a word that says so: "sprint 12" is a name."""
    if _WEEKDAYS.issuperset((*one, *other)):
        return True
    is_said_so = before in _BEFORE_NUMBER or before[0].isdigit()
    return is_said_so and all(word[0].isdigit() or _MONTH.fullmatch(word) is not None for word in (*one, *other))


#: What is done to a decision that holds no longer, and what is said of it then.
_UNDO: Final = (
    r"(?:overturn|revers|rescind|revok|repeal|annul|withdr[ae]w|cancel|abandon|scrap|drop|retir|undo|undid|"
    r"giv(?:e|es|ing) up|gave up)\w*"
)
_UNDONE: Final = (
    r"(?:overturned|reversed|rescinded|revoked|repealed|annulled|withdrawn|cancell?ed|abandoned|scrapped|dropped|"
    r"void(?:ed)?|undone|off the table|no longer (?:valid|in force))"
)
_IS: Final = r"(?:is|are|was|were|has been|have been|will be) (?:now |hereby |therefore )?"
_DECIDED: Final = (
    r"(?:the|our|its|their|that) (?:[\w’'-]+ ){0,3}?(?:decision|vote|resolution|ruling|agreement|motion)"
    r"(?: (?:of|from|made|taken) [\w ]{1,30}?)? (?:to|that|for|on)"
)
_OLD: Final = r"(?P<old>[^.;,()\n]{1,70}?)"
_END: Final = (
    r"(?=[.;,:()\n]|\s(?:we|they|and|but|because|since|so|which|as|until|after|before|with|by|for|in|on|at)\s|$)"
)
#: The former choice, in words of the later decision.
_FORMER: Final = tuple(
    regex(pattern, re.I)
    for pattern in (
        rf"\b(?:instead of|rather than|in place of) {_OLD}{_END}",
        rf"\b(?:replac(?:e|es|ing)|supersed(?:e|es|ing)|{_UNDO}) {_OLD}{_END}",
        rf"(?:^|[.;:,\n] ?){_OLD} {_IS}(?:(?:replaced|superseded) by|{_UNDONE})\b",
        (
            r"\b(?:mov|switch|chang|shift|postpon|migrat|rais|lower|reduc|increas|extend|go|went)\w*\b[^.;\n]{0,60}? "
            r"from (?P<old>[^.;,()\n]{1,70}?) (?:to|onto|until|towards) "
        ),
        rf"\b(?:no longer(?: us(?:e|ing))?|stop(?:ped)? using|not us(?:e|ing)) {_OLD}{_END}",
        rf", (?:and )?not (?:in |at |on |with |from |by )?{_OLD}{_END}",
    )
)
#: The former decision, in words of the later one.
_REFERRED: Final = tuple(
    regex(pattern, re.I)
    for pattern in (
        (
            rf"\b(?:replac|supersed|{_UNDO})\w* {_DECIDED} (?P<old>[^.;:,\n]{{3,120}}?)"
            r"(?=[.;:,\n]|\s(?:in favou?r of|and|but|because|since|so|as)\s|$)"
        ),
        rf"\b{_DECIDED} (?P<old>[^.;:\n]{{3,120}}?),? {_IS}(?:replaced|superseded|{_UNDONE})\b",
    )
)
_DENIES: Final = regex(
    rf"\b(?:not|no|no longer|never|\w+n['’]t|stop|against|reject\w*|without|replaced|{_UNDO}|{_UNDONE})\b", re.I
)
#: Words that suggest that something changed.
_CHANGED: Final = regex(
    r"\b(?:instead|no longer|any ?more|mov(?:ed?|es|ing)|postpon\w+|brought forward|resched\w+|chang\w+|switch\w*|"
    r"revis\w+|revers\w+|replac\w+|supersed\w+|now|from now on|rais\w+|lower\w*|reduc\w+|increas\w+|cancel\w*|"
    rf"{_UNDO}|reconsider\w*|back to|void|stays?|remains?)\b",
    re.I,
)
#: Verdicts on one and the same issue, of which only one can hold, and what is about something else of it.
_ACCEPTED: Final = regex(r"\b(?:accept|approv|adopt|ratif|land(?:ed)?|merged)\w*\b", re.I)
_REFUSED: Final = regex(
    r"\b(?:reject|declin|refus|withdrawn|withdrew|revert|turned down|not (?:accept|approv)\w*)\w*\b", re.I
)
_DEFERRED: Final = regex(
    r"\b(?:postpon|defer|wait|hold off|tabled|revisit|more (?:time|discussion)|broader discussion|no decision)\w*\b",
    re.I,
)
_PART: Final = regex(
    r"\b(?:changes?|amendments?|modifications?|reply|replies|response|questions?|wording|requests?|proposal|drafts?|"
    r"delegate|provided|unless|if|since|previous\w*)\b",
    re.I,
)
#: Share of the words of the shorter statement that a question needs, without and with a word of change.
_HALF: Final = 0.5
_MOST: Final = 0.75
#: How likely it is that another choice replaces the former one.
_CHOICE: Final = 0.4
#: Of the patterns, those that name another choice: "no longer" repeats a decision against something.
_OTHERS: Final = 4
#: Words of a former choice that are enough to tell which decision is meant, and of what else it must be about in other
#: records.
_MANY: Final = 3
#: How much later a decision in other records may be about the same.
_LATER: Final = timedelta(days=200)
_FEW: Final = 2
#: Texts whose former choices are kept, whole records among them.
_KEPT_RECORDS: Final = 256


def supersedes(later: Statement, earlier: Statement) -> Basis | None:
    """Return why `later` certainly replaces `earlier`; None if that is not certain."""
    if share_evidence(later, earlier):
        return None
    if _refers(later, earlier):
        return "record number"
    if _has_same_topic(later, earlier):
        return "title"
    are_sure = later.is_sure and earlier.is_sure
    is_certain = are_sure and same_body(later, earlier)
    is_decision = later.event.category == "Decision"
    if is_certain and is_decision and _reverses_verdict(later, earlier):
        return "contrary verdict"
    if not are_sure or says_the_same(later, earlier) or are_of_different_things(later, earlier):
        return None
    if any(
        _is_former(old, later, earlier, fewest=1 if is_certain else _FEW) for old in _former_choices(later, earlier)
    ):
        return "former choice named"
    if is_certain and any(old <= earlier.stems and distinctive(old) for old in _former_decisions(later)):
        return "former choice named"
    if not (is_certain and is_decision):
        return None
    if _denies_same(later, earlier):
        return "contrary"
    return "another value" if not _in_one_text(later, earlier) and exchanges_value(later.text, earlier.text) else None


def may_supersede(later: Statement, earlier: Statement, common: frozenset[str] = frozenset()) -> float | None:
    """Return how likely `later` is to replace `earlier`, as a question to somebody who can read; None if it isn't one.

    It names the former choice, gives another verdict, or is about the same things by its words, and differs in a choice
    or value or says that something changed. Stems that many statements share, `common`, count for nothing.
    """
    if share_evidence(later, earlier) or says_the_same(later, earlier) or are_of_different_things(later, earlier):
        return None
    if (basis := supersedes(later, earlier)) is not None:
        return CONFIDENCE[basis]
    if _in_one_text(later, earlier) and later.time == earlier.time:
        return None
    is_same, is_soon = same_body(later, earlier), later.time - earlier.time <= _LATER
    words, others = later.words - common, earlier.words - common
    shared = words & others
    if len(shared) < _FEW or not (is_same or is_soon):
        return None
    if any(_named(old) and _named(old) <= earlier.stems for old in _former_choices(later, earlier)):
        return _CHOICE
    if is_same and later.event.category == "Decision" and share_reference(later, earlier):
        verdicts = [_verdict(one.text, of_whole=False) for one in (later, earlier)]
        return _HALF if verdicts[1] is not None and verdicts[0] not in (None, verdicts[1], "deferred") else None
    share = len(shared) / max(1, min(len(words), len(others)))
    changes = {match[0].casefold() for match in _CHANGED.finditer(later.text)}
    is_changed = any(re.search(rf"\b{re.escape(word)}\b", earlier.text, re.I) is None for word in changes)
    if is_same and _exchanges_choice(later, earlier):
        return _CHOICE
    differs = later.values != earlier.values
    is_asked = share >= (_HALF if is_changed else _MOST) and (is_changed or differs)
    return (share / 2 if is_same else share / 4) if is_asked else None


def says_the_same(later: Statement, earlier: Statement) -> bool:
    """Whether the later statement only repeats the earlier one."""
    if later.values != earlier.values or distinctive(later.stems) != distinctive(earlier.stems):
        return False
    denied = [_DENIES.search(one.text) is not None for one in (later, earlier)]
    return denied[0] == denied[1]


def _denies_same(later: Statement, earlier: Statement) -> bool:
    """Whether of two decisions on the same one is against it: that it is "no longer" so, or that it is "not"."""
    if len(earlier.words) < _FEW or later.words != earlier.words or later.values != earlier.values:
        return False
    denied = [_DENIES.search(one.text) is not None for one in (later, earlier)]
    return denied[0] != denied[1]


def _in_one_text(later: Statement, earlier: Statement) -> bool:
    return later.origin.artifact_id == earlier.origin.artifact_id


def _refers(later: Statement, earlier: Statement) -> bool:
    """Whether one of two numbered decision records of one folder says that the later one replaces the earlier."""
    if not _are_records(later, earlier) or later.number is None or earlier.number in (None, later.number):
        return False
    is_said = _names_number(later.replaces, earlier.number) or _names_number(earlier.replaced_by, later.number)
    is_whole = later.origin.context == earlier.origin.context == "decision"
    about = earlier.words | earlier.topic | frozenset(ledger_stems(earlier.origin.title or ""))
    return is_said and (is_whole or not later.words.isdisjoint(about))


def _has_same_topic(later: Statement, earlier: Statement) -> bool:
    """Whether both are decision records with the same title or key that decide something else."""
    is_same = bool(later.topic) and later.topic == earlier.topic and not says_the_same(later, earlier)
    return is_same and _are_records(later, earlier)


def _are_records(later: Statement, earlier: Statement) -> bool:
    """Whether both are what two records of one folder decide."""
    folders = later.record_series[0] == earlier.record_series[0]
    is_another = later.origin.artifact_id != earlier.origin.artifact_id
    return folders and is_another and later.is_declared and earlier.is_declared


def _names_number(named: Sequence[str], number: str | None) -> bool:
    """Whether a record is named by its number; one that has no series is that of any."""
    own = (number or "").split()
    return any(one == number or (one.split()[-1:] == own[-1:] and 1 in (len(own), len(one.split()))) for one in named)


def _former_choices(later: Statement, earlier: Statement) -> Iterator[frozenset[str]]:
    """Yield the stems of what a statement names as what was chosen before."""
    is_whole = is_record(later.origin) and not _in_one_text(later, earlier)
    text = f"{later.text}\n{later.record_text}" if is_whole else later.text
    former = _former_of(text)
    yield from chain.from_iterable(former if _DENIES.search(earlier.text) is None else former[:_OTHERS])


@lru_cache(_KEPT_RECORDS)
def _former_of(text: str) -> Sequence[Sequence[frozenset[str]]]:
    """Return the stems of what a text names as what was chosen before, by each pattern."""
    return [[frozenset(ledger_stems(match["old"])) for match in pattern.finditer(text)] for pattern in _FORMER]


def _former_decisions(later: Statement) -> Iterator[frozenset[str]]:
    """Yield the stems of the decision that a statement says no longer holds, in its words: "the decision to use X"."""
    for pattern in _REFERRED:
        for match in pattern.finditer(later.text):
            yield frozenset(ledger_stems(match["old"]))


def _named(former: frozenset[str]) -> frozenset[str]:
    """Return the stems that say what was chosen: its words and values."""
    return distinctive(former) | frozenset(filter(is_value, former))


def _is_former(former: frozenset[str], later: Statement, earlier: Statement, *, fewest: int) -> bool:
    """Whether a former choice is what the earlier statement chose, and the later is about all else that that is about.

    That must be so many words at least, or the choice is told by many.
    """
    named = _named(former) if _named(former) <= earlier.stems else distinctive(former)
    rest = earlier.words - former
    is_about = len(rest) >= fewest and rest <= later.words | later.topic
    return bool(named) and named <= earlier.stems and (len(named) >= _MANY or is_about)


def _reverses_verdict(later: Statement, earlier: Statement) -> bool:
    """Whether both give a verdict on the same issue, and the later one decides otherwise or what was deferred."""
    if share_reference(later, earlier) is not True or len(later.references) > 1 or len(earlier.references) > 1:
        return False
    verdicts = [_verdict(one.text) for one in (later, earlier)]
    return None not in verdicts and verdicts[0] != verdicts[1] and verdicts[0] != "deferred"


def _verdict(text: str, *, of_whole: bool = True) -> str | None:
    """Return the one verdict that a text gives, on an issue or any part of it; None if it gives none, or several."""
    if of_whole and _PART.search(text):
        return None
    found = [
        name
        for name, pattern in (("accepted", _ACCEPTED), ("refused", _REFUSED), ("deferred", _DEFERRED))
        if pattern.search(_REFUSED.sub("", text) if name == "accepted" else text)
    ]
    return found[0] if len(found) == 1 else None
