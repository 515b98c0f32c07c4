"""Completion: whether a later report certainly says that a commitment was met, or may say so.

Certain is a report in the records of the same body, or of the owner, that names the deed or its being finished and all
that was to be done, about nothing else. What comes back every week is never completed by one report.
"""

import re
from datetime import timedelta
from typing import Final

from core.regex import regex
from graph.text.tokens import is_past, ledger_stems, words
from ingest.ledger.statements import (
    CONFIDENCE,
    Basis,
    Statement,
    are_of_different_things,
    same_body,
    share_evidence,
    share_reference,
)

#: That something comes back: one report doesn't complete it.
RECURRING: Final = regex(
    r"\b(?:every|each) (?:other |second |\w+ )?(?:\w*day|morning|evening|night|week|fortnight|month|quarter|year|time)"
    r"s?\b|\b(?:on|and) (?:mon|tues|wednes|thurs|fri|satur|sun)days\b|"
    r"\b(?:daily|weekly|fortnightly|monthly|quarterly|yearly)\b(?=\W*$| from\b| until\b)|"
    r"\b(?:once|twice) an? (?:day|week|month|quarter|year)\b",
    re.I,
)
#: That something is not, not yet or not wholly done, or that it was done long before.
_UNFINISHED: Final = regex(
    r"\b(?:not|never(?! mind)|no|nobody|none|\w+n['’]t|cannot|half|halfway|part|partly|partially|almost|nearly|mostly|"
    r"start\w*|begun|began|beginning|progress|still|yet|except|remain\w*|pending|some of|most of|tried|trying|"
    r"attempt\w*|working on|"
    r"fail\w*|if|once|when|until|unless|should|would|could|might|(?-i:may)|wants?|hopes?|plan\w* to|waits?|waiting|"
    r"will|shall|going to|blocked|delayed|missing|incomplete|to be|needs? to|has to|have to|"
    r"last (?:year|spring|summer|autumn|fall|winter)|(?:months|years) ago|"
    r"(?!100\b)\d{1,2} ?(?:%|percent)|other|another|others|second(?!,)|rest)\b|['’]ll\b|\?\s*$",
    re.I,
)
_FINISHED: Final = regex(r"\b(?:done|finished|complet\w+|ready|in place|live|sorted|works again)\b|✔|✅|☑|\[x\]", re.I)
#: Forms of verbs that tell of what is done; irregular ones are in `graph.text.tokens`.
_DONE: Final = regex(
    r"\b(?:has|have|had|is|are|was|were|been|did|got|went|came|works?|\w{2,}[^e\W]ed)\b|['’]s\b|✔|✅|☑|\[x\]|"
    r"\b(?:done|finished|complete|ready)\b",
    re.I,
)
#: How a task begins that has the participle of what is to be reached.
_TO_DO: Final = regex(r"\W*(?:get|try|continue|keep|help|work (?:to|on|towards))\b", re.I)
#: How else it is said that something is sent, and to whom it is sent.
_WENT_OUT: Final = regex(r"\b(?:go|goes|gone|went) (?:out|off|to)\b", re.I)
_SENT: Final = frozenset(ledger_stems("send"))
_GOES_TO: Final = regex(r"\b(?:to|with) (?:the )?([A-Z][\w&.-]*(?: [A-Z][\w&.-]*)*)")
_RECEIVED: Final = regex(r"\b(?:got|received|has|have)\b", re.I)
_NOT_WANTED: Final = regex(
    r"\b(?:no longer (?:need\w*|necessary|required|want\w*)|not needed(?: any\s?more)?|cancel(?:l?ed|s)?|"
    r"call(?:ed)? off|drop(?:ped)?|scrap(?:ped)?|abandon(?:ed)?|need not|do(?:es)?n['’]t need (?:to|any\s?more))\b",
    re.I,
)
_ALL: Final = regex(r"\b(?:all|every|each|whole|entire)\b", re.I)
_SOME: Final = regex(
    r"\b(?:some|half|first|pilot|few|several|most|two|three|four|five|six|seven|eight|nine|ten|\d{1,2}) [a-z]", re.I
)
_OF: Final = regex(r"\b(\w+) of (?:the |our |a |an )?(\w+)", re.I)
_PASSIVE: Final = regex(
    r"\b(?:is|are|was|were|been|being|got|gets) (?:\w+ )?(?:\w+(?:ed|en|wn|nt|id|de)|put|cut|set|built|done)\b", re.I
)
#: Verbs that report the same deed, by their stems.
_ALIKE: Final = tuple(
    frozenset(ledger_stems(words))
    for words in (
        "send share forward mail email circulate submit deliver hand pass give return bring post upload",
        "write draft prepare create produce document compile author record make",
        "fix repair correct resolve patch solve mend",
        "deploy ship release launch publish",
        "set configure install provision mount fit put hang",
        "book reserve arrange schedule organise organize rent",
        "buy order purchase procure get",
        "check verify test validate inspect measure",
        "look investigate explore examine",
        "update upgrade change revise amend edit extend renew adjust",
        "migrate move switch transfer",
        "call phone ring contact talk speak ask tell inform notify",
        "hire recruit",
        "remove delete",
        "pay transfer settle",
        "find choose select pick identify collect gather",
        "finish complete end",
    )
)
_DEEDS: Final = frozenset(stem for group in _ALIKE for stem in group)
#: What precedes the verb of a commitment.
_OPENERS: Final = frozenset(
    ledger_stems(
        """will shall would please need want commit promise action item todo task owner due agree going volunteer take
        responsible assign now today tomorrow next week also then still undertake undertook offer pledge try remind
        user"""
    )
)
#: Words that are true of anything, and say nothing of which thing is meant.
_PLAIN: Final = frozenset(
    ledger_stems(
        """it them this that one two all on for from off asap latest deadline due hand back way over up down out in
        together soon later promise word time want go through new full whole final version copy work end thing stuff
        thanks already finish complete ready just good like well per via group people everyone"""
    )
)
#: What a team's records are always about: alone it doesn't tell one task from the next.
_COMMON: Final = frozenset(
    ledger_stems(
        """issue pr pull request email mail meeting agenda minutes doc document notes call list comment discussion
        proposal repo repository page link post message update github slack review feedback"""
    )
)
#: How long after a commitment of one thing, and of several, a report still means it.
_SOON, _LATER = timedelta(days=31), timedelta(days=200)
#: Most further words of a report on a commitment of one thing.
_FURTHER: Final = 2


def completes(report: Statement, promise: Statement) -> Basis | None:
    """Return why `report` certainly says that `promise` was kept; None if that is not certain."""
    if share_evidence(report, promise) or RECURRING.search(promise.text) or not (report.is_sure and promise.is_sure):
        return None
    if are_of_different_things(report, promise):
        return None
    by_owner = not report.owners.isdisjoint(promise.owners)
    is_reported = _reports(report.text)
    is_repeated = report.text.strip(" .").casefold() == promise.text.strip(" .").casefold()
    if is_repeated or (report.stems == promise.stems and not is_reported):
        is_same_list = promise.origin.successor == report.origin.artifact_id
        is_theirs = by_owner and bool(_task(promise)) and same_body(report, promise)
        return "ticked" if is_same_list or is_theirs else None
    if not is_reported:
        return None
    if _is_unfinished(report, promise) or _is_of_another(report, promise, by_owner=by_owner):
        return None
    if _restricts(report.text, promise.text):
        return None
    things, deed = _task(promise), _deed(promise)
    said = report.stems | (_SENT if _WENT_OUT.search(report.text) else frozenset())
    is_same_issue = share_reference(report, promise) is True and things - _COMMON <= said
    if not (is_same_issue or _names_all(things, said, report, promise)):
        return None
    is_told = deed is None or deed in said or any(deed in group and not group.isdisjoint(said) for group in _ALIKE)
    if not (is_told or _FINISHED.search(report.text) or _is_received(report, promise)):
        return None
    if not same_body(report, promise) and not _is_elsewhere(things & said, report, promise, by_owner=by_owner):
        return None
    return "reported by the owner" if by_owner else "reported"


def may_complete(report: Statement, promise: Statement, common: frozenset[str] = frozenset()) -> float | None:
    """Return how likely `report` is to say that `promise` was kept, as a question; None if it isn't one.

    Stems that many statements share, `common`, count for nothing.
    """
    if share_evidence(report, promise) or are_of_different_things(report, promise) or RECURRING.search(promise.text):
        return None
    if (basis := completes(report, promise)) is not None:
        return CONFIDENCE[basis]
    if _is_in_one_text(report, promise):
        return None
    things, said = _task(promise), report.stems
    shared = things & said - _COMMON - common
    by_owner = not report.owners.isdisjoint(promise.owners)
    is_near = same_body(report, promise) or by_owner or share_reference(report, promise) is True
    if report.time - promise.time > _LATER or _is_unfinished(report, promise):
        return None
    share = len(shared) / max(1, len(things))
    is_close = len(shared) >= 2 and (share >= 0.5 or len(shared) > 2)
    if not is_near:
        return round(share / 4, 2) if is_close and _reports(report.text) else None
    return round(share / 2, 2) if is_close or (by_owner and shared and share >= 0.5) else None


def _is_in_one_text(report: Statement, promise: Statement) -> bool:
    """Whether both were said at one time in one text, which lists what is done and what is to be done."""
    return report.origin.artifact_id == promise.origin.artifact_id and report.time == promise.time


def cancels(decision: Statement, promise: Statement) -> Basis | None:
    """Return why `decision` certainly makes `promise` needless; None if that is not certain."""
    if _NOT_WANTED.search(decision.text) is None or share_evidence(decision, promise):
        return None
    things = _task(promise) - {_deed(promise)}
    if len(things) < 2 or not things <= decision.stems or not same_body(decision, promise):
        return None
    is_sure = decision.is_sure and promise.is_sure and not are_of_different_things(decision, promise)
    return "no longer wanted" if is_sure else None


def _is_elsewhere(shared: frozenset[str], report: Statement, promise: Statement, *, by_owner: bool) -> bool:
    """Whether a report in other records, a mail say, is of this commitment: the owner's, or soon of all of its things.

    One thing is enough where the owner reports the deed itself soon.
    """
    is_soon = report.time - promise.time <= _SOON
    num_things = len(shared - _COMMON)
    if by_owner:
        return len(shared) > 1 or (is_soon and num_things > 0 and _deed(promise) in ledger_stems(report.text))
    return is_soon and num_things > 1 and not report.words - promise.words - _PLAIN - _COMMON - _DEEDS


def _reports(text: str) -> bool:
    """Whether a text tells of what is done, rather than naming the task again: "get it released" does not."""
    if _TO_DO.match(text) is not None:
        return False
    return _DONE.search(text) is not None or any(is_past(word) for word in words(text))


def _task(promise: Statement) -> frozenset[str]:
    """Return the stems of what is to be done, without the deed."""
    names = {stem for actor in promise.event.actors for stem in ledger_stems(actor.name)}
    deed = _deed(promise)
    return promise.words - _PLAIN - _OPENERS - names - (set() if deed is None else {deed})


def _deed(promise: Statement) -> str | None:
    """Return the stem of the verb of what is to be done: the first word after who does it."""
    passed = _OPENERS | {stem for actor in promise.event.actors for stem in ledger_stems(actor.name)}
    return next((stem for stem in ledger_stems(promise.text) if stem not in passed), None)


def _names_all(things: frozenset[str], said: frozenset[str], report: Statement, promise: Statement) -> bool:
    """Whether a report names all that was to be done, or of the owner's nothing else, soon enough to be about it."""
    rest = report.words - promise.words - _PLAIN - _COMMON - _DEEDS
    after = report.time - promise.time
    if not rest and after <= _SOON and not report.owners.isdisjoint(promise.owners):
        is_all = len(things) > 1 and things <= said
        return bool(things & said - _COMMON) or ((is_all or not things) and _deed(promise) in said)
    if not things or not things <= said or things <= _COMMON:
        return _is_partly_received(things, said, report, promise)
    is_one = len(things - _COMMON) < 2
    return after <= (_SOON if is_one else _LATER) and len(rest) <= (_FURTHER if is_one else 2 * len(things))


def _restricts(report: str, promise: str) -> bool:
    """Whether a report is of some where all were promised, or of what is not named in the promise: "the club's"."""
    if _ALL.search(promise) is not None and _ALL.search(report) is None and _SOME.search(report) is not None:
        return True
    told = frozenset(ledger_stems(promise))
    pairs = ((ledger_stems(match[1]), ledger_stems(match[2])) for match in _OF.finditer(report))
    return any(not told.isdisjoint(one) and bool(other) and told.isdisjoint(other) for one, other in pairs)


def _is_received(report: Statement, promise: Statement) -> bool:
    """Whether a report says that the recipient has it, from the owner."""
    receivers = promise.actors("recipient")
    there = {actor.entity_id for actor in report.event.actors}
    return bool(receivers & there) and bool(promise.owners & there) and _RECEIVED.search(report.text) is not None


def _is_partly_received(things: frozenset[str], said: frozenset[str], report: Statement, promise: Statement) -> bool:
    """Whether the recipient has, from the owner, a thing whose description shares words with what was promised."""
    is_soon = report.time - promise.time <= _SOON
    return is_soon and bool(things & said - _COMMON) and _is_received(report, promise)


def _is_of_another(report: Statement, promise: Statement, *, by_owner: bool) -> bool:
    """Whether a report is of somebody else's deed, or of one for somebody else."""
    received, others = promise.others, report.others
    names = {stem for actor in promise.event.actors for stem in ledger_stems(actor.name)}
    recipients = [frozenset(ledger_stems(match[1])) for match in _GOES_TO.finditer(report.text)]
    if promise.actors("recipient") and recipients and all(names.isdisjoint(named) for named in recipients):
        return True
    if received and others and received.isdisjoint(others) and not others <= promise.owners:
        return True
    if by_owner or not report.owners or not promise.owners:
        return False
    named = {actor.entity_id for actor in report.event.actors}
    is_passed_on = _PASSIVE.search(report.text) is not None and not _names(report, report.owners)
    return not (is_passed_on or bool(named & promise.owners))


def _names(statement: Statement, ids: frozenset[str]) -> bool:
    """Whether a statement's own words name one of these actors, or speak in the first person."""
    names = (actor.name for actor in statement.event.actors if actor.entity_id in ids)
    is_mine = re.search(r"\b(?:I|my|we|our)\b", statement.text) is not None
    return is_mine or any(not statement.stems.isdisjoint(ledger_stems(name)) for name in names)


def _is_unfinished(report: Statement, promise: Statement) -> bool:
    """Whether a report denies or restricts what it says, in words that the promise itself does not have."""
    own = {match[0].casefold() for match in _UNFINISHED.finditer(promise.text)}
    return any(match[0].casefold() not in own - {"not", "never", "no"} for match in _UNFINISHED.finditer(report.text))
