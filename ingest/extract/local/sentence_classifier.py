"""What sentences say: a judgement of each in its context, by a few layers of a transformer and linear features."""

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from core.knowledge.findings import CATEGORIES, Category
from core.regex import regex
from core.search import EncoderLayer, InnerEmbedder, Matrix, Quantised, ReadLayers, Vectors
from core.timing import ExpiringValue
from graph.text.tokens import stems

#: Of the tanh approximation of GELU (https://arxiv.org/abs/1606.08415).
_GELU_CUBIC: Final = 0.044715
_GELU_SCALE: Final = float(np.sqrt(2 / np.pi))
#: Most of a weight in its steps: eight bits.
_MOST: Final = 127
#: What the key of a matrix's steps ends in.
_STEPS: Final = ".steps"

#: The weights of a layer, each with its key in the file of weights.
WEIGHT_KEYS: Final = {
    "qkv": "asks",
    "qkv_bias": "asks_from",
    "attention_output": "says",
    "attention_output_bias": "says_from",
    "attention_norm": "heard_by",
    "attention_norm_bias": "heard_from",
    "feed_forward_in": "widens",
    "feed_forward_in_bias": "widens_from",
    "feed_forward_out": "narrows",
    "feed_forward_out_bias": "narrows_from",
    "output_norm": "scaled_by",
    "output_norm_bias": "scaled_from",
}
#: Those of them that are matrices.
_MATRICES: Final = ("qkv", "attention_output", "feed_forward_in", "feed_forward_out")


def quantize_layer(weights: dict[str, Matrix]) -> EncoderLayer:
    """Return a layer of plain weights by their names, its matrices rounded to eight bits."""
    parts: dict[str, Any] = {
        name: Quantised.of(each, _MOST) if name in _MATRICES else each for name, each in weights.items()
    }
    return EncoderLayer(**parts)


def layer_to_arrays(layer: EncoderLayer, number: int) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield what a file keeps of a layer, by key."""
    for name, part in WEIGHT_KEYS.items():
        weights, key = getattr(layer, name), f"{number}.{part}"
        if isinstance(weights, Quantised):
            yield from ((key, weights.values), (key + _STEPS, weights.steps.astype(np.float16)))
        else:
            yield key, weights.astype(np.float16)


def layer_from_arrays(arrays: dict[str, NDArray[Any]], number: int) -> EncoderLayer | None:
    """Take a layer out of the arrays of a file, None if it has no more."""
    if f"{number}.{WEIGHT_KEYS['qkv']}" not in arrays:
        return None
    weights: dict[str, Any] = {}
    for name, part in WEIGHT_KEYS.items():
        array, steps = arrays.pop(f"{number}.{part}"), arrays.pop(f"{number}.{part}{_STEPS}", None)
        plain = array if steps is not None else array.astype(np.float32)
        weights[name] = plain if steps is None else Quantised(array, steps.astype(np.float32))
    return EncoderLayer(**weights)


def before(rows: Matrix) -> Matrix:
    """Return in each row's place the one before it; zeros before the first."""
    return np.vstack([np.zeros_like(rows[:1]), rows[:-1]])


def after(rows: Matrix) -> Matrix:
    """Return in each row's place the one after it; zeros after the last."""
    return np.vstack([rows[1:], np.zeros_like(rows[:1])])


def gelu(values: Matrix) -> Matrix:
    """Return the Gaussian error linear unit of each value, by its tanh approximation."""
    result: Matrix = np.square(values)
    # In place: nothing else in a layer makes arrays as large.
    result *= _GELU_CUBIC
    result += 1
    result *= values
    result *= _GELU_SCALE
    np.tanh(result, out=result)
    result += 1
    result *= values
    result *= 0.5
    return result


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
    regex(pattern, re.I)
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
_TOKEN: Final = regex(r"[^\W\d_]+|['’](?:ll|ve|d|s|re|m)\b|[?!%:]|\d+")


@dataclass(frozen=True, slots=True)
class Judgement:
    """How likely a sentence says each of `CATEGORIES` (0–1), several or none of them, and the threshold for each."""

    likelihoods: tuple[float, ...]
    thresholds: tuple[float, ...]

    def categories(self) -> list[tuple[Category, float]]:
        """Return the categories at or over their thresholds, the surest first; 0 is as sure as the threshold."""
        told = [
            ((likely - least) / (1 - least), likely, category)
            for category, likely, least in zip(CATEGORIES, self.likelihoods, self.thresholds, strict=True)
            if likely >= least
        ]
        told.sort(key=lambda one: -one[0])
        return [(category, sure) for at, (sure, likely, category) in enumerate(told) if not at or likely >= _BESIDE]


@dataclass(frozen=True, slots=True)
class Weights:
    """The fitted weights; `thresholds` has the likelihood from which on a sentence says each of `CATEGORIES`.

    `context_vectors` are three further words of a sentence: for its setting, which `as_word` makes a word, and for the
    sentences before and after it. `gathers` makes of what the layers have read what `concludes` judges by.
    """

    layers: tuple[EncoderLayer, ...]
    context_vectors: Matrix
    as_word: Matrix
    gathers: Matrix
    gathers_from: Matrix
    concludes: Matrix
    concludes_from: Matrix
    by_setting: Matrix
    by_wording: Matrix
    thresholds: Matrix

    def scores(self, words: Sequence[Vectors], wording: Matrix, settings: Matrix, *, through: ReadLayers) -> Matrix:
        """Return one row a sentence of a document, given a row a word of each in order, and of all their wording.

        `through` is what reads through `layers`.
        """
        means = np.array([each.mean(axis=0) for each in words])
        context_vectors = (
            np.stack([settings @ self.as_word, before(means), after(means)], axis=1) + self.context_vectors
        )
        gathered = np.zeros((len(words), self.concludes.shape[0]), np.float32)
        order = np.argsort([len(each) for each in words])
        for start in range(0, len(order), _RUN):
            run = order[start : start + _RUN]
            missing = _missing(run, len(words))
            gathered[run] = self._gathered([words[at] for at in run], context_vectors[run], missing, through)
        plain: Matrix = settings @ self.by_setting + wording @ self.by_wording
        scores: Matrix = plain + gathered @ self.concludes + self.concludes_from
        return scores

    def _gathered(
        self, words: Sequence[Vectors], context_vectors: Matrix, missing: Flags, through: ReadLayers
    ) -> Matrix:
        size = max(map(len, words))
        padded = np.zeros((len(words), size, context_vectors.shape[2]), np.float32)
        empty = np.ones((len(words), size), np.bool_)
        for row, each in enumerate(words):
            padded[row, : len(each)], empty[row, : len(each)] = each, False
        token_vectors = through(np.hstack([padded, context_vectors]), np.hstack([empty, missing]))
        pooled = np.empty((len(words), 3, token_vectors.shape[2]), np.float32)
        for row, each in enumerate(words):
            own = token_vectors[row, : len(each)]
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
        self._weights = ExpiringValue(lambda: self._opened(weights or load_weights()))

    def _opened(self, weights: Weights) -> tuple[Weights, ReadLayers]:
        return weights, self._embedder.through(weights.layers)

    def judge(self, sentences: Sequence[str], settings: Matrix) -> list[Judgement]:
        """Return a judgement a sentence, in the order given, by what it says and the row of its setting.

        Raises:
            Unavailable: the embedding model does not answer.
        """
        (weights, through), cut = self._weights.get(), [shorten_sentence(sentence) for sentence in sentences]
        thresholds = tuple(map(float, weights.thresholds))
        judgements = list[Judgement]()
        for start in range(0, len(cut), _BATCH):
            # One more on either side: what stands around a sentence counts.
            low, end = max(0, start - 1), min(len(cut), start + _BATCH)
            batch = slice(low, end + 1)
            words = token_vectors(cut[batch], self._embedder)
            scores = weights.scores(words, wording(cut[batch]), settings[batch], through=through)
            rows = sigmoid(scores)[start - low : end - low]
            judgements += [Judgement(tuple(map(float, row)), thresholds) for row in rows]
        return judgements


def load_weights() -> Weights:
    """Return the weights that come with the package."""
    with np.load(WEIGHTS, allow_pickle=False) as kept:
        arrays = {name: kept[name] for name in kept.files}
    layers = list[EncoderLayer]()
    while layer := layer_from_arrays(arrays, len(layers)):
        layers.append(layer)
    return Weights(tuple(layers), **{name: each.astype(np.float32) for name, each in arrays.items()})


def token_vectors(sentences: Sequence[str], embedder: InnerEmbedder) -> list[Vectors]:
    """Return what is read of the words of each sentence, a row a word."""
    return [words[:_WORDS] for words in embedder.inner(sentences)]


def shorten_sentence(sentence: str) -> str:
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
