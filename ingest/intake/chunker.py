"""The chunker: splits a memory into chunks that fit the embedder, with offsets that reproduce the source exactly."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from operator import attrgetter
from typing import Final
from unicodedata import category

from core.embedding import Tokenizer
from core.interface.memory import Memory
from core.knowledge.findings import Span
from core.records import Chunk, with_name
from ingest.intake.prefix import Sections, name_of, prefix_of

#: Longest chunk, in tokens; an embedder with a smaller window makes it shorter.
MAX_CHUNK_TOKENS: Final = 900
#: Share of a chunk that the next one repeats: 100 of 900 tokens.
OVERLAP: Final = 1 / 9
#: A chunk ends at the last paragraph, line or sentence of its final part; this is where that part begins.
_EARLIEST_BREAK: Final = 0.6
_BREAKS: Final = ("\n\n", "\r\n\r\n", "\n", ". ", "! ", "? ", "。")
#: White space longer than this counts as tokens of this many characters, so that no chunk grows without bound.
_MAX_GAP: Final = 100
#: Letters of scripts that put no blanks between words: each may begin a chunk.
_UNSPACED: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_JOINER: Final = "\u200d"
#: Blanks, and signs that WordPiece takes for words of their own: a cut beside one changes no token. Other tokenizers
#: come with windows several times `MAX_CHUNK_TOKENS`.
_APART: Final = re.compile("[ \t\r\n!-/:-@[-`{-~\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df]")
_start_char: Final = attrgetter("start_char")


def split(artifact_id: str, memory: Memory, tokenizer: Tokenizer) -> tuple[list[Chunk], int]:
    """Return the chunks of `memory` in order, and how many tokens its content has.

    Every character is in at least one chunk. What is embedded of one has at most `tokenizer.window_tokens` tokens
    and `tokenizer.window_bytes` bytes; it ends further on than the one before. It begins and ends between words, but
    for words too long for that. Time and memory grow with the length of the content.
    """
    content, prefix, name = memory.content, prefix_of(memory, tokenizer), name_of(memory, tokenizer)
    tokens = tokenizer.token_spans(content)
    sections = Sections.of(memory, tokens, tokenizer)
    cutter = _Cutter(content, prefix + sections.longest, tokenizer)
    chunks = []
    for index, (start, stop, count) in enumerate(cutter.cuts(_with_gaps(tokens, len(content)))):
        section = sections.at(start)
        own = with_name(prefix, name) if index and name not in section else prefix
        chunks.append(Chunk(artifact_id, index, start, stop, content[start:stop], own + section, count))
    return chunks, len(tokens)


def _with_gaps(tokens: Sequence[Span], length: int) -> Iterator[Span]:
    """Yield the tokens, and between them pieces of each stretch of white space that is too long to come along free."""
    last = 0
    for token in tokens:
        if token.start_char - last > _MAX_GAP:
            yield from _pieces(last, token.start_char)
        yield token
        last = token.end_char
    yield from _pieces(last, length)


def _pieces(start: int, stop: int) -> Iterator[Span]:
    for at in range(start, stop - _MAX_GAP, _MAX_GAP):
        yield Span(at, at + _MAX_GAP)


@dataclass(frozen=True, slots=True)
class _Cutter:
    """Cuts one content; `prefix` is as long as the longest of any chunk.

    `ahead` is always the next tokens from where a chunk begins, and the one after its window.
    """

    content: str
    prefix: str
    tokenizer: Tokenizer

    def cuts(self, spans: Iterator[Span]) -> Iterator[tuple[int, int, int]]:
        """Yield where each chunk starts and stops, and how many tokens it has."""
        prefix_tokens = len(self.tokenizer.token_spans(self.prefix))
        window = min(MAX_CHUNK_TOKENS, self.tokenizer.window_tokens - prefix_tokens)
        ahead = list(islice(spans, window + 1))
        start, least = 0, 1
        while True:
            end = self._end(ahead, window, start, least)
            stop = self._stop(ahead, end)
            yield start, stop, end
            if stop == len(self.content):
                return
            begin = self._overlap(ahead, end, round(window * OVERLAP))
            start, least = ahead[begin].start_char, end - begin + 1
            del ahead[:begin]
            ahead.extend(islice(spans, window + 1 - len(ahead)))

    def _stop(self, ahead: Sequence[Span], end: int) -> int:
        return len(self.content) if end == len(ahead) else ahead[end].start_char

    def _end(self, ahead: Sequence[Span], window: int, start: int, least: int) -> int:
        """Return the index after the last token of the chunk that begins with `ahead` and has at least `least`."""
        room = window
        while True:
            end = self._last_break(ahead, least, max(least, min(room, len(ahead))))
            if end <= least or self._fits(start, self._stop(ahead, end)):
                return end
            room = end * 15 // 16

    def _fits(self, start: int, stop: int) -> bool:
        """Whether the window holds the chunk: a word cut in two can have more tokens than it had whole."""
        text = self.prefix + self.content[start:stop]
        if len(text.encode()) > self.tokenizer.window_bytes:
            return False
        if self._is_clean(start) and self._is_clean(stop):
            return True
        return len(self.tokenizer.token_spans(text)) <= self.tokenizer.window_tokens

    def _is_clean(self, cut: int) -> bool:
        """Whether the tokens on both sides of the cut are those of the whole content."""
        return cut in (0, len(self.content)) or _APART.search(self.content, cut - 1, cut + 1) is not None

    def _last_break(self, ahead: Sequence[Span], least: int, most: int) -> int:
        """Return the best place to end a chunk of `least` to `most` tokens."""
        if most == len(ahead):
            return most
        earliest = max(least, int(most * _EARLIEST_BREAK))
        first, last = ahead[earliest - 1].start_char, ahead[most].start_char
        for sign in _BREAKS:
            if (at := self.content.rfind(sign, first, last)) >= 0:
                return bisect_left(ahead, at + len(sign), earliest, most, key=_start_char)
        backwards = range(most, earliest - 1, -1)
        between = next((i for i in backwards if self._between_words(ahead, i)), None)
        return between or next((i for i in backwards if not _shares(ahead[i])), most)

    def _overlap(self, ahead: Sequence[Span], end: int, overlap: int) -> int:
        """Return where the chunk after one of `end` tokens begins: `overlap` tokens back, or a bit less for a word.

        Where few tokens fill a chunk, because its bytes bound it, a quarter at most is repeated.
        """
        candidates = range(max(1, end - min(overlap, end // 4)), end)
        stop, most_bytes = self._stop(ahead, end), self.tokenizer.window_bytes // 4
        while candidates and len(self.content[ahead[candidates[0]].start_char : stop].encode()) > most_bytes:
            candidates = candidates[1:]
        between = next((i for i in candidates if self._between_words(ahead, i)), None)
        if between is not None or self._between_words(ahead, end):
            return between or end
        return next((i for i in candidates if not _shares(ahead[i])), end)

    def _between_words(self, ahead: Sequence[Span], index: int) -> bool:
        before, after = ahead[index - 1].end_char, ahead[index].start_char
        if before < after:
            return True
        if _shares(ahead[index]):
            return False
        left, right = self.content[before - 1], self.content[after]
        if category(right)[0] == "M" or _JOINER in (left, right):
            return False
        return not (_in_word(left) and _in_word(right))


def _shares(token: Span) -> bool:
    """Whether the token shares a character with the one before."""
    return token.start_char == token.end_char


@lru_cache(1 << 12)
def _in_word(char: str) -> bool:
    return category(char)[0] in "LMN" and not _UNSPACED.match(char)
