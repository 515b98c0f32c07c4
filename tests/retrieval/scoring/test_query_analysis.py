"""What ranking may rely on when a question is taken apart."""

from datetime import date
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.text.languages import EMOJI
from retrieval.scoring.query_analysis import (
    analyse_query,
    find_periods_in_query,
    query_terms,
    rephrase_for_authors,
    split_words,
)


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
    assert query_terms(query) == terms


@pytest.mark.parametrize(
    ("query", "terms"),
    [("🧺", ["🧺"]), ("the ☕ flask", ["flask", "☕"]), ("ＡＢＣ ｶﾒﾗ", ["ABC", "カメ", "メラ"]), ("猫", ["猫"])],
)
def test_emoji_and_letters_of_any_width_are_looked_up(query: str, terms: list[str]) -> None:
    """A picture is a word by itself; full width is a matter of typesetting."""
    assert query_terms(query) == terms


def test_words_keep_their_case_and_inner_signs() -> None:
    """Names are recognised by case, addresses and versions by their signs."""
    assert split_words("Ann O'Neil's v1.2 (final)") == ["Ann", "O'Neil's", "v1.2", "final"]


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("Where did Will go on holiday?", ["Will", "go", "holiday"]),
        ("What did I ask at the WHO about IT?", ["ask", "WHO", "IT"]),
        ("WHERE DID WILL GO?", ["GO"]),
        ("Will they go?", ["go"]),
        ("予算はいくら", ["予算", "算は", "はい", "いく", "くら"]),
        ("第3回の budget", ["第", "3", "回の", "budget"]),
    ],
)
def test_names_like_stop_words_and_unspaced_scripts_are_looked_up(query: str, terms: list[str]) -> None:
    """A capital inside a question makes a name; where no blank ends a word, pairs of signs are what texts share."""
    assert query_terms(query) == terms


@given(query=st.text(max_size=60))
def test_any_query_that_has_words_has_terms(query: str) -> None:
    """A query must never lose all its words, nor have any that it does not hold."""
    plain = normalize("NFKC", query) if any("\uff00" < sign < "\uffa0" for sign in query) else query
    words, terms = [*split_words(query), *split_words(plain), *EMOJI.findall(query)], query_terms(query)
    assert bool(terms) == bool(words)
    assert all(any(term in word for word in words) for term in terms)
    assert len({term.casefold() for term in terms}) == len(terms)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("What did Ana tell Bo about the trip?", ["Ana", "Bo"]),
        ("What is Ana's dog called, and Bo’s?", ["Ana", "Bo"]),
        ("Ana's or Ana or ANA'S", ["Ana"]),
        ("what is ana's dog called", ["ana", "dog", "called"]),
        ("What does Ann-Marie O'Neil sing?", ["Ann-Marie", "O'Neil"]),
        ("What is it?", ["What"]),
        ("!!", []),
    ],
)
def test_names_are_what_is_written_as_such(query: str, names: list[str]) -> None:
    """With a capital letter; in a question without one, as people type them, any word; a possessive's end is none."""
    assert analyse_query(query).names == names


def test_few_words_are_looked_up_as_names() -> None:
    """A pasted page must not cost hundreds of look-ups."""
    assert len(analyse_query(" ".join(f"Name{number}" for number in range(900))).names) == 20


@given(query=st.text(max_size=60))
def test_any_query_is_read(query: str) -> None:
    """Names are among its words, each once."""
    analysis = analyse_query(query)
    assert analysis.words == query_terms(analysis.query)
    assert all(any(word.startswith(name) for word in analysis.words) for name in analysis.names)
    assert len({name.casefold() for name in analysis.names}) == len(analysis.names)


@pytest.mark.parametrize(
    ("query", "authors", "said"),
    [
        ("Where did Ana go?", {"Ana"}, "Where did I go?"),
        ("What is Ana's dog called?", {"Ana"}, "What is my dog called?"),
        ("What is ANA’S dog called?", {"ana"}, "What is my dog called?"),
        ("Did ana meet Bo's son?", {"Ana", "Bo"}, "Did I meet my son?"),
        ("Anabel and Susana saw bananas", {"Ana"}, "Anabel and Susana saw bananas"),
        ("What did Ann-Marie sing?", {"Ann", "Ann-Marie"}, "What did I sing?"),
        ("Did a.b or aXb call?", {"a.b"}, "Did I or aXb call?"),
        ("Does \\g<0> Ana?", {"Ana"}, "Does \\g<0> I?"),
        ("Where did Ana go?", set(), "Where did Ana go?"),
        ("", {"Ana"}, ""),
    ],
)
def test_a_question_is_put_as_its_authors_would_put_it(query: str, authors: set[str], said: str) -> None:
    """Whole names in any case, the longest first, and no pattern in them means anything."""
    assert rephrase_for_authors(query, authors) == said


@pytest.mark.parametrize("query", ["tag:sales/eu-north", "#sales/eu-north", "tags: #sales/eu-north"])
def test_a_tag_in_a_question_counts_as_its_words(query: str) -> None:
    """As they are in the prefix of what has the tag."""
    assert analyse_query(query).words == ["sales", "eu", "north"]


@pytest.mark.parametrize(
    ("query", "first", "last"),
    [
        ("Was haben wir im März 2024 beschlossen?", "2024-03-01", "2024-03-31"),
        ("Qu'avons-nous décidé la semaine dernière ?", "2026-03-02", "2026-03-08"),
        ("¿Qué decidimos el 3 de mayo de 2025?", "2025-05-03", "2025-05-03"),
        ("seit Januar 2026", "2026-01-01", "2026-03-12"),
        ("что было на прошлой неделе", "2026-03-02", "2026-03-08"),
        ("2024年3月の決定", "2024-03-01", "2024-03-31"),
        ("上周决定了什么", "2026-03-02", "2026-03-08"),
    ],
)
def test_times_are_read_in_other_languages(query: str, first: str, last: str) -> None:
    assert find_periods_in_query(query, date(2026, 3, 12), [2026]) == [
        (date.fromisoformat(first), date.fromisoformat(last))
    ]
