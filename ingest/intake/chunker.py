"""The chunker: splits a memory into chunks that fit the embedder, with offsets that reproduce the source exactly."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple

from core.embedding import Tokenizer
from core.interface.memory import Memory
from core.records import Chunk, insert_name
from ingest.intake.prefix import Sections, chunk_prefix, leading_title
from ingest.intake.token_places import TokenPlaces

#: Longest chunk, in tokens; an embedder with a smaller window makes it shorter.
MAX_CHUNK_TOKENS: Final = 900
#: Share of a chunk that the next one repeats: 100 of 900 tokens.
OVERLAP: Final = 1 / 9
#: A chunk ends at the last paragraph, line or sentence of its final part; this is where that part begins.
_EARLIEST_BREAK: Final = 0.6
_BREAKS: Final = ("\n\n", "\r\n\r\n", "\n", ". ", "! ", "? ", "。")
#: Blanks, and signs that WordPiece treats as separate words: a cut next to one changes no token. Other tokenizers
#: come with windows several times `MAX_CHUNK_TOKENS`.
_APART: Final = re.compile("[ \t\r\n!-/:-@[-`{-~\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df]")
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
