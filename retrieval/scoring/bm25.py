"""BM25 of the candidates of a pool."""

from collections.abc import Mapping

from core.candidates import TermStatistics
from graph.text.term_vectors import Column, weighted_scores
from retrieval.scoring.candidate_pool import Pool


def bm25_scores(pool: Pool, weights: Mapping[int, float], statistics: TermStatistics) -> Column:
    """Return each row's BM25 for terms of these weights; 0 for a row that has none of them."""
    return weighted_scores(pool.entries, pool.rows, pool.lengths, weights, statistics)
