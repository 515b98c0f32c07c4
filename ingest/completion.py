"""Completion: whether a later report clearly says that a promise was kept, or a decision that it need not be."""

import re
from typing import Final

from graph.ledger_words import ledger_stems
from ingest.statements import Statement, rest_on_the_same, share_a_name

#: Confidence where the one who promised reports, or is reported of; where nobody is named; and of what was dropped.
_BY_OWNER: Final = 0.9
_BY_NOBODY: Final = 0.8
_DROPPED: Final = 0.8
#: Share of the words of a promise that a report must have: less of them if it names the owner.
_MOST_BY_OWNER: Final = 0.6
_MOST_BY_NOBODY: Final = 0.75
#: A short report has fewer words of the promise, this share at least, and this share of its own are of the promise.
_SOME: Final = 0.4
_OWN_WORDS: Final = 0.65

#: That it is not, or not all, or not yet done.
_UNFINISHED: Final = re.compile(
    r"\b(?:not|never|no|nobody|none|\w+n['’]t|cannot|half|halfway|part|partly|partially|almost|nearly|mostly|started|"
    r"begun|began|begins|beginning|progress|still|yet|except|remain\w*|pending|some of|most of|first|tried|trying|"
    r"attempt\w*|fail\w*|if|once|when|until|unless|should|would|could|might|may|wants?|hopes?|plans?|waits?|waiting|"
    r"blocked|delayed|late|missing|incomplete|to be|needs? to|has to|have to|(?!100\b)\d{1,2} ?(?:%|percent))\b",
    re.I,
)
_CLAUSE: Final = re.compile(r"[.;,\n]\s|\s(?:but|however|although|though|while|whereas)\s", re.I)
#: That whatever is spoken of is done.
_FINISHED: Final = re.compile(
    r"\b(?:done|finished|finish|completed?|complete|ready|in place|live|over and done|sorted)\b|✔|✅|☑|\[x\]", re.I
)
#: That something is wanted no more.
_NOT_WANTED: Final = re.compile(
    r"\b(?:no longer (?:need|needed|necessary|required|want|wanted)|not needed(?: any\s?more)?|cancel(?:l?ed|s)?|"
    r"call(?:ed)? off|drop(?:ped)?|scrap(?:ped)?|abandon(?:ed)?|obsolete|give up on|gave up on|won['’]t (?:do|need)|"
    r"need not|do(?:es)?n['’]t need (?:to|any\s?more))\b",
    re.I,
)
#: Verbs that report one and the same deed, by their stems.
_ALIKE: Final = tuple(
    frozenset(ledger_stems(words))
    for words in (
        "send share forward mail email circulate submit deliver hand pass give return bring post upload",
        "write draft prepare create produce document compile author record make",
        "fix repair correct resolve patch solve mend close replace",
        "deploy ship release launch publish roll post put",
        "set configure install create provision open mount fit put",
        "book reserve arrange schedule organise organize confirm rent",
        "buy order purchase procure get",
        "check verify test confirm validate inspect measure clarify",
        "update upgrade change revise amend edit extend renew adjust",
        "migrate move switch transfer port",
        "sign approve",
        "call phone ring contact talk speak ask tell inform meet discuss notify",
        "hire recruit",
        "remove delete drop",
        "add include insert",
        "pay transfer settle",
        "present show demo",
        "review read",
        "find choose select pick identify collect gather",
        "train teach",
        "run do perform conduct repeat hold carry",
        "finish complete end",
    )
)
#: What stands before the verb of a promise.
_OPENERS: Final = frozenset(
    ledger_stems(
        """will shall would please need want commit promise action item todo task owner due agree going volunteer take
        responsible assign now today tomorrow next week"""
    )
)
_FILLERS: Final = frozenset(ledger_stems("finish complete new full whole final version copy work short"))


def completes(report: Statement, promise: Statement) -> float | None:
    """Return how sure it is that `report`, made after `promise`, says that it was kept; None if it does not clearly."""
    if rest_on_the_same(report, promise) or _is_about_another(report, promise):
        return None
    by_owner = _reports_of(report, promise)
    text = _speaking_of(report, promise)
    if by_owner is None or _is_unfinished(text, promise):
        return None
    wanted, deed, said = _task(promise), _deed(promise), frozenset(ledger_stems(text))
    if len(wanted) < 2 and not by_owner:
        return None  # "I'll call you" is kept by no call of somebody else
    is_finished = _FINISHED.search(text) is not None
    if is_finished and wanted - {deed}:
        wanted -= {deed}  # "the plan is finished" says it of "write the plan"
    shared = wanted & said
    most = _MOST_BY_OWNER if by_owner else _MOST_BY_NOBODY
    own = frozenset(report.words) & said
    is_short = len(shared) >= _OWN_WORDS * len(own) and len(shared) >= _SOME * len(wanted)
    if not shared or len(shared) < min(2, len(wanted)) or not (len(shared) >= most * len(wanted) or is_short):
        return None
    if not (is_finished or _tells_of(said, deed)):
        return None
    return _BY_OWNER if by_owner else _BY_NOBODY


def cancels(decision: Statement, promise: Statement) -> float | None:
    """Return how sure it is that `decision`, made after `promise`, does away with it; None if it does not clearly."""
    if _NOT_WANTED.search(decision.text) is None or rest_on_the_same(decision, promise):
        return None
    wanted = _task(promise) - {_deed(promise)}
    if len(wanted) < 2 or not wanted <= frozenset(ledger_stems(decision.text)) or _is_about_another(decision, promise):
        return None
    return _DROPPED


def _task(promise: Statement) -> frozenset[str]:
    """Return what is to be done, by stems, without fillers; all of it if nothing else is left."""
    return (promise.words - _FILLERS) or promise.words


def _is_about_another(report: Statement, promise: Statement) -> bool:
    """Whether the two name different ones of a kind (another quarter, version or ticket), or different receivers."""
    if promise.identifiers and report.identifiers and promise.identifiers.isdisjoint(report.identifiers):
        return True
    receivers, others = promise.other_names, report.other_names
    return bool(receivers and others) and not share_a_name(receivers, others)


def _reports_of(report: Statement, promise: Statement) -> bool | None:
    """Whether the report names who promised; None if it names somebody else as who did it."""
    doers = report.owner_names
    if not doers or not promise.owner_names:
        return False
    return True if share_a_name(doers, promise.owner_names) else None


def _speaking_of(report: Statement, promise: Statement) -> str:
    """Return the clauses of a report that have words of the promise."""
    wanted = _task(promise)
    clauses = (clause for clause in _CLAUSE.split(report.text) if not wanted.isdisjoint(ledger_stems(clause)))
    return "; ".join(clauses)


def _deed(promise: Statement) -> str | None:
    """Return the verb of what is to be done: the first word after who does it."""
    names = {stem for actor in promise.event.actors for stem in ledger_stems(actor.name)}
    return next((stem for stem in ledger_stems(promise.text) if stem not in names | _OPENERS), None)


def _tells_of(said: frozenset[str], deed: str | None) -> bool:
    """Whether a deed is told of, by its verb or a like one."""
    return deed is None or deed in said or any(deed in group and not group.isdisjoint(said) for group in _ALIKE)


def _is_unfinished(text: str, promise: Statement) -> bool:
    """Whether what a report says of a promise denies or restricts it, in words that the promise itself has not."""
    found = {match[0].casefold() for match in _UNFINISHED.finditer(text)}
    return bool(found - {match[0].casefold() for match in _UNFINISHED.finditer(promise.text)})
