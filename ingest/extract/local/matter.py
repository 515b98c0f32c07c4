"""Matter: what a decision is about where its own sentence does not say it, from the lines that it is below.

"Approved unanimously." names nothing: the item above it, the motion before it or its heading does.
"""

import re
from collections.abc import Collection
from typing import Final

from graph.text.tokens import ledger_stems
from ingest.document.headings import is_generic
from ingest.document.section_days import holds_only_a_day
from ingest.extract.local.summary import plain_line

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
