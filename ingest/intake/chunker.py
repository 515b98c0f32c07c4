"""The chunker: splits a memory into chunks that fit the embedder, each with a prefix and exact offsets."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cached_property, lru_cache
from itertools import chain, islice
from typing import Final, NamedTuple
from unicodedata import category

import numpy as np
from numpy.typing import NDArray

from core.dates import is_month
from core.interface.memory import Memory
from core.records import Chunk, date_prefix, insert_name
from core.regex import regex
from core.search import TokenBounds, Tokenizer

#: White space longer than this counts as tokens of this many characters, so that no chunk grows without bound.
_MAX_GAP: Final = 100
#: First and last letters of scripts that put no blanks between words: each may begin a chunk.
_UNSPACED: Final = (("\u3040", "\u30ff"), ("\u3400", "\u9fff"), ("\uf900", "\ufaff"), ("\U00020000", "\U0003ffff"))
_JOINER: Final = "\u200d"
#: What a character is, as bits: part of a word, a mark on the one before, tied to both of its neighbours.
_IN_WORD, _IS_MARK, _JOINS = 1, 2, 4


class TokenPlaces:
    """The tokens of a content, and pieces of each stretch of white space that is too long to come along free."""

    def __init__(self, content: str, bounds: TokenBounds) -> None:
        self._content = content
        self._bounds = _with_gaps(bounds, len(content))

    def __len__(self) -> int:
        return len(self._bounds)

    @property
    def starts(self) -> NDArray[np.int32]:
        """Where each begins, in order."""
        return self._bounds[:, 0]

    def is_between_words(self, index: int) -> bool:
        """Whether no word runs over the beginning of this token, which is not the first."""
        return self._between[index] == 1

    def first_between_words(self, begin: int, stop: int) -> int | None:
        """Return the first such token from `begin` on and before `stop`, if there is one."""
        return _found(self._between.find(1, begin, stop))

    def last_between_words(self, begin: int, stop: int) -> int | None:
        """Return the last one."""
        return _found(self._between.rfind(1, begin, stop))

    def first_apart(self, begin: int, stop: int) -> int | None:
        """Return the first token of the range that shares no character with the one before, if there is one."""
        return _found(self._apart.find(1, begin, stop))

    def last_apart(self, begin: int, stop: int) -> int | None:
        """Return the last one."""
        return _found(self._apart.rfind(1, begin, stop))

    @cached_property
    def _apart(self) -> bytes:
        """Of each token 1 if it shares no character with the one before, else 0."""
        return (self._bounds[:, 0] < self._bounds[:, 1]).tobytes()

    @cached_property
    def _between(self) -> bytes:
        """Of each token 1 if no word runs over its beginning, else 0."""
        starts, ends = self._bounds.T
        between = np.append(True, ends[:-1] < starts[1:])
        touching = np.flatnonzero(~between & (starts < ends))
        codes = np.frombuffer(self._content.encode("utf-32-le"), np.uint32)
        kinds = _kinds(self._content)
        left, right = kinds[codes[ends[touching - 1] - 1]], kinds[codes[starts[touching]]]
        between[touching] = (right & (_IS_MARK | _JOINS) | left & (right & _IN_WORD | _JOINS)) == 0
        return between.tobytes()


def _with_gaps(bounds: TokenBounds, length: int) -> TokenBounds:
    before, after = np.append(0, bounds[:, 1]), np.append(bounds[:, 0], length)
    pieces = np.maximum(after - before - 1, 0) // _MAX_GAP
    if not pieces.any():
        return bounds
    at = np.repeat(np.arange(len(pieces)), pieces)
    begins = before[at] + (np.arange(len(at)) - np.repeat(np.cumsum(pieces) - pieces, pieces)) * _MAX_GAP
    return np.insert(bounds, at, np.stack([begins, begins + _MAX_GAP], axis=1), axis=0)


def _found(index: int) -> int | None:
    return None if index < 0 else index


def _kinds(content: str) -> NDArray[np.uint8]:
    """Return what each character of a content is, by its code point."""
    signs = set(content)
    kinds = np.zeros(ord(max(signs)) + 1, np.uint8)
    for sign in signs:
        kinds[ord(sign)] = _kind(sign)
    return kinds


@lru_cache(1 << 12)
def _kind(sign: str) -> int:
    general = category(sign)[0]
    is_unspaced = any(first <= sign <= last for first, last in _UNSPACED)
    in_word = _IN_WORD if general in "LMN" and not is_unspaced else 0
    return in_word | (_IS_MARK if general == "M" else 0) | (_JOINS if sign == _JOINER else 0)


#: Most tokens that date, key and title or speaker may take in front of a chunk; in a small window a quarter of it.
MAX_PREFIX_TOKENS: Final = 48
#: Most tokens of a section's heading; in a small window an eighth of it.
MAX_SECTION_TOKENS: Final = 16
#: What joins the words of a tag.
_JOINTS: Final = regex(r"[#/_-]+|(?<=[^\W\d_A-Z])(?=[A-Z])")
#: A heading of Markdown at the beginning of a line.
_HEADING: Final = regex(r"^#{1,6}[ \t]++([^\n]*[^\n \t#\r])", re.MULTILINE)


def chunk_prefix(memory: Memory, tokenizer: Tokenizer) -> str:
    """Return the prefix of every chunk: the day, the key, then a turn's speaker, or anything else's title and tags.

    A key that is only the path of the item's file is left out: nobody chose it as a name.
    """
    day = memory.date if memory.is_turn else memory.date or memory.document_date
    label = _dated(day.strip()) if day else ""
    names = [] if memory.key is None or memory.key == memory.file_path else _unsaid(memory, memory.key)
    if memory.is_turn and (speaker := memory.author or memory.role):
        return _bounded(label + "\n".join([*names, speaker]), ": ", tokenizer, MAX_PREFIX_TOKENS, 4)
    if memory.title is not None and memory.title not in names and not memory.is_turn:
        names += _unsaid(memory, memory.title)
    if memory.tags and not memory.is_turn:
        names.append(", ".join(map(spell_out_tag, memory.tags)))
    return _bounded(label + "\n".join(names), "\n", tokenizer, MAX_PREFIX_TOKENS, 4) if names else label


def spell_out_tag(tag: str) -> str:
    """Return a tag as words: "sales/eu-north" as "sales eu north", "TideTable" as "Tide Table"."""
    return " ".join(_JOINTS.sub(" ", tag).split())


def _dated(day: str) -> str:
    if is_month(day):
        return date_prefix(date.fromisoformat(f"{day}-01"), month_only=True)
    return date_prefix(datetime.fromisoformat(day).date())


def leading_title(memory: Memory, tokenizer: Tokenizer) -> str:
    """Return the title that the content begins with, which further chunks lack; empty if there is none."""
    if memory.is_turn or memory.title is None or not _begins_with(memory, memory.title):
        return ""
    return _bounded(memory.title, "", tokenizer, MAX_PREFIX_TOKENS, 4)


def _unsaid(memory: Memory, name: str) -> list[str]:
    """Return the name unless the content begins with it."""
    return [] if _begins_with(memory, name) else [name]


def _begins_with(memory: Memory, name: str) -> bool:
    return memory.content.lstrip("# ").startswith(name)


def _bounded(label: str, separator: str, tokenizer: Tokenizer, most: int, share: int) -> str:
    """Return the label, cut if it would take too much of the window (one part of `share`), and the separator."""
    limit = _limit(separator, tokenizer, most, share)
    label = label[: _most_chars(tokenizer, share)]
    bounds = tokenizer.token_bounds(label)
    return (label if len(bounds) <= limit else label[: bounds[limit, 0]].rstrip()) + separator


def _limit(separator: str, tokenizer: Tokenizer, most: int, share: int) -> int:
    return min(most, tokenizer.window_tokens // share) - len(tokenizer.token_bounds(separator))


def _most_chars(tokenizer: Tokenizer, share: int) -> int:
    """Return how long a label may be: a character has at most four bytes."""
    return tokenizer.window_bytes // (4 * share)


@dataclass(frozen=True, slots=True)
class Sections:
    """The sections of a text by its headings; turns and texts without headings have none."""

    content: str = ""
    #: Of each heading: where it begins, where its name does, and where that ends or is cut to its share of the window.
    places: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 3), np.int64))
    #: A text with as many tokens and bytes as any label, to leave room for each.
    longest: str = ""

    @classmethod
    def of(cls, memory: Memory, tokens: TokenBounds, tokenizer: Tokenizer) -> "Sections":
        """Find the headings of a memory whose content has these tokens."""
        found = () if memory.is_turn else _HEADING.finditer(memory.content)
        each = ((match.start(), *match.span(1)) for match in found)
        places = np.fromiter(chain.from_iterable(each), np.int64).reshape(-1, 3)
        if not len(places):
            return cls()
        limit, most_chars = _limit("\n", tokenizer, MAX_SECTION_TOKENS, 8), _most_chars(tokenizer, 8)
        _, begins, ends = places.T
        is_cut = ends - begins > most_chars
        ends[is_cut] = begins[is_cut] + most_chars  # maybe within a word
        firsts = np.searchsorted(tokens[:, 0], begins)
        sizes = np.searchsorted(tokens[:, 1], ends, side="right") - firsts
        is_long = sizes > limit
        ends[is_long] = tokens[firsts[is_long] + limit, 0]
        sections = cls(memory.content, places)
        # Where a name is cut, its last character may have several tokens, and a part of a word others than the word.
        telling = [*np.flatnonzero(is_cut | is_long), sizes.argmax(), _num_bytes(memory.content, begins, ends).argmax()]
        labels = sorted({sections._label(int(place)) for place in telling})
        counts = dict(zip(labels, tokenizer.counts(labels), strict=True))
        by_tokens = max(labels, key=counts.__getitem__)
        by_bytes = max(labels, key=lambda label: len(label.encode()))
        return replace(sections, longest=by_tokens if by_tokens == by_bytes else by_tokens + by_bytes)

    def at(self, start: int) -> str:
        """Return the heading of the section in which a chunk begins; empty if its own text has it."""
        starts = self.places[:, 0]
        before = int(np.searchsorted(starts, start))
        if before == 0 or (before < len(starts) and starts[before] == start):
            return ""
        return self._label(before - 1)

    def _label(self, place: int) -> str:
        _, begin, end = self.places[place].tolist()
        return self.content[begin:end].rstrip() + "\n"


def _num_bytes(content: str, begins: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many bytes of UTF-8 each of the ranges has."""
    codes = np.frombuffer(content.encode("utf-32-le"), np.uint32)
    until = np.cumsum(1 + (codes > 0x7F) + (codes > 0x7FF) + (codes > 0xFFFF))
    return until[ends - 1] - until[begins - 1]  # a heading has a sign before its name


#: Longest chunk, in tokens; an embedder with a smaller window makes it shorter.
MAX_CHUNK_TOKENS: Final = 900
#: Share of a chunk that the next one repeats: 100 of 900 tokens.
OVERLAP: Final = 1 / 9
#: A chunk ends at the last paragraph, line or sentence of its final part; this is where that part begins.
_EARLIEST_BREAK: Final = 0.6
_BREAKS: Final = ("\n\n", "\r\n\r\n", "\n", ". ", "! ", "? ", "。")
#: Blanks, and signs that WordPiece treats as separate words: a cut next to one changes no token. Other tokenizers
#: come with windows several times `MAX_CHUNK_TOKENS`.
_APART: Final = regex("[ \t\r\n!-/:-@[-`{-~\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df]")
#: Most chunks that are checked together: one after the other, each would wait several times for busy threads.
_CHECKED: Final = 512


def split_into_chunks(artifact_id: str, memory: Memory, tokenizer: Tokenizer) -> tuple[list[Chunk], int]:
    """Return the chunks of `memory` in order, and how many tokens its content has.

    Every character is in at least one chunk. What is embedded of one has at most `tokenizer.window_tokens` tokens
    and `tokenizer.window_bytes` bytes; it ends further on than the one before. It begins and ends between words, but
    for words too long for that. Time and memory grow with the length of the content.
    """
    content, prefix, name = memory.content, chunk_prefix(memory, tokenizer), leading_title(memory, tokenizer)
    tokens = tokenizer.token_bounds(content)
    sections = Sections.of(memory, tokens, tokenizer)
    cutter = _Cutter.of(content, TokenPlaces(content, tokens), prefix + sections.longest, tokenizer)
    chunks = []
    for index, cut in enumerate(cutter.cuts()):
        start, stop = cutter.range_of(cut)
        section = sections.at(start)
        own = insert_name(prefix, name) if index and name not in section else prefix
        chunks.append(Chunk(artifact_id, index, start, stop, content[start:stop], own + section, cut.end - cut.first))
    return chunks, len(tokens)


class _Cut(NamedTuple):
    """A chunk: the tokens from `first` on and before `end`, which is not before `least`."""

    first: int
    least: int
    end: int


@dataclass(frozen=True, slots=True)
class _Cutter:
    """Cuts one content; `prefix` is as long as the longest of any chunk, and `window` the tokens that it leaves."""

    content: str
    tokens: TokenPlaces
    prefix: str
    window: int
    tokenizer: Tokenizer

    @classmethod
    def of(cls, content: str, tokens: TokenPlaces, prefix: str, tokenizer: Tokenizer) -> "_Cutter":
        """Return the cutter of a content that has these tokens."""
        window = min(MAX_CHUNK_TOKENS, tokenizer.window_tokens - len(tokenizer.token_bounds(prefix)))
        return cls(content, tokens, prefix, window, tokenizer)

    def range_of(self, cut: _Cut) -> tuple[int, int]:
        """Return where the chunk starts and stops in the content."""
        return int(self.tokens.starts[cut.first]) if cut.first else 0, self._stop(cut.end)

    def cuts(self) -> Iterator[_Cut]:
        """Yield the chunks; they are drawn as if each fitted, and checked together, more and more while all do."""
        first, least, ahead = 0, 1, 1
        while True:
            cuts = list(islice(self._drawn(first, least), ahead))
            ahead = min(2 * ahead, _CHECKED)
            if (fitting := self._fitting(cuts)) < len(cuts):
                cuts[fitting:], ahead = [self._shortened(cuts[fitting])], 1
            yield from cuts
            if self._is_last(cuts[-1]):
                return
            first, least = self._after(cuts[-1])

    def _drawn(self, first: int, least: int) -> Iterator[_Cut]:
        while True:
            cut = _Cut(first, least, self._last_break(first, least, self.window))
            yield cut
            if self._is_last(cut):
                return
            first, least = self._after(cut)

    def _shortened(self, cut: _Cut) -> _Cut:
        """Return the chunk without so many of its last tokens that it fits."""
        while True:
            cut = cut._replace(end=self._last_break(cut.first, cut.least, (cut.end - cut.first) * 15 // 16))
            if self._fitting([cut]):
                return cut

    def _stop(self, end: int) -> int:
        return len(self.content) if end == len(self.tokens) else int(self.tokens.starts[end])

    def _is_last(self, cut: _Cut) -> bool:
        return self._stop(cut.end) == len(self.content)

    def _fitting(self, cuts: Sequence[_Cut]) -> int:
        """Return how many of the chunks, before the first that does not, fit the window.

        A word cut in two can have more tokens than it had whole, so that they must be counted.
        """
        texts: dict[int, str] = {}
        for index, cut in enumerate(cuts):
            if cut.end <= cut.least:
                continue
            start, stop = self.range_of(cut)
            text = self.prefix + self.content[start:stop]
            if _has_more_bytes(text, self.tokenizer.window_bytes):
                cuts = cuts[:index]
                break
            if not (self._is_clean(start) and self._is_clean(stop)):
                texts[index] = text
        if not texts:
            return len(cuts)
        counts = zip(texts, self.tokenizer.counts(list(texts.values())), strict=True)
        return next((index for index, count in counts if count > self.tokenizer.window_tokens), len(cuts))

    def _is_clean(self, cut: int) -> bool:
        """Whether the tokens on both sides of the cut are the same as in the whole content."""
        return cut in (0, len(self.content)) or _APART.search(self.content, cut - 1, cut + 1) is not None

    def _last_break(self, first: int, least: int, room: int) -> int:
        """Return the best place to end a chunk of at most `room` tokens, unless it must have more."""
        most = max(least, min(first + room, len(self.tokens)))
        if most == len(self.tokens):
            return most
        earliest = max(least, first + int((most - first) * _EARLIEST_BREAK))
        starts = self.tokens.starts
        begin, stop = int(starts[earliest - 1]), int(starts[most])
        for sign in _BREAKS:
            if (at := self.content.rfind(sign, begin, stop)) >= 0:
                return bisect_left(starts, at + len(sign), earliest, most)
        between = self.tokens.last_between_words(earliest, most + 1)
        return between or self.tokens.last_apart(earliest, most + 1) or most

    def _after(self, cut: _Cut) -> tuple[int, int]:
        """Return where the next chunk begins, and where it ends at least."""
        return self._overlap(cut), cut.end + 1

    def _overlap(self, cut: _Cut) -> int:
        """Return where the chunk after this one begins: `OVERLAP` of the window back, or a bit less for a word.

        Where few tokens fill a chunk, because its bytes bound it, a quarter at most is repeated.
        """
        end, stop, starts = cut.end, self._stop(cut.end), self.tokens.starts
        begin = max(cut.first + 1, end - min(round(self.window * OVERLAP), (end - cut.first) // 4))
        most_bytes = self.tokenizer.window_bytes // 4
        while begin < end and _has_more_bytes(self.content[starts[begin] : stop], most_bytes):
            begin += 1
        between = self.tokens.first_between_words(begin, end)
        if between is not None or self.tokens.is_between_words(end):
            return between or end
        return self.tokens.first_apart(begin, end) or end


def _has_more_bytes(text: str, most: int) -> bool:
    """Whether the text has more bytes of UTF-8; none of its characters has more than four."""
    return 4 * len(text) > most and len(text.encode()) > most
