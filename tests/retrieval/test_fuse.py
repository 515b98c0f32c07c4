"""What ranking may rely on when scores of several sources become one order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.records import Scored
from retrieval.fuse import Ranked, by_place, fold, fuse

PLACES = st.tuples(st.sampled_from(["art_a", "art_b", "art_c", "art_d"]), st.integers(0, 3))
SCORES = st.dictionaries(PLACES, st.integers(-1_000, 1_000).map(float), max_size=12)


def ordered(scores: dict[tuple[str, int], float]) -> list[tuple[str, int]]:
    return sorted(scores, key=lambda place: (-scores[place], place))


@given(source=SCORES)
def test_fusing_one_source_keeps_its_order(source: dict[tuple[str, int], float]) -> None:
    """Without vectors the answer is in the order of words."""
    assert ordered(fuse([source])) == ordered(source)


@given(sources=st.lists(SCORES, max_size=4))
def test_the_order_of_sources_does_not_matter(sources: list[dict[tuple[str, int], float]]) -> None:
    """They answer side by side, so whichever comes first must not win."""
    forward, backward = fuse(sources), fuse(sources[::-1])
    assert forward.keys() == backward.keys()
    assert all(forward[place] == pytest.approx(backward[place], abs=1e-9) for place in forward)


@given(sources=st.lists(SCORES, max_size=3), more=SCORES)
def test_another_source_never_removes_a_result(
    sources: list[dict[tuple[str, int], float]], more: dict[tuple[str, int], float]
) -> None:
    """It may only reorder and add."""
    assert fuse(sources).keys() | more.keys() == fuse([*sources, more]).keys()


@given(
    sources=st.lists(SCORES, min_size=1, max_size=3),
    factor=st.sampled_from([0.001, 7.0, 1e6]),
    shift=st.integers(-50, 50),
)
def test_the_scale_of_a_source_does_not_matter(
    sources: list[dict[tuple[str, int], float]], factor: float, shift: int
) -> None:
    """BM25 has no upper end and cosines have: only their spread counts."""
    scaled = [{place: score * factor + shift for place, score in sources[0].items()}, *sources[1:]]
    before, after = fuse(sources), fuse(scaled)
    assert all(after[place] == pytest.approx(before[place], abs=1e-6) for place in before)


def test_what_two_sources_find_comes_before_what_one_finds() -> None:
    """That is what fusing is for."""
    words = {("art_a", 0): 9.0, ("art_b", 0): 8.0, ("art_c", 0): 1.0}
    near = {("art_b", 0): 0.9, ("art_d", 0): 0.3}
    assert ordered(fuse([words, near]))[0] == ("art_b", 0)


def test_sources_that_say_nothing_change_nothing() -> None:
    """All scores equal, or none at all."""
    words = {("art_a", 0): 9.0, ("art_b", 0): 8.0}
    assert ordered(fuse([words, {}, {("art_a", 0): 1.0, ("art_b", 0): 1.0}])) == ordered(words)
    assert fuse([]) == fuse([{}]) == {}


def test_of_a_place_found_twice_the_best_score_counts() -> None:
    """A source may meet a chunk on two ways."""
    assert by_place([Scored("art_a", 0, -2.0), Scored("art_a", 0, -1.0), Scored("art_a", 1, 3.0)]) == {
        ("art_a", 0): -1.0,
        ("art_a", 1): 3.0,
    }


def test_an_artifact_appears_once_with_its_best_chunk() -> None:
    """CONTRACT `recall`: one entry an item."""
    scores = {("art_a", 0): 1.0, ("art_a", 7): 3.0, ("art_b", 2): 2.0}
    assert fold(scores) == [Ranked("art_a", 7, 3.0), Ranked("art_b", 2, 2.0)]


@given(places=st.lists(PLACES, unique=True, max_size=16))
def test_ties_are_broken_by_id_and_then_by_chunk(places: list[tuple[str, int]]) -> None:
    """The same question gives the same order, whatever order the sources answered in."""
    folded = fold(dict.fromkeys(places, 1.0))
    assert [item.artifact_id for item in folded] == sorted({identity for identity, _ in places})
    assert all(
        item.index == min(index for identity, index in places if identity == item.artifact_id) for item in folded
    )
