"""Metrics: figures worked out by hand, and what holds for every ranking."""

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.evaluation.measurement import ndcg_at, recall_at, reciprocal_rank

LETTERS = st.lists(st.sampled_from("abcdefgh"), max_size=8)
GRADES = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 3))


@pytest.mark.parametrize(
    ("ranked", "relevant", "k", "share"),
    [
        ("abcd", "b", 1, 0.0),
        ("abcd", "b", 2, 1.0),
        ("abcd", "bd", 2, 0.5),
        ("bbcd", "bd", 4, 1.0),
        ("abcd", "xb", 9, 0.5),
        ("abcd", "", 4, 0.0),
        ("", "a", 4, 0.0),
        ("abcd", "a", 0, 0.0),
    ],
)
def test_recall_is_the_share_of_what_was_wanted(ranked: str, relevant: str, k: int, share: float) -> None:
    """Over what was wanted, not over `k`; what is ranked twice is found once."""
    assert recall_at(list(ranked), set(relevant), k) == share


@pytest.mark.parametrize(
    ("ranked", "relevant", "value"), [("abcd", "a", 1.0), ("abcd", "dc", 1 / 3), ("abcd", "x", 0.0), ("", "a", 0.0)]
)
def test_reciprocal_rank_looks_at_the_first_one_found(ranked: str, relevant: str, value: float) -> None:
    """The second one changes nothing."""
    assert reciprocal_rank(list(ranked), set(relevant)) == value


def test_ndcg_is_the_formula_worked_out_by_hand() -> None:
    """Grades 3, 2 and 1; the second and the first have changed places."""
    grades = {"a": 3, "b": 2, "c": 1}
    best = 7 / log2(2) + 3 / log2(3) + 1 / log2(4)
    assert ndcg_at(["b", "a", "x", "c"], grades, 3) == pytest.approx((3 / log2(2) + 7 / log2(3)) / best)
    assert ndcg_at(["a", "a", "b", "c"], grades, 2) == pytest.approx(7 / (7 + 3 / log2(3)))
    assert ndcg_at(["a"], {}, 3) == ndcg_at([], grades, 3) == ndcg_at(["a"], {"a": 0}, 3) == 0


@given(LETTERS, GRADES, st.integers(0, 9))
def test_no_order_is_better_than_the_best(ranked: list[str], grades: dict[str, float], k: int) -> None:
    """All three lie between 0 and 1, and the order of grades has NDCG 1."""
    wanted = {letter for letter, grade in grades.items() if grade > 0}
    for value in (recall_at(ranked, wanted, k), reciprocal_rank(ranked, wanted), ndcg_at(ranked, grades, k)):
        assert 0 <= value <= 1 + 1e-9
    best = sorted(grades, key=lambda letter: -grades[letter])
    assert ndcg_at(best, grades, k) == pytest.approx(1.0 if wanted and k else 0.0)
