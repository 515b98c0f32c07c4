"""Metrics of sets of questions: figures worked out by hand, and what holds whatever the scores are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.metrics import Interval, auc, bootstrap, placements, refused, threshold

SCORES = st.lists(st.integers(0, 5).map(float), min_size=1, max_size=30)


def test_the_auc_is_the_chance_that_an_own_score_is_higher() -> None:
    """Hanley & McNeil: of the four pairs of these scores two are won, one is even and one lost."""
    assert placements([0.9, 0.5], [0.5, 0.7]) == (0.75, 0.5)
    assert auc([0.9, 0.5], [0.5, 0.7]) == 0.625


def test_with_nothing_to_tell_apart_the_auc_is_a_coin() -> None:
    """Neither figure fails on an empty kind of question."""
    assert auc([], [0.3]) == auc([0.3], []) == 0.5
    assert placements([], [0.3]) == (0.0,)


@given(own=SCORES, foreign=SCORES)
def test_the_auc_compares_every_pair(own: list[float], foreign: list[float]) -> None:
    """The definition itself, pair by pair; swapped sides give the rest up to 1."""
    pairs = [(mine > its) + (mine == its) / 2 for mine in own for its in foreign]

    assert auc(own, foreign) == pytest.approx(sum(pairs) / len(pairs))
    assert auc(own, foreign) + auc(foreign, own) == pytest.approx(1)


def test_the_threshold_refuses_as_many_own_questions_as_allowed() -> None:
    """Of ten scores a tenth is one: what is below the second lowest is refused."""
    own = [score / 10 for score in range(10)]

    assert threshold(own, 0.1) == 0.1
    assert refused(own, [0.0, 0.05, 0.1, 0.9], 0.1) == (1.0, 1.0, 0.0, 0.0)
    assert refused(own, [0.95], 1.0) == (1.0,)


@given(own=SCORES, foreign=SCORES, allowed=st.floats(0, 1))
def test_no_more_own_questions_are_refused_than_allowed(own: list[float], foreign: list[float], allowed: float) -> None:
    """Ties at the threshold are spared, and allowing more never refuses fewer foreign ones."""
    assert sum(refused(own, own, allowed)) <= allowed * len(own) + 1e-6
    assert sum(refused(own, foreign, allowed)) <= sum(refused(own, foreign, 1.0))


def test_equal_values_have_a_sure_mean() -> None:
    """Every draw of them is the same, so the interval has no width; of no values it is 0."""
    assert bootstrap([0.25] * 40) == Interval(0.25, 0.25, 0.25)
    assert bootstrap([]) == Interval(0, 0, 0)
    assert bootstrap([0.25] * 40).is_clear
    assert not bootstrap([]).is_clear


def test_the_interval_is_as_wide_as_chance_makes_it() -> None:
    """A hundred coins that fell half and half: 1.96 standard errors of 0.05 to each side, within a draw's grain."""
    told = bootstrap([0.0, 1.0] * 50)

    assert told.mean == 0.5
    assert (told.low, told.high) == pytest.approx((0.402, 0.598), abs=0.021)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=40))
def test_an_interval_lies_within_the_values_and_is_repeatable(values: list[float]) -> None:
    """Same values, same interval; no mean of draws can leave their range."""
    told = bootstrap(values)

    assert told == bootstrap(values)
    assert min(values) - 1e-9 <= told.low <= told.high <= max(values) + 1e-9
