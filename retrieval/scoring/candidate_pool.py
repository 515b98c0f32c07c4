"""Pool: the candidates of one question in columns, for scoring with numpy."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.candidates import Candidate
from core.embedding import Vectors
from graph.text.term_vectors import Column, matches, unpack_counts


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

    @classmethod
    def of(cls, candidates: Sequence[Candidate], dimension: int) -> "Pool":
        """Put candidates in columns; `dimension` is the dimension of the embeddings, 0 to leave them out."""
        entries, starts = unpack_counts([one.terms for one in candidates])
        rows = np.repeat(np.arange(len(candidates)), np.diff(starts))
        known = [one.vector is not None and len(one.vector) == 4 * dimension > 0 for one in candidates]
        nothing = bytes(4 * dimension)
        blobs = (one.vector if there else nothing for one, there in zip(candidates, known, strict=True))
        vectors = np.frombuffer(b"".join(blob or nothing for blob in blobs), dtype="<f4")
        return cls(
            candidates=candidates,
            entries=entries,
            rows=rows,
            lengths=np.bincount(rows, entries["count"], minlength=len(candidates)).astype(float),
            vectors=vectors.reshape(len(candidates), dimension),
            has_vector=np.array(known, dtype=bool),
            is_turn=np.array([one.turn_index is not None for one in candidates], dtype=bool),
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
