"""Sentences with exact offsets, never longer than a quote may be, and the outline of a text.

The outline is the sentences and lines in order, each with what heads it: headings, bullets above, who speaks.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from core.dates import MONTH_ABBREVIATIONS, WEEKDAYS
from core.knowledge.findings import Span
from core.regex import regex

#: Longest sentence, in characters; a longer one is cut at a clause, else at a blank, else hard.
MAX_SENTENCE: Final = 600
#: Who speaks, and when, in front of what is said: "Ana: ", "[09:02] Ana Silva: ", "**Ana** (09:02): ".
LABEL: Final = regex(r"^((?:[^\n:]|(?<=\d):(?=\d)){1,80}):(?:[ \t]|$)", re.MULTILINE)

#: The mark of a footnote after a sentence: "[^1]", "[fn:1]", "[1]", "¹"; as plain text: "It failed twice.1 We wait".
_FOOTNOTE: Final = r"(?:\[\^?[\w:-]{1,20}\]|[¹²³⁰⁴-⁹]++|(?<=[a-z]{3}\.)\d{1,2}(?=\s+[A-Z]))*+"
#: The look-behind keeps a run of dots from being tried at each of its dots, which would take quadratic time.
_BOUNDARY: Final = regex(rf"(?<![.!?…])[.!?…]++[\"'”’)\]*_]*+(?P<note>{_FOOTNOTE})(?=\s)|[。！？]++[」』”]?")
_CLAUSE: Final = regex(r"[;:,—–]\s")
_WORD_BEFORE: Final = regex(r"[^\s(\[\"“]*\Z")
#: Behind a day in digits and a point, as German, Czech and other languages write one: "10. April".
_MONTH_BEHIND: Final = regex(
    r" (?:[A-Z][a-zäöüß]+ (?:19|20)\d\d\b|(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)[a-z]*\b)"
)
_ABBREVIATIONS: Final = MONTH_ABBREVIATIONS.union(
    "mr mrs ms dr prof st vs etc e.g i.e cf inc ltd corp co jr sr dept approx est no fig vol a.m p.m u.s".split(),
    (day[:3] for day in WEEKDAYS[:5]),
)


def sentences(content: str, start: int, end: int) -> Iterator[Span]:
    """Yield the sentences of `content[start:end]` in order, without the white space around them."""
    at = start
    for match in _BOUNDARY.finditer(content, start, end):
        if _ends_here(content, at, match, end):
            yield from _pieces(content, at, match.end())
            at = match.end()
    yield from _pieces(content, at, end)


def _ends_here(content: str, at: int, match: re.Match[str], end: int) -> bool:
    if match[0][0] != ".":
        return True
    word = _WORD_BEFORE.search(content, max(at, match.start() - 12), match.start())
    before = word[0] if word else ""
    if len(before) == 1 and before.isupper() and content[max(at, match.start() - 3) : match.start() - 2].isdigit():
        return True
    if len(before) == 1 and (before.isupper() or (before.isdigit() and match.start() - at == 1)):
        return False
    if before.casefold() in _ABBREVIATIONS:
        return False
    if before.isdigit() and len(before) < 3 and _MONTH_BEHIND.match(content, match.end()):
        return False
    following = content[match.end() : min(match.end() + 3, end)].lstrip()
    return not following[:1].islower() or match.end() - match.start() - len(match["note"]) > 1


def _pieces(content: str, start: int, end: int) -> Iterator[Span]:
    while start < end and content[start].isspace():
        start += 1
    while end > start and content[end - 1].isspace():
        end -= 1
    while end - start > MAX_SENTENCE:
        cut = _cut(content, start)
        yield Span(start, cut)
        start = cut
        while start < end and content[start].isspace():
            start += 1
    if start < end:
        yield Span(start, end)


def _cut(content: str, start: int) -> int:
    """Return where the sentence that begins at `start` and is too long is cut."""
    half, limit = start + MAX_SENTENCE // 2, start + MAX_SENTENCE
    clauses = [match.start() + 1 for match in _CLAUSE.finditer(content, half, limit)]
    if clauses:
        return clauses[-1]
    second = content[half:limit]
    if second[-1].isspace():
        return limit - 1
    words = second.split()
    return limit - len(words[-1]) - 1 if len(words) > 1 or second[0].isspace() else limit


_BULLET: Final = regex(r"(?:[-*+•‣▪◦–—]|\(?\d{1,3}[.)])[ \t]+(?=\S)")
_HASH: Final = regex(r"(#{1,6})[ \t]+(?=\S)")
_BOLD: Final = regex(r"(?:\*\*|__)[^*_\n]{1,80}(?:\*\*|__):?$|[^\n.:]{1,60}:$")
#: A line that is no text: a rule, or the underline of a heading.
_RULE: Final = regex(r"[-=_*~`| :+]{3,}$")
#: A line of its own kind: a row of a table, a quote.
_OWN_LINE: Final = regex(r"[|>]")
#: A shorter line was not wrapped by an editor, so that the next line begins something else.
_WRAPPED: Final = 50
_ENDS_SENTENCE: Final = regex(r"[.!?…。！？:;][\"'”’)\]*_]*$")
#: The level of a heading that is marked by bold letters or a colon alone, below the levels of `#` to `######`.
_PLAIN_LEVEL: Final = 7
#: Levels of bullets begin here, one for each column that they are indented by.
_BULLET_LEVEL: Final = 10
#: How many lines begin with a label that names a speaker, at least.
_SPEAKS: Final = 2


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, a heading or a line at `[start:end]` of a text, without white space around it.

    `heads` are the numbers of the headings above it, outermost first. `speaker` is the label in front of the
    line that it belongs to, None without one; the unit of the line's first sentence has it within itself.
    """

    start: int
    end: int
    heads: tuple[int, ...] = ()
    is_heading: bool = False
    speaker: Span | None = None


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines that belong together: a paragraph, a bullet with the lines that go on with it, a heading."""

    start: int
    end: int
    level: int | None
    is_heading: bool


def outline(text: str, start: int = 0, end: int | None = None) -> list[Unit]:
    """Return the units of `text[start:end]`, which begins and ends where lines do."""
    spoken = Counter(label[1] for label in LABEL.finditer(text, start, len(text) if end is None else end))
    units: list[Unit] = []
    heads: list[tuple[int, int]] = []
    for block in _blocks(text, start, len(text) if end is None else end):
        level = block.level
        if level is not None:
            while heads and heads[-1][0] >= level:
                heads.pop()
        under = tuple(number for _, number in heads)
        if level is not None:
            heads.append((level, len(units)))
        if block.is_heading:
            units.append(Unit(block.start, block.end, under, is_heading=True))
            continue
        label = LABEL.match(text, block.start, block.end) if level is None else None
        speaker = None if label is None or spoken[label[1]] < _SPEAKS else Span(label.start(1), label.end(1) + 1)
        units += (Unit(*span_of(each), under, speaker=speaker) for each in sentences(text, block.start, block.end))
    return units


def span_of(span: Span) -> tuple[int, int]:
    """Return where a span begins and ends."""
    return span.start_char, span.end_char


def _blocks(text: str, start: int, end: int) -> Iterator[_Block]:
    opened: _Block | None = None
    for at, stop in _lines(text, start, end):
        line = text[at:stop]
        if not line or _RULE.match(line):
            if opened is not None:
                yield opened
            opened = None
            continue
        block = _read(text, at, stop)
        if opened is not None and block.level is None and _goes_on(text, opened, line):
            opened = _Block(opened.start, stop, opened.level, is_heading=False)
            continue
        if opened is not None:
            yield opened
        opened = block
    if opened is not None:
        yield opened


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where each line begins and ends without the white space around it."""
    at = start
    while at < end:
        newline = text.find("\n", at, end)
        stop = end if newline < 0 else newline
        line = text[at:stop]
        bare = line.strip()
        first = at + len(line) - len(line.lstrip()) if bare else at
        yield first, first + len(bare)
        at = stop + 1


def _read(text: str, at: int, stop: int) -> _Block:
    line = text[at:stop]
    if marked := _HASH.match(line):
        return _Block(at, stop, len(marked[1]), is_heading=True)
    if _BULLET.match(line):
        return _Block(at, stop, _BULLET_LEVEL + _indent(text, at), is_heading=False)
    if _BOLD.match(line):
        return _Block(at, stop, _PLAIN_LEVEL, is_heading=True)
    return _Block(at, stop, None, is_heading=False)


def _indent(text: str, at: int) -> int:
    return at - (text.rfind("\n", 0, at) + 1)


def _goes_on(text: str, opened: _Block, line: str) -> bool:
    """Whether a line without its own mark continues the open block."""
    if opened.is_heading or _OWN_LINE.match(line) or LABEL.match(line):
        return False
    if opened.level is not None:
        return True
    above = text[max(opened.start, text.rfind("\n", 0, opened.end) + 1) : opened.end]
    return line[:1].islower() or (len(above) >= _WRAPPED and not _ENDS_SENTENCE.search(above))
