"""What ranking may rely on when words and meaning are put on one scale."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.text.term_vectors import terms
from retrieval.scoring.candidate_pool import meaning_scores, word_scores
from tests.retrieval.ranking.candidate_parts import chunk, pool_of, statistics_of, vector_of

TEXTS = ("red boat", "blue boat", "green mast and sail", "a pier")


@given(factor=st.floats(0.01, 100))
def test_the_scale_of_the_weights_does_not_matter(factor: float) -> None:
    """Feedback changes what terms count beside each other, not how much words count beside meaning."""
    statistics, pool = statistics_of(*TEXTS), pool_of(*map(chunk, TEXTS))
    weights = dict(zip(terms("red boat sail"), (1.0, 0.5, 0.2), strict=True))
    scaled = {term: factor * weight for term, weight in weights.items()}
    assert word_scores(pool, scaled, statistics).tolist() == pytest.approx(
        word_scores(pool, weights, statistics).tolist()
    )


def test_a_long_question_weighs_no_more_than_a_short_one() -> None:
    """A chunk that answers one of four words well has less than one that answers the only word."""
    statistics, pool = statistics_of(*TEXTS), pool_of(*map(chunk, TEXTS))
    (short,) = word_scores(pool, dict.fromkeys(terms("red"), 1.0), statistics).tolist()[:1]
    (long,) = word_scores(pool, dict.fromkeys(terms("red gull crew anchor"), 1.0), statistics).tolist()[:1]
    assert 0 < long < short < 10


def test_no_words_say_nothing() -> None:
    """A question of signs only."""
    assert word_scores(pool_of(chunk("boat")), {}, statistics_of("boat")).tolist() == [0.0]


def test_meaning_is_counted_from_what_is_usual_in_the_project() -> None:
    """In standard deviations: a cosine that all share tells nothing."""
    sample = np.tile(np.array([[0.6, 0.8], [0.8, 0.6]], dtype=np.float32), (10_000, 1))
    pool = pool_of(chunk(vector=(0.8, 0.6)), chunk(vector=(0.6, 0.8)), chunk(vector=(0.7, 0.7)), dimension=2)
    assert meaning_scores(pool, vector_of(1, 0), sample).tolist() == pytest.approx([1, -1, 0], abs=0.02)


def test_what_has_no_embedding_yet_is_as_near_as_the_average() -> None:
    """It is neither put last nor first for coming late, though the usual cosine is far from 0."""
    sample = np.array([[0.6, 0.8], [0.8, 0.6]], dtype=np.float32)
    pool = pool_of(chunk(), chunk(vector=(-1.0, 0.0)), chunk(vector=(1.0, 0.0)), dimension=2)
    none, far, near = meaning_scores(pool, vector_of(1, 0), sample).tolist()
    assert far < none == 0 < near


def test_few_embeddings_say_little_of_what_is_usual() -> None:
    """None, one or two of them, as while the first items are embedded, neither silence meaning nor blow it up."""
    pool = pool_of(chunk(vector=(0.8, 0.6)), chunk(vector=(0.1, 0.9)), dimension=2)
    for sample in (np.empty((0, 0), dtype=np.float32), pool.vectors[:1], pool.vectors):
        near, far = meaning_scores(pool, vector_of(1, 0), sample).tolist()
        assert -2 < far < near < 6
