"""Completion: whether a later report clearly says that a promise was kept, or a decision that it need not be."""

import re
from itertools import pairwise
from typing import Final

from graph.text.ledger_words import ledger_stems
from ingest.ledger.statements import Statement, distinctive, is_value, share_a_name, share_evidence

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
    r"attempt\w*|fail\w*|if|once|when|until|unless|should|would|could|might|(?-i:may)|wants?|hopes?|plans?|waits?|waiting|"
    r"blocked|delayed|late|missing|incomplete|to be|needs? to|has to|have to|(?!100\b)\d{1,2} ?(?:%|percent))\b",
    re.I,
)
_FIRST_PERSON: Final = re.compile(r"\b(?:I|my|we|our)\b|\bI['’]", re.I)
_AHEAD: Final = re.compile(r"\b(?:will|shall|going to|(?:is|are) to)\b|['’]ll\b")
#: A capitalised word that begins no sentence.
_NAME: Final = re.compile(r"(?<![.!?:] )(?<!^)(?<![\w'’])[A-Z][\w-]+")
_OF: Final = re.compile(r"\b(\w+) of (?:the |our |a |an )?(\w+(?: \w+)?)", re.I)
_TO_HAVE: Final = re.compile(r"\b(?:have|get) [^.;]{2,60} (?:ready|done|finished)\b", re.I)
#: What somebody is, behind the name that a promise begins with.
_APPOSED: Final = re.compile(r"(?<=\w), (?:our|my|the|an?|his|her|their) [^,;.]{3,80},(?= (?:will|shall|has|is|to)\b)")
#: What somebody else will have is sent to them.
_TO_SEND: Final = re.compile(
    r"\b(?:you(?:['’]ll| will| shall| are to) (?:have|get|receive)|let (?:you|us|them|him|her|me) have)\b", re.I
)
[_SEND] = ledger_stems("send")
#: That something was done, by whomever.
_PASSIVE: Final = re.compile(
    r"\b(?:is|are|was|were|been|being|got) (?:\w+ )?(?:\w+(?:ed|en|wn|nt|id|de)|put|cut|set|built)\b", re.I
)
_WORD: Final = re.compile(r"[\w'’-]+")
#: What is said of it behind a "but" takes back what was told before.
_UNDONE_BEHIND: Final = re.compile(
    r"\b(?:but|however|although|though)\b[^.;]*?(?:\bit\b|\bthem\b|\bthey\b)[^.;]*\b(?:not|still|yet|n['’]t|never|again)\b|"
    r"\b(?:but|however|although|though)\b[^.;]*\b(?:not|still|yet|n['’]t|never)\b[^.;]*(?:\bit\b|\bthem\b|\bthey\b)",
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
        "send share forward mail email circulate submit deliver hand pass give return bring post upload owe",
        "write draft prepare create produce document compile author record make",
        "fix repair correct resolve patch solve mend close replace",
        "deploy ship release launch publish roll post put",
        "set configure install create provision open mount fit put",
        "book reserve arrange schedule organise organize confirm rent",
        "buy order purchase procure get",
        "check verify test confirm validate inspect measure clarify",
        "look investigate explore examine",
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
_ENDS: Final = r"(?=\s*(?:[.,;:!)✔✅]|$|and\b|since\b|again\b|now\b))"
#: What a thing does, or how it is, once that was done to it: verbs of promises, by their stems, with words of reports.
_RESULTS: Final = tuple(
    (frozenset(ledger_stems(deeds)), re.compile(results, re.I))
    for deeds, results in (
        (
            "send share forward mail email submit deliver bring return post order buy purchase get collect fetch print",
            (
                r"\b(?:attached|enclosed|lodged|handed (?:in|over)|went (?:to|off|out|over)|left (?:us|here)|"
                r"arrived|reached|(?:was|were|been|we|I) received|came (?:in|back|on|yesterday|today|this|last)|"
                r"(?:is|are) (?:\w+ )?(?:here|there|back (?:from|in|at)|on the (?:shelf|table|desk)))\b|"
                rf"\b(?:came|(?:is|are) (?:\w+ )?in){_ENDS}"
            ),
        ),
        (
            "write draft prepare create produce compile translate document upload publish post update implement fix",
            (
                r"\bmerged\b|\b(?:is|are|been|['’]s) (?:\w+ )?(?:online|live|(?:on|in) the (?:website|site|server|wiki|"
                r"intranet|drive|repo(?:sitory)?|folder|portal|page|channel))\b|"
                rf"\b(?:is|are) (?:\w+ )?(?:out|up)(?: (?:on|in|at) the \w+)?{_ENDS}"
            ),
        ),
        (
            "set put install mount hang build repair replace fix mend restore get",
            (
                rf"\b(?:is|are|['’]s) (?:\w+ )?(?:up{_ENDS}|(?:hanging|running|working|standing|on the wall)\b)|"
                r"\b(?:works?|worked|runs?) again\b|\band (?:works|runs)\b|\bup and running\b|"
                rf"\b(?:has|have|got) (?:the|a|an|our|its) (?:[\w-]+ ){{1,4}}in{_ENDS}|\b(?:is|are) (?:\w+ )?in{_ENDS}"
            ),
        ),
        ("sell let rent", r"\bsold\b|\bfound (?:a |its )?(?:new )?(?:buyer|tenant|home|owner)\b"),
    )
)
#: What stands before the verb of a promise.
_OPENERS: Final = frozenset(
    ledger_stems(
        """will shall would please need want commit promise action item todo task owner due agree going volunteer take
        responsible assign now today tomorrow next week also then still undertake undertook offer pledge try"""
    )
)
#: Share of the things of a promise that a report must name that does not tell the deed.
_HALF_OF_THINGS: Final = 0.5
_MOST_OF_THINGS: Final = 0.6
#: Words that are said of anything.
_PLAIN: Final = frozenset(
    ledger_stems(
        """it them this that one two all every each by on for from off proper properly right away asap latest deadline
        due hand back way over up down out in together soon later promise word time look wants him her us you me go
        through meet"""
    )
)
_ALL: Final = re.compile(r"\b(?:all|every|each|whole|entire)\b", re.I)
_SOME_OF: Final = re.compile(
    r"\b(?:some|half|first|pilot|few|several|most|two|three|four|five|six|seven|eight|nine|ten|\d{1,2}) [a-z]", re.I
)
_FILLERS: Final = frozenset(
    ledger_stems("finish complete new full whole final version copy work short end ready later latest than")
)
#: Words before a thing that make it no other one.
_OF_ANY: Final = frozenset(
    ledger_stems("the our my his her your its their this new revised final whole full both said corrected own")
)


def completes(report: Statement, promise: Statement) -> float | None:
    """Return how sure it is that `report`, made after `promise`, says that it was kept; None if it does not clearly."""
    if share_evidence(report, promise) or _is_about_another(report, promise):
        return None
    by_owner = _reports_of(report, promise)
    text = _speaking_of(report, promise)
    if by_owner is None or _is_unfinished(text, promise) or _UNDONE_BEHIND.search(report.text):
        return None
    if _restricts(report.text, promise.text):
        return None
    if _names_another(report, promise) or (not by_owner and _is_of_another(text, promise)):
        return None
    wanted, deed, said = _task(promise), _deed(promise), frozenset(ledger_stems(text))
    if len(wanted) < 2 and not by_owner:
        return None  # "I'll call you" is kept by no call of somebody else
    has_result = deed is not None and _has_result(text, deed) and (by_owner or len(wanted - {deed}) > 1)
    is_finished = has_result or _FINISHED.search(text) is not None
    is_told = _tells_of(said, deed)
    if is_finished and deed not in said and wanted - {deed}:
        wanted -= {deed}  # "the plan is finished" says it of "write the plan"
    shared = wanted & said
    if is_told and deed in wanted and (by_owner or len(wanted) > 2):
        shared |= {deed}  # "repaired" says it of "fix"
    most = (
        _MOST_BY_OWNER
        if by_owner or (deed in said and _is_one_thing(wanted, text, report, promise))
        else _MOST_BY_NOBODY
    )
    if deed is not None and deed in said:
        wanted, shared = wanted | {deed}, shared | {deed}
    own = frozenset(report.words) & said
    is_short = len(shared) >= _OWN_WORDS * len(own) and len(shared) >= _SOME * len(wanted)
    least = 1 if has_result and by_owner and shared >= own else min(2, len(wanted))
    things = wanted - {deed} - _PLAIN
    if things and things.isdisjoint(said):
        return None
    may_be_deed = is_told or is_finished or not any(deed in group for group in _ALIKE)
    if may_be_deed and _is_thing_done(things, said, report, by_owner=by_owner):
        return _BY_OWNER if by_owner else _BY_NOBODY
    is_done = is_told or is_finished or (may_be_deed and _has_result(text))
    if by_owner and is_done and _is_one_thing(things, text, report, promise):
        return _BY_OWNER
    if not shared or len(shared) < least or not (len(shared) >= most * len(wanted) or is_short):
        return None
    if not (is_finished or is_told):
        return None
    return _BY_OWNER if by_owner else _BY_NOBODY


def _is_thing_done(things: frozenset[str], said: frozenset[str], report: Statement, *, by_owner: bool) -> bool:
    """Whether a report that something was done says plainly the very things promised, whatever was done with them."""
    shared = things & said
    if report.event.category != "Execution":
        return False
    is_another_s = bool(report.owner_names) and not by_owner
    least = _HALF_OF_THINGS if by_owner else _MOST_OF_THINGS
    return len(shared) >= (3 if is_another_s else 2) and len(shared) >= least * len(things)


def _is_one_thing(things: frozenset[str], text: str, report: Statement, promise: Statement) -> bool:
    """Whether a report names half of the things promised at least, and none of them with a word that makes it another.

    "The incident report" is not "the report", while the new or the whole one is.
    """
    shared = things & frozenset(ledger_stems(text))
    if not shared or len(shared) < _HALF_OF_THINGS * len(things) or report.event.category != "Execution":
        return False
    own = frozenset(ledger_stems(promise.text)) | _OF_ANY
    names = _actors(report) | _actors(promise)
    stems = [stem for word in _WORD.findall(text) for stem in ledger_stems(word) or [""]]
    before = {one for one, other in pairwise(stems) if other in shared and one}
    return before <= own | names


def _restricts(report: str, promise: str) -> bool:
    """Whether a report tells of some where all were promised."""
    return _ALL.search(promise) is not None and _ALL.search(report) is None and _SOME_OF.search(report) is not None


def cancels(decision: Statement, promise: Statement) -> float | None:
    """Return how sure it is that `decision`, made after `promise`, does away with it; None if it does not clearly."""
    if _NOT_WANTED.search(decision.text) is None or share_evidence(decision, promise):
        return None
    wanted = _task(promise) - {_deed(promise)}
    if len(wanted) < 2 or not wanted <= frozenset(ledger_stems(decision.text)) or _is_about_another(decision, promise):
        return None
    return _DROPPED


def _task(promise: Statement) -> frozenset[str]:
    """Return what is to be done, by stems, without fillers; all of it if nothing else is left."""
    told = frozenset(ledger_stems(_APPOSED.sub(" ", promise.text, count=1)))
    return (promise.words & told - _FILLERS - _OPENERS) or promise.words


def _is_about_another(report: Statement, promise: Statement) -> bool:
    """Whether the two name different ones of a kind (another quarter, version or ticket), or different receivers."""
    if promise.identifiers and report.identifiers and promise.identifiers.isdisjoint(report.identifiers):
        return True
    receivers, others = promise.other_names, report.other_names
    return bool(receivers and others) and not share_a_name(receivers, others)


def _names_another(report: Statement, promise: Statement) -> bool:
    """Whether each has a name of its own that the other lacks: the invoice of Aurora, and that of Borealis."""
    names = [_names(one) for one in (report, promise)]
    return all(own - frozenset(ledger_stems(other.text)) for own, other in zip(names, (promise, report), strict=True))


def _names(statement: Statement) -> frozenset[str]:
    """Return the stems of capitalised words inside a text, but of people who act and of what tells a day."""
    found = {stem for match in _NAME.finditer(statement.text) for stem in ledger_stems(match[0])}
    return frozenset(stem for stem in found - _actors(statement) if not is_value(stem))


def _actors(statement: Statement) -> frozenset[str]:
    """Return the stems of the names of who acts."""
    return frozenset(stem for actor in statement.event.actors for stem in ledger_stems(actor.name))


def _is_of_another(text: str, promise: Statement) -> bool:
    """Whether a report is of the like of what was promised: "the accounts of the club" for "the accounts"."""
    said = frozenset(ledger_stems(promise.text))
    return any(
        not said.isdisjoint(ledger_stems(match[1]))
        and said.isdisjoint(distinctive(frozenset(ledger_stems(match[2]))) or said)
        for match in _OF.finditer(text)
    )


def _reports_of(report: Statement, promise: Statement) -> bool | None:
    """Whether the report is of who promised; None if it names somebody else as who did it.

    Whose report it is without being named in it only passes it on: "The hall is booked".
    """
    if _comes_from(report, promise):
        return True
    doers = () if _PASSIVE.search(report.text) and not report.is_owned else report.owner_names
    if not doers or not promise.owner_names:
        return False
    if share_a_name(doers, promise.owner_names):
        return True
    told = frozenset(ledger_stems(report.text))
    is_named = any(not told.isdisjoint(ledger_stems(name)) for name in doers)
    return None if is_named or _FIRST_PERSON.search(report.text) else False


def _comes_from(report: Statement, promise: Statement) -> bool:
    """Whether what is told of is theirs who promised it: "Mr Renzi's valuation", "the copy from Lars"."""
    words = [
        re.escape(word)
        for actor in report.event.actors
        if share_a_name((actor.name,), promise.owner_names)
        for word in actor.name.split()
    ]
    theirs = rf"\b(?:from (?:[A-Z]\w+ )?(?:{'|'.join(words)})\b|(?:{'|'.join(words)})['’]s\b)"
    return bool(words) and re.search(theirs, report.text) is not None


def _speaking_of(report: Statement, promise: Statement) -> str:
    """Return the clauses of a report that have words of the promise and tell of nothing to come."""
    wanted = _task(promise)
    told = (clause for clause in _CLAUSE.split(report.text) if _AHEAD.search(clause) is None)
    return "; ".join(clause for clause in told if not wanted.isdisjoint(ledger_stems(clause)))


def _deed(promise: Statement) -> str | None:
    """Return the verb of what is to be done, the first word after who does it; None of "have the report ready"."""
    if _TO_HAVE.search(promise.text):
        return None
    if _TO_SEND.search(promise.text):
        return _SEND
    passed = _actors(promise) | _OPENERS
    return next((stem for stem in ledger_stems(promise.text) if stem not in passed), None)


def _tells_of(said: frozenset[str], deed: str | None) -> bool:
    """Whether a deed is told of, by its verb or a like one."""
    return deed is not None and (deed in said or any(deed in group and not group.isdisjoint(said) for group in _ALIKE))


def _has_result(text: str, deed: str | None = None) -> bool:
    """Whether a thing is told to be as it is once the deed was done: "the shelves are up" of "put up the shelves".

    Without a deed: once any was.
    """
    return any((deed is None or deed in deeds) and result.search(text) for deeds, result in _RESULTS)


def _is_unfinished(text: str, promise: Statement) -> bool:
    """Whether what a report says of a promise denies or restricts it, in words that the promise itself has not."""
    own = set(ledger_stems(promise.text)) | {match[0].casefold() for match in _UNFINISHED.finditer(promise.text)}
    found = {match[0].casefold() for match in _UNFINISHED.finditer(text)} - own
    return any(own.isdisjoint(ledger_stems(word) or [word]) for word in found)
