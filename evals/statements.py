"""`python -m evals.statements`: fit the weights of the local extractor's statements to their examples.

Prints how well examples are judged that were left out (five folds), at several thresholds; `--write` keeps the weights.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from ingest.extract.local.statements import CLASSES, EXAMPLES, WEIGHTS, Matrix, chances, features
from retrieval.embedder import LocalEmbedder

_LETTERS: Final = "NCXDLQFHS"
_FOLDS: Final = 5
_SHRINK: Final = 1.5
_STEPS: Final = 300
_THRESHOLDS: Final = (0.3, 0.35, 0.4, 0.5, 0.6)

Labels = NDArray[np.int64]


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, print what cross-validation says, and write the weights if asked to."""
    parser = argparse.ArgumentParser(prog="python -m evals.statements", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the weights beside the examples")
    options = parser.parse_args(arguments)
    sentences, labels = examples()
    rows = features(sentences, LocalEmbedder())
    Console(width=120).print(_table(_left_out(rows, labels), labels))
    if options.write:
        np.savez_compressed(WEIGHTS, weights=fitted(rows, labels).astype(np.float16))
    return 0


def examples() -> tuple[list[str], Labels]:
    """Return the sentences of the examples and the number of each one's class in `CLASSES`."""
    lines = [line for line in EXAMPLES.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return [line[2:] for line in lines], np.array([_LETTERS.index(line[0]) for line in lines])


def fitted(rows: Matrix, labels: Labels) -> Matrix:
    """Return the weights of the least regularised loss, by accelerated gradient descent from zero."""
    weights = np.zeros((rows.shape[1], len(CLASSES)))
    ahead, wanted = weights, np.eye(len(CLASSES))[labels]
    step, pace = 1 / (0.25 * np.linalg.norm(rows, 2) ** 2 + _SHRINK), 1.0
    for _ in range(_STEPS):
        slope = rows.T @ (chances(rows @ ahead) - wanted) + _SHRINK * ahead
        found = ahead - step * slope
        faster = (1 + np.sqrt(1 + 4 * pace * pace)) / 2
        ahead = found + (pace - 1) / faster * (found - weights)
        weights, pace = found, faster
    return weights


def _left_out(rows: Matrix, labels: Labels) -> Matrix:
    """Return for each example the chances by the weights that were fitted without its fold."""
    folds = np.random.default_rng(0).integers(0, _FOLDS, len(labels))
    shares = np.zeros((len(labels), len(CLASSES)))
    for fold in range(_FOLDS):
        shares[folds == fold] = chances(rows[folds == fold] @ fitted(rows[folds != fold], labels[folds != fold]))
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
