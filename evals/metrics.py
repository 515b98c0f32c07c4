"""Metrics over sets of questions: AUC, refusal rates, and bootstrap intervals."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import floor
from typing import Final

import numpy as np
from numpy.typing import NDArray

#: Draws of one bootstrap, and the seed of all: the same values give the same interval.
_DRAWS, _SEED = 2_000, 20_261_122
#: The interval holds 95 % of the draws.
_TAILS: Final = (2.5, 97.5)


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with the limits between which 95 % of its bootstrap draws lie."""

    mean: float
    low: float
    high: float

    @property
    def is_clear(self) -> bool:
        """Whether 0 lies outside the limits."""
        return self.low > 0 or self.high < 0


def placements(own: Sequence[float], foreign: Sequence[float]) -> tuple[float, ...]:
    """Return for each foreign score the share of own scores above it, ties counted half; their mean is the AUC.

    DeLong, DeLong & Clarke-Pearson, Biometrics 44(3), 1988, after the Mann-Whitney statistic. Without own scores
    every share is 0.
    """
    if not own:
        return (0.0,) * len(foreign)
    ordered = sorted(own)
    return tuple(1 - (bisect_left(ordered, score) + bisect_right(ordered, score)) / 2 / len(own) for score in foreign)


def auc(own: Sequence[float], foreign: Sequence[float]) -> float:
    """Return the chance that an own score is above a foreign one, ties counted half; 0.5 if either is empty.

    The area under the ROC curve: Hanley & McNeil, Radiology 143(1), 1982.
    """
    return float(np.mean(placements(own, foreign))) if own and foreign else 0.5


def threshold(own: Sequence[float], allowed: float) -> float:
    """Return the highest score below which at most the share `allowed` of own scores lies; infinity if all may.

    Whatever is below it is refused: a point of the ROC curve at a given false-refusal rate (Fawcett, Pattern
    Recognition Letters 27(8), 2006, section 4).
    """
    ordered, spared = sorted(own), floor(allowed * len(own) + 1e-9)
    return ordered[spared] if spared < len(ordered) else float("inf")


def refused(own: Sequence[float], foreign: Sequence[float], allowed: float = 0.1) -> tuple[float, ...]:
    """Return 1 for each foreign score below the `threshold` of the own, else 0; their mean is the share refused."""
    limit = threshold(own, allowed)
    return tuple(float(score < limit) for score in foreign)


def bootstrap(values: Sequence[float]) -> Interval:
    """Return the mean of `values` with its percentile interval over 2,000 draws with replacement, seed fixed.

    Of differences between two systems on the same questions it is the paired bootstrap: Efron & Tibshirani, An
    Introduction to the Bootstrap, 1993, chapter 13; Sakai, SIGIR 2006. Of no values it is all 0.
    """
    if not values:
        return Interval(0.0, 0.0, 0.0)
    sample = np.asarray(values, np.float64)
    low, high = np.percentile(_means(sample), _TAILS)
    return Interval(float(sample.mean()), float(low), float(high))


def _means(sample: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of each draw. How often each value is drawn is multinomial, so equal values need one count."""
    distinct, counts = np.unique(sample, return_counts=True)
    drawn = np.random.default_rng(_SEED).multinomial(len(sample), counts / len(sample), size=_DRAWS)
    return np.asarray(drawn @ distinct / len(sample), np.float64)
