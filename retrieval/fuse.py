"""Fuse: one score a candidate from all that is known of it, and one entry an artifact."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from retrieval.pool import Column, Pool


class Ranked(NamedTuple):
    """An artifact in the ranking, with its best chunk. A named tuple because a question makes hundreds."""

    artifact_id: str
    index: int  # type: ignore[assignment]  # as everywhere; nobody asks it for `tuple.index`
    score: float
    #: How many chunks the artifact has.
    num_chunks: int = 1


def fold(pool: Pool, scores: Column, plain: Column, more_chunks: Sequence[float]) -> list[Ranked]:
    """Return one entry an artifact, highest first; with the index of its best chunk, ties by index.

    The score of a document is that of its best chunk, and a share of the next ones as far as they are above 0, the
    average of the project: one that speaks of a thing in several places is more about it. Turns and documents are
    ranked apart, since most steps are of one kind only; then the best turn gets the best `plain` score of any turn, the
    second the second, and so do documents, and by these, which mean the same for both, the two rankings become one.
    Ties: turns before documents, and within a kind as its own scores have it, equal ones by id.
    """
    entries: list[tuple[float, str, int, int]] = []
    for kind in (pool.is_turn, ~pool.is_turn):
        if rows := np.flatnonzero(kind).tolist():
            ranked = _ranked(pool, scores.tolist(), rows, more_chunks)
            levels = _ranked(pool, plain.tolist(), rows, ())
            entries += [(level[0], *entry[1:]) for entry, level in zip(ranked, levels, strict=True)]
    entries.sort(key=lambda entry: entry[0])
    return [Ranked(id_, index, -lowered, pool.candidates[row].num_chunks) for lowered, id_, index, row in entries]


def _ranked(
    pool: Pool, scores: Sequence[float], rows: Sequence[int], more_chunks: Sequence[float]
) -> list[tuple[float, str, int, int]]:
    """Return (negative score, artifact, index and row of its best chunk), the best artifact first."""
    if all(pool.candidates[row].num_chunks == 1 for row in rows):
        return sorted((-scores[row], pool.candidates[row].artifact_id, 0, row) for row in rows)
    of_artifacts: dict[str, list[tuple[float, int, int]]] = {}
    for row in rows:
        one = pool.candidates[row]
        of_artifacts.setdefault(one.artifact_id, []).append((-scores[row], one.index, row))
    ranked = []
    for artifact_id, several in of_artifacts.items():
        several.sort()
        lowered, index, row = several[0]
        more = sum(max(0.0, -other[0]) * share for other, share in zip(several[1:], more_chunks, strict=False))
        ranked.append((lowered - more, artifact_id, index, row))
    return sorted(ranked)
