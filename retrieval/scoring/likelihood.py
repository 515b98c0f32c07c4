"""Likelihood: how likely the first of a ranking hold an answer, so that an agent can say that nothing is in memory.

Scores of ranking are relative to what was found, and the best of nothing looks like the best of something. These
three features are not: docs/decisions/not-in-memory.md.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, log
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from core.search import USUAL_BACKGROUND, Background, TermStatistics, Vectors
from graph.text.term_vectors import Column, idf
from retrieval.scoring.candidate_pool import Pool
from retrieval.scoring.turns import SESSION

#: Number of results examined, and which turns around each: an answer often follows the words asked for.
FIRST: Final = 5
_STEPS: Final = (-2, -1, 1, 2)
#: Fewer chunks say too little of how common a word is: there a word that is missing would outweigh all that match.
_LEAST_CHUNKS: Final = 500
#: How many of a sample the embedder's background counts for: the one item of a small memory is no background to itself.
_UNRELATED_COUNTS: Final = 20
#: The likelihood of items of a time where nothing else is asked for.
OF_TIME: Final = 0.9
#: Constant term and weights of the logistic regression, with the vectors and without.
_BY_ALL: Final = (-6.0, 4.0, 2.0, 6.5)
_BY_WORDS: Final = (-4.7, 4.7, 2.3)
#: The same for coverage and closeness of questions in a language that the project has no texts in.
_BY_LIKENESS: Final = (-2.2, 6.0, 6.5)
#: The closeness from which a result is no chance finding among 16 chunks, and by how much it grows with each e-fold of
#: them: the nearest of many is near. From there on the likelihood by closeness alone: its constant term and weight.
_NEAR, _NEAR_OF, _NEAR_GROWS = 0.19, 16, 0.037
_BY_NEARNESS: Final = (-2.2, 10.0)
#: With less of the question's words, and not this close, it may be another fact of the same thing: in the middle.
_MOST_WORDS, _CLOSE, _MIDDLE = 0.7, 0.6, 0.69


@dataclass(frozen=True, slots=True)
class Features:
    """What speaks for an answer, each from 0 to 1."""

    #: Most of the question's words, by how telling they are, that one of the first results has with the turns around.
    coverage: float
    #: How much of the question the project has words for at all.
    known: float
    #: How far the nearest of the first results is on the way from the average of the project to the question itself;
    #: None without vectors. A share, since what cosine is a high one differs between models.
    closeness: float | None


def answer_likelihood(features: Features) -> float:
    """Return the chance that the first ten results hold an answer, where as many questions have one as have none.

    A logistic regression over questions put to their own and to foreign memories, conversations and documents, with
    weights rounded; each data set alone gives about the same.
    """
    if features.closeness is None:
        constant, coverage, known = _BY_WORDS
        return _logistic(constant + coverage * features.coverage + known * features.known)
    constant, coverage, known, closeness = _BY_ALL
    total = constant + coverage * features.coverage + known * features.known + closeness * features.closeness
    is_partly = features.coverage < _MOST_WORDS and features.closeness < _CLOSE
    return min(_logistic(total), _MIDDLE) if is_partly else _logistic(total)


def likelihood_by_nearness(closeness: float, num_chunks: int) -> float:
    """Return the chance that a result which is nearer than chance among so many chunks answers; 0 if it is not nearer.

    Short notes are asked for in other words: "feline next door".
    """
    nearer = closeness - _NEAR - _NEAR_GROWS * log(max(1.0, num_chunks / _NEAR_OF))
    constant, weight = _BY_NEARNESS
    return min(_logistic(constant + weight * nearer), _MIDDLE) if nearer >= 0 else 0.0


def likelihood_in_another_language(features: Features) -> float:
    """Return the same chance for a question in a language that the project has no texts in.

    That its words are not known says nothing; names and numbers that are do.
    """
    constant, coverage, closeness = _BY_LIKENESS
    return _logistic(constant + coverage * features.coverage + closeness * (features.closeness or 0.0))


def likelihood_features(
    pool: Pool,
    best: Sequence[int],
    asked: Collection[int],
    statistics: TermStatistics,
    *,
    vector: Vectors | None,
    sample: Vectors,
    usual: Background = USUAL_BACKGROUND,
) -> Features:
    """Return what the rows of the first results, at least one, show; both shares of words are 0 if none was asked for.

    `statistics` must know the terms asked for. Authors' names should not be among them: they precede every turn.
    """
    terms = np.array(sorted(asked), dtype=np.uint32)
    worth = _worth(terms, statistics)
    whole = float(worth.sum()) or 1.0
    is_known = np.array([statistics.num_with.get(term, 0) > 0 for term in terms.tolist()], dtype=bool)
    return Features(
        coverage=float((_covered(pool, best, terms) @ worth).max()) / whole,
        known=float(worth[is_known].sum()) / whole,
        closeness=None if vector is None else _closeness(pool, best, vector, sample, usual.mean),
    )


def _worth(terms: NDArray[np.uint32], statistics: TermStatistics) -> Column:
    """Return how telling each term is."""
    enough = replace(statistics, num_chunks=max(statistics.num_chunks, _LEAST_CHUNKS))
    return np.array([idf(term, enough) for term in terms.tolist()], dtype=np.float64)


def _covered(pool: Pool, best: Sequence[int], terms: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Return for each of the rows which terms it or a turn around it has."""
    places = zip(pool.candidates, pool.places.tolist(), strict=True)
    at = {(one.conversation_id, place): row for row, (one, place) in enumerate(places) if one.turn_index is not None}
    windows = np.array([_window(pool, row, at) for row in best], dtype=np.intp)
    return np.asarray(_held(pool, terms)[windows].any(axis=1), dtype=bool)


def _window(pool: Pool, row: int, at: Mapping[tuple[str | None, int], int]) -> list[int]:
    """Return the row and the rows of the turns around it, -1 for turns that are no candidate or of another session.

    `at` says where each turn is. `turns.around` does the same for a whole pool, at ten times the cost.
    """
    one = pool.candidates[row]
    window = [row]
    for step in _STEPS:
        near = -1 if one.turn_index is None else at.get((one.conversation_id, int(pool.places[row]) + step), -1)
        is_near = near >= 0 and abs(pool.candidates[near].happened_at - one.happened_at) <= SESSION
        window.append(near if is_near else -1)
    return window


def _held(pool: Pool, terms: NDArray[np.uint32]) -> NDArray[Any]:
    """Return which row has which term, and behind the rows one that has none, where -1 leads."""
    held = np.zeros((len(pool) + 1, len(terms)), dtype=bool)
    found, at = pool.matches(terms)
    held[pool.rows[found], at] = True
    return held


def _closeness(pool: Pool, best: Sequence[int], vector: Vectors, sample: Vectors, usual: float) -> float | None:
    """Return None as well while one of the rows has no vector yet, since it may be the one that answers."""
    rows = np.array(best, dtype=np.intp)
    if not pool.has_vector[rows].all():
        return None
    cosines = sample @ vector if len(sample) else np.zeros(0)
    unrelated = (float(cosines.sum()) + usual * _UNRELATED_COUNTS) / (len(cosines) + _UNRELATED_COUNTS)
    nearest = float((pool.vectors[rows] @ vector).max())
    return min(1.0, max(0.0, (nearest - unrelated) / max(1.0 - unrelated, 1e-6)))


def _logistic(total: float) -> float:
    return 1.0 / (1.0 + exp(-total))
