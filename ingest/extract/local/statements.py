"""What sentences say that no wording gives away: a small network over the words of a sentence, read in their place.

Four views of a sentence are added up: signs, each of them the most that any of its words shows of something
(https://arxiv.org/abs/1408.5882); the mean of its words; both by an inner layer of the local embedding model, where
form still counts more than subject (https://arxiv.org/abs/1905.05950); its stemmed words and pairs of words hashed into
a fixed number of places (https://arxiv.org/abs/0902.2206); and a few cues of tense and mood. It is fitted by
`python -m evals.statements` to the examples of `statements.txt`, all written for it.
"""

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from core.embedding import InnerEmbedder, Vectors
from core.knowledge import CATEGORIES, Category
from graph.stems import stems

Matrix = NDArray[np.float32]

#: The fields of `Weights`.
WEIGHTS: Final = Path(__file__).with_name("statements.npz")
EXAMPLES: Final = Path(__file__).with_name("statements.txt")
#: The first class is saying nothing of the kind.
CLASSES: Final[tuple[Category | None, ...]] = (None, *CATEGORIES)
#: What is read of a sentence, in characters: a vector of more says less.
_REACH: Final = 300
#: Places for hashed words, and how much words and cues weigh against each other: best of those tried by
#: cross-validation.
_PLACES: Final = 2_048
_WORDS_WEIGHT: Final = 5.0
_CUE_WEIGHT: Final = 1.5
_LIMIT: Final = (
    r"\b(?:by|until|before|till|due|deadline)\b.*(?:\d|day\b|week|month|tomorrow|tonight|noon|jan|feb|mar|apr|may|"
    r"june|july|aug|sep|oct|nov|dec)"
)
_CUES: Final = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        r"\b(?:will|shall|going to|gonna)\b|['’]ll\b",
        r"\b(?:has|have|had)\b|['’]ve\b",
        r"\b(?:was|were|been|got)\b",
        r"\b\w+ed\b",
        r"\bnot?\b|n['’]t\b|\bnever\b|\bnobody\b|\bnone\b",
        r"\b(?:if|unless|whether|maybe|perhaps|might|could|would|should|may)\b",
        r"\?\W*$",
        r"^\W*(?:I|We|My|Our)\b|\bI['’]|\b[Ww]e\b",
        _LIMIT,
        r"\d",
        r"\b(?:is|are)\b",
        r"\b[a-z]+s (?:the|a|an|to|in|over|from)\b",
        r"\b(?:too|very|really|much|hard|easy)\b",
        r"\bnow|no longer|instead|from now|as of\b",
        r"\bwith\b.*\b(?:together|jointly|both)\b|\b(?:together|jointly)\b",
        r"^\W*\w+ed\b",
        r"\b(?:they|users?|customers?|clients?|people|visitors|members|testers)\b",
    )
)
_TOKEN: Final = re.compile(r"[^\W\d_]+|['’](?:ll|ve|d|s|re|m)\b|[?!%:]|\d+")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a sentence most likely says, if it says anything, and how likely that and saying nothing are (0–1).

    `shares` are the likelihoods of all `CLASSES`.
    """

    category: Category
    likely: float
    nothing: float
    shares: tuple[float, ...]

    def of(self, category: Category) -> float:
        """Return how likely the sentence says this."""
        return self.shares[CLASSES.index(category)]

    def leaning(self, category: Category, odds: float) -> "Judgement":
        """Return the judgement where a category is by so much likelier than the sentence alone makes it."""
        at = CLASSES.index(category)
        powers = [share * (odds if place == at else 1) for place, share in enumerate(self.shares)]
        return judged([power / sum(powers) for power in powers])


def judged(shares: Sequence[float]) -> Judgement:
    """Return the judgement of these likelihoods of all `CLASSES`."""
    best = max(range(1, len(CLASSES)), key=lambda at: shares[at])
    return Judgement(CATEGORIES[best - 1], float(shares[best]), float(shares[0]), tuple(map(float, shares)))


@dataclass(frozen=True, slots=True)
class Weights:
    """What is fitted: what makes a sign of a word's vector, and what each view says for each class of `CLASSES`."""

    signs: Matrix
    floor: Matrix
    by_signs: Matrix
    by_mean: Matrix
    by_wording: Matrix

    def scores(self, words: Sequence[Vectors], wording: Matrix) -> Matrix:
        """Return one row a sentence, given a row a word of each, and of all what `wording` returns."""
        most = np.array([(each @ self.signs).max(axis=0) for each in words])
        means = np.array([each.mean(axis=0) for each in words])
        signs = np.maximum(most + self.floor, 0)
        total: Matrix = signs @ self.by_signs + means @ self.by_mean + wording @ self.by_wording
        return total


class Statements:
    """Judges sentences. The weights are read at the first use, once. Safe to call from several threads."""

    def __init__(self, embedder: InnerEmbedder) -> None:
        """Judge by the embedder that the weights were fitted with."""
        self._embedder = embedder
        self._lock = Lock()
        self._weights: Weights | None = None

    def judge(self, sentences: Sequence[str]) -> list[Judgement]:
        """Return a judgement a sentence, in the order given.

        Raises:
            Unavailable: the embedding model does not answer.
        """
        if not sentences:
            return []
        cut = [shortened(sentence) for sentence in sentences]
        return [judged(row) for row in chances(self._load().scores(self._embedder.inner(cut), wording(cut)))]

    def _load(self) -> Weights:
        with self._lock:
            if self._weights is None:
                with np.load(WEIGHTS, allow_pickle=False) as kept:
                    self._weights = Weights(*(kept[field.name].astype(np.float32) for field in fields(Weights)))
            return self._weights


def shortened(sentence: str) -> str:
    """Return what is read of a sentence, on one line; never an empty text."""
    return " ".join(sentence.split())[:_REACH] or "."


def wording(sentences: Sequence[str]) -> Matrix:
    """Return one row a sentence: its words, its cues, and a constant."""
    words = np.zeros((len(sentences), _PLACES), np.float32)
    for row, sentence in zip(words, sentences, strict=True):
        row[[zlib.crc32(gram.encode()) % _PLACES for gram in _grams(sentence)]] = 1
        row *= _WORDS_WEIGHT / max(1.0, np.sqrt(row.sum()))
    cues = np.array([[_CUE_WEIGHT * (cue.search(sentence) is not None) for cue in _CUES] for sentence in sentences])
    return np.hstack([words, cues.astype(np.float32), np.ones((len(sentences), 1), np.float32)])


def chances(scores: Matrix) -> Matrix:
    """Return the softmax of each row."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Matrix = powers / powers.sum(axis=1, keepdims=True)
    return shares


def _grams(sentence: str) -> set[str]:
    """Return words, stems and pairs of stems; numbers are all alike, and so are capitalised words inside."""
    words = ["<s>"]
    for match in _TOKEN.finditer(sentence):
        word = match[0]
        words.append("#" if word.isdigit() else "Name" if word[0].isupper() and match.start() else word.casefold())
    plain = [" ".join(stems(word)) if word.isalpha() and word != "Name" else word for word in words]
    return set(plain) | {" ".join(pair) for pair in pairwise(plain)} | {f"={word}" for word in words}
