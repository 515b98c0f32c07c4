"""Text without its markup: the words as a reader sees them, so that a quote without the marks is found.

Left out are emphasis, addresses of links, inline tags of HTML, the marks before quoted lines, entries and headings, the
lines between table cells, signs without width, and hyphens, which may divide a word at the end of a line.
"""

import re
from collections.abc import Iterator
from typing import Final

from core.knowledge.findings import Span

_TOKEN: Final = re.compile(
    r"(?P<mark>^[ \t]*(?:>[ \t]*)*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|#{1,6}[ \t]+)?)"
    r"|(?P<tag></?(?:a|abbr|b|br|code|del|em|i|ins|kbd|mark|p|s|small|span|strong|sub|sup|u)\b[^<>\n]{0,300}>)"
    r"|(?P<address>\]\([^()\s]{0,1000}(?:[ ]\"[^\"\n]{0,200}\")?\)|\]\[[^\[\]\n]{0,200}\])"
    r"|(?P<emphasis>~~|==|!(?=\[))|(?P<minus>(?<![\w)])[-–](?=\d))"
    r"|(?P<word>[^\W_]+)|(?P<sign>[^\w\s])|_",
    re.MULTILINE | re.IGNORECASE,
)
#: Signs that are markup, or may be there or not.
_LEFT_OUT: Final = frozenset("*`[]|\\-‐‑–—\u00ad\u200b\u200c\u200d\u2060\ufeff")
_PLAIN: Final = str.maketrans("‘’´“”„«»", '\'\'\'"""""')
#: Characters allowed between two parts of one word.
_WITHIN: Final = re.compile(r"[-‐‑\u00ad\u200b\u200c\u200d\u2060\ufeff*_`~]+(?:[ \t]*\r?\n[ \t>]*)?")
#: How far around a word of a quote its other words are looked for, in characters, in addition to four times its length.
_AROUND: Final = 600
#: How many places are tried.
_MOST_PLACES: Final = 200


def find_marked_quote(content: str, quote: str, near: int) -> Span | None:
    """Return where the words of a quote are in `content`, in their order and with nothing but markup between them.

    Of several places it is the one nearest to `near`. Linear in the content.
    """
    wanted = [text for text, _, _ in _parts(quote)]
    if not any(text[0].isalnum() for text in wanted):
        return None
    found: Span | None = None
    for place in _places(content, wanted, near):
        reach = 4 * len(quote) + _AROUND
        begin = content.rfind("\n", 0, max(0, place - reach)) + 1 if place > reach else 0
        begin = max(begin, place - 2 * reach)
        for span in _matches(content[begin : place + reach], wanted):
            moved = Span(span.start_char + begin, span.end_char + begin)
            if found is None or abs(moved.start_char - near) < abs(found.start_char - near):
                found = moved
    return found


def _matches(text: str, wanted: list[str]) -> Iterator[Span]:
    parts = list(_parts(text))
    joined = "\0".join(part[0] for part in parts)
    starts, at = {}, 0
    for number, part in enumerate(parts):
        starts[at] = number
        at += len(part[0]) + 1
    pattern = "\0".join(wanted)
    at = joined.find(pattern)
    while at >= 0:
        first = starts.get(at)
        is_whole = joined[at + len(pattern) : at + len(pattern) + 1] in ("", "\0")
        if first is not None and is_whole:
            yield Span(parts[first][1], parts[first + len(wanted) - 1][2])
        at = joined.find(pattern, at + 1)


def _parts(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the words and signs of a text as they are compared, with their places; a divided word is one."""
    word, begin, end = "", 0, 0
    for token in _TOKEN.finditer(text):
        if (found := token["word"]) is not None:
            is_within = word and not (word[-1].isdigit() or found[0].isdigit())
            if is_within and _WITHIN.fullmatch(text, end, token.start()):
                word, end = word + found.casefold(), token.end()
                continue
            if word:
                yield word, begin, end
            word, (begin, end) = found.casefold(), token.span()
        elif (sign := token["minus"] or _kept(token["sign"])) is not None:
            if word:
                yield word, begin, end
                word = ""
            for plain in "..." if sign == "…" else sign.translate(_PLAIN):
                yield plain, *token.span()
    if word:
        yield word, begin, end


def _kept(sign: str | None) -> str | None:
    return None if sign in _LEFT_OUT else sign


def _places(content: str, wanted: list[str], near: int) -> list[int]:
    """Return where the longest words of a quote are, nearest to `near` first."""
    words = sorted({text for text in wanted if text[0].isalnum()}, key=len, reverse=True)[:3]
    places = {
        match.start() for word in words for match in re.finditer(rf"(?<!\w){re.escape(word)}", content, re.IGNORECASE)
    }
    return sorted(places, key=lambda place: abs(place - near))[:_MOST_PLACES]
