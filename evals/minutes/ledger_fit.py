"""`python -m evals.minutes.ledger_fit`: fit what the ledger lists to real minutes, and say how well it holds.

Of the marked minutes one project after the other is left out, the weights are fitted to the others and to those
documents of `evals/practice` that the sentence classifier has not seen, and the table says how well what they list of
the project left out is right, and how often what is so likely is. The likelihoods are calibrated by that.
`--write` keeps the weights, fitted to everything. There is no chance in it; it takes three minutes of one core.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from core.knowledge.findings import CATEGORIES
from core.records import Artifact
from evals.marked_documents import MarkedDocument, is_left_out, practice_documents
from evals.minutes.intake import artifacts
from evals.minutes.marks import DATA, OVERLAP, Mark, Marked, marked
from ingest.extract.local.extractor import make_draft
from ingest.extract.local.ledger_features import LISTED, NAMES, LedgerWeights, features, save_ledger_weights
from ingest.extract.local.sentence_classifier import Statements
from retrieval.models.local_embedder import LocalEmbedder

Numbers = NDArray[np.float64]

#: How much a sentence of documents to practise on counts, and how strongly weights are held near 0: best of those
#: tried, project by project left out.
_PRACTICE: Final = 0.3
_RIDGE: Final = 40.0
_STEPS: Final = 30
#: The square of what F0.5 is named after.
_BETA: Final = 0.25
#: Bounds of the classes of likelihood in which right ones are counted.
_CLASSES: Final = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.001)


@dataclass(frozen=True, slots=True)
class Sentences:
    """Sentences as rows of features, whether each tells each of `LISTED`, and how much that counts."""

    group: str
    rows: Numbers
    tells: Numbers
    counts: Numbers


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, print how well it holds for a project left out, and write the weights if asked to."""
    parser = argparse.ArgumentParser(prog="python -m evals.minutes.ledger_fit", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, metavar="FOLDER", help="where the minutes lie")
    parser.add_argument("--write", action="store_true", help="keep the weights, fitted to everything")
    options = parser.parse_args(arguments)
    real, other = examples(marked(options.data), artifacts(options.data))
    told = left_out(real, other)
    Console(width=120).print(_table(real, told))
    if options.write:
        save_ledger_weights(fitted([*real, *other], calibration(real, told)))
    return 0


def examples(documents: Sequence[Marked], stored: Mapping[str, Artifact]) -> tuple[list[Sentences], list[Sentences]]:
    """Return the sentences of the marked minutes by project, and those of documents to practise on."""
    statements = Statements(LocalEmbedder())
    real = [_real(document, stored[document.name], statements) for document in documents]
    unseen = filter(is_left_out, practice_documents())
    other = [made for one in unseen if (made := _practised(one, statements)) is not None]
    return real, other


def by_project(documents: Sequence[Marked], stored: Mapping[str, Artifact]) -> dict[str, LedgerWeights]:
    """Return for each project the weights that were fitted without it, calibrated as those are that are kept."""
    real, other = examples(documents, stored)
    scale = calibration(real, left_out(real, other))
    return {group: without(group, real, other, scale) for group in sorted({one.group for one in real})}


def left_out(real: Sequence[Sentences], other: Sequence[Sentences]) -> list[Numbers]:
    """Return the log-odds of each document's sentences by weights that were fitted without its project."""
    weights = {group: without(group, real, other) for group in sorted({one.group for one in real})}
    return [one.rows @ weights[one.group].weights + weights[one.group].bias for one in real]


def without(
    group: str, real: Sequence[Sentences], other: Sequence[Sentences], scale: Numbers | None = None
) -> LedgerWeights:
    """Return the weights fitted to all but one project."""
    return fitted([*(one for one in real if one.group != group), *other], scale)


def fitted(some: Sequence[Sentences], scale: Numbers | None = None) -> LedgerWeights:
    """Return the weights that tell these sentences best; `scale` has a factor and a summand for each of `LISTED`."""
    rows = np.vstack([one.rows for one in some])
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-3
    found = []
    for column in range(len(LISTED)):
        tells = np.concatenate([one.tells[:, column] for one in some])
        counts = np.concatenate([one.counts[:, column] for one in some])
        best = _regression((rows - mean) / spread, tells, counts, _RIDGE)
        factor, summand = (1.0, 0.0) if scale is None else scale[column]
        inner = best[:-1] / spread
        found.append(np.append(inner, best[-1] - inner @ mean) * factor + np.append(np.zeros(len(inner)), summand))
    columns = np.stack(found, axis=1).astype(np.float32)
    return LedgerWeights(columns[:-1], columns[-1])


def calibration(real: Sequence[Sentences], told: Sequence[Numbers]) -> Numbers:
    """Return a factor and a summand for the log-odds of each of `LISTED`, with which they mean what they say.

    What is listed from is made 0.5: the likelihood from which on F0.5, which counts precision more, is best.
    """
    odds, scale = np.vstack(told), []
    for column in range(len(LISTED)):
        tells, counts = _column(real, column)
        factor, summand = _regression(odds[:, [column]], tells, counts, 1.0)
        scale.append((factor, summand - _listed_from(odds[:, column] * factor + summand, tells, counts)))
    return np.array(scale)


def _listed_from(odds: Numbers, tells: Numbers, counts: Numbers) -> float:
    """Return the log-odds from which on F0.5 is best."""
    order = np.argsort(-odds)
    right = np.cumsum((tells * counts)[order])
    precision, recall = right / np.maximum(1, np.cumsum(counts[order])), right / right[-1]
    f05 = (1 + _BETA) * precision * recall / np.maximum(1e-9, _BETA * precision + recall)
    return float(odds[order][int(np.argmax(f05))])


def _column(real: Sequence[Sentences], column: int) -> tuple[Numbers, Numbers]:
    return (
        np.concatenate([one.tells[:, column] for one in real]),
        np.concatenate([one.counts[:, column] for one in real]),
    )


def _regression(rows: Numbers, tells: Numbers, counts: Numbers, ridge: float) -> Numbers:
    """Return the weights of a logistic regression and its bias last, by Newton's method."""
    wide = np.hstack([rows, np.ones((len(rows), 1))])
    held = np.diag(np.append(np.full(rows.shape[1], ridge), 1e-3))
    best = np.zeros(wide.shape[1])
    for _ in range(_STEPS):
        likely = 1 / (1 + np.exp(-np.clip(wide @ best, -30, 30)))
        slope = wide.T @ (counts * (likely - tells)) + held @ best
        bend = (wide * (counts * likely * (1 - likely))[:, None]).T @ wide + held
        best -= np.linalg.solve(bend, slope)
    return best


def _rows(artifact: Artifact, statements: Statements) -> tuple[list[tuple[int, int]], Numbers, list[int]]:
    """Return where the sentences of a document stand, their features, and which of its passages they are."""
    draft = make_draft(artifact)
    asked = draft.asked()
    texts, setting = draft.sentences(asked)
    said = [draft.said[at] for at in asked]
    rows = features(said, texts, statements.judge(texts, setting), artifact.memory.content)
    return [(passage.start, passage.end) for passage, _ in said], rows.astype(np.float64), asked


def _real(document: Marked, artifact: Artifact, statements: Statements) -> Sentences:
    spans, rows, _ = _rows(artifact, statements)
    offset = document.offset(artifact.memory.content)
    placed = [(start + offset, end + offset) for start, end in spans]
    tells, counts = np.zeros((len(spans), len(LISTED))), np.ones((len(spans), len(LISTED)))
    for column, marks in enumerate((document.decisions, document.commitments)):
        likely = rows[:, NAMES.index(f"says {LISTED[column]}")]
        for mark in sorted(marks, key=lambda mark: mark.sure):
            _tell(mark, placed, likely, tells[:, column], counts[:, column])
    return Sentences(document.project, rows, tells, counts)


def _tell(mark: Mark, spans: Sequence[tuple[int, int]], likely: Numbers, tells: Numbers, counts: Numbers) -> None:
    """Say of the sentences of a mark that the likeliest tells it if it is sure, and nothing of the others."""
    within = [at for at, span in enumerate(spans) if mark.overlap(*span) >= OVERLAP]
    for at in within:
        counts[at] = tells[at]
    if mark.sure and within:
        best = max(within, key=lambda at: float(likely[at]))
        tells[best] = counts[best] = 1


def _practised(document: MarkedDocument, statements: Statements) -> Sentences | None:
    draft = make_draft(document.artifact)
    if not draft.asked():
        return None
    _, rows, asked = _rows(document.artifact, statements)
    columns = [CATEGORIES.index(category) for category in LISTED]
    tells, counts = (each[asked][:, columns].astype(np.float64) for each in document.told(draft))
    return Sentences("practice", rows, tells, counts * _PRACTICE)


def _table(real: Sequence[Sentences], told: Sequence[Numbers]) -> Table:
    """Return how often what is so likely is right, each project by weights that were fitted without it."""
    scale = calibration(real, told)
    table = Table("likelihood", *(f"{category} right" for category in LISTED), title="Projects left out of the fit")
    odds = np.vstack(told)
    likely = 1 / (1 + np.exp(-(odds * scale[:, 0] + scale[:, 1])))
    for low, high in pairwise(_CLASSES):
        cells = []
        for column in range(len(LISTED)):
            tells, counts = _column(real, column)
            within = (likely[:, column] >= low) & (likely[:, column] < high) & (counts > 0)
            cells.append(f"{int(tells[within].sum())} of {int(within.sum())}")
        table.add_row(f"{low:.1f} to {min(1.0, high):.1f}", *cells)
    return table


if __name__ == "__main__":
    sys.exit(main())
