"""Pool: the candidates of one question in columns, and what words and vectors say of each, scored with numpy.

Each score is on a scale that means the same in every store.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from core.search import USUAL_BACKGROUND, Background, Candidate, TermStatistics, Vectors
from core.vector_format import unpack_vectors, vector_dimension
from graph.text.term_vectors import Column, idf, matches, unpack_counts, weighted_scores


@dataclass(frozen=True, slots=True)
class Pool:
    """Candidates, row by row, each place once."""

    candidates: Sequence[Candidate]
    #: The entries of all term vectors one after another, the row of each, and how many terms each row has in all.
    entries: NDArray[Any]
    rows: NDArray[np.intp]
    lengths: Column
    #: Embeddings, zero where missing; which rows have one.
    vectors: Vectors
    has_vector: NDArray[np.bool_]
    #: Which rows are turns of conversations.
    is_turn: NDArray[np.bool_]
    #: The place of each turn in its conversation: one more than that of the turn before it, whatever turns are
    #: numbered by.
    places: NDArray[np.int64]

    @classmethod
    def of(cls, candidates: Sequence[Candidate], dimension: int) -> "Pool":
        """Put candidates in columns; `dimension` is the dimension of the embeddings, 0 to leave them out."""
        entries, starts = unpack_counts([one.terms for one in candidates])
        rows = np.repeat(np.arange(len(candidates)), np.diff(starts))
        blobs = [one.vector for one in candidates]
        known = np.array([blob is not None and vector_dimension(blob) == dimension > 0 for blob in blobs], dtype=bool)
        vectors = np.zeros((len(candidates), dimension), dtype=np.float32)
        if known.any():
            vectors[known] = unpack_vectors([blob for blob, there in zip(blobs, known, strict=True) if blob and there])
        return cls(
            candidates=candidates,
            entries=entries,
            rows=rows,
            lengths=np.bincount(rows, entries["count"], minlength=len(candidates)).astype(float),
            vectors=vectors,
            has_vector=known,
            is_turn=np.array([one.turn_index is not None for one in candidates], dtype=bool),
            places=_places(candidates),
        )

    def __len__(self) -> int:
        return len(self.candidates)

    def matches(self, terms: NDArray[np.uint32]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return which entries have one of these sorted terms, and the index of each one's term."""
        return matches(self.entries, terms)

    def terms_at(self, row: int) -> NDArray[Any]:
        """Return the entries of one row."""
        first, last = np.searchsorted(self.rows, (row, row + 1))
        return self.entries[first:last]


def _places(candidates: Sequence[Candidate]) -> NDArray[np.int64]:
    places = np.zeros(len(candidates), dtype=np.int64)
    rows = (row for row, one in enumerate(candidates) if one.turn_index is not None)
    keyed = sorted((candidates[row].conversation_id or "", candidates[row].turn_index or 0, row) for row in rows)
    talk, last, place = "", 0, 0
    for its_talk, index, row in keyed:
        is_next = its_talk == talk and candidates[row].turn_before == last < index
        place = index if its_talk != talk else place + (1 if is_next else index - last)
        talk, last, places[row] = its_talk, index, place
    return places


def bm25_scores(pool: Pool, weights: Mapping[int, float], statistics: TermStatistics) -> Column:
    """Return each row's BM25 for terms of these weights; 0 for a row that has none of them."""
    return weighted_scores(pool.entries, pool.rows, pool.lengths, weights, statistics)


#: Brings a BM25 that is divided by the length of the question's vector to about one standard deviation.
_WORD_SCALE: Final = 3.0
#: How many cosines of the embedder's background are added to the sample: of a project with few embeddings yet the
#: sample alone says little.
_ADDED: Final = 10


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


def meaning_scores(pool: Pool, vector: Vectors, sample: Vectors, usual: Background = USUAL_BACKGROUND) -> Column:
    """Return cosines in standard deviations from the mean of a sample of the project; 0 for what has no embedding."""
    background = (sample @ vector).astype(np.float64) if len(sample) else np.empty(0)
    count = len(background) + _ADDED
    mean = (background.sum() + _ADDED * usual.mean) / count
    squares = ((background - mean) ** 2).sum() + _ADDED * (usual.deviation**2 + (usual.mean - mean) ** 2)
    cosines = (pool.vectors @ vector - mean) / np.sqrt(squares / count)
    return np.asarray(np.where(pool.has_vector, cosines, 0.0), dtype=np.float64)
