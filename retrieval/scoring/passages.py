"""Passages: which chunk of a long document answers, by what distinguishes it from the rest of the document."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from core.candidates import TermStatistics
from core.embedding import Vectors
from graph.text.term_vectors import LABEL, Column
from graph.text.tokens import distinctive_stems
from retrieval.scoring.bm25 import bm25_scores
from retrieval.scoring.candidate_pool import Pool

#: Fewest chunks of a document in which a chunk's neighbours say something.
LONG: Final = 9
#: What the meaning of the chunks one to four places away counts: a discussion runs on, an agenda does not.
NEIGHBOURS: Final = (0.5, 0.5, 0.3, 0.2)
#: Weights relative to the words: similarity in meaning, similarity of the neighbours, and the speaker.
MEANING, NEAR, SPEAKER = 1.3, 0.5, 0.6


def best_passage(
    pool: Pool, weights: Mapping[int, float], statistics: TermStatistics, vector: Vectors | None, asked: Sequence[str]
) -> int:
    """Return the row of the chunk to show; the pool is one document in the order of its chunks.

    A term is worth the mean of its rarity in the project and in the document. `asked` are the question's stems, by
    which speakers are named.
    """
    everywhere, inside = bm25_scores(pool, weights, statistics), bm25_scores(pool, weights, _within(pool, weights))
    scores = _standard(everywhere + inside) + SPEAKER * np.sqrt(_spoken_by_named(pool, frozenset(asked)))
    if vector is not None:
        meaning = _standard((pool.vectors @ vector).astype(np.float64))
        scores += MEANING * meaning
        if len(pool) >= LONG:
            scores += NEAR * _standard(_near(meaning))
    return int(np.argmax(scores))


def _within(pool: Pool, weights: Mapping[int, float]) -> TermStatistics:
    """Return how common the terms are in the document."""
    found, _ = pool.matches(np.array(sorted(weights), dtype=np.uint32))
    return TermStatistics(len(pool), float(pool.lengths.mean()), Counter(pool.entries["term"][found].tolist()))


def _standard(scores: Column) -> Column:
    deviation = scores.std()
    return (scores - scores.mean()) / deviation if deviation > 0 else np.zeros_like(scores)


def _near(meaning: Column) -> Column:
    """Return the meaning of the chunks around each."""
    total = np.zeros_like(meaning)
    for distance, weight in enumerate(NEIGHBOURS, start=1):
        total[distance:] += weight * meaning[:-distance]
        total[:-distance] += weight * meaning[distance:]
    return total


def _spoken_by_named(pool: Pool, asked: frozenset[str]) -> Column:
    """Return the share of each chunk's characters that a speaker says whom the question names.

    A speaker's label begins at least two lines; a question names it with half of its words.
    """
    spans = [_spans(one.text) for one in pool.candidates]
    seen = Counter(label for several in spans for label, _ in several)
    named = {label for label, times in seen.items() if times > 1 and _is_named(label, asked)}
    lengths = np.array([max(1, len(one.text)) for one in pool.candidates])
    said = [sum(size for label, size in several if label in named) for several in spans]
    return np.asarray(np.array(said) / lengths, dtype=np.float64)


def _spans(text: str) -> list[tuple[str, int]]:
    """Return each speaker's label in order, with the number of characters up to the next."""
    found = list(LABEL.finditer(text))
    starts = [match.start() for match in found] + [len(text)]
    return [(match[1], end - start) for match, (start, end) in zip(found, pairwise(starts), strict=True)]


def _is_named(label: str, asked: frozenset[str]) -> bool:
    stems = distinctive_stems(re.sub(r"\([^)]*\)|\[[^\]]*\]", "", label))
    named = [stem for stem in stems if stem in asked]
    if not named or 2 * len(named) < len(stems):
        return False
    return len(named) == len(stems) or any(len(stem) > 1 for stem in named)
