"""Wording: a question made of words of a passage, as somebody would ask who remembers some of them."""

import random
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from core.knowledge.findings import Span
from graph.text.tokens import separate_unspaced
from retrieval.scoring.query_analysis import distinctive_words, split_words

#: Words of a question, at least and at most; at least one telling word of the passage is left out. With up to seven, or
#: with rare words preferred, nearly every item was found first and no difference between settings showed.
FEWEST_WORDS, MOST_WORDS = 3, 5
#: How often another choice of words is tried if the text contains one verbatim.
_DRAWS: Final = 10
#: A longer sentence, such as speech written down without stops, is cut into pieces of so many words.
_PIECE_WORDS: Final = 30
#: Length of pieces where nothing separates words.
_UNSPACED_TOGETHER: Final = 3
#: A word in a larger share of all texts is not specific, whatever the language; fewer texts than that say nothing.
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


def split_pieces(text: str) -> list[str]:
    """Return the words of `text` in order; of a script without blanks between words, three characters at a time."""
    pieces: list[str] = []
    for word in split_words(text):
        run: list[str] = []
        for part in separate_unspaced(word).split():
            if len(part) > 1 or part.isascii() or len(run) == _UNSPACED_TOGETHER:
                pieces += ["".join(run)] if run else []
                run = []
            run.append(part)
        pieces += ["".join(run)] if run else []
    return pieces


@dataclass(slots=True)
class DocumentFrequency:
    """In how many of the texts read each word is, without regard to case."""

    texts: int = 0
    _with: Counter[str] = field(default_factory=Counter)

    def add(self, text: str) -> None:
        """Count the words of one more text, each once."""
        self.texts += 1
        self._with.update({piece.casefold() for piece in split_pieces(text)})

    def is_common(self, word: str) -> bool:
        """Whether too many texts have the word for it to be specific; never while fewer than twenty were read."""
        return self.texts >= _COMMON_FROM and self._with[word.casefold()] > _COMMON_SHARE * self.texts


def specific_words(text: str, frequency: DocumentFrequency, excluded: Collection[str] = ()) -> list[str]:
    """Return the words of `text` that say what it is about, each once, in order, save `excluded` (case-folded)."""
    content = {piece.casefold() for word in distinctive_words(text) for piece in split_pieces(word)}.difference(
        excluded
    )
    words: dict[str, str] = {}
    for piece in split_pieces(text):
        if len(piece) > 1 and piece.casefold() in content:
            words.setdefault(piece.casefold(), piece)
    return [word for word in words.values() if not frequency.is_common(word)]


def make_question(
    text: str, frequency: DocumentFrequency, rng: random.Random, excluded: Collection[str] = ()
) -> str | None:
    """Return a question made of three to five telling words of `text`, in their order, that is no phrase of it.

    Each word is as likely as another: Azzopardi, de Rijke & Balog, Building simulated queries for known-item topics,
    SIGIR 2007, with uniform selection. None if there are fewer than four.
    """
    words = specific_words(text, frequency, excluded)
    if len(words) <= FEWEST_WORDS:
        return None
    whole = _run(split_pieces(text))
    for _ in range(_DRAWS):
        number = rng.randint(FEWEST_WORDS, min(MOST_WORDS, len(words) - 1))
        asked = [words[place] for place in sorted(rng.sample(range(len(words)), number))]
        if _run(asked) not in whole:
            return " ".join(asked)
    return None


def _run(words: Sequence[str]) -> str:
    return f" {' '.join(words)} ".casefold()


def widen_span(text: str, span: Span) -> Iterable[Span]:
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
