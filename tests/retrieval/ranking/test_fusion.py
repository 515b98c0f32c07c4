"""What ranking may rely on when the scores of candidates become one entry an artifact."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.search import Candidate
from retrieval.ranking.fusion import Ranked, fuse, wording
from tests.retrieval.ranking.candidate_parts import chunk, pool_of, turn

#: Few values, so that many are equal.
SCORES = st.tuples(st.integers(-3, 3).map(float), st.integers(-3, 3).map(float))
TURNS = st.dictionaries(st.integers(0, 9), SCORES, max_size=8)
CHUNKS = st.dictionaries(st.tuples(st.sampled_from("abcd"), st.integers(0, 3)), SCORES, max_size=10)


def folded(
    scored: dict[Candidate, tuple[float, float]], second_chunk: float = 0, signs: tuple[float, ...] | None = None
) -> list[Ranked]:
    """Fold candidates of these scores by all steps, and by words and meaning alone."""
    scores, plain = (np.array([both[kind] for both in scored.values()], dtype=np.float64) for kind in (0, 1))
    return fuse(pool_of(*scored), scores, plain, np.array(signs or np.zeros(len(scored))), second_chunk)


def of(identity: str, index: int = 0) -> Candidate:
    return chunk(identity=f"art_{identity}", index=index, num_chunks=4)


def mixed(
    turns: dict[int, tuple[float, float]], chunks: dict[tuple[str, int], tuple[float, float]]
) -> dict[Candidate, tuple[float, float]]:
    said = {turn(index=index): scores for index, scores in turns.items()}
    return said | {of(*place): scores for place, scores in chunks.items()}


def test_an_artifact_appears_once_with_its_best_chunk_and_size() -> None:
    """docs/interface.md `recall`: one entry an item."""
    found = folded({of("a", 0): (1.0, 1.0), of("a", 3): (3.0, 3.0), of("b", 2): (2.0, 2.0)})
    assert found == [Ranked("art_a", 3, 3.0, 4), Ranked("art_b", 2, 2.0, 4)]


def test_the_second_chunk_lifts_a_document() -> None:
    """One that speaks of a thing in two places is more about it; what is below the average takes nothing away."""
    once = {of("a"): (2.0, 2.0), of("a", 1): (-5.0, -5.0)}
    twice = {of("b"): (1.8, 1.8), of("b", 1): (1.6, 1.6), of("b", 2): (1.6, 1.6)}
    assert [entry.artifact_id for entry in folded(once | twice)] == ["art_a", "art_b"]
    found = folded(once | twice, 0.5)
    assert [(entry.artifact_id, entry.index) for entry in found] == [("art_b", 0), ("art_a", 0)]


def test_a_short_document_is_not_behind_for_having_one_chunk() -> None:
    """Minutes of one page must not stand behind long ones that match less (docs/decisions/ranking.md)."""
    short, long = {of("a"): (2.0, 2.0)}, {of("b"): (1.8, 1.8), of("b", 1): (1.3, 1.3), of("b", 2): (1.3, 1.3)}
    assert [entry.artifact_id for entry in folded(short | long, 0.5)] == ["art_a", "art_b"]


def test_who_repeats_a_sign_is_no_better_found_by_it() -> None:
    """A sign in one place of a document counts as much as in two; what else is said there counts."""
    twice = {of("a"): (1.0, 1.0), of("a", 1): (0.8, 0.8)}
    once = {of("b"): (1.0, 1.0), of("b", 1): (0.9, 0.9)}
    found = folded(twice | once, 0.5, (40, 40, 40, 0))
    assert [entry.artifact_id for entry in found] == ["art_b", "art_a"]


def test_turns_and_documents_meet_at_what_means_the_same_for_both() -> None:
    """Steps that only turns have must not lift every turn over every document."""
    turns = {turn(index=1): (9.0, 0.5), turn(index=2): (8.0, 2.0)}
    documents = {of("a"): (1.0, 1.0), of("b"): (0.4, 0.4)}
    assert folded(turns | documents) == [
        Ranked("art_talk_001", 0, 2.0),
        Ranked("art_a", 0, 1.0, 4),
        Ranked("art_talk_002", 0, 0.5),
        Ranked("art_b", 0, 0.4, 4),
    ]


@given(turns=TURNS, chunks=CHUNKS)
def test_each_kind_stays_in_the_order_of_its_own_scores(
    turns: dict[int, tuple[float, float]], chunks: dict[tuple[str, int], tuple[float, float]]
) -> None:
    """Whatever words and meaning alone say, equal or not; ties by id. Nothing is lost, and no score rises."""
    found = folded(mixed(turns, chunks))
    said = sorted(turns, key=lambda index: (-turns[index][0], index))
    assert [entry.artifact_id for entry in found if "talk" in entry.artifact_id] == [f"art_talk_{n:03}" for n in said]
    best = {name: max(score for (other, _), (score, _) in chunks.items() if other == name) for name, _ in chunks}
    written = sorted(best, key=lambda name: (-best[name], name))
    assert [entry.artifact_id for entry in found if "talk" not in entry.artifact_id] == [f"art_{n}" for n in written]
    assert [entry.score for entry in found] == sorted((entry.score for entry in found), reverse=True)


@given(turns=TURNS, chunks=CHUNKS, seed=st.randoms(use_true_random=False))
def test_the_order_that_candidates_come_in_does_not_matter(
    turns: dict[int, tuple[float, float]], chunks: dict[tuple[str, int], tuple[float, float]], seed: Random
) -> None:
    """Stores give them in any order, and the same question must have the same answer."""
    scored = mixed(turns, chunks)
    shuffled = list(scored)
    seed.shuffle(shuffled)
    assert folded({one: scored[one] for one in shuffled}, 0.5) == folded(scored, 0.5)


def test_of_chunks_that_are_as_good_the_first_is_shown() -> None:
    """Ties by index."""
    assert folded({of("a", 2): (1.0, 1.0), of("a", 1): (1.0, 1.0)}) == [Ranked("art_a", 1, 1.0, 4)]


@pytest.mark.parametrize(
    "other",
    [
        "the cellar pump starts twice an hour",
        "The cellar-pump starts twice an hour!",
        "Cellar pump starts twice an hour.",
        "- The cellar pump starts **twice** an hour.",
        "NOTE: The cellar pump starts twice an hour.",
        "Reminder: the cellar pump\nstarts  twice an hour",
        "# The cellar pump starts twice an hour…",
        "_The_ cellar pump starts `twice` an hour.",
    ],
)
def test_notes_that_differ_in_form_alone_have_one_wording(other: str) -> None:
    assert wording(other) == wording("The cellar pump starts twice an hour.")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The pump is on.", "The pump is off."),
        ("Anna owes Ben.", "Ben owes Anna."),
        ("The pump starts.", "The pump starts?"),
        ("Use C.", "Use C++."),
        ("Set it to -5.", "Set it to 5."),
        ("Rooms 3-5 are free.", "Rooms 35 are free."),
        ("It takes 2*3 screws.", "It takes 23 screws."),
        ("The lid may be closed.", "The lid must be closed."),
        ("It closed in May.", "It closes in May."),
        ("Sent 👍", "Sent 👎"),
        ("Version 1.2 ships.", "Version 12 ships."),
        ("...", "!"),
    ],
)
def test_what_may_mean_another_thing_has_another_wording(one: str, other: str) -> None:
    assert wording(one) != wording(other)


def test_nothing_folds_to_nothing() -> None:
    """No candidate, no entry."""
    assert folded({}) == []
