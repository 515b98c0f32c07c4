"""Commitments: several promises in one sentence told apart, their due dates, who makes them and to whom."""

import re
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from typing import Final

from core.knowledge.findings import Span
from core.regex import regex
from ingest.document.structure import Passage
from ingest.english.date_phrases import DatePhrase, date_phrases
from ingest.english.lexicon import ACTION, NO_ACT
from ingest.english.name_patterns import NAME, TITLED
from ingest.extract.local.acts import Act
from ingest.extract.local.entities.names import Names

_MARKED_DAY: Final = r"[ \t]*[<\[({]?(?P<day>\d{4}-\d\d-\d\d)(?: [^\W\d_]{2,10}\.?)?(?:[ T](?P<clock>\d{1,2}:\d\d))?"
#: How Obsidian, Org, Logseq, todo.txt and TaskPaper mark the day when a task is due, for which it is planned, and on
#: which it was written down, may begin, or was done.
_DUE: Final = regex(rf"(?:📅|📆|🗓\ufe0f?|\bDEADLINE:|\bdue:{{1,2}}(?! ?[^\s\d])|@due\(|@\{{){_MARKED_DAY}")
_PLANNED: Final = regex(rf"(?:⏳|⌛|\bSCHEDULED:|\bscheduled:{{1,2}}|@scheduled\(){_MARKED_DAY}")
_NO_LIMIT: Final = regex(
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
_FORMER: Final = regex(
    r"\b(?:not|no longer|never|rather than|instead of|originally|previously|formerly|initially|first|as late as|"
    r"(?:was|were) (?:due|planned|set|scheduled|meant))(?: (?:due|planned|set|scheduled|for|until|by|on))* ?\Z",
    re.I,
)
#: How far back that is looked for, in characters.
_BACK: Final = 40
_POSSESSIVE: Final = regex(r"['’]s\b")
#: Before the day of what a promise follows from: "based on today's call", "what came up in Monday's review".
_SOURCE: Final = regex(
    r"\b(?:based|building|depending|feedback|comments?|notes?|said|raised|agreed|decided|discussed|presented|reported|"
    r"requested|suggested|c[ao]me up) \Z",
    re.I,
)
#: A promise at its beginning, and whose it is; with group `dated` it is one only if it has a limit.
_PROMISE: Final = regex(
    rf"(?:{TITLED} )?(?P<who>@\w[\w.-]*|I\b|[Ww]e\b|[Yy]ou\b|[Hh]e\b|[Ss]he\b|{NAME})(?:"
    rf"(?:['’]ll| will| shall)(?: (?:also|then|now))? (?!{NO_ACT})[a-z]|(?:['’]s| is|['’]m| am) going to {ACTION}|"
    rf" to {ACTION}|(?P<dated> (?:(?:has to|needs to|must) {ACTION}|(?:the|a|an|our) |"
    rf"(?!(?:is|was|has|does|needs|wants|hopes|plans|thinks|says|knows|means|seems|expects|asks|feels|"
    rf"likes)\b)[a-z]{{2,}}s\b)))"
)
#: What stands between two promises of one sentence, and before the first.
_JOINT: Final = regex(
    r"(?:[,;](?: (?:and|but|while|whereas|then|so|hence))?| (?:and|but|while|whereas|then|[–—-])) (?=[\w@])"
)
_CLAUSE_OPENING: Final = regex(r"\W*(?:(?:so|and|ok|okay|yes|then|also),? )?", re.I)
#: Two that share one limit: "Ana will write it and Bob will check it, both by Friday".
_TOGETHER: Final = regex(r"\b(?:both|each|all) (?:by|before|until|due|on)\b", re.I)


def split_promises(
    content: str, passage: Passage, act: Act, names: Names, written: datetime
) -> list[tuple[Passage, Act]]:
    """Return the promises of a sentence in which one was found, each with the words that are its own.

    What stands before the first belongs to it, and so does the act.
    """
    if passage.row is not None or _TOGETHER.search(content, passage.start, passage.end):
        return [(passage, act)]
    opening = _CLAUSE_OPENING.match(content, passage.words, passage.end)
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
    before = text[max(0, date.start - _BACK) : date.start]
    if _is_by_the_way(date, text) and (_SOURCE.search(before) or not (date.cue or before.endswith("to "))):
        return False
    return date.cue in _PLAIN or written is None or date.moment.date() >= written.date()


def _is_by_the_way(date: DatePhrase, text: str) -> bool:
    """Whether a date only tells of which thing something is said: "the minutes of Monday's meeting"."""
    return date.cue not in _PLAIN and _POSSESSIVE.match(text, date.end) is not None


_WILL: Final = (
    r"(?:['’]ll|will|shall|promise[sd]?|agree[sd]?|need(?:s|ed)? to|ha(?:s|ve|d) to|must|(?:is|are|am|was|"
    r"were) (?:going )?to|"
    r"want(?:s|ed)? to|plan(?:s|ned)? to|offer(?:s|ed)? to|would|said|told|undertook|commit\w*|volunteer\w*|owes?)"
)
_TITLE: Final = r"(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?@?"
_GIVE: Final = (
    r"(?:send|give|pay|tell|show|lend|bring|owe|e-?mail|mail|call|phone|ring|ping|text|message|contact|remind|notify|"
    r"inform|"
    r"hand|offer|buy|get|forward|write|ask|answer|invite|thank|help|update|pass|return|sell|teach|visit|meet|reply)"
)
#: Before somebody to whom it is promised: "to", "promised", "send".
_BEFORE: Final = regex(
    rf"(?:\b(?<!assigned )(?<!delegated )(?<!up )(?<!belongs )(?:to|for) (?:the |our |my )?|"
    rf"\b(?:promised?|told|assured|owe[sd]?|guaranteed) (?:that )?|\b{_GIVE} (?:back )?(?:the |our |"
    rf"my )?){_TITLE}[\[*_`\"“]{{0,3}}\Z",
    re.I,
)
#: Before an organisation to which something goes: "send … to", "owe", and not "merge … to".
_GIVEN: Final = regex(
    rf"\b(?:{_GIVE}|deliver|ship|submit|report|return|quote|invoice|refund|supply|provide|owe)s?\b[^.;\n]*\Z", re.I
)
#: Behind an organisation that is only a part of what is named: "to TSC repo".
_PART_OF: Final = regex(
    r" (?!(?:by|on|an?|the|our|and|before|after|until|about|next|this|tomorrow|today|at|in|with|when|if|so|for)\b)[a-z]"
)
#: Behind somebody who wants it done, perhaps with another: "asked me to", "and Bo asked Ana to".
_ASKS: Final = regex(
    r"(?:,? (?:and|&) (?-i:[A-Z])[\w.'’-]*)?\s+(?:has |have |had )?"
    r"(?:ask(?:s|ed)?|told|tells|want(?:s|ed)?|remind(?:s|ed)?|expect(?:s|ed)?|need(?:s|ed)?|"
    r"beg(?:s|ged)?|"
    r"request(?:s|ed)?|instruct(?:s|ed)?|invite[sd]?|would like) "
    r"(?:me|us|him|her|them|the user|user|@?(?-i:[A-Z])[\w.'’-]*(?: (?-i:[A-Z])[\w.'’-]*)?) to\b",
    re.I,
)
#: Behind somebody to whom it is done: "will be sent".
_IS_GIVEN: Final = regex(
    r"\s+(?:will|shall|must|should|is to|is going to|has to|needs to) (?:also |then |now )?be "
    r"(?:sent|given|paid|told|informed|notified|shown|offered|called|phoned|contacted|invited|reimbursed|refunded|"
    r"updated|reminded|asked|handed|lent|e-?mailed|briefed)\b",
    re.I,
)
_SENTENCE_OPENING: Final = (
    r"\A\W*(?:(?:so|and|but|ok|okay|yes|then|right|sure|well|also|now|today|tomorrow|yesterday|todo|note|task):?,? )*"
)
#: That it is the speaker's: "I will", "with Bo away I will", "remind me to", "… asked me to".
_SPEAKERS: Final = regex(
    rf"{_SENTENCE_OPENING}(?:(?:I|we)\b(?! (?:think|believe|guess|expect|assume|suppose|hear|heard|know|bet)\b)|"
    r"(?:please )?remind (?:me|us)\b|don['’]t (?:let me )?forget\b)|(?<!promised )(?<!promises )\b(?:me|us) to\b|"
    rf"\A(?:(?!\b{_WILL}\b|['’]ll\b)[^.;:\"“])*?\b(?:I|we)(?:['’]ll| will| shall|['’]m going to| am going to) ",
    re.I,
)
#: That it is somebody's who isn't named: the user, whoever is spoken to, "my brother", "Grandma".
_UNNAMED: Final = regex(
    rf"{_SENTENCE_OPENING}(?:(?:the )?user\b|you\b|(?-i:[A-Z]{{2,4}}) (?:will|to)\b|(?:my|our|his|her|their|"
    rf"your) (?:[a-z'’-]+ ){{1,3}}{_WILL}|"
    rf"(?:the|a|an|some|every|each|all|any|this|that|these|those) (?:[a-z'’-]+ ){{1,3}}{_WILL}|"
    r"(?!(?:I|We|He|She|So|And|But|Ok|Okay|Yes|Then|Right|Sure|Well|Also|Now|Today|Tomorrow|Yesterday|Todo|Note|Task)\b)"
    r"(?-i:[A-Z])[\w'’-]+(?: (?!(?:I|we|who)\b)[\w.'’-]+){0,2} (?:will|shall|must|has to|needs to|is going to) [a-z])",
    re.I,
)
_TO_ME: Final = regex(rf"\b(?:{_GIVE}s?|promise[ds]?|assure[ds]?) (?:back )?(?:me|us)\b|\b(?:to|for) (?:me|us)\b", re.I)
#: Behind somebody who undertakes something, alone or with another.
_UNDERTAKES: Final = regex(
    r"(?: \([^()]{1,30}\))?(?:,? (?:and|&|or) @?[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*)?)?(?:['’]ll\b|,? (?:also |then |"
    r"now )?"
    r"(?:will|shall|would(?! (?:like|prefer|be|have|need)\b)|to(?! the\b| \w+ (?:repo|org|group|team)\b)|(?:is|"
    r"are) (?:going )?to|volunteer\w*|offer(?:s|ed)|"
    r"agree[ds]? to|promise[ds]?|working on|(?:takes?|took) (?:on|over|care))\b)"
)
#: Behind a name that ends its sentence, perhaps with others, and before it: "review it: Ana and Bo", "ask them @bo".
_LAST: Final = regex(r"(?:(?:,| and| &) @?[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*)?)*[\s.)*_\]]*\Z")
_NAMED_LAST: Final = regex(r"(?::|—|–| -|->|=>|→|\(|(?<!\[)\[)\s*@?\Z|(?<!with )(?<!to )(?<!and )(?<!for )(?<!by )@\Z")
_INITIALS: Final = (
    r"(?!(?:PRs?|CI|APIs?|UI|UX|OK|FYI|AI|TODO|ETA|NB|RFC|PEP|ADR|ID|IT|HR|US|EU|UK|QA|CLI|SDK|URL|CEO|CTO)\b)"
    r"(?P<initials>[A-Z]{2,3})"
)
_HANDLE: Final = r"@(?P<handle>[A-Za-z][\w-]*)"
#: Initials or a handle at the beginning of a task, and a handle at its end.
_TASK_OF: Final = regex(
    r"[\W_]*(?:(?i:actions?|todo|task)(?: (?i:items?|points?))?\W{1,6})?"
    rf"(?:{_INITIALS}(?::|(?: and [A-Z]{{2,3}})? will\b| to [a-z]|"
    r" (?:has |have |also )?(?:offer(?:s|ed)|agree[sd]|volunteer(?:s|ed)|promise[sd]|undert(?:ook|akes)|said (?:that )?"
    rf"(?:he|she|they) (?:will|would))\b)|{_HANDLE})"
)
_TASK_FOR: Final = regex(
    r"(?P<initials>(?!))?(?<![\w.@])(?<!with )(?<!to )(?<!and )(?<!for )(?<!by )"
    rf"{_HANDLE}(?: [A-Z])?[\s.)*_\]]*\Z"
)
#: The same of a handle without a mark, which only a list of people tells from a word.
_HANDLE_FIRST: Final = regex(
    r"[\W_]*(?:(?:[Aa]ctions?|AI|TODO|[Tt]ask)\b\W{1,3})?(?P<handle>[a-z][a-z0-9_.-]{1,24}?)"
    r"(?:[ ]?:|\)[ ]?:?| will\b|['’]ll\b| to [a-z]| (?:agree[sd]|volunteer(?:s|ed)|promise[sd]|offer(?:s|ed)) to\b)"
)
_HANDLE_LAST: Final = regex(r"[(\[](?P<handle>[a-z][a-z0-9_.-]{1,24})[)\]][\s.]*\Z")
#: Who speaks, at the beginning of a line or of a bullet: "TJ: …", "@dana: …".
_LINE_OF: Final = regex(
    rf"[ \t]*(?:(?:[-*+•]|\d{{1,3}}[.)])[ \t]+)?[*_]{{0,3}}(?:{_INITIALS}|{_HANDLE})(?: \([^()\n]{{1,30}}\))?"
    r"[*_]{0,3}:"
)
#: Initials that begin a sentence as its subject: "HSC offered to share".
_SUBJECT_OF: Final = regex(rf"\W*{_INITIALS} (?:[a-z]+ )")
#: That a sentence leaves out its subject: "Will open an issue", "can do".
_WITHOUT_SUBJECT: Final = regex(
    rf"{_SENTENCE_OPENING}(?:will|can do|can|could|going to|['’]ll|need to|plan(?:ning)? to)\b", re.I
)
#: How far before a name that is looked for, in characters.
_REACH: Final = 40


def find_assignee(sentence: str) -> str | None:
    """Return the initials or the handle that a sentence gives as whose task it is; None if there is none.

    "RM: file an issue", "JR will write", "@dana write it up", "write it up @dana".
    """
    match = _TASK_OF.match(sentence) or _TASK_FOR.search(sentence)
    return None if match is None else match["initials"] or match["handle"]


def find_handle(sentence: str, listed: Collection[str]) -> str | None:
    """Return the listed handle whose task a sentence is: "kfrm will write", "kfrm: write", "write (kfrm)"."""
    match = _HANDLE_FIRST.match(sentence) or _HANDLE_LAST.search(sentence)
    return match["handle"] if match is not None and match["handle"] in listed else None


def find_first_assignee(sentence: str) -> str | None:
    """Return the initials that a sentence begins with if whoever they are of undertakes something; None otherwise."""
    match = _TASK_OF.match(sentence)
    return None if match is None else match["initials"]


#: A field that says whose a task is, in its line: "Owner: @dana", "(assigned to: [dana](https://…))".
_OWNER_FIELD: Final = regex(
    rf"\b(?:(?:owner|assignee|responsible|in charge|lead)[*_]{{0,2}}(?: is|[ ]?:)|assigned to[*_]{{0,2}}:?|(?:task|"
    rf"job) for)"
    rf"[*_]{{0,2}}[ ](?:\[(?P<link>[^\]\n]{{2,40}})\]\(|@(?P<handle>[A-Za-z][\w-]{{1,38}})|(?P<name>{NAME}))",
    re.I,
)
_MARKED_HANDLE: Final = regex(
    r"\W*(?:ai|actions?(?: items?)?|todo|task)\W{1,3}\[?@(?P<handle>[A-Za-z][\w-]{1,38})", re.I
)


def find_owner_field(line: str) -> str | None:
    """Return the name or handle that a field in a line gives as whose task it is; None if there is none."""
    match = _OWNER_FIELD.search(line)
    if match is None:
        marked = _MARKED_HANDLE.match(line)
        return None if marked is None else marked["handle"]
    if match["name"] is not None and not match["name"][0].isupper():
        return None
    return (match["link"] or match["handle"] or match["name"]).lstrip("@")


def line_speaker(line: str) -> str | None:
    """Return the initials or the handle that a line gives as who speaks in it: "TJ: …"; None if it gives none."""
    match = _LINE_OF.match(line)
    return None if match is None else match["initials"] or match["handle"]


def initials_first(sentence: str) -> str | None:
    """Return the initials that a sentence begins with as its subject; None if there are none."""
    match = _SUBJECT_OF.match(sentence)
    return None if match is None else match["initials"]


def is_recipient(text: str, start: int, end: int, *, is_person: bool) -> bool:
    """Whether something is promised to whoever is named at these places, or that one asked for it."""
    if not is_person and (_GIVEN.search(text, max(0, start - 2 * _REACH), start) is None or not text[start].isupper()):
        return False
    if not is_person and _PART_OF.match(text, end):
        return False
    if is_person and _IS_GIVEN.match(text, end) is not None:
        return True
    return _ASKS.match(text, end) is not None or _BEFORE.search(text, max(0, start - _REACH), start) is not None


def is_assignee(text: str, passage: Span, start: int, end: int) -> bool:
    """Whether somebody named at these places undertakes something: by the words behind, or as the last word."""
    if _UNDERTAKES.match(text, end, passage.end_char) is not None:
        return True
    is_last = _LAST.match(text, end, passage.end_char) is not None
    return is_last and _NAMED_LAST.search(text, max(passage.start_char, start - _REACH), start) is not None


def is_own_commitment(sentence: str) -> bool:
    """Whether a sentence undertakes something for its speaker."""
    return _SPEAKERS.search(sentence) is not None


def lacks_subject(sentence: str) -> bool:
    """Whether a sentence undertakes something without a subject: it is then its speaker's."""
    return _WITHOUT_SUBJECT.match(sentence) is not None


def is_unnamed(sentence: str) -> bool:
    """Whether the one who undertakes something is not named in the sentence, but said to be somebody."""
    return _UNNAMED.match(sentence) is not None


def is_owed_to_speaker(sentence: str) -> bool:
    """Whether somebody else undertakes something for the speaker: "will lend us the trailer"."""
    return _TO_ME.search(sentence) is not None and not is_own_commitment(sentence)
