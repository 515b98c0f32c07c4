"""What sentences say: a judgement of each in its setting, by a few layers of a transformer and a few plain sums.

The layers read the words of a sentence as an inner layer of the local embedding model leaves them, where form still
counts more than subject (https://arxiv.org/abs/1905.05950), together with three that stand for its setting and for the
sentences before and after it. They began as the model's own next layers. What they make of the first word, of all of
them, and the most that any of them shows are added up with what the setting says alone, and with the sentence's stemmed
words and pairs of words, hashed into a fixed number of places (https://arxiv.org/abs/0902.2206), and a few cues of
tense and mood. It is fitted by `python -m evals.statements` to documents and sentences that were all written for it.
"""

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from core.embedding import EncoderLayer, InnerEmbedder, Matrix, ReadLayers, Vectors
from core.expiring_value import ExpiringValue
from core.knowledge.findings import CATEGORIES, Category
from graph.text.tokens import stems
from ingest.extract.local.classifier.transformer_layer import after, before, gelu, layer_from_arrays

Flags = NDArray[np.bool_]

#: The fields of `Weights`; the keys of a layer's weights begin with its number and a dot.
WEIGHTS: Final = Path(__file__).with_name("sentence_classifier.npz")
#: Sentences whose vectors are asked for at once.
_BATCH: Final = 256
#: Sentences that the layers read at once: more are no faster, and padded further.
_RUN: Final = 8
#: Words of a sentence that are read, in tokens of the embedding model.
_WORDS: Final = 72
#: From this likelihood on a sentence says something beside what it says most surely: best of those tried.
_BESIDE: Final = 0.4
#: A score beyond it is certain.
_SURE: Final = 30.0
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
    """How likely a sentence says each of `CATEGORIES` (0–1), several or none of them, and the threshold for each."""

    likely: tuple[float, ...]
    least: tuple[float, ...]

    def said(self) -> list[tuple[Category, float]]:
        """Return what it says, the surest first, and how sure that is: 0 at the least likelihood, 1 at the most."""
        told = [
            ((likely - least) / (1 - least), likely, category)
            for category, likely, least in zip(CATEGORIES, self.likely, self.least, strict=True)
            if likely >= least
        ]
        told.sort(key=lambda one: -one[0])
        return [(category, sure) for at, (sure, likely, category) in enumerate(told) if not at or likely >= _BESIDE]


@dataclass(frozen=True, slots=True)
class Weights:
    """What is fitted; `least` is from which likelihood on each of `CATEGORIES` is said.

    `around` are three words beside those of a sentence: for its setting, of which `as_word` makes one, and for the
    sentences before and after it. `gathers` makes of what the layers have read what `concludes` judges by.
    """

    layers: tuple[EncoderLayer, ...]
    around: Matrix
    as_word: Matrix
    gathers: Matrix
    gathers_from: Matrix
    concludes: Matrix
    concludes_from: Matrix
    by_setting: Matrix
    by_wording: Matrix
    least: Matrix

    def scores(self, words: Sequence[Vectors], wording: Matrix, settings: Matrix, *, through: ReadLayers) -> Matrix:
        """Return one row a sentence of a document, given a row a word of each in order, and of all their wording.

        `through` is what reads through `layers`.
        """
        means = np.array([each.mean(axis=0) for each in words])
        around = np.stack([settings @ self.as_word, before(means), after(means)], axis=1) + self.around
        gathered = np.zeros((len(words), self.concludes.shape[0]), np.float32)
        order = np.argsort([len(each) for each in words])
        for start in range(0, len(order), _RUN):
            run = order[start : start + _RUN]
            missing = _missing(run, len(words))
            gathered[run] = self._gathered([words[at] for at in run], around[run], missing, through)
        plain: Matrix = settings @ self.by_setting + wording @ self.by_wording
        scores: Matrix = plain + gathered @ self.concludes + self.concludes_from
        return scores

    def _gathered(self, words: Sequence[Vectors], around: Matrix, missing: Flags, through: ReadLayers) -> Matrix:
        size = max(map(len, words))
        padded = np.zeros((len(words), size, around.shape[2]), np.float32)
        empty = np.ones((len(words), size), np.bool_)
        for row, each in enumerate(words):
            padded[row, : len(each)], empty[row, : len(each)] = each, False
        read = through(np.hstack([padded, around]), np.hstack([empty, missing]))
        pooled = np.empty((len(words), 3, read.shape[2]), np.float32)
        for row, each in enumerate(words):
            own = read[row, : len(each)]
            pooled[row] = own[0], own.mean(axis=0), own.max(axis=0)
        return gelu(pooled.reshape(len(words), -1) @ self.gathers + self.gathers_from)


def _missing(places: NDArray[np.int64], size: int) -> Flags:
    """Return a mask of the missing context words: before the first sentence, after the last."""
    return np.stack([places < 0, places == 0, places == size - 1], axis=1)


class Statements:
    """Judges sentences. The weights, 4 MB, are read at the first use, and freed after a minute without any.

    Safe to call from several threads.
    """

    def __init__(self, embedder: InnerEmbedder, weights: Weights | None = None) -> None:
        """Judge by the embedder that the weights were fitted with; None stands for those that come with the package."""
        self._embedder = embedder
        self._weights = ExpiringValue(lambda: self._opened(weights or kept_weights()))

    def _opened(self, weights: Weights) -> tuple[Weights, ReadLayers]:
        return weights, self._embedder.through(weights.layers)

    def judge(self, sentences: Sequence[str], settings: Matrix) -> list[Judgement]:
        """Return a judgement a sentence, in the order given, by what it says and the row of its setting.

        Raises:
            Unavailable: the embedding model does not answer.
        """
        (weights, through), cut = self._weights.get(), [shortened(sentence) for sentence in sentences]
        least = tuple(map(float, weights.least))
        judgements = list[Judgement]()
        for start in range(0, len(cut), _BATCH):
            # One more on either side: what stands around a sentence counts.
            low, end = max(0, start - 1), min(len(cut), start + _BATCH)
            batch = slice(low, end + 1)
            words = read(cut[batch], self._embedder)
            scores = weights.scores(words, wording(cut[batch]), settings[batch], through=through)
            rows = sigmoid(scores)[start - low : end - low]
            judgements += [Judgement(tuple(map(float, row)), least) for row in rows]
        return judgements


def kept_weights() -> Weights:
    """Return the weights that come with the package."""
    with np.load(WEIGHTS, allow_pickle=False) as kept:
        arrays = {name: kept[name] for name in kept.files}
    layers = list[EncoderLayer]()
    while layer := layer_from_arrays(arrays, len(layers)):
        layers.append(layer)
    return Weights(tuple(layers), **{name: each.astype(np.float32) for name, each in arrays.items()})


def read(sentences: Sequence[str], embedder: InnerEmbedder) -> list[Vectors]:
    """Return what is read of the words of each sentence, a row a word."""
    return [words[:_WORDS] for words in embedder.inner(sentences)]


def shortened(sentence: str) -> str:
    """Return what is read of a sentence, on one line; never an empty text."""
    return " ".join(sentence.split())[:_REACH] or "."


def wording(sentences: Sequence[str]) -> Matrix:
    """Return one row a sentence: its words and its cues."""
    words = np.zeros((len(sentences), _PLACES), np.float32)
    for row, sentence in zip(words, sentences, strict=True):
        row[[zlib.crc32(gram.encode()) % _PLACES for gram in _grams(sentence)]] = 1
        row *= _WORDS_WEIGHT / max(1.0, np.sqrt(row.sum()))
    cues = np.array([[_CUE_WEIGHT * (cue.search(sentence) is not None) for cue in _CUES] for sentence in sentences])
    return np.hstack([words, cues.astype(np.float32)])


def sigmoid(scores: Matrix) -> Matrix:
    """Return how likely each score makes what it stands for: the logistic function."""
    powers: Matrix = np.exp(-np.clip(scores, -_SURE, _SURE))
    return np.reciprocal(1 + powers)


def _grams(sentence: str) -> set[str]:
    """Return words, stems and pairs of stems; numbers are all alike, and so are capitalised words inside."""
    words = ["<s>"]
    for match in _TOKEN.finditer(sentence):
        word = match[0]
        words.append("#" if word.isdigit() else "Name" if word[0].isupper() and match.start() else word.casefold())
    plain = [" ".join(stems(word)) if word.isalpha() and word != "Name" else word for word in words]
    return set(plain) | {" ".join(pair) for pair in pairwise(plain)} | {f"={word}" for word in words}
