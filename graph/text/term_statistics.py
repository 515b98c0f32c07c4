"""Term statistics of a part of a project, counted from the term vectors of its chunks or of all others."""

from collections.abc import Mapping, Sequence

from core.candidates import TermStatistics
from graph.text.term_vectors import tally


def counted(terms: Sequence[int], vectors: Sequence[bytes]) -> TermStatistics:
    """Return how common terms are in the chunks with these term vectors."""
    num_with, num_terms = tally(vectors)
    return _statistics(len(vectors), num_terms, {term: num_with.get(term, 0) for term in terms})


def without(
    terms: Sequence[int], totals: tuple[int, int], num_with: Mapping[int, int], vectors: Sequence[bytes]
) -> TermStatistics:
    """Return how common terms are in a project without the chunks with these term vectors.

    `totals` are how many chunks it has, and how many terms these have in all.
    """
    less, num_terms = tally(vectors)
    left = {term: num_with.get(term, 0) - less.get(term, 0) for term in terms}
    return _statistics(totals[0] - len(vectors), totals[1] - num_terms, left)


def _statistics(num_chunks: int, num_terms: int, num_with: Mapping[int, int]) -> TermStatistics:
    had = {term: number for term, number in num_with.items() if number > 0}
    return TermStatistics(num_chunks, num_terms / num_chunks if num_chunks else 0.0, had)
