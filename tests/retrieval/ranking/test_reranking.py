"""What a reranker does to a ranking, and what one that misbehaves does not."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import Unavailable
from retrieval.ranking.fusion import Ranked
from retrieval.ranking.reranking import FIRST, Reranking, reorder

RANKED = [Ranked(f"art_{number}", 0, 1 - number / 100) for number in range(FIRST + 5)]
PASSAGES = {(item.artifact_id, item.index): f"Passage of {item.artifact_id}" for item in RANKED}


@dataclass(slots=True)
class StandIn:
    """A reranker that does what the test says, and keeps what it was asked."""

    answer: Callable[[Sequence[str]], Sequence[float]]
    name: str = "stand-in"
    asked: list[tuple[str, list[str]]] = field(default_factory=list)

    def scores(self, query: str, passages: Sequence[str]) -> Sequence[float]:
        self.asked.append((query, list(passages)))
        return self.answer(passages)


@pytest.fixture
def hung() -> Iterator[threading.Event]:
    """What a hanging reranker waits for; the end of the test."""
    ended = threading.Event()
    yield ended
    ended.set()


def ids(ranked: Sequence[Ranked]) -> list[str]:
    return [item.artifact_id for item in ranked]


def backwards(passages: Sequence[str]) -> list[float]:
    return [float(place) for place in range(len(passages))]


def test_the_first_are_put_in_the_order_of_their_scores() -> None:
    """The rest stays behind as it stood, scores still fall, and only the first are looked at."""
    reranker = StandIn(backwards)

    done = Reranking(reranker).apply("which one?", RANKED, PASSAGES)

    assert ids(done.ranked) == ids([*RANKED[:FIRST][::-1], *RANKED[FIRST:]])
    assert [item.score for item in done.ranked] == [item.score for item in RANKED]
    assert done.error is None
    assert reranker.asked == [("which one?", [f"Passage of art_{number}" for number in range(FIRST)])]


def test_ties_stay_as_they_stood() -> None:
    """A reranker that knows nothing changes nothing."""
    assert Reranking(StandIn(lambda passages: [7] * len(passages))).apply("q", RANKED, PASSAGES).ranked == RANKED


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=len(RANKED)))
def test_reordering_loses_and_invents_nothing(scores: list[float]) -> None:
    """Whatever the scores, the same artifacts at falling scores, the best of those looked at first."""
    done = reorder(RANKED, scores)
    assert sorted(ids(done)) == sorted(ids(RANKED))
    assert [item.score for item in done] == [item.score for item in RANKED]
    assert ids(done[len(scores) :]) == ids(RANKED[len(scores) :])
    if scores:
        assert done[0].artifact_id == RANKED[scores.index(max(scores))].artifact_id


def test_what_was_forgotten_meanwhile_goes_behind_those_looked_at() -> None:
    """Its text is not there to look at."""
    passages = {place: text for place, text in PASSAGES.items() if place[0] in {"art_0", "art_2"}}
    done = Reranking(StandIn(backwards)).apply("q", RANKED[:4], passages)
    assert ids(done.ranked) == ["art_2", "art_0", "art_1", "art_3"]
    assert [item.score for item in done.ranked] == [item.score for item in RANKED[:4]]


@pytest.mark.parametrize(("ranked", "passages"), [([], {}), (RANKED[:1], PASSAGES), (RANKED, {})])
def test_nobody_is_asked_where_there_is_no_choice(
    ranked: list[Ranked], passages: Mapping[tuple[str, int], str]
) -> None:
    """A model call for nothing costs time."""
    reranker = StandIn(backwards)
    assert Reranking(reranker).apply("q", ranked, passages).ranked == ranked
    assert reranker.asked == []


def away(passages: Sequence[str]) -> list[float]:
    raise Unavailable("The judge sleeps: wake it.")


def broken(passages: Sequence[str]) -> list[float]:
    raise RuntimeError("https://judge.example/?key=SECRET")


def late(passages: Sequence[str]) -> list[float]:
    raise TimeoutError


def leaving(passages: Sequence[str]) -> list[float]:
    raise SystemExit(3)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (away, "The judge sleeps: wake it."),
        (broken, "It failed with RuntimeError: the log says why."),
        (leaving, "It failed with RuntimeError: the log says why."),
        (late, "It failed with TimeoutError: the log says why."),
        (lambda passages: [1.0], f"It gave 1 scores for {FIRST} passages: it must give one for each."),
        (lambda passages: [nan] * len(passages), "It gave the score nan: every score must be finite."),
        (lambda passages: [inf] * len(passages), "It gave the score inf: every score must be finite."),
        (lambda passages: None, "It gave None for scores: it must give a list of numbers."),
        (lambda passages: [None] * len(passages), "for scores: it must give a list of numbers."),
    ],
)
def test_one_that_misbehaves_leaves_the_ranking_as_it_was(
    answer: Callable[[Sequence[str]], Sequence[float]], reason: str
) -> None:
    """The answer says why, without what an unknown error may hold; a quick failure does not keep the next one away."""
    reranking = Reranking(StandIn(answer))
    for _ in range(2):
        done = reranking.apply("q", RANKED, PASSAGES)
        assert done.ranked == RANKED
        assert (done.error or "").startswith("Results were not reranked by 'stand-in': ")
        assert (done.error or "").endswith(reason)


def test_one_that_hangs_is_waited_for_once(hung: threading.Event) -> None:
    """The next questions are answered at once, and no process is kept from ending."""

    def hang(passages: Sequence[str]) -> list[float]:
        hung.wait()
        return backwards(passages)

    reranker = StandIn(hang)
    reranking = Reranking(reranker, timeout_seconds=1.05)
    first = reranking.apply("q", RANKED, PASSAGES)
    second = reranking.apply("q", RANKED, PASSAGES)
    assert first.ranked == second.ranked == RANKED
    assert "It took over 1.05 seconds" in (first.error or "")
    assert "it took too long just now" in (second.error or "")
    assert len(reranker.asked) == 1
    assert all(thread.daemon for thread in threading.enumerate() if thread.name == "remembrancer-rerank")


def test_one_that_always_hangs_keeps_four_threads_at_most(hung: threading.Event) -> None:
    """However many questions come while it does; what it is not asked about is said to be so."""

    def hang(passages: Sequence[str]) -> list[float]:
        hung.wait()
        return backwards(passages)

    before = set(threading.enumerate())
    reranking = Reranking(StandIn(hang), timeout_seconds=0.01)
    reasons = [reranking.apply("q", RANKED, PASSAGES).error or "" for _ in range(9)]
    asking = {thread for thread in threading.enumerate() if thread.name == "remembrancer-rerank"}
    assert len(asking - before) == 4
    assert "still busy with 4 earlier questions" in reasons[-1]
