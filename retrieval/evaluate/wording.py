"""Wording: a question out of the words of a passage, as somebody would put it who remembers some of them."""

import random
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import log
from typing import Final

from core.knowledge import Span
from graph.unspaced import separated
from retrieval.analysis import terms_of, words_of

#: Words of a question, at least and at most; one telling word of the passage more stays unsaid.
FEWEST_WORDS, MOST_WORDS = 4, 7
#: A longer sentence, such as speech written down without stops, is cut into pieces of so many words.
_PIECE_WORDS: Final = 30
#: Characters taken together where nothing stands between words.
_UNSPACED_TOGETHER: Final = 3
#: A word in a larger share of all texts looked at tells nothing, whatever the language; in fewer texts nobody can say.
_COMMON_SHARE, _COMMON_FROM = 0.3, 20

_END: Final = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+")


def sentences(text: str) -> Iterator[Span]:
    """Yield the sentences of `text` in order, none of more than 30 words; lines are never joined."""
    at = 0
    for end in (*(match.span() for match in _END.finditer(text)), (len(text), len(text))):
        yield from _pieces(text, at, end[0])
        at = end[1]


def _pieces(text: str, start: int, end: int) -> Iterator[Span]:
    starts = [start + match.start() for match in re.finditer(r"\S+", text[start:end])]
    for first in range(0, len(starts), _PIECE_WORDS):
        following = starts[first + _PIECE_WORDS] if first + _PIECE_WORDS < len(starts) else end
        piece = text[starts[first] : following]
        yield Span(starts[first], starts[first] + len(piece.rstrip()))


def pieces_of(text: str) -> list[str]:
    """Return the words of `text` in order; of a script without blanks between words, three characters at a time."""
    pieces: list[str] = []
    for word in words_of(text):
        run: list[str] = []
        for part in separated(word).split():
            if len(part) > 1 or part.isascii() or len(run) == _UNSPACED_TOGETHER:
                pieces += ["".join(run)] if run else []
                run = []
            run.append(part)
        pieces += ["".join(run)] if run else []
    return pieces


@dataclass(slots=True)
class Rarity:
    """In how many of the texts looked at each word is, without regard to case."""

    texts: int = 0
    _with: Counter[str] = field(default_factory=Counter)

    def add(self, text: str) -> None:
        """Count the words of one more text, each once."""
        self.texts += 1
        self._with.update({piece.casefold() for piece in pieces_of(text)})

    def of(self, word: str) -> float:
        """Return how much the word tells, above 0; the rarer the more. 0 for one that most texts have."""
        found = max(1, self._with[word.casefold()])
        if self.texts >= _COMMON_FROM and found > _COMMON_SHARE * self.texts:
            return 0.0
        return log(1 + self.texts / found)


def telling(text: str, rarity: Rarity, unsaid: Collection[str] = ()) -> list[str]:
    """Return the words of `text` that say what it is about, each once, in order; those `unsaid` (case-folded) go."""
    content = {piece.casefold() for term in terms_of(text) for piece in pieces_of(term)}
    words = {piece.casefold(): piece for piece in reversed(pieces_of(text)) if len(piece) > 1}
    kept = [(folded, word) for folded, word in reversed(words.items()) if folded in content and folded not in unsaid]
    return [word for _, word in kept if rarity.of(word) > 0]


def question_of(text: str, rarity: Rarity, lot: random.Random, unsaid: Collection[str] = ()) -> str | None:
    """Return a question made of four to seven telling words of `text`, in their order, that does not stand in it so.

    The rarer a word the likelier it is asked with, as by people who look for something they know: Azzopardi, de Rijke
    & Balog, Building simulated queries for known-item topics, SIGIR 2007. None if there are fewer than five.
    """
    words = telling(text, rarity, unsaid)
    if len(words) <= FEWEST_WORDS:
        return None
    number = lot.randint(FEWEST_WORDS, min(MOST_WORDS, len(words) - 1))
    # Drawn by weight without putting back: Efraimidis & Spirakis, Information Processing Letters 97(5), 2006.
    keys = [lot.random() ** (1 / rarity.of(word)) for word in words]
    drawn = sorted(sorted(range(len(words)), key=lambda place: -keys[place])[:number])
    asked = [words[place] for place in drawn]
    if _run(asked) in _run(pieces_of(text)):
        asked.pop(len(asked) // 2)
    return " ".join(asked)


def _run(words: Sequence[str]) -> str:
    return f" {' '.join(words)} ".casefold()


def widened(text: str, span: Span) -> Iterable[Span]:
    """Return the sentences that `span` is in as one, then these with the one before and the one after."""
    spans = list(sentences(text))
    met = [place for place, at in enumerate(spans) if at.start_char < span.end_char and at.end_char > span.start_char]
    if not met:
        return []
    first, last = met[0], met[-1]
    wide_first, wide_last = max(0, first - 1), min(len(spans) - 1, last + 1)
    return [
        Span(spans[first].start_char, spans[last].end_char),
        Span(spans[wide_first].start_char, spans[wide_last].end_char),
    ]
