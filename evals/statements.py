"""`python -m evals.statements`: fit the weights of the local extractor's statements to their examples.

Prints how well examples are judged that were left out (five folds, near duplicates in one), at several thresholds;
`--write` keeps the weights. The folds take about five minutes, the weights one.
"""

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from core.embedding import Vectors
from ingest.extract.local.statements import CLASSES, EXAMPLES, WEIGHTS, Matrix, Weights, chances, shortened, wording
from retrieval.embedder import LocalEmbedder

_LETTERS: Final = "NCXDLQFHS"
_FOLDS: Final = 5
#: Sentences of a higher cosine are near duplicates.
_ALIKE: Final = 0.8
_THRESHOLDS: Final = (0.3, 0.35, 0.4, 0.5, 0.6)
#: Nets whose scores are averaged, and the signs of each.
_NETS: Final = 3
_SIGNS: Final = 64
_ROUNDS: Final = 8
_BATCH: Final = 64
_PACE: Final = 2e-3
#: Batches until the pace is reached; from there it falls to nothing.
_WARMING: Final = 50
_SHRINK: Final = 1e-4
#: Shares of the signs and of the numbers of a word's vector that a step does without
#: (https://jmlr.org/papers/v15/srivastava14a.html).
_DROPPED_SIGNS: Final = 0.3
_DROPPED_NUMBERS: Final = 0.1
#: How much the mean of the words weighs against their wording, all its numbers together.
_MEAN_WEIGHT: Final = 6.0

#: What people begin a sentence with, and end it with, whatever it says.
_BEGINNINGS: Final = (
    "So, ", "um, ", "okay, so ", "yeah, ", "Well, ", "right, so ", "uh, ", "and ", "but ", "also ", "By the way, ",
    "One more thing: ", "As you know, ", "Oh, and ", "Also, ", "Then ", "Meanwhile ", "a) ", "On the other hand, ",
    "In short: ", "I hear ", "fyi ", "btw ", "so yeah ", "To be honest, ", "For the record: ", "Last week ",
    "On Monday ", "Good news: ", "Point 3: ",
)  # fmt: skip
_ENDINGS: Final = (
    ", you know", " I think", " too", " as well", ", as I said", " by the way", " (see above)", " again",
    " in the end", " this week",
)  # fmt: skip
_NAMES: Final = re.compile(r"[A-Z]\w+ [A-Z]|[A-Z][a-z]+ (?:is|has|will|and) |I\b|\w[A-Z\d]")
_JOINTS: Final = (", ", "; ", " and ", " - ", ", but ", ", so ")
#: Words, fewest and most, of what is joined to a sentence.
_JOINED: Final = range(4, 14)

Labels = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Examples:
    """Sentences as they are read: a row a word of each, their wording, and the number of each one's class."""

    words: Sequence[Vectors]
    wording: Matrix
    labels: Labels

    def only(self, chosen: Flags) -> "Examples":
        """Return those that are chosen."""
        words = [each for each, wanted in zip(self.words, chosen, strict=True) if wanted]
        return Examples(words, self.wording[chosen], self.labels[chosen])

    def beside(self, others: "Examples") -> "Examples":
        """Return these and the others."""
        wording = np.vstack([self.wording, others.wording])
        return Examples([*self.words, *others.words], wording, np.concatenate([self.labels, others.labels]))

    def padded(self, places: Labels) -> tuple[Vectors, Flags]:
        """Return the words of these examples in one array, and which of its rows are no words."""
        chosen = [self.words[place] for place in places]
        words = np.zeros((len(chosen), max(map(len, chosen)), chosen[0].shape[1]), np.float32)
        empty = np.ones(words.shape[:2], np.bool_)
        for row, each in enumerate(chosen):
            words[row, : len(each)], empty[row, : len(each)] = each, False
        return words, empty


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, print what cross-validation says, and write the weights if asked to."""
    parser = argparse.ArgumentParser(prog="python -m evals.statements", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the weights beside the examples")
    parser.add_argument("--unchecked", action="store_true", help="fit without cross-validation")
    options = parser.parse_args(arguments)
    sentences, labels = examples()
    embedder = LocalEmbedder()
    plain, other = (_read(each, labels, embedder) for each in (sentences, said_otherwise(sentences, labels)))
    if not options.unchecked:
        Console(width=120).print(_table(_left_out(plain, other, _folds(embedder.embed(sentences))), labels))
    if options.write:
        weights = asdict(fitted(plain.beside(other)))
        np.savez_compressed(WEIGHTS, **{name: each.astype(np.float16) for name, each in weights.items()})
    return 0


def _read(sentences: Sequence[str], labels: Labels, embedder: LocalEmbedder) -> Examples:
    cut = [shortened(sentence) for sentence in sentences]
    return Examples(embedder.inner(cut), wording(cut), labels)


def examples() -> tuple[list[str], Labels]:
    """Return the sentences of the examples and the number of each one's class in `CLASSES`."""
    lines = [line for line in EXAMPLES.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return [line[2:] for line in lines], np.array([_LETTERS.index(line[0]) for line in lines])


def said_otherwise(sentences: Sequence[str], labels: Labels) -> list[str]:
    """Return each sentence as it may stand in a longer one, in small letters, or behind words that people begin with.

    What is joined to one says nothing: the class stays (as in https://arxiv.org/abs/1901.11196, by other means).
    """
    chance = np.random.default_rng(1)
    empty = [
        sentence
        for sentence, label in zip(sentences, labels, strict=True)
        if not label and len(sentence.split()) in _JOINED and not sentence.endswith("?")
    ]
    return [
        _otherwise(sentence, chance, _one_of(empty, chance) if label else None)
        for sentence, label in zip(sentences, labels, strict=True)
    ]


def _otherwise(sentence: str, chance: np.random.Generator, joined: str | None) -> str:
    bare, way = sentence.rstrip("."), chance.random()
    if way < 0.4:
        return _one_of(_BEGINNINGS, chance) + _small(sentence)
    if way < 0.6 and joined:
        return bare + _one_of(_JOINTS, chance) + _small(joined)
    if way < 0.75 and joined:
        return joined.rstrip(".") + _one_of(_JOINTS, chance) + _small(sentence)
    return bare.lower() if way < 0.9 else bare + _one_of(_ENDINGS, chance)


def _one_of(texts: Sequence[str], chance: np.random.Generator) -> str:
    return texts[int(chance.integers(len(texts)))]


def _small(sentence: str) -> str:
    """Return the sentence with a small first letter, unless it seems to begin with a name, an abbreviation or "I"."""
    return sentence if _NAMES.match(sentence) else sentence[:1].lower() + sentence[1:]


def fitted(read: Examples) -> Weights:
    """Return the mean of several nets, each fitted from another beginning: together they are one of more signs."""
    every = np.concatenate(read.words)
    middle, spread = every.mean(axis=0), every.std(axis=0) + 1e-6
    standard = replace(read, words=[(each - middle) / spread for each in read.words])
    nets = [_fitted(standard, seed) for seed in range(_NETS)]
    signs = np.hstack([net.signs for net in nets]) / spread[:, None]
    by_mean: Matrix = np.mean([net.by_mean for net in nets], axis=0) / spread[:, None]
    by_wording: Matrix = np.mean([net.by_wording for net in nets], axis=0)
    by_wording[-1] -= middle @ by_mean
    floor = np.concatenate([net.floor for net in nets]) - middle @ signs
    by_signs = np.vstack([net.by_signs for net in nets]) / np.float32(_NETS)
    return Weights(signs, floor, by_signs, by_mean, by_wording)


def _fitted(read: Examples, seed: int) -> Weights:
    """Return the weights of one net, by Adam (https://arxiv.org/abs/1412.6980), for words of mean 0 and spread 1."""
    chance = np.random.default_rng(seed)
    numbers, classes = read.words[0].shape[1], len(CLASSES)
    weights = Weights(
        (chance.normal(size=(numbers, _SIGNS)) / np.sqrt(numbers)).astype(np.float32),
        np.zeros(_SIGNS, np.float32),
        (chance.normal(size=(_SIGNS, classes)) / np.sqrt(_SIGNS) / 10).astype(np.float32),
        np.zeros((numbers, classes), np.float32),
        np.zeros((read.wording.shape[1], classes), np.float32),
    )
    means = np.array([each.mean(axis=0) for each in read.words])
    scale = (_MEAN_WEIGHT / np.sqrt(numbers) / means.std(axis=0)).astype(np.float32)
    batches = [batch for _ in range(_ROUNDS) for batch in _batches(read, chance)]
    kept = asdict(weights)
    slow, wild = ({name: np.zeros_like(each) for name, each in kept.items()} for _ in range(2))
    for step, batch in enumerate(batches, 1):
        pace = _PACE * min(1, step / _WARMING) * (1 - step / (len(batches) + 1))
        for name, slope in _slopes(read, batch, Weights(**kept), means[batch] * scale, chance).items():
            slow[name] += 0.1 * (slope - slow[name])
            wild[name] += 0.01 * (slope**2 - wild[name])
            kept[name] -= pace * (slow[name] / (1 - 0.9**step)) / (np.sqrt(wild[name] / (1 - 0.99**step)) + 1e-7)
    return replace(Weights(**kept), by_mean=kept["by_mean"] * scale[:, None])


def _batches(read: Examples, chance: np.random.Generator) -> Iterator[Labels]:
    """Yield the places of the examples in batches of similar length, in any order."""
    lengths = np.array([len(each) for each in read.words])
    order = np.argsort(lengths + chance.random(len(lengths)) * 6)
    batches = [order[start : start + _BATCH] for start in range(0, len(order), _BATCH)]
    yield from (batches[at] for at in chance.permutation(len(batches)))


def _slopes(
    read: Examples, batch: Labels, weights: Weights, means: Matrix, chance: np.random.Generator
) -> dict[str, Matrix]:
    """Return how the loss of a batch rises with each weight, some signs and numbers left out by chance."""
    words, empty = read.padded(batch)
    words *= _thinned((len(batch), 1, words.shape[2]), _DROPPED_NUMBERS, chance)
    shown = words @ weights.signs
    shown[empty] = -np.inf
    where = shown.argmax(axis=1)[:, None]
    most = np.take_along_axis(shown, where, 1)[:, 0] + weights.floor
    thinned = _thinned(most.shape, _DROPPED_SIGNS, chance) * (most > 0)
    signs = most * thinned
    scores = signs @ weights.by_signs + means @ weights.by_mean + read.wording[batch] @ weights.by_wording
    wrong = (chances(scores) - np.eye(len(CLASSES), dtype=np.float32)[read.labels[batch]]) / len(batch)
    by_sign = (wrong @ weights.by_signs.T) * thinned
    shown_by = np.take_along_axis(words, where.transpose(0, 2, 1), 1)
    return {
        "signs": np.einsum("bsn,bs->ns", shown_by, by_sign, optimize=True) + _SHRINK * weights.signs,
        "floor": by_sign.sum(axis=0),
        "by_signs": signs.T @ wrong + _SHRINK * weights.by_signs,
        "by_mean": means.T @ wrong + _SHRINK * weights.by_mean,
        "by_wording": read.wording[batch].T @ wrong + _SHRINK * weights.by_wording,
    }


def _thinned(shape: tuple[int, ...], share: float, chance: np.random.Generator) -> Matrix:
    """Return factors of which this share is 0; their mean is 1."""
    return ((chance.random(shape) > share) / (1 - share)).astype(np.float32)


def _folds(vectors: Vectors) -> Labels:
    """Return the fold of each example: that of the first one that is much like it."""
    first = np.array([int(np.argmax(row > _ALIKE)) for row in vectors @ vectors.T])
    folds: Labels = np.random.default_rng(0).integers(0, _FOLDS, len(vectors))[first]
    return folds


def _left_out(plain: Examples, other: Examples, folds: Labels) -> Matrix:
    """Return for each example the chances by the weights that were fitted without its fold."""
    shares = np.zeros((len(folds), len(CLASSES)), np.float32)
    for fold in range(_FOLDS):
        asked, kept = plain.only(folds == fold), folds != fold
        weights = fitted(plain.only(kept).beside(other.only(kept)))
        shares[~kept] = chances(weights.scores(asked.words, asked.wording))
    return shares


def _table(shares: Matrix, labels: Labels) -> Table:
    table = Table("threshold", "precision", "recall", "F1", title=f"{len(labels)} examples, each judged when left out")
    best = 1 + shares[:, 1:].argmax(axis=1)
    for threshold in _THRESHOLDS:
        told = shares[:, 1:].max(axis=1) >= threshold
        right = int((told & (best == labels)).sum())
        precision, recall = right / max(1, int(told.sum())), right / int((labels > 0).sum())
        score = 2 * precision * recall / max(1e-9, precision + recall)
        table.add_row(f"{threshold:g}", f"{precision:.3f}", f"{recall:.3f}", f"{score:.3f}")
    return table


if __name__ == "__main__":
    sys.exit(main())
