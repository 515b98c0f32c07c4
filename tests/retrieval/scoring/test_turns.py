"""What ranking may rely on of the steps that only turns of conversations have."""

from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.text.term_vectors import terms
from retrieval.scoring import turns
from retrieval.scoring.candidate_pool import Pool
from tests.own_time import own_time
from tests.retrieval.ranking.candidate_parts import chunk, pool_of, statistics_of, turn

# Who says it


def test_a_named_author_is_known_by_any_word_of_the_name() -> None:
    """By whole words, accents and case folded; a note that Ana wrote is no turn of hers."""
    authors = ["Ana Lopez", "ANA", "Anabel", None, "Zoë", "Bo"]
    pool = pool_of(*(turn(index=index, author=author) for index, author in enumerate(authors)), chunk(author="Ana"))
    assert turns.author_scores(pool, frozenset({"ana", "zoe"})).tolist() == [1, 1, 0, 0, 1, 0, 0]
    assert turns.author_scores(pool, frozenset()).tolist() == [0] * 7


# What stands around it


def brute(pool: Pool, step: int) -> list[int]:
    """Return the row of the turn so many places on, looked for among all."""
    found = []
    for one in pool.candidates:
        near = [
            row
            for row, other in enumerate(pool.candidates)
            if one.turn_index is not None
            and other.turn_index is not None
            and (other.conversation_id, other.turn_index) == (one.conversation_id, one.turn_index + step)
            and abs(other.happened_at - one.happened_at) <= timedelta(hours=6)
        ]
        found.append(near[0] if near else -1)
    return found


#: Numbers from 0, numbers that are times in milliseconds or microseconds, and the highest ones that are allowed.
INDEXES = st.one_of(*(st.integers(low, low + 8) for low in (0, 1_700_000_000_000, 1_700_000_000_000_000, 2**53 - 8)))


PLACES = st.tuples(st.sampled_from("abc"), INDEXES, st.sampled_from([0, 4, 8]))


@given(places=st.lists(PLACES, unique_by=lambda place: place[:2]))
def test_the_turns_around_are_those_of_the_same_talk_and_session(places: list[tuple[str, int, float]]) -> None:
    """By exact numbers, however high, in whatever order candidates come, documents among them."""
    pool = pool_of(chunk(), *(turn(index=index, talk=talk, hours=hours) for talk, index, hours in places))
    near = turns.neighbour_rows(pool)
    assert {step: list(rows) for step, rows in near.items()} == {step: brute(pool, step) for step in near}
    assert sorted(near) == [-3, -2, -1, 1, 2, 3]


def test_a_session_ends_after_six_hours() -> None:
    """Turns that far apart in time do not explain each other, though their numbers follow."""
    pool = pool_of(turn(index=0), turn(index=1, hours=6), turn(index=2, hours=12.01))
    assert turns.neighbour_rows(pool)[1].tolist() == [1, -1, -1]


def test_what_matches_around_a_turn_lifts_it_by_its_distance() -> None:
    """An answer stands beside the words asked for; what matches badly around it takes nothing away."""
    pool = pool_of(*(turn(index=index) for index in range(5)), chunk())
    scores = np.array([0.0, 0.0, 10.0, 0.0, -10.0, 10.0])
    assert turns.context_scores(turns.neighbour_rows(pool), scores).tolist() == pytest.approx([2, 3, 0, 3, 2, 0])


def test_a_turn_after_a_question_that_matches_is_lifted_by_its_score() -> None:
    """Only by the turn before it, as far as that asks what it matches by."""
    pool = pool_of(turn("Where?", 0), turn("Here.", 1), turn("I see.", 2), turn("Why?", 3), turn("So.", 4))
    asking = turns.question_scores(pool, range(5))
    found = turns.answer_scores(
        turns.neighbour_rows(pool), np.array([2.0, 5.0, 7.0, -1.0, 1.0]), asking / 2, asking, None
    )
    assert found.tolist() == [0, 1, 0, 0, 0]


def test_who_asks_back_answers_nothing() -> None:
    """The answer comes after that, if it comes."""
    pool = pool_of(turn("Where is it?", 0), turn("Where is what?", 1), turn("The boat.", 2))
    asking = turns.question_scores(pool, range(3))
    found = turns.answer_scores(turns.neighbour_rows(pool), np.array([4.0, 2.0, 1.0]), asking, asking, None)
    assert found.tolist() == [0, 0, 2]


def test_what_others_answer_counts_half_where_an_author_is_named() -> None:
    """Whoever is asked about answers for himself, as a rule."""
    pool = pool_of(turn("Where?", 0), turn("Here.", 1), turn("Why?", 2), turn("So.", 3))
    asking, named = turns.question_scores(pool, range(4)), np.array([0.0, 1.0, 0.0, 0.0])
    found = turns.answer_scores(turns.neighbour_rows(pool), np.array([4.0, 0.0, 4.0, 0.0]), asking, asking, named)
    assert found.tolist() == [0, 4, 0, 2]


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("Where is the boat?", 1.0),
        ("I saw a boat. Where are you?", 0.0),
        ("I saw the boat! Is it red?", 1 / 4),
        ("I saw the boat! Which boat? Red?", 1.0),
        ("Is it red? I saw a boat. And you?", 0.0),
        ("No. Red? Boat? [shares a book]", 1.0),
        ("I am here. And you?", 0.5),
    ],
)
def test_a_turn_asks_for_what_stands_in_the_questions_at_its_end(text: str, share: float) -> None:
    """Terms by what they are worth; a turn without any counts half."""
    [boat], [red] = terms("boat"), terms("red")
    pool = pool_of(turn(text))
    assert turns.question_shares(pool, np.ones(1), {boat: 3.0, red: 1.0}).tolist() == [share]
    assert turns.question_shares(pool, np.zeros(1), {boat: 3.0, red: 1.0}).tolist() == [0]


# What it is


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Where is it?", True),
        ("Where is it?  \n", True),
        ("Where is it? [shares a photo of a dog]", True),
        ("Where is it? [a dog] ", True),
        ("Look [why?]", False),
        ("[why?]", False),
        ("Why? Because.", False),
        ("Is it [a]? Yes [b]", False),
        ("What [a] now? [b", False),
        ("What? ] [b]", False),
        ("?", True),
        ("", False),
    ],
)
def test_a_turn_that_ends_in_a_question_asks(text: str, asks: bool) -> None:
    """What is told of a shared picture stands behind the words, in brackets."""
    assert turns.question_scores(pool_of(turn(text)), [0]).tolist() == [float(asks)]


@pytest.mark.exhaustive
@pytest.mark.parametrize("text", ["a" + " " * 200_000 + "b", "[" * 200_000, "[]" * 100_000 + "x", " [" * 100_000])
def test_no_text_takes_long_to_read(text: str) -> None:
    """A turn may hold any run of blanks or brackets; one that takes seconds would hold up every question."""
    pool = pool_of(turn(text))
    assert own_time(lambda: turns.question_scores(pool, [0])) < 2
    assert own_time(lambda: turns.question_shares(pool, np.ones(1), {})) < 2


def test_only_turns_and_only_the_rows_asked_for_are_read() -> None:
    """A document that asks something is no turn that does."""
    pool = pool_of(turn("Why?", 0), turn("Why?", 1), chunk("Why?"))
    assert turns.question_scores(pool, [1, 2]).tolist() == [0, 1, 0]


# Feedback

SAID = ("red boat", "red mast", "blue pier", "green gull", "white crew", "black anchor", "grey rope")


def asked(pool: Pool, scores: list[float], share: float) -> dict[int, float]:
    column = np.array(scores)
    statistics = statistics_of(*SAID)
    return turns.add_feedback_terms(pool, column, dict.fromkeys(terms("red sky"), 1.0), statistics, share)


def said(*texts: str) -> Pool:
    return pool_of(*(turn(text, index) for index, text in enumerate(texts)))


def test_feedback_keeps_the_terms_of_the_question() -> None:
    """Also those that no turn has; what the best turns say beside them comes in."""
    weights = asked(said(*SAID), [9, 1, 0, 0, 0, 0, 0], 0.5)
    red, sky, boat, rope = terms("red sky boat rope")
    assert weights[sky] == 0.5
    assert weights[red] > weights[boat] > 0
    assert rope not in weights


def test_feedback_of_share_none_is_the_question_and_of_share_one_the_turns() -> None:
    """The ends of the scale."""
    pool = said(*SAID)
    red, sky, boat = terms("red sky boat")
    none, all_of_it = asked(pool, [9, 1, 0, 0, 0, 0, 0], 0.0), asked(pool, [9, 1, 0, 0, 0, 0, 0], 1.0)
    assert {term: weight for term, weight in none.items() if weight} == {red: 1.0, sky: 1.0}
    assert (max(all_of_it.values()), all_of_it[sky]) == (1.0, 0.0)
    assert all_of_it[boat] > 0


def test_feedback_takes_few_turns_and_never_what_has_no_score() -> None:
    """The best five; what is no turn has minus infinity, and where that is all the question stays as it is."""
    words = {term: word for text in SAID for word in text.split() for term in terms(word)}
    every = turns.feedback_terms(said(*SAID), np.array([7.0, 6, 5, 4, 3, 2, 1]))
    assert {words[term] for term in every} == {word for text in SAID[:5] for word in text.split()}
    two = turns.feedback_terms(said(*SAID[:2]), np.array([-np.inf, 1.0]))
    assert {words[term] for term in two} == {"red", "mast"}
    red, sky = terms("red sky")
    assert asked(said("red boat"), [-np.inf], 0.5) == {red: 0.5, sky: 0.5}
    assert turns.feedback_terms(pool_of(), np.array([])) == set()


def test_a_turn_of_stop_words_brings_no_feedback() -> None:
    """It has no terms, and a length of nothing must not be divided by."""
    red, sky = terms("red sky")
    assert asked(said("so it is"), [9.0], 0.5) == {red: 0.5, sky: 0.5}


def test_feedback_takes_few_terms() -> None:
    """A long turn must not bring all of its words; equal ones are taken in one order."""
    long = " ".join(f"w{number}" for number in range(100))
    first, second = (asked(said(long), [9.0], 0.5) for _ in range(2))
    assert first == second
    assert len(first) == turns.FEEDBACK_TERMS + 2
