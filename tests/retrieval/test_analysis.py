"""What ranking may rely on when a question is taken apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.analysis import terms_of, words_of


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("What did we decide about the pricing of Atlas?", ["decide", "pricing", "Atlas"]),
        ("who won't use it", ["use"]),
        ("What’s the budget", ["budget"]),
        ("Explain the meeting", ["Explain", "meeting"]),
        ("What was discussed in the Atlas meeting?", ["Atlas"]),
        ("who are you", ["who", "are", "you"]),
        ("Budget budget BUDGET", ["Budget"]),
        ("mail ann.lee@example.com re: v2.1-beta", ["mail", "ann.lee@example.com", "re", "v2.1-beta"]),
        ("C++ и C#", ["C", "и"]),
        ("東京 の 天気", ["東京", "の", "天気"]),
        ("!!! ???", []),
    ],
)
def test_the_words_that_say_what_a_question_is_about_are_left(query: str, terms: list[str]) -> None:
    """Stop and question words drown the others; a question of nothing but those keeps them."""
    assert terms_of(query) == terms


def test_words_keep_their_case_and_inner_signs() -> None:
    """Names are recognised by case, addresses and versions by their signs."""
    assert words_of("Ann O'Neil's v1.2 (final)") == ["Ann", "O'Neil's", "v1.2", "final"]


@given(query=st.text(max_size=60))
def test_any_query_that_has_words_has_terms(query: str) -> None:
    """A query must never lose all its words, nor have any that it does not hold."""
    words, terms = words_of(query), terms_of(query)
    assert bool(terms) == bool(words)
    assert set(terms) <= set(words)
    assert len({term.casefold() for term in terms}) == len(terms)
