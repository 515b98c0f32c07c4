"""Scores: what words and vectors say of each candidate, each on a scale that means the same in every store."""

from collections.abc import Mapping
from math import sqrt
from typing import Final

import numpy as np

from core.candidates import TermStatistics
from core.embedding import Vectors
from graph.text.term_vectors import Column, idf
from retrieval.scoring.bm25 import bm25_scores
from retrieval.scoring.candidate_pool import Pool

#: Brings a BM25 that is divided by the length of the question's vector to about one standard deviation.
_WORD_SCALE: Final = 3.0
#: Mean and deviation of cosines with texts on anything, and how many such are added to the sample: of a project with
#: few embeddings yet the sample alone says little.
_UNRELATED, _DEVIATION, _ADDED = 0.12, 0.12, 10


def word_scores(pool: Pool, weights: Mapping[int, float], statistics: TermStatistics) -> Column:
    """Return BM25 over the Euclidean length of the weighted idfs, so that long questions weigh no more than short ones.

    Unlike a standard deviation over all chunks it does not grow with the size of the store.
    """
    length = sqrt(sum((weight * idf(term, statistics)) ** 2 for term, weight in weights.items()))
    return _WORD_SCALE * bm25_scores(pool, weights, statistics) / length if length else np.zeros(len(pool))


def indexed_scores(pool: Pool, word_hits: Mapping[tuple[str, int], float]) -> Column:
    """Return what the full-text index says of each place, its best hit as good as one with all words."""
    found = np.array([word_hits.get((one.artifact_id, one.index), 0.0) for one in pool.candidates])
    highest = found.max(initial=0.0)
    return _WORD_SCALE * found / highest if highest > 0 else found


def meaning_scores(pool: Pool, vector: Vectors, sample: Vectors) -> Column:
    """Return cosines in standard deviations from the mean of a sample of the project; 0 for what has no embedding."""
    background = (sample @ vector).astype(np.float64) if len(sample) else np.empty(0)
    count = len(background) + _ADDED
    mean = (background.sum() + _ADDED * _UNRELATED) / count
    squares = ((background - mean) ** 2).sum() + _ADDED * (_DEVIATION**2 + (_UNRELATED - mean) ** 2)
    cosines = (pool.vectors @ vector - mean) / np.sqrt(squares / count)
    return np.asarray(np.where(pool.has_vector, cosines, 0.0), dtype=np.float64)
