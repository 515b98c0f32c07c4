"""What a question asks for is read from its form."""

import pytest

from retrieval.scoring.question_forms import asks_for_mentions, asks_to_compare, asks_who_or_what, ledger_question


@pytest.mark.parametrize(
    "query",
    [
        "Which boats has Ines repaired?",
        "What are the names of Ines's goats?",
        "What other musical instruments does Ines play?",
        "How many times did we sail to Hven?",
        "how often does the ferry leave",
        "Where has Ines travelled?",
        "What do both of them collect?",
        "What does Ines like to cook?",
        "When did Ines first row alone?",
        "What is the latest address of the mill?",
        "list all the keys",
        "In what ways does Ines help the club?",
        "number of boats that Ines built",
        "everything about the mill",
        "How did the mooring fee develop?",
        "What was the original mooring fee?",
        "Who has led the club?",
        "What do Ines and Ole have in common?",
    ],
)
def test_a_question_for_all_first_last_or_how_many_asks_for_mentions(query: str) -> None:
    """A plural after "what" or "which", a number, an order."""
    assert asks_for_mentions(query)


@pytest.mark.parametrize(
    "query",
    [
        "What is the code of the shed?",
        "When did Ines sell the boat?",
        "Why does Ines's goat limp?",
        "what happened in the last 3 days",
        "What did Ines say last Tuesday?",
        "the door in the last week",
        "What does the bus cost?",
        "Is the first half of May free?",
        "harbour fees",
        "How do I change the lamp?",
        "How do we develop plugins?",
        "Who has to sign the lease?",
        "",
    ],
)
def test_a_question_for_one_thing_does_not(query: str) -> None:
    """A verb or a name that ends in "s" is no plural, and "last week" is a time."""
    assert not asks_for_mentions(query)


def test_a_comparison_is_told_from_other_questions_for_several_mentions() -> None:
    """Its mentions need no order of time."""
    assert all(map(asks_to_compare, ["What do both of them collect?", "The mill versus the barn", "Compare the mills"]))
    assert not any(map(asks_to_compare, ["Which boats has Ines repaired?", "How did the mooring fee change?"]))


def test_people_and_things_belong_where_it_asks_who_or_what() -> None:
    """Also where it is nothing but a name."""
    assert all(map(asks_who_or_what, ["Who sold it?", "what is Tidegate?", "Tidegate", "tell me about Ines Dahl"]))
    assert not any(map(asks_who_or_what, ["When does the ferry leave?", "how do I oil the hinges"]))


@pytest.mark.parametrize(
    ("query", "category", "is_open", "about"),
    [
        ("What did we decide about the slipway?", "Decision", False, {"slipwai"}),
        ("What is still open for Ines?", "Commitment", True, {"in"}),
        ("who is responsible for the buoys", "Commitment", False, {"buoi"}),
        ("overdue action items", "Commitment", True, set()),
    ],
)
def test_a_question_for_the_ledger_is_read(query: str, category: str, is_open: bool, about: set[str]) -> None:
    """What kind, whether only what is open, and the matter without the words for the ledger."""
    read = ledger_question(query)
    assert read is not None
    assert (str(read.category), read.is_open, set(read.about)) == (category, is_open, about)


def test_other_questions_are_not_for_the_ledger() -> None:
    """Mentioning a thing is not asking for what was decided of it."""
    assert not any(map(ledger_question, ["Where is the slipway?", "What colour did Ines choose?"]))
