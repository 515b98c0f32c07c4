"""Text as extraction reads it: without the long runs of one kind that no sentence needs, and with a way back.

Runs of white space, of one sign and of letters without a blank are what a pattern can read in many ways. With every run
capped here, and lines and sentences capped where they are read, a pattern takes a bounded time for each character.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from core.knowledge.findings import Extraction, FoundEntity, FoundEvent, Span
from core.regex import regex

#: Longest quote, in characters, of a sentence that holds what was left out.
MAX_QUOTE: Final = 2_000
#: How many characters of a run are kept: of an indentation, of blanks elsewhere, of one sign, of a word.
_INDENT, _BLANKS, _SIGNS, _WORD = 9, 4, 8, 600
_SIGN: Final = rf"(?P<sign>[^\w\s]|_)(?P=sign){{{_SIGNS},}}+"
#: Scripts that write without blanks have no words here. No alternative gives back what it took.
_RUN: Final = regex(
    rf"(?P<indent>(?<![^\n])[^\S\n]{{{_INDENT + 1},}}+)|(?P<blanks>(?<=\S)[^\S\n]{{{_BLANKS + 1},}}+)|"
    rf"(?P<lines>\n(?:[^\S\n]*+\n){{3,}}+)|(?P<word>(?<![!-ɏ])[!-ɏ]{{{_WORD + 1},}}+)|(?P<signs>{_SIGN})"
)
_SIGNS_ALONE: Final = regex(_SIGN)


@dataclass(frozen=True, slots=True)
class Condensed:
    """A text without the rest of its long runs.

    `text[places[i] : places[i + 1]]` is in the source from `sources[i]` on.
    """

    source: str
    text: str
    places: tuple[int, ...]
    sources: tuple[int, ...]

    def placed(self, found: Extraction) -> Extraction:
        """Return what was found in `text` with its quotes and mentions as the source has them."""
        if self.text == self.source:
            return found
        entities, events = map(self._entity, found.entities), map(self._event, found.events)
        return replace(found, entities=tuple(entities), events=tuple(events))

    def span(self, start: int, end: int) -> Span:
        """Return where `text[start:end]` stands in the source, whose own runs are then part of it."""
        begin = self._source(start)
        return Span(begin, begin if end <= start else self._source(end - 1) + 1)

    def quote(self, start: int, end: int) -> Span:
        """Return the same, or the beginning of it where the source's runs would make a quote too long."""
        span = self.span(start, end)
        if span.end_char - span.start_char <= max(MAX_QUOTE, end - start):
            return span
        beginning = self.source[span.start_char : span.start_char + MAX_QUOTE].rstrip()
        return Span(span.start_char, span.start_char + len(beginning))

    def _source(self, at: int) -> int:
        part = bisect_right(self.places, at) - 1
        return self.sources[part] + at - self.places[part]

    def _entity(self, entity: FoundEntity) -> FoundEntity:
        return replace(entity, mentions=tuple(self.span(at.start_char, at.end_char) for at in entity.mentions))

    def _event(self, event: FoundEvent) -> FoundEvent:
        span = self.quote(event.near_char, event.near_char + len(event.quote))
        return replace(event, quote=self.source[span.start_char : span.end_char], near_char=span.start_char)


def condense(source: str) -> Condensed:
    """Return a text with every long run cut; honest text mostly has none. Linear in the text."""
    parts, places, sources = list[str](), [0], [0]
    at = length = 0
    for start, end in _cuts(source):
        parts.append(source[at:start])
        length += start - at
        at = end
        places.append(length)
        sources.append(at)
    parts.append(source[at:])
    return Condensed(source, "".join(parts) if at else source, tuple(places), tuple(sources))


def one_line(text: str, longest: int) -> str:
    """Return a short text, such as a name, with single blanks, and at most so long."""
    return " ".join(text[: 4 * longest].split())[:longest]


def _cuts(source: str) -> Iterator[tuple[int, int]]:
    """Yield what is left out, in order: the rest of each run behind what is kept of it."""
    kept = {"indent": _INDENT, "blanks": _BLANKS, "lines": 1, "signs": _SIGNS}
    for match in _RUN.finditer(source):
        kind = match.lastgroup or ""
        if kind == "word":
            yield from _cuts_of_word(source, match.start(), match.end())
        elif kind == "lines":
            yield match.start() + 1, match.end() - 1
        else:
            yield match.start() + kept["signs" if kind == "sign" else kind], match.end()


def _cuts_of_word(source: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield what is left out of a word: the rest of its runs of one sign, and what is more than a word has."""
    left, at = _WORD, start
    for run in _SIGNS_ALONE.finditer(source, start, end):
        if run.start() + _SIGNS - at >= left:
            break
        left -= run.start() + _SIGNS - at
        at = run.end()
        yield run.start() + _SIGNS, at
    if at + left < end:
        yield at + left, end
