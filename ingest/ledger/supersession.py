"""Supersession: whether a later decision certainly replaces an earlier one, or may do so.

Certain is what the later one says (it names a record's number, or the former choice), a record of the same title, and
the same words with another value, each in the records of one body. Anything else is at most a question.
"""

import re
from typing import Final

from graph.text.tokens import ledger_stems
from ingest.ledger.exchange import exchanges_value
from ingest.ledger.statements import (
    CONFIDENCE,
    Basis,
    Statement,
    are_of_different_things,
    distinctive,
    is_value,
    record_numbers,
    same_body,
    share_evidence,
    share_reference,
)

_OLD: Final = r"(?P<old>[^.;,()\n]{1,70}?)"
_END: Final = (
    r"(?=[.;,:()\n]|\s(?:we|they|and|but|because|since|so|which|as|until|after|before|with|by|for|in|on|at)\s|$)"
)
#: The former choice, in words of the later decision.
_FORMER: Final = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"\b(?:instead of|rather than|in place of) {_OLD}{_END}",
        rf"\b(?:replac(?:e|es|ing)|supersed(?:e|es|ing)|revers(?:e|es|ing)|revok(?:e|es|ing)) {_OLD}{_END}",
        rf"(?:^|[.;:,\n] ?){_OLD} (?:is|are|was|were|has been|have been|will be) (?:replaced|superseded) by\b",
        (
            r"\b(?:mov|switch|chang|shift|postpon|migrat|rais|lower|reduc|increas|extend|go|went)\w*\b[^.;\n]{0,60}? "
            r"from (?P<old>[^.;,()\n]{1,70}?) (?:to|onto|until|towards) "
        ),
        rf"\b(?:no longer(?: us(?:e|ing))?|stop(?:ped)? using|not us(?:e|ing)) {_OLD}{_END}",
        rf", (?:and )?not (?:in |at |on |with |from |by )?{_OLD}{_END}",
    )
)
_SUPERSEDES: Final = re.compile(r"\b(?:supersedes?|replaces?|reverses?|overrides?)\b(?! by)([^.\n]{0,80})", re.I)
_SUPERSEDED_BY: Final = re.compile(r"\b(?:superseded|replaced|overridden|obsoleted)\s+by\b([^.\n]{0,80})", re.I)
_ALONE: Final = re.compile(r"\W*(?:no\. ?|number |record )?#?0*(\d{1,4})\b(?!\W*[a-z])", re.I)
_DENIES: Final = re.compile(r"\b(?:not|no|no longer|never|\w+n['’]t|stop|against|reject\w*|without)\b", re.I)
#: Words that suggest that something changed.
_CHANGED: Final = re.compile(
    r"\b(?:instead|no longer|any ?more|mov(?:ed?|es|ing)|postpon\w+|brought forward|resched\w+|chang\w+|switch\w*|"
    r"revis\w+|revers\w+|replac\w+|supersed\w+|now|from now on|rais\w+|lower\w*|reduc\w+|increas\w+|cancel\w*|"
    r"drop(?:s|ped)?|withdr[ae]w\w*|overturn\w*|reconsider\w*|back to)\b",
    re.I,
)
#: Verdicts on one and the same issue, of which only one can hold, and what is about something else of it.
_ACCEPTED: Final = re.compile(r"\b(?:accept|approv|adopt|ratif|land(?:ed)?|merged)\w*\b", re.I)
_REFUSED: Final = re.compile(
    r"\b(?:reject|declin|refus|withdrawn|withdrew|revert|turned down|not (?:accept|approv)\w*)\w*\b", re.I
)
_DEFERRED: Final = re.compile(
    r"\b(?:postpon|defer|wait|hold off|tabled|revisit|more (?:time|discussion)|broader discussion|no decision)\w*\b",
    re.I,
)
_PART: Final = re.compile(
    r"\b(?:changes?|amendments?|modifications?|reply|replies|response|questions?|wording|requests?|proposal|drafts?|"
    r"delegate|provided|unless|if|since|previous\w*)\b",
    re.I,
)
#: Share of the words of the shorter statement that a question needs, without and with a word of change.
_HALF: Final = 0.5
_MOST: Final = 0.75


#: Of the patterns, those that name another choice: "no longer" repeats a decision against something.
_OTHERS: Final = 4
#: Words of a former choice that are enough to tell which decision is meant, and of what else it must be about in other
#: records.
_MANY: Final = 3
_FEW: Final = 2


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
    if is_certain and _reverses_verdict(later, earlier):
        return "contrary verdict"
    if not are_sure or says_the_same(later, earlier) or are_of_different_things(later, earlier):
        return None
    fewest = 1 if is_certain else _FEW
    if _names_former(later, earlier, fewest):
        return "former choice named"
    if not is_certain:
        return None
    in_one_text = later.origin.artifact_id == earlier.origin.artifact_id
    return "another value" if not in_one_text and exchanges_value(later.text, earlier.text) else None


def may_supersede(later: Statement, earlier: Statement) -> float | None:
    """Return how likely `later` is to replace `earlier`, as a question to somebody who can read; None if it isn't one.

    Both are about the same things by their words, and differ in a value, or the later one says that something changed.
    """
    if share_evidence(later, earlier) or says_the_same(later, earlier) or are_of_different_things(later, earlier):
        return None
    if (basis := supersedes(later, earlier)) is not None:
        return CONFIDENCE[basis]
    shared = later.words & earlier.words
    share = len(shared) / max(1, min(len(later.words), len(earlier.words)))
    if len(shared) < 2 or not same_body(later, earlier):
        return None
    if share_reference(later, earlier):
        return _HALF
    is_changed = _CHANGED.search(later.text) is not None
    differs = later.values != earlier.values
    return share / 2 if (is_changed and share >= _HALF) or (differs and share >= _MOST) else None


def says_the_same(later: Statement, earlier: Statement) -> bool:
    """Whether the later statement only repeats the earlier one."""
    denied = [_DENIES.search(one.text) is not None for one in (later, earlier)]
    return later.words == earlier.words and later.values == earlier.values and denied[0] == denied[1]


def _refers(later: Statement, earlier: Statement) -> bool:
    """Whether one of two numbered decision records of one folder says that the later one replaces the earlier."""
    if not _are_records(later, earlier) or later.number is None or earlier.number in (None, later.number):
        return False
    said = (_numbers(match[1]) for match in _SUPERSEDES.finditer(later.record))
    told = (_numbers(match[1]) for match in _SUPERSEDED_BY.finditer(earlier.record))
    is_said = any(earlier.number in some for some in said) or any(later.number in some for some in told)
    is_whole = later.origin.context == earlier.origin.context == "decision"
    return is_said and (is_whole or not later.words.isdisjoint(earlier.words | earlier.topic))


def _has_same_topic(later: Statement, earlier: Statement) -> bool:
    """Whether both are decision records with the same title or key that decide something else."""
    is_same = bool(later.topic) and later.topic == earlier.topic and not says_the_same(later, earlier)
    return is_same and _are_records(later, earlier)


def _are_records(later: Statement, earlier: Statement) -> bool:
    """Whether both are what two records of one folder decide."""
    folders = later.body[0] == earlier.body[0]
    is_another = later.origin.artifact_id != earlier.origin.artifact_id
    return folders and is_another and later.is_declared and earlier.is_declared


def _numbers(text: str) -> list[str]:
    """Return the records behind "supersedes" or "superseded by": "ADR-3", or a number alone."""
    alone = _ALONE.match(text)
    return record_numbers(text) or ([] if alone is None else [alone[1]])


def _names_former(later: Statement, earlier: Statement, fewest: int) -> bool:
    """Whether the later statement names what the earlier one chose, and is about all else that the earlier is about.

    That must be so many words at least, or the choice is told by many.
    """
    stems = frozenset(ledger_stems(earlier.text))
    in_one_text = later.origin.artifact_id == earlier.origin.artifact_id
    text = later.text if in_one_text else f"{later.text}\n{later.record}"
    patterns = _FORMER if _DENIES.search(earlier.text) is None else _FORMER[:_OTHERS]
    for pattern in patterns:
        for match in pattern.finditer(text):
            former = frozenset(ledger_stems(match["old"]))
            named = distinctive(former) or frozenset(filter(is_value, former))
            rest = earlier.words - former
            is_about = len(rest) >= fewest and rest <= later.words | later.topic
            if named and named <= stems and (len(named) >= _MANY or is_about):
                return True
    return False


def _reverses_verdict(later: Statement, earlier: Statement) -> bool:
    """Whether both give a verdict on the same issue, and the later one decides otherwise or what was deferred."""
    if share_reference(later, earlier) is not True or len(later.references) > 1 or len(earlier.references) > 1:
        return False
    verdicts = [_verdict(one.text) for one in (later, earlier)]
    return None not in verdicts and verdicts[0] != verdicts[1] and verdicts[0] != "deferred"


def _verdict(text: str) -> str | None:
    """Return the one verdict that a text gives on an issue as a whole; None if it gives none, or several."""
    if _PART.search(text):
        return None
    found = [
        name
        for name, pattern in (("accepted", _ACCEPTED), ("refused", _REFUSED), ("deferred", _DEFERRED))
        if pattern.search(_REFUSED.sub("", text) if name == "accepted" else text)
    ]
    return found[0] if len(found) == 1 else None
