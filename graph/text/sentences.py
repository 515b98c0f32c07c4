"""Sentences with exact offsets, never longer than a quote may be."""

import re
from collections.abc import Iterator
from typing import Final

from core.dates import MONTH_ABBREVIATIONS, WEEKDAYS
from core.knowledge.findings import Span

#: Longest sentence, in characters; a longer one is cut at a clause, else at a blank, else hard.
MAX_SENTENCE: Final = 600

#: The look-behind keeps a run of dots from being tried at each of its dots, which would take quadratic time.
_BOUNDARY: Final = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’)\]*_]*+(?=\s)|[。！？]++[」』”]?")
_CLAUSE: Final = re.compile(r"[;:,—–]\s")
_WORD_BEFORE: Final = re.compile(r"[^\s(\[\"“]*\Z")
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
    following = content[match.end() : min(match.end() + 3, end)].lstrip()
    return not following[:1].islower() or match.end() - match.start() > 1


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
