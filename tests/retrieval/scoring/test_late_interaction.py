"""Late interaction: what counts of a question's tokens, and that nobody loses for states that are not there."""

from itertools import pairwise

import numpy as np
import pytest

from core.search import STATE_BYTES, STATE_NUMBERS, Candidate, TextStates
from graph.text.term_vectors import Column, term
from retrieval.scoring.late_interaction import MOST, late_scores, question_states
from tests.retrieval.ranking.candidate_parts import chunk, pool_of

MADE = np.random.default_rng(7)


def states(number: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Return so many states of length 1."""
    made = MADE.standard_normal((number, STATE_NUMBERS))
    return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), np.float32)


def candidates(*signs: bytes | None) -> list[Candidate]:
    return [chunk(identity=f"art_{number}")._replace(states=each) for number, each in enumerate(signs)]


def packed(number: int) -> bytes:
    return np.packbits(states(number) > 0, axis=1).tobytes()


def test_the_largest_likeness_of_each_token_is_summed() -> None:
    """MaxSim as it is defined, whatever number of tokens each candidate has."""
    asked, weights = states(4), np.array([0.4, 0.3, 0.2, 0.1])
    signs = [packed(number) for number in (1, 7, 3, 150, 2, 9)]
    wanted = []
    for each in signs:
        bits = np.unpackbits(np.frombuffer(each, np.uint8).reshape(-1, STATE_BYTES), axis=1)
        likeness = np.where(bits > 0, 1.0, -1.0) @ asked.T / np.sqrt(STATE_NUMBERS)
        wanted.append(likeness.max(axis=0) @ weights)
    found = late_scores(pool_of(*candidates(*signs)), np.arange(6.0), asked, weights)
    assert found == pytest.approx((wanted - np.mean(wanted)) / np.std(wanted), abs=1e-4)


def test_a_candidate_without_states_stays_between_its_neighbours() -> None:
    """Where the states agree with the ranking, one without them has what its place in the ranking usually has."""
    asked = states(1)
    near = np.packbits(asked > 0, axis=1).tobytes()
    signs = list[bytes | None]()
    for number in range(20):  # the further back the less like the question
        bits = np.unpackbits(np.frombuffer(near, np.uint8))
        bits[: 4 * number] ^= 1
        signs.append(np.packbits(bits).tobytes())
    signs[5], signs[11] = None, b""
    first = -np.arange(20.0)
    found = late_scores(pool_of(*candidates(*signs)), first, asked, np.ones(1))
    assert all(one > other for one, other in pairwise(found.tolist()))


@pytest.mark.parametrize("num_with_states", [0, 4])
def test_few_states_say_nothing(num_with_states: int) -> None:
    """A home that has hardly any ranks as one that has none."""
    signs = [packed(3) if number < num_with_states else None for number in range(30)]
    found = late_scores(pool_of(*candidates(*signs)), np.arange(30.0), states(2), np.ones(2))
    assert found.tolist() == [0.0] * 30


def test_only_the_first_are_looked_at() -> None:
    """The work is bounded; what is further back has no better score for it than those that were looked at."""
    signs = [packed(2) for _ in range(MOST + 50)]
    first: Column = -np.arange(float(len(signs)))
    found = late_scores(pool_of(*candidates(*signs)), first, states(3), np.ones(3))
    assert found[MOST:].max() <= 0


def test_candidates_that_are_all_alike_are_told_apart_by_nothing() -> None:
    """No division by a deviation of 0."""
    found = late_scores(pool_of(*candidates(*[packed(2)] * 1, *[b"\0" * 16] * 0)), np.zeros(1), states(1), np.ones(1))
    same = packed(2)
    every = late_scores(pool_of(*candidates(*[same] * 8)), np.zeros(8), states(1), np.ones(1))
    assert (found.tolist(), every.tolist()) == ([0.0], [0.0] * 8)


def test_rare_words_count_more_and_stop_words_hardly() -> None:
    """Each token by its word; the weights are 1 in all."""
    words = ["which", "ferry", "leaves"]
    rarity = {term("ferri"): 4.0, term("leav"): 1.0}
    kept, weights = question_states([TextStates(words, states(3))], lambda one: rarity.get(one, 0.0))
    assert kept.shape == (3, STATE_NUMBERS)
    assert weights.tolist() == pytest.approx([4 / 5.4, 1 / 5.4, 0.4 / 5.4])


def test_a_question_of_any_length_costs_no_more_than_a_long_one() -> None:
    """Of 5,000 characters only the rarest words count, from every part of it; of no words nothing does."""
    parts = [TextStates([f"w{part}{number}" for number in range(200)], states(200)) for part in range(5)]
    rarity = {term(word): float(number) for number, word in enumerate(word for part in parts for word in part.words)}
    kept, weights = question_states(parts, lambda one: rarity[one])
    assert (len(kept), len(weights), weights.sum()) == (64, 64, pytest.approx(1))
    assert np.array_equal(kept[0], parts[-1].states[-1])
    nothing, none = question_states([TextStates([], states(0))], lambda _: 1.0)
    assert (len(nothing), none.tolist()) == (0, [])
    assert late_scores(pool_of(*candidates(*[packed(2)] * 9)), np.zeros(9), nothing, none).tolist() == [0.0] * 9
