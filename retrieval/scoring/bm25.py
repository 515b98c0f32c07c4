"""BM25 of any chunk for any weighted terms, exactly, from term vectors and the project's statistics.

Robertson & Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009, with the idf of Lucene, which is
never negative.
"""

from collections.abc import Mapping
from math import log

import numpy as np

from core.candidates import TermStatistics
from retrieval.scoring.candidate_pool import Column, Pool

#: How soon repetitions stop counting, and how much a long chunk's terms count less. Lower than usual: chunks are of
#: similar length, and short turns are not more telling for being short (docs/decisions/ranking.md).
K1, B = 1.2, 0.4


def idf(term: int, statistics: TermStatistics) -> float:
    """Return how telling a term is: high where few chunks of the project have it."""
    num_with = statistics.num_with.get(term, 0)
    return log(1 + (statistics.num_chunks - num_with + 0.5) / (num_with + 0.5))


def bm25(pool: Pool, weights: Mapping[int, float], statistics: TermStatistics) -> Column:
    """Return each row's BM25 for terms of these weights; 0 for a row that has none of them."""
    terms = np.array(sorted(weights), dtype=np.uint32)
    worth = np.array([weights[term] * idf(term, statistics) for term in terms.tolist()])
    found, at = pool.matches(terms)
    rows = pool.rows[found]
    shares = saturated(pool.entries["count"][found].astype(float), pool.lengths[rows], statistics)
    return np.bincount(rows, worth[at] * shares, minlength=len(pool)).astype(np.float64)


def saturated(counts: Column, lengths: Column | float, statistics: TermStatistics) -> Column:
    """Return what so many occurrences in chunks of these lengths count: ever less for each further one."""
    relative = lengths / max(statistics.mean_terms, 1.0)
    return np.asarray(counts * (K1 + 1) / (counts + K1 * (1 - B + B * relative)), dtype=np.float64)
