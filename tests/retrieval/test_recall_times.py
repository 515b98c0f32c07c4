"""A question that names a time finds what is of that time."""

from collections.abc import Sequence

import pytest

from core.interface.memory import Memory
from core.interface.question import Question
from core.interface.results import UNLIKELY, Recall
from service.app import App

#: A Friday.
ASKED = "2026-03-20"
NOTES = {
    "2026-03-20": "Rinsed the coffee grinder.",
    "2026-03-19": "Mended the cellar door.",
    "2026-03-17": "Ordered two sacks of gravel.",
    "2026-03-12": "Whetted the pruning knife.",
    "2026-02-27": "Varnished the letter box.",
    "2026-02-08": "Greased the shed hinges.",
    "2025-02-10": "Grafted the quince.",
}


@pytest.fixture
def noted(app: App) -> App:
    """A project of dated notes."""
    for date, content in NOTES.items():
        app.remember(Memory(content=content, context="note", date=date), "p", wait=True)
    return app


def recalled(app: App, query: str) -> Recall:
    return app.recall(Question(query=query, as_of=ASKED), "p")


@pytest.mark.both_engines
@pytest.mark.parametrize(
    ("query", "dates"),
    [
        ("what happened in the last 3 days", ["2026-03-20", "2026-03-19", "2026-03-17"]),
        ("what did I note today?", ["2026-03-20"]),
        ("what did I do yesterday?", ["2026-03-19"]),
        ("notes from last week", ["2026-03-12"]),
        ("what happened since Tuesday?", ["2026-03-20", "2026-03-19", "2026-03-17"]),
        ("what happened this month", ["2026-03-20", "2026-03-19", "2026-03-17", "2026-03-12"]),
        ("what did I do three weeks ago", ["2026-02-27"]),
        ("what happened in February 2026", ["2026-02-27", "2026-02-08"]),
        ("what did I write in 2025?", ["2025-02-10"]),
        ("what did I do last Tuesday", ["2026-03-17"]),
        ("what happened before 2026?", ["2025-02-10"]),
        ("what did I do Tuesday?", ["2026-03-17"]),
        ("what's new?", ["2026-03-20", "2026-03-19", "2026-03-17", "2026-03-12"]),
        ("my latest notes", ["2026-03-20", "2026-03-19", "2026-03-17", "2026-03-12"]),
    ],
)
def test_what_is_of_the_time_comes_first_and_is_not_called_absent(noted: App, query: str, dates: Sequence[str]) -> None:
    answer = recalled(noted, query)
    assert [result.content for result in answer.results[: len(dates)]] == [NOTES[date] for date in dates]
    assert answer.answer_likelihood is not None
    assert answer.answer_likelihood >= UNLIKELY


@pytest.mark.parametrize(
    ("query", "date"), [("the door in the last 3 days", "2026-03-19"), ("box last month", "2026-02-27")]
)
def test_words_count_beside_a_time(noted: App, query: str, date: str) -> None:
    answer = recalled(noted, query)
    assert answer.results[0].content == NOTES[date]
    assert answer.answer_likelihood is not None
    assert answer.answer_likelihood >= UNLIKELY


@pytest.mark.both_engines
def test_what_somebody_wrote_on_a_day_is_found_by_both(noted: App) -> None:
    """The words of the note say neither; what others wrote on that day comes after it."""
    for author, content in (("Odile Ferrand", "Moved to the sail loft."), ("Bo Ek", "Odile sails on Sunday.")):
        noted.remember(Memory(content=content, context="note", date="2026-03-11", author=author), "p", wait=True)
    answer = recalled(noted, "What did Odile write on 11 March?")
    assert answer.results[0].content == "Moved to the sail loft."
    assert answer.answer_likelihood is not None
    assert answer.answer_likelihood >= UNLIKELY


@pytest.mark.parametrize("query", ["what did I do on 2026-03-15", "submarines in the last 3 days"])
def test_what_is_not_there_is_still_called_absent(noted: App, query: str) -> None:
    likelihood = recalled(noted, query).answer_likelihood
    assert likelihood is not None
    assert likelihood < UNLIKELY


def test_an_item_of_the_time_is_found_among_many_that_share_the_words(noted: App) -> None:
    for number in range(150):
        told = Memory(content=f"What happened in the last days of trip {number}.", context="note", date="2024-06-01")
        noted.remember(told, "p")
    noted.remember(Memory(content="Wait.", context="note", date="2024-06-01"), "p", wait=True)
    answer = recalled(noted, "what happened in the last 3 days")
    assert {result.content for result in answer.results[:3]} == {NOTES[date] for date in list(NOTES)[:3]}
