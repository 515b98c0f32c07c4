"""Fuse: one score a candidate from all that is known of it, and one entry an artifact."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

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
        ranked = _ranked(pool, scores, rows, more_chunks)
        levels = sorted((entry.score for entry in _ranked(pool, plain, rows, ())), reverse=True)
        entries += [replace(entry, score=level) for entry, level in zip(ranked, levels, strict=True)]
    return sorted(entries, key=_order)


def _ranked(pool: Pool, scores: Column, rows: Sequence[int], more_chunks: Sequence[float]) -> list[Ranked]:
    of_artifacts: dict[str, list[tuple[float, int]]] = {}
    for row in rows:
        one = pool.candidates[row]
        of_artifacts.setdefault(one.artifact_id, []).append((-float(scores[row]), one.index))
    sizes = {pool.candidates[row].artifact_id: pool.candidates[row].num_chunks for row in rows}
    entries = []
    for artifact_id, several in of_artifacts.items():
        several.sort()
        more = sum(max(0.0, -lower) * share for (lower, _), share in zip(several[1:], more_chunks, strict=False))
        entries.append(Ranked(artifact_id, several[0][1], more - several[0][0], sizes[artifact_id]))
    return sorted(entries, key=_order)


def _order(entry: Ranked) -> tuple[float, str]:
    return -entry.score, entry.artifact_id
