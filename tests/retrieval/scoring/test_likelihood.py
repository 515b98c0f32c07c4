"""What a caller may rely on in how likely an answer is said to be."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.search import Candidate, TermStatistics, Vectors
from graph.text.term_vectors import terms
from retrieval.scoring.likelihood import Features, answer_likelihood, likelihood_features
from tests.retrieval.ranking.candidate_parts import chunk, pool_of, turn, vector_of

SHARES = st.floats(0, 1)
CLOSENESS = st.none() | SHARES
#: Nothing of the project to compare a question's vector with.
NOTHING = np.empty((0, 0), dtype=np.float32)
EAST = (1.0, 0.0)


def signs(
    asked: str,
    *candidates: Candidate,
    best: Sequence[int] = (0,),
    num_with: int = 3,
    num_chunks: int = 1_000,
    vector: Vectors | None = None,
    sample: Vectors = NOTHING,
) -> Features:
    """Return the signs of a question; each word of the candidates is in so many chunks of the project."""
    held = {term: num_with for one in candidates for term in terms(one.text)}
    return likelihood_features(
        pool_of(*candidates, dimension=0 if vector is None else len(vector)),
        best,
        terms(asked),
        TermStatistics(num_chunks, 8.0, held),
        vector=vector,
        sample=sample,
    )


# From signs to a chance


@given(coverage=SHARES, known=SHARES, closeness=CLOSENESS)
def test_a_likelihood_is_a_chance(coverage: float, known: float, closeness: float | None) -> None:
    """docs/interface.md `answer_likelihood`: from 0 to 1; nothing that is found makes it certain."""
    assert 0 < answer_likelihood(Features(coverage, known, closeness)) < 1


@given(low=st.tuples(SHARES, SHARES, SHARES), more=st.tuples(SHARES, SHARES, SHARES), search_words=st.booleans())
def test_no_sign_speaks_against_an_answer(
    low: tuple[float, float, float], more: tuple[float, float, float], *, search_words: bool
) -> None:
    """Matching more words, or coming nearer, never makes an answer less likely."""
    high = [max(pair) for pair in zip(low, more, strict=True)]
    before, after = (Features(one[0], one[1], None if search_words else one[2]) for one in (low, high))
    assert answer_likelihood(before) <= answer_likelihood(after)


@pytest.mark.parametrize("closeness", [None, 0.0])
def test_a_question_that_shares_nothing_is_not_in_memory(closeness: float | None) -> None:
    """docs/interface.md `answer_likelihood`: near 0, whether vectors answer or not."""
    assert answer_likelihood(Features(0.0, 0.0, closeness)) < 0.02


@pytest.mark.parametrize("closeness", [None, 0.6])
def test_a_question_that_is_answered_in_its_own_words_is_in_memory(closeness: float | None) -> None:
    """The other end of the scale is reached without vectors as well."""
    assert answer_likelihood(Features(1.0, 1.0, closeness)) > 0.9


# From what was found to signs


def test_coverage_is_the_share_of_the_words_that_one_result_has() -> None:
    """Words spread over results that have nothing to do with each other answer nothing together."""
    bike, lock = chunk("The red bike.", identity="art_a"), chunk("The door lock.", identity="art_b")
    assert signs("bike lock", bike, lock, best=(0, 1)).coverage == pytest.approx(0.5)
    assert signs("bike lock", chunk("The lock of the bike.")).coverage == pytest.approx(1.0)


def test_a_rare_word_covers_more_than_a_common_one() -> None:
    """Otherwise every question about a frequent subject would seem answered."""
    frequent, rare = terms("meeting zephyrine")
    found = likelihood_features(
        pool_of(chunk("The meeting.")),
        [0],
        [frequent, rare],
        TermStatistics(1_000, 8.0, {frequent: 500, rare: 1}),
        vector=None,
        sample=NOTHING,
    )
    assert found.coverage < 0.15
    assert found.known == pytest.approx(1.0)


def test_the_two_turns_around_count_for_a_turn() -> None:
    """The answer "Blue." stands beside "Which colour is your bike?"; further away they talk of something else."""
    said = [turn("Which bike?", 0), turn("My new one.", 1), turn("Blue.", 2), turn("Nice.", 3), turn("A lock?", 4)]
    assert signs("bike", *said, best=(2,)).coverage == pytest.approx(1.0)
    assert signs("bike", *said, best=(3,)).coverage == pytest.approx(0.0)
    assert signs("lock", *said, best=(2,)).coverage == pytest.approx(1.0)


def test_a_turn_of_another_session_does_not_count() -> None:
    """What was said the day before explains nothing."""
    said = [turn("A new bike.", 0), turn("Blue.", 1, hours=20)]
    assert signs("bike", *said, best=(1,)).coverage == pytest.approx(0.0)


def test_the_chunks_around_do_not_count_for_a_chunk() -> None:
    """A chunk is long enough to stand for itself."""
    document = [chunk("The bike.", 0, num_chunks=2), chunk("Something else.", 1, num_chunks=2)]
    assert signs("bike", *document, best=(1,)).coverage == pytest.approx(0.0)


def test_a_word_that_the_project_does_not_have_is_not_known() -> None:
    """Neither in the results nor anywhere else."""
    found = signs("bike zephyrine", chunk("The bike."))
    assert 0 < found.known == found.coverage < 0.5


def test_in_a_small_memory_a_missing_word_does_not_outweigh_those_that_match() -> None:
    """A word that all three notes have is no common word yet."""
    found = signs("bike lock code please", chunk("The code of my bike lock."), num_with=3, num_chunks=3)
    assert found.coverage > 0.6


def test_a_word_of_most_notes_of_a_small_memory_counts_against_a_missing_one() -> None:
    """Thirty notes say little of how common a word is: three matching words outweigh one that is missing."""
    found = signs("bike lock code zephyrine", chunk("The code of my bike lock."), num_with=20, num_chunks=30)
    assert found.coverage > 0.5


def test_a_question_without_a_telling_word_is_not_covered() -> None:
    """Nothing but stop words: no share of nothing."""
    found = signs("who are you", chunk("The bike."))
    assert (found.coverage, found.known) == (0.0, 0.0)


def test_closeness_is_none_without_vectors_or_while_one_is_missing() -> None:
    """A result that is not embedded yet may be the one that answers: then words alone are judged."""
    embedded, waiting = chunk("The bike.", identity="art_a", vector=EAST), chunk("The lock.", identity="art_b")
    assert signs("bike", embedded).closeness is None
    assert signs("bike", embedded, vector=vector_of(*EAST)).closeness == pytest.approx(1.0)
    assert signs("bike", embedded, waiting, best=(0, 1), vector=vector_of(*EAST)).closeness is None


def test_closeness_is_measured_from_the_average_of_the_project() -> None:
    """A cosine of 0.8 is near where others have 0.1, and far where all have 0.7: models differ."""
    question, near = vector_of(*EAST), chunk("The bike.", vector=(0.8, 0.6))
    apart, alike = (np.array([[cosine, (1 - cosine**2) ** 0.5]] * 500, dtype=np.float32) for cosine in (0.1, 0.7))
    far = signs("bike", near, vector=question, sample=alike).closeness
    assert far is not None
    assert far == pytest.approx(0.35, abs=0.05)
    assert signs("bike", near, vector=question, sample=apart).closeness == pytest.approx(0.78, abs=0.02)


def test_the_only_item_of_a_memory_can_be_close() -> None:
    """It is the whole sample too, and must not count as its own background."""
    question, only = vector_of(*EAST), chunk("The bike.", vector=(0.8, 0.6))
    alone = signs("bike", only, vector=question, sample=np.array([[0.8, 0.6]], dtype=np.float32)).closeness
    assert alone is not None
    assert alone > 0.7


def test_what_points_away_is_not_close_at_all() -> None:
    """No negative share."""
    found = signs("bike", chunk("The bike.", vector=(-1.0, 0.0)), vector=vector_of(*EAST))
    assert found.closeness == 0.0
