"""Evidence: every quote is found in the content, with or without markup, and stored as the content has it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from typing import Final

from core.knowledge.findings import Extraction, FoundEntity, FoundEvent, Span
from core.regex import regex

_TOKEN: Final = regex(
    r"(?P<mark>^[ \t]*(?:>[ \t]*)*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|#{1,6}[ \t]+)?)"
    r"|(?P<tag></?(?:a|abbr|b|br|code|del|em|i|ins|kbd|mark|p|s|small|span|strong|sub|sup|u)\b[^<>\n]{0,300}>)"
    r"|(?P<address>\]\([^()\s]{0,1000}(?:[ ]\"[^\"\n]{0,200}\")?\)|\]\[[^\[\]\n]{0,200}\])"
    r"|(?P<emphasis>~~|==|!(?=\[))|(?P<minus>(?<![\w)])[-–](?=\d))"
    r"|(?P<word>[^\W_]+)|(?P<sign>[^\w\s])|_",
    re.MULTILINE | re.IGNORECASE,
)
#: Signs that are markup, or may be there or not.
_LEFT_OUT: Final = frozenset("*`[]|\\-‐‑–—\u00ad\u200b\u200c\u200d\u2060\ufeff")
_PLAIN_QUOTES: Final = str.maketrans("‘’´“”„«»", '\'\'\'"""""')
#: Characters allowed between two parts of one word.
_WITHIN: Final = regex(r"[-‐‑\u00ad\u200b\u200c\u200d\u2060\ufeff*_`~]+(?:[ \t]*\r?\n[ \t>]*)?")
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
            for plain in "..." if sign == "…" else sign.translate(_PLAIN_QUOTES):
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


#: Share of words that an aligned quote and the source must have in common, in order (2 × common / all words of both).
ALIGNED: Final = 0.85
#: Quotes of fewer words are not aligned: a change in one word is then too much.
MIN_ALIGNED_WORDS: Final = 5
#: How many places of the rarest words of a quote are tried for alignment.
_MAX_TRIALS: Final = 24
#: Longest quote that is looked for other than exactly, in characters.
_MAX_LOOSE: Final = 2_000

_WORD: Final = regex(r"\w+")
#: Text between two words may differ in white space, line breaks, emphasis marks and quote marks of mail.
_GAP: Final = r"[*_`~]*+\s++[>\s*_`~]*+"
#: Emphasis within a word, as before a colon, and emphasis in a quote: underscores within a name are not emphasis.
_MARKS: Final = "[*_`~]*+"
_EMPHASIS: Final = regex(r"[*`~]+|(?<!\w)_+|_+(?!\w)")
_PIECE: Final = regex(r"\w+|[^\w\s]")
_SIGNS: Final = (
    dict.fromkeys("'‘’´", "['‘’`´]") | dict.fromkeys('"“”„«»', '["“”„«»]') | dict.fromkeys("-‐‑–—", "[-‐‑–—]")
)
_PLAIN: Final = str.maketrans("‘’´`“”„«»‐‑–—", "'" * 4 + '"' * 5 + "-" * 4)
#: Words that reverse a statement: an alignment must not add or drop one, or a number.
_TURNING: Final = frozenset(
    "not no never none nobody nothing neither nor without cannot t dont wont isnt wasnt cant didnt doesnt if "
    "unless".split()
)


@dataclass(frozen=True, slots=True)
class Verified:
    """What is left. Of each event `content[near_char : near_char + len(quote)] == quote`; `dropped` counts others."""

    entities: tuple[FoundEntity, ...]
    events: tuple[FoundEvent, ...]
    dropped: int
    #: Words after a title in the content, each with its titles; filled in when names are disambiguated.
    titles: Mapping[str, frozenset[str]] = field(default_factory=dict)
    #: As `core.knowledge.findings.Knowledge` has it.
    unread_language: str | None = None


def verify_evidence(content: str, found: Extraction) -> Verified:
    """Place each quote in `content` and drop the events, and the mentions, that have no place there.

    A quote is looked for exactly, the occurrence nearest to `near_char` counting (a tie: the earlier); else with other
    white space, case, quote marks, dashes and emphasis; else without markup (`marked_text`); else aligned word by word
    (`ALIGNED`), never over a number or a negation.
    """
    events = []
    for event in found.events:
        span = locate_quote(content, event.quote, event.near_char)
        if span is not None:
            quote = content[span.start_char : span.end_char]
            events.append(replace(event, quote=quote, near_char=span.start_char))
    entities = tuple(replace(entity, mentions=_inside(content, entity)) for entity in found.entities)
    dropped = len(found.events) - len(events)
    return Verified(entities, tuple(events), dropped, unread_language=found.unread_language)


def locate_quote(content: str, quote: str, near_char: int) -> Span | None:
    """Return where `quote` stands in `content`, nearest to `near_char`; None if it does not."""
    wanted = quote.strip()
    if not wanted:
        return None
    near = max(0, min(near_char, len(content)))
    span = _exact(content, wanted, near)
    if span is not None or len(wanted) > _MAX_LOOSE:
        return span
    return _loose(content, wanted, near) or find_marked_quote(content, wanted, near) or _aligned(content, wanted, near)


def find_exact_quote(content: str, quote: str, near_char: int) -> Span | None:
    """Do what `locate_quote` does, but for quotes that differ in a word: of those None."""
    wanted = quote.strip()
    near = max(0, min(near_char, len(content)))
    span = _exact(content, wanted, near)
    if span is not None or len(wanted) > _MAX_LOOSE:
        return span
    return _loose(content, wanted, near) or find_marked_quote(content, wanted, near)


def fold_quote(text: str) -> str:
    """Return text as quotes are compared: without case, differences of white space, quote marks and dashes."""
    return " ".join(text.translate(_PLAIN).casefold().split())


def _inside(content: str, entity: FoundEntity) -> tuple[Span, ...]:
    return tuple(span for span in entity.mentions if 0 <= span.start_char < span.end_char <= len(content))


def _exact(content: str, quote: str, near: int) -> Span | None:
    if content.startswith(quote, near):
        return Span(near, near + len(quote))
    after = content.find(quote, near)
    before = content.rfind(quote, 0, near + len(quote) - 1)
    if before >= 0 and (after < 0 or near - before <= after - near):
        after = before
    return None if after < 0 else Span(after, after + len(quote))


def _loose(content: str, quote: str, near: int) -> Span | None:
    words = [
        _MARKS.join("".join(_SIGNS.get(sign) or re.escape(sign) for sign in piece) for piece in _PIECE.findall(word))
        for word in _EMPHASIS.sub("", quote).split()
    ]
    if not words:
        return None
    pattern = re.compile(_GAP.join(words).replace(_MARKS.join([r"\."] * 3), r"(?:\.\.\.|…)"), re.I)
    nearest = min(pattern.finditer(content), key=lambda match: abs(match.start() - near), default=None)
    return None if nearest is None else Span(*nearest.span())


def _aligned(content: str, quote: str, near: int) -> Span | None:
    """Align the quote with the source around its longest words; the best match counts, then the nearest."""
    wanted = [match[0].casefold() for match in _WORD.finditer(quote)]
    if len(wanted) < MIN_ALIGNED_WORDS:
        return None
    best: tuple[float, int, Span] | None = None
    for start in _anchors(content, quote, near):
        window = list(_WORD.finditer(content, max(0, start - 40), min(len(content), start + len(quote) + 40)))
        tried = _alignment([match[0].casefold() for match in window], wanted)
        if tried is not None:
            ratio, first, last = tried
            span = Span(window[first].start(), window[last].end())
            rank = (ratio, -abs(span.start_char - near), span)
            best = rank if best is None or rank[:2] > best[:2] else best
    return None if best is None else best[2]


def _anchors(content: str, quote: str, near: int) -> list[int]:
    """Return where the quote would begin if one of its three longest words stood where the content has it."""
    longest = sorted(_WORD.finditer(quote), key=lambda match: -len(match[0]))[:3]
    starts: set[int] = set()
    for word in longest:
        pattern = re.compile(rf"\b{re.escape(word[0])}\b", re.I)
        starts.update(max(0, match.start() - word.start()) for match in pattern.finditer(content))
    return sorted(starts, key=lambda start: abs(start - near))[:_MAX_TRIALS]


def _alignment(source: list[str], wanted: list[str]) -> tuple[float, int, int] | None:
    """Return the share in common and the first and last word in `source` of the best stretch; None below `ALIGNED`."""
    blocks = [
        block for block in SequenceMatcher(None, source, wanted, autojunk=False).get_matching_blocks() if block.size
    ]
    if not blocks:
        return None
    first = max(0, blocks[0].a - blocks[0].b)
    last = min(len(source), blocks[-1].a + len(wanted) - blocks[-1].b) - 1
    stretch = source[first : last + 1]
    ratio = 2 * sum(block.size for block in blocks) / (len(stretch) + len(wanted))
    turned = {word for word in set(stretch) ^ set(wanted) if word in _TURNING or any(sign.isdigit() for sign in word)}
    return None if ratio < ALIGNED or turned else (ratio, first, last)
