"""Of texts that say different things about the same, the newer is the first answer."""

from collections.abc import Sequence

import pytest

from core.interface.memory import Context, Memory
from core.interface.question import Question
from service.app import App

CHANGED = [
    ("I adore salted liquorice.", "I can't bear salted liquorice any more.", "Do I like salted liquorice?"),
    ("I'm a vegan.", "I eat meat again since Lent; I had lamb on Friday.", "Do I eat meat?"),
    ("I prefer vim over nano on servers.", "From now on I prefer nano over vim on servers.", "vim or nano on servers?"),
    ("I live in Turku.", "I moved to Oulu last month and live there now.", "Where do I live?"),
    (
        "Nora Lind is assigned to the Ledger team.",
        "Nora Lind is assigned to the Maps team now.",
        "Which team is Nora on?",
    ),
    ("The vet's number is 555 0112.", "The vet's new number is 555 0177.", "vet's number"),
    (
        "Nora Lind works for Elm Foods.",
        "Nora Lind left Elm Foods and joined Oak Mills.",
        "Who does Nora Lind work for?",
    ),
    ("The library closes at 18:00.", "The library closes at 20:00 now.", "When does the library close?"),
    ("I live in Narvik.", "I live in Alta.", "Where do I live?"),
    ("My car is a Saab.", "My car is a Kia.", "What car do I have?"),
    ("We use Slack for chat.", "We use Zulip for chat.", "What do we use for chat?"),
    ("I work at Elm Foods.", "I started a new job at Oak Mills.", "Where do I work?"),
    ("We use Slack for chat.", "We changed to Zulip for chat.", "What do we use for chat?"),
    ("The dentist is Dr. Ek.", "My new dentist is Dr. Ask.", "Who is my dentist?"),
    ("My favourite tea is sencha.", "My favourite tea is oolong.", "What is my favourite tea?"),
]


def found(app: App, query: str, project: str) -> Sequence[str]:
    return [result.content for result in app.recall(Question(query=query), project).results]


@pytest.mark.both_engines
@pytest.mark.parametrize("context", ["fact", "preference"])
@pytest.mark.parametrize("is_newer_stored_first", [False, True])
def test_the_newer_of_two_texts_comes_first(app: App, context: Context, is_newer_stored_first: bool) -> None:
    answers = []
    for at, (older, newer, query) in enumerate(CHANGED):
        told = [Memory(content=older, context=context, date="2026-01-05")]
        told.insert(0 if is_newer_stored_first else 1, Memory(content=newer, context=context, date="2026-04-05"))
        for memory in told:
            app.remember(memory, f"p{at}", wait=True)
        answers.append(found(app, query, f"p{at}"))
    assert answers == [[newer, older] for older, newer, _ in CHANGED]


def test_of_two_texts_of_one_day_the_one_stored_later_comes_first(app: App) -> None:
    for content in ("The alarm code is 4711.", "The alarm code is 1174."):
        app.remember(Memory(content=content, context="fact", date="2026-04-05"), "p", wait=True)
    assert found(app, "alarm code", "p")[0] == "The alarm code is 1174."


def test_what_a_question_names_by_number_stays_first(app: App) -> None:
    for content in ("The rent of flat 3 is 800.", "The rent of flat 4 is 900 now."):
        app.remember(Memory(content=content, context="fact"), "p", wait=True)
    assert found(app, "What is the rent of flat 3?", "p")[0] == "The rent of flat 3 is 800."


def test_age_alone_moves_nothing(app: App) -> None:
    told = {"Anna's phone number is 12.": "2025-01-05", "Bob's phone number is 14 now.": "2026-04-05"}
    told |= {"The phone in the hall rings twice.": "2026-05-05"}
    for content, date in told.items():
        app.remember(Memory(content=content, context="fact", date=date), "p", wait=True)
    assert found(app, "Anna's phone number", "p")[0] == "Anna's phone number is 12."


@pytest.mark.both_engines
def test_a_superseded_decision_comes_after_the_one_that_holds(app: App) -> None:
    older = "We decided to use Postgres for the billing database."
    newer = "We decided to use MySQL instead of Postgres for the billing database."
    for content, date in ((newer, "2026-04-05"), (older, "2026-01-05")):
        app.remember(Memory(content=content, context="meeting", date=date), "p", wait=True)
    assert found(app, "Did we decide to use Postgres for the billing database?", "p") == [newer, older]
