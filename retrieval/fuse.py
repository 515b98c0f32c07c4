"""Fuse: one score a candidate from all that is known of it, and one entry an artifact."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from retrieval.pool import Column, Pool


@dataclass(frozen=True, slots=True)
class Ranked:
    """An artifact in the ranking, with its best chunk."""

    artifact_id: str
    index: int
    score: float
    #: How many chunks the artifact has.
    num_chunks: int = field(default=1, compare=False)


def fold(pool: Pool, scores: Column, plain: Column, more_chunks: Sequence[float]) -> list[Ranked]:
    """Return one entry an artifact, highest first, ties by id; with the index of its best chunk, ties by index.

    The score of a document is that of its best chunk, and a share of the next ones as far as they are above 0, the
    average of the project: one that speaks of a thing in several places is more about it. Turns and documents are
    ranked apart, since most steps are of one kind only; then the best turn gets the best `plain` score of any turn, the
    second the second, and so do documents, and by these, which mean the same for both, the two rankings become one.
    """
    entries: list[Ranked] = []
    for kind in (pool.is_turn, ~pool.is_turn):
        rows = np.flatnonzero(kind).tolist()
        ranked = _ranked(pool, scores.tolist(), rows, more_chunks)
        levels = sorted((-score for score, *_ in _ranked(pool, plain.tolist(), rows, ())), reverse=True)
        entries += [
            Ranked(identity, index, level, pool.candidates[row].num_chunks)
            for (_, identity, index, row), level in zip(ranked, levels, strict=True)
        ]
    return sorted(entries, key=lambda entry: (-entry.score, entry.artifact_id))


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
