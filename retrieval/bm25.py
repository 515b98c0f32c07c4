"""BM25 of any chunk for any weighted terms, exactly, from term vectors and the project's statistics.

Robertson & Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009, with the idf of Lucene, which is
never negative.
"""

from collections.abc import Mapping
from math import log

import numpy as np

from core.candidates import TermStatistics
from retrieval.pool import Column, Pool

#: How soon repetitions stop counting, and how much a long chunk's terms count less. Lower than usual: chunks are of
#: similar length, and short turns are not more telling for being short (docs/decisions/ranking.md).
K1, B = 1.2, 0.4


def idf(term: int, statistics: TermStatistics) -> float:
    """Return how telling a term is: high where few chunks of the project have it."""
    num_with = statistics.num_with.get(term, 0)
    return log(1 + (statistics.num_chunks - num_with + 0.5) / (num_with + 0.5))


def bm25(pool: Pool, weights: Mapping[int, float], statistics: TermStatistics) -> Column:
    """Return each row's BM25 for terms of these weights; 0 for a row that has none of them."""
    if not weights or not len(pool.entries):
        return np.zeros(len(pool))
    terms = np.array(sorted(weights), dtype=np.uint32)
    worth = np.array([weights[term] * idf(term, statistics) for term in terms.tolist()])
    at = np.searchsorted(terms, pool.entries["term"])
    at[at == len(terms)] = 0
    found = np.flatnonzero(terms[at] == pool.entries["term"])
    rows, counts = pool.rows[found], pool.entries["count"][found].astype(float)
    relative = pool.lengths[rows] / max(statistics.mean_terms, 1.0)
    shares = counts * (K1 + 1) / (counts + K1 * (1 - B + B * relative))
    return np.bincount(rows, worth[at[found]] * shares, minlength=len(pool)).astype(np.float64)
