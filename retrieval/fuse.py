"""Fuse: one ranking from the scores of several sources, and one entry an artifact."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.records import Scored

#: Chunk scores by (artifact id, chunk index).
Scores = Mapping[tuple[str, int], float]


def by_place(found: Sequence[Scored]) -> dict[tuple[str, int], float]:
    """Return the scores of one source by place; of a place found twice the best."""
    scores: dict[tuple[str, int], float] = {}
    for hit in found:
        place = (hit.artifact_id, hit.index)
        scores[place] = max(hit.score, scores.get(place, hit.score))
    return scores


def fuse(sources: Sequence[Scores]) -> dict[tuple[str, int], float]:
    """Return the mean of each source's z-scores over all places that any source found.

    A place that a source did not find has that source's lowest score. A source whose scores are all equal says
    nothing. Fusing one source keeps its order. Score fusion by standardised scores (CombSUM, Fox & Shaw 1994) measured
    better here than reciprocal ranks: docs/decisions/ranking.md.
    """
    places = list({place: None for source in sources for place in source})
    if not places:
        return {}
    total = np.zeros(len(places))
    for source in sources:
        if source:
            lowest = min(source.values())
            scores = np.array([source.get(place, lowest) for place in places])
            if (deviation := scores.std()) > 0:
                total += (scores - scores.mean()) / deviation
    total /= max(1, len(sources))
    return dict(zip(places, total.tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class Ranked:
    """An artifact in the ranking, with its best chunk."""

    artifact_id: str
    index: int
    score: float


def fold(scores: Scores) -> list[Ranked]:
    """Return one entry an artifact, by the score of its best chunk, highest first; ties by id, then by index."""
    best: dict[str, Ranked] = {}
    for (artifact_id, index), score in sorted(scores.items(), key=lambda item: (-item[1], item[0])):
        best.setdefault(artifact_id, Ranked(artifact_id, index, score))
    return list(best.values())
