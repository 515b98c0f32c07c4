"""Word scores: BM25 of chunks for weighted terms, exactly, from term vectors and the statistics of one project.

Robertson & Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009, with the idf of Lucene, which is
never negative.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import log
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from core.candidates import TermStatistics
from graph.text.term_vectors import unpack_counts

#: One number a row.
Column = NDArray[np.float64]

#: How soon repetitions stop counting, and how much a long chunk's terms count less. Lower than usual: chunks are of
#: similar length, and short turns are not more telling for being short (docs/decisions/ranking.md).
K1, B = 1.2, 0.4
#: What a stop word is worth, which no term vector has: as much as a term that every other chunk has.
_STOP_WORD: Final = log(2)
#: A search looks at common words only if the rarer ones together are in fewer chunks than this.
_MANY: Final = 500
#: How many times more chunks each further look may read.
_FURTHER: Final = 8


def idf(term: int, statistics: TermStatistics) -> float:
    """Return how telling a term is: high where few chunks of the project have it."""
    num_with = statistics.num_with.get(term, 0)
    return log(1 + (statistics.num_chunks - num_with + 0.5) / (num_with + 0.5))


def saturate(counts: Column, lengths: Column | float, statistics: TermStatistics) -> Column:
    """Return what so many occurrences in chunks of these lengths count: ever less for each further one."""
    relative = lengths / max(statistics.mean_terms, 1.0)
    return np.asarray(counts * (K1 + 1) / (counts + K1 * (1 - B + B * relative)), dtype=np.float64)


def matches(entries: NDArray[Any], terms: NDArray[np.uint32]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return which entries of term vectors are of one of these sorted terms, and the place of each one's term."""
    if not len(terms):
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    at = np.minimum(np.searchsorted(terms, entries["term"]), len(terms) - 1)
    found = np.flatnonzero(terms[at] == entries["term"])
    return found, at[found]


def weighted_scores(
    entries: NDArray[Any],
    rows: NDArray[np.intp],
    lengths: Column,
    weights: Mapping[int, float],
    statistics: TermStatistics,
) -> Column:
    """Return each row's BM25 for terms of these weights; 0 for a row that has none of them.

    `entries` are the entries of all rows' term vectors, `rows` the row of each, `lengths` how many terms each row has.
    """
    terms = np.array(sorted(weights), dtype=np.uint32)
    worth = np.array([weights[term] * idf(term, statistics) for term in terms.tolist()])
    found, at = matches(entries, terms)
    shares = saturate(entries["count"][found].astype(float), lengths[rows[found]], statistics)
    return np.bincount(rows[found], worth[at] * shares, minlength=len(lengths)).astype(np.float64)


def scores(
    vectors: Sequence[bytes], num_stop_words: Sequence[int], terms: Sequence[int], statistics: TermStatistics
) -> Column:
    """Return BM25 of chunks, given by their term vectors and how many of the question's stop words each has."""
    entries, starts = unpack_counts(vectors)
    sums = np.concatenate(([0.0], np.cumsum(entries["count"], dtype=float)))
    lengths = sums[starts[1:]] - sums[starts[:-1]]
    # Most entries are of other terms; a column by itself is compared many times faster than within its records.
    told = np.flatnonzero(np.isin(np.ascontiguousarray(entries["term"]), np.array(terms, dtype=np.uint32)))
    rows = np.searchsorted(starts, told, side="right") - 1
    found = weighted_scores(entries[told], rows, lengths, dict.fromkeys(terms, 1.0), statistics)
    stopped = np.array(num_stop_words, dtype=float)
    return np.asarray(found + _STOP_WORD * stopped * saturate(np.ones(len(vectors)), lengths, statistics), np.float64)


def rarest_first(
    words: Mapping[str, Sequence[int]], num_with: Mapping[int, int], limit: int
) -> Iterator[Sequence[str]]:
    """Yield the rarest of the words, given with their terms, as many as few chunks have in all, but one at least.

    Then more of them, as many as eight times that many chunks have, and so on; at last all words. In a large project
    nearly each chunk has some common word.
    """
    most = max(_MANY, _FURTHER * limit)
    # A stop word has no terms, and more chunks than are counted.
    rarity = {word: min((num_with.get(term, 0) for term in terms), default=most + 1) for word, terms in words.items()}
    total, rarest = 0, list[str]()
    for word in sorted(words, key=rarity.__getitem__):
        total += rarity[word]
        if rarest and total > most:
            yield tuple(rarest)
        while total > most:
            most *= _FURTHER
        rarest.append(word)
    yield rarest
