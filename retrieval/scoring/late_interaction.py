"""Late interaction: how well the tokens of a question are met by the tokens of each candidate.

For each token of the question the largest likeness with a token of the candidate, summed over the question by how rare
its words are: MaxSim (Khattab & Zaharia, ColBERT, 2020, https://arxiv.org/abs/2004.12832). The states of tokens are
by-products of the embedding: the question's as numbers, the candidates' as signs.
"""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from core.search import STATE_BYTES, STATE_NUMBERS, Matrix, TextStates
from graph.text.term_vectors import Column, terms
from retrieval.scoring.candidate_pool import Pool

#: Candidates that are looked at: those that words and meaning rank best.
MOST: Final = 100
#: Tokens of a question that count: those of its rarest words.
_MOST_ASKED: Final = 64
#: Weight of a stop word, relative to the rarest word of the question.
_STOP_WORD: Final = 0.1
#: Fewest candidates with states among which one says something.
_FEWEST: Final = 5


def question_states(parts: Sequence[TextStates], rarity: Callable[[int], float]) -> tuple[Matrix, Column]:
    """Return the states of the tokens that count, and their weights, which are 1 in all.

    `rarity` gives how rare a term is in the project.
    """
    words = [word for part in parts for word in part.words]
    rare = np.array([max((rarity(term) for term in terms(word)), default=0.0) for word in words])
    weights = np.where(rare > 0, rare, _STOP_WORD * rare.max(initial=1.0))
    kept = np.argsort(-weights, kind="stable")[:_MOST_ASKED]
    states = np.concatenate([np.empty((0, STATE_NUMBERS), np.float32), *(part.states for part in parts)])[kept]
    return states, weights[kept] / (weights[kept].sum() or 1.0)


def late_scores(pool: Pool, first: Column, states: Matrix, weights: Column) -> Column:
    """Return MaxSim in standard deviations from the mean of the best candidates by `first`.

    A candidate without states, or further back, gets what one with its `first` usually has, so that it loses and gains
    nothing by that.
    """
    best = np.argsort(-first, kind="stable")[:MOST]
    rows = np.array([row for row in best.tolist() if pool.candidates[row].states], dtype=np.intp)
    if len(rows) < _FEWEST or not len(states):
        return np.zeros(len(pool))
    met = _max_sims([pool.candidates[row].states or b"" for row in rows], states) @ weights
    deviation, spread = met.std(), first[rows].std()
    if deviation == 0:
        return np.zeros(len(pool))
    standard = (met - met.mean()) / deviation
    before = (first - first[rows].mean()) / (spread or 1.0)
    scores: Column = max(0.0, float((standard * before[rows]).mean())) * before
    scores[rows] = standard
    return scores


def max_sims(pool: Pool, states: Matrix, weights: Column) -> Column | None:
    """Return MaxSim of each candidate; None while one has no states."""
    signs = [one.states for one in pool.candidates]
    if not len(states) or not all(signs):
        return None
    met: Column = _max_sims([each or b"" for each in signs], states) @ weights
    return met


def _max_sims(signs: Sequence[bytes], states: Matrix) -> Matrix:
    """Return for each candidate, row by row, the largest likeness of each of the question's tokens."""
    packed = np.frombuffer(b"".join(signs), np.uint8).reshape(-1, STATE_BYTES)
    bits = np.unpackbits(packed, axis=1).astype(np.float32)
    # With signs of 1 and -1 instead of bits of 1 and 0, over the length of a row of these.
    likeness = (2 * (bits @ states.T) - states.sum(axis=1)) / np.float32(np.sqrt(STATE_NUMBERS))
    starts = np.cumsum([0, *(len(each) // STATE_BYTES for each in signs[:-1])])
    found: Matrix = np.maximum.reduceat(likeness, starts, axis=0)
    return found
