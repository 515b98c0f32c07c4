"""Candidates, pools and statistics for the tests of ranking's steps."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from core.search import Candidate, TermStatistics, Vectors
from graph.text.term_vectors import pack_counts, terms
from retrieval.scoring.candidate_pool import Pool

NOON = datetime(2024, 5, 15, 12, tzinfo=UTC)


def turn(
    text: str = "Hello.",
    index: int = 0,
    *,
    author: str | None = "Ana",
    talk: str = "talk",
    hours: float = 0,
    vector: Sequence[float] | None = None,
    identity: str | None = None,
) -> Candidate:
    """Return a turn said so many hours after noon; its words are those of its text."""
    return Candidate(
        artifact_id=identity or f"art_{talk}_{index:03}",
        index=0,
        num_chunks=1,
        text=text,
        author=author,
        conversation_id=talk,
        turn_index=index,
        happened_at=NOON + timedelta(hours=hours),
        terms=pack_counts(text),
        vector=None if vector is None else blob(vector),
    )


def chunk(
    text: str = "Hello.",
    index: int = 0,
    *,
    identity: str = "art_note",
    num_chunks: int = 1,
    author: str | None = None,
    vector: Sequence[float] | None = None,
) -> Candidate:
    """Return a chunk of what is no turn."""
    return Candidate(
        artifact_id=identity,
        index=index,
        num_chunks=num_chunks,
        text=text,
        author=author,
        conversation_id=None,
        turn_index=None,
        happened_at=NOON,
        terms=pack_counts(text),
        vector=None if vector is None else blob(vector),
    )


def blob(vector: Sequence[float]) -> bytes:
    """Return a vector as the record keeps it."""
    return np.array(vector, dtype="<f4").tobytes()


def vector_of(*numbers: float) -> Vectors:
    """Return a vector as an embedder makes it."""
    return np.array(numbers, dtype=np.float32)


def pool_of(*candidates: Candidate, dimension: int = 0) -> Pool:
    """Return the pool of these candidates."""
    return Pool.of(candidates, dimension)


def statistics_of(*texts: str) -> TermStatistics:
    """Return how common terms are in a project of these chunks."""
    several = [terms(text) for text in texts]
    num_with = Counter(term for one in several for term in set(one))
    return TermStatistics(len(texts), sum(map(len, several)) / len(texts) if texts else 0.0, num_with)
