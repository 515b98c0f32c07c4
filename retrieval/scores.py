"""Scores: what words and vectors say of each candidate, each on a scale that means the same in every store."""

from collections.abc import Mapping
from math import sqrt
from typing import Final

import numpy as np

from core.candidates import TermStatistics
from core.embedding import Vectors
from retrieval.bm25 import bm25, idf
from retrieval.pool import Column, Pool

#: Brings a BM25 that is divided by the length of the question's vector to about one standard deviation.
_WORD_SCALE: Final = 3.0
#: A deviation below this, of cosines of nearly nothing, says nothing.
_LEAST_DEVIATION: Final = 0.02


def word_scores(pool: Pool, weights: Mapping[int, float], statistics: TermStatistics) -> Column:
    """Return BM25 over the Euclidean length of the weighted idfs, so that long questions weigh no more than short ones.

    Unlike a standard deviation over all chunks it does not grow with the size of the store.
    """
    length = sqrt(sum((weight * idf(term, statistics)) ** 2 for term, weight in weights.items()))
    return _WORD_SCALE * bm25(pool, weights, statistics) / length if length else np.zeros(len(pool))


def meaning_scores(pool: Pool, vector: Vectors, sample: Vectors) -> Column:
    """Return cosines in standard deviations from the mean of a sample of the project; 0 for what has no embedding."""
    background = sample @ vector
    deviation = max(float(background.std()), _LEAST_DEVIATION)
    cosines = (pool.vectors @ vector - float(background.mean())) / deviation
    return np.asarray(np.where(pool.has_vector, cosines, 0.0), dtype=np.float64)
