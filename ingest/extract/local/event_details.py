"""Details of an event: its summary, what a decision is about, and when a reported event happened."""

import re
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Final

from graph.text.tokens import ledger_stems
from ingest.document.dates import holds_only_a_day
from ingest.document.lines import is_generic
from ingest.english.date_phrases import DatePhrase, date_phrases

#: Longest summary, in characters.
MAX_SUMMARY: Final = 200

_MARKUP: Final = re.compile(r"\*\*|__|`|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)|\[[ xX]\] ")
_LINK: Final = re.compile(r"\[([^\]\n]{1,200})\]\([^)\n]{0,500}\)")
_FIRST_PERSON: Final = (
    (re.compile(r"\bI(?: ?['’]ll| will)\b"), "will"),
    (re.compile(r"\bI(?: ?['’]ve| have)\b"), "has"),
    (re.compile(r"\bI(?: ?['’]m| am)\b"), "is"),
)
_BEGINS: Final = re.compile(r"I (?=(?:[a-z]+ed|chose|sent|met|set|can)\b)")
_SPEAKS: Final = re.compile(r"\b(?:I|[Ww]e|[Mm]y|[Oo]ur|me|us)\b")
_LEADING: Final = re.compile(
    r"^(?:(?:OK|Okay|So|And|But|Well|Yeah|Yes|Also|Then|Oh|Right|Alright|Great|Thanks)\b[ ,.!]*)+(?=\w)", re.I
)


def summarise(text: str, speaker: str | None, matter: str | None = None) -> str:
    """Return `text` as one line of at most 200 characters, with the speaker named in place of "I" or "we".

    What it is about goes before it, if that is given.
    """
    clean = plain_line(text)
    clean = _LEADING.sub("", clean) or clean
    clean = clean[:1].upper() + clean[1:]
    if speaker is not None:
        clean = _named(clean, speaker)
    if matter is not None and matter.casefold() not in clean.casefold():
        clean = f"{matter}: {clean}"
    if len(clean) <= MAX_SUMMARY:
        return clean
    return clean[: MAX_SUMMARY - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"


def plain_line(text: str) -> str:
    """Return a text as one line without markup, links by their words."""
    return " ".join(_MARKUP.sub("", _LINK.sub(r"\1", text)).split())


def _named(clean: str, speaker: str) -> str:
    begins = _BEGINS.match(clean)
    named = f"{speaker} {clean[begins.end() :]}" if begins else clean
    for pattern, verb in _FIRST_PERSON:
        named = f"{speaker} {verb}".join(pattern.split(named))
    return named if named != clean or not _SPEAKS.search(clean) else f"{speaker}: {clean}"


#: What any decision may say: verdicts, majorities, who decides, reasons that point elsewhere.
_SAID_OF_ANY: Final = frozenset(
    ledger_stems(
        """approve approved accept accepted agree agreed agreement adopt reject rejected decline decide decision resolve
        resolution pass passed carry carried merge land close closed defer table postpone choose select go proceed move
        forward ahead motion proposal propose request vote voted favour favor unanimous unanimously consensus objection
        objections abstention abstain majority all everyone board committee council group team meeting member members
        seconded second yes no ok okay yay nay plus sounds good fine let do make want will would can now today here
        based base above below concern concerns reason following follow discussion discuss comment option item issue
        pr pull request thing result outcome conclusion conclude unless clear keep next week still also just one two
        three lgtm ship done confirm confirmed ratify ratified sign signed thumbs up reach reached"""
    )
)
#: A sentence that points to what was said before.
_POINTS_BACK: Final = re.compile(
    r"\W*(?:(?:we|they|all|everyone|group|board|tsc|[A-Z]{2,5}) )?(?:(?:have )?\w+ed (?:to \w+ )?)?"
    r"(?:this|that|it|these|those|both|the (?:above|proposal|motion|request|change|suggestion|idea|same))\b",
    re.I,
)
#: What is put to the vote.
_PUT: Final = re.compile(
    r"\b(?:motion|moved|moves|propos\w+|recommend\w*|request\w*|suggest\w*|resolution|vote on|whether|asks?|asked|"
    r"seek\w*|nominat\w+|appl(?:y|ied|ication))\b",
    re.I,
)
#: The number or the address of an issue or a request.
_NUMBERED: Final = re.compile(r"(?<!\w)#\d+|/(?:issues|pull|pulls|merge_requests)/\d+")
_PART: Final = re.compile(r"\W*(?:slot|session|part|day|week|call) \d+\b", re.I)
_HEADING: Final = re.compile(
    r"[ \t]{0,3}(?P<level>#{1,6})[ \t]+(?P<text>\S[^\n]*)|"
    r"[ \t]*\*\*(?P<bold>[^*\n]{3,120})\*\*:?[ \t]*\Z"
)
_BULLET: Final = re.compile(r"[ \t]*(?:[-*+•–]|\(?\d{1,3}[.)]|[a-z][.)])[ \t]+")
_NUMBERING: Final = re.compile(r"\A(?:\(?\d{1,2}(?:\.\d{1,2})*[.)]?|[-*+•–])[ \t]+(?=\S)")
_SENTENCE: Final = re.compile(r"(?<=[.!?])[ \t\n]+(?=[A-Z*\[])")
#: A sentence with so many words of its own says what it decides.
_FEW: Final = 2
#: Longest matter, in characters; how many lines and characters above a sentence are looked at.
_LONGEST, _LINES, _REACH = 100, 60, 6_000
_NO_HEADING: Final = 7
#: A title that names a meeting or a day, and not what is decided.
_MEETING: Final = re.compile(r"\b(?:meetings?|minutes|call|sync|stand-?up|notes|update)\b|\d{4}", re.I)


def states_topic(text: str, names: Collection[str]) -> bool:
    """Whether a sentence says what is decided: by enough words besides verdicts and names, not by pointing back."""
    if _POINTS_BACK.match(text):
        return False
    named = {stem for name in names for stem in ledger_stems(name)}
    own = [stem for stem in ledger_stems(plain_line(text)) if stem not in _SAID_OF_ANY and not stem.isdigit()]
    return sum(stem not in named for stem in own) >= _FEW


def find_topic_above(content: str, start: int, names: Collection[str]) -> str | None:
    """Return the motion, item or heading that a sentence at `start` is below; None if there is none that says more."""
    line_start = content.rfind("\n", 0, start) + 1
    before = _sentence_before(content, line_start, start)
    if before is not None:
        return _shown(before)
    lines = content[max(0, line_start - _REACH) : line_start].split("\n")[:-1]
    indent, level, is_next = _indent(content[line_start:start]), _NO_HEADING, True
    for line in reversed(lines[-_LINES:]):
        if not line.strip():
            continue
        if heading := _HEADING.match(line):
            here = len(heading["level"]) if heading["level"] else _NO_HEADING - 1
            text = heading["text"] or heading["bold"]
            if here < level and not (is_generic(plain_line(text)) or _is_of_a_day(plain_line(text))):
                return None if here == 1 and _MEETING.search(text) else _shown(text)
            level, indent = min(level, here), 0
            continue
        if level < _NO_HEADING:
            continue
        bullet = _BULLET.match(line)
        text, at = line[bullet.end() if bullet else 0 :], _indent(line)
        is_above = at < indent and bullet is not None
        is_put = is_next and at == indent and _PUT.search(text) is not None
        if (is_above or is_put) and _says_something(text, names):
            return _shown(text)
        if is_above:
            indent = at
        is_next = False
    return None


def _sentence_before(content: str, line_start: int, start: int) -> str | None:
    """Return the sentence before in the same line, if it says what is put to the vote."""
    head = content[max(line_start, start - _REACH) : start]
    bullet = _BULLET.match(head)
    said = [one for one in _SENTENCE.split(head[bullet.end() if bullet else 0 :].strip()) if one.strip()]
    return said[-1] if said and (_PUT.search(said[-1]) or _NUMBERED.search(said[-1])) else None


def _is_of_a_day(heading: str) -> bool:
    """Whether a heading says when, and not what: a day, or a part of a meeting."""
    return holds_only_a_day(heading) or _PART.match(heading) is not None


def _says_something(text: str, names: Collection[str]) -> bool:
    named = {stem for name in names for stem in ledger_stems(name)}
    return any(stem not in _SAID_OF_ANY | named for stem in ledger_stems(plain_line(text)))


def _indent(line: str) -> int:
    return len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())


def _shown(text: str) -> str | None:
    """Return what heads a decision as one line without numbering and markup; None if nothing is left."""
    clean = _NUMBERING.sub("", plain_line(text.strip()).strip()).strip(" :*_#-–—.")
    if len(clean) > _LONGEST:
        clean = clean[: _LONGEST - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"
    return clean or None


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


def find_event_time(text: str, before: str, written: datetime | None, *, decides: bool) -> datetime | None:
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
