"""How likely a sentence belongs into the ledger: a plain sum over `ledger_features`, by weights that are fitted.

`python -m evals.minutes.ledger_fit` fits them to documents whose decisions and commitments readers marked.
"""

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from core.embedding import Matrix
from core.knowledge.findings import Category
from ingest.extract.local.classifier.sentence_classifier import sigmoid
from ingest.extract.local.ledger_features import CUES, LISTED, NAMES

WEIGHTS: Final = Path(__file__).with_name("ledger_weights.json")


@dataclass(frozen=True, slots=True)
class LedgerWeights:
    """A row a feature, a column for each of `LISTED`, and what is added to each."""

    weights: Matrix
    bias: Matrix

    def likelihoods(self, rows: Matrix) -> list[dict[Category, float]]:
        """Return for each row of features how likely its sentence tells each of `LISTED`, from 0 to 1."""
        chosen = sigmoid((rows @ self.weights + self.bias).astype(np.float32))
        return [dict(zip(LISTED, map(float, row), strict=True)) for row in chosen]


def fingerprint() -> str:
    """Return what changes when the features do: weights are of those that they were fitted to."""
    told = [*NAMES, *(cue.pattern for cue in CUES.values())]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:12]


def save_ledger_weights(ledger: LedgerWeights) -> None:
    """Write weights to where the extractor reads them."""
    rows = zip(NAMES, ledger.weights, strict=True)
    told = {
        "features": fingerprint(),
        "categories": LISTED,
        "bias": _rounded(ledger.bias),
        "weights": {name: _rounded(row) for name, row in rows},
    }
    WEIGHTS.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


@cache
def load_ledger_weights() -> LedgerWeights:
    """Return the weights that come with the package."""
    told = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    rows = np.array([told["weights"][name] for name in NAMES], np.float32)
    return LedgerWeights(rows, np.array(told["bias"], np.float32))


def _rounded(row: Matrix) -> list[float]:
    return [round(float(one), 4) for one in row]
