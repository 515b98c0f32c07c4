"""Verdicts with what they are about, what leaves a matter undecided, and the fields that say whose a task is."""

import pytest

from core.knowledge.findings import FoundEvent
from core.knowledge.ledger import SURE
from tests.ingest.extracting import extract

HEAD = "# Minutes of the gate group, 11 June 2026\n\nPresent: Ines Falk, Tomas Berg\n\n"


def listed(text: str, category: str) -> list[FoundEvent]:
    """What answers show of a category, of minutes that hold a text."""
    found = extract(HEAD + text, context="meeting", title="Gate group").events
    return [one for one in found if one.category == category and one.confidence >= SURE]


@pytest.mark.parametrize(
    "text",
    [
        "Decision: nothing decided",
        "**Decision:** not yet",
        "Decision: –",
        "Decision: left open",
        "Decision: to be made next week",
        "- Lamp: deferred",
        "Deferred to the next meeting.",
        "The decision about the lamp will be taken in June.",
        "The board declined to take a decision.",
        "The board put off the decision.",
        "We postponed the decision on the lamp.",
        "| Motion | Result |\n| --- | --- |\n| Buy a lamp | postponed |\n",
    ],
)
def test_what_is_left_open_is_no_decision(text: str) -> None:
    assert listed(text, "Decision") == []


@pytest.mark.parametrize(
    "text",
    [
        "- The group decided to postpone the works until May.",
        "- Since no decision was made last year, the board approved the lamp today.",
        "- We discussed [NEP 64: Deferred locks](https://nep.example/64) and decided to accept it.",
    ],
)
def test_what_is_decided_beside_it_is_one(text: str) -> None:
    assert [text[2:]] == [one.quote for one in listed(text, "Decision")]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Motion: rent a second lamp.\nCarried.\n", "carried"),
        ("- Motion to rent a second lamp\n  - Approved 5-0\n", "approved"),
        ("Proposal: rent a second lamp\nStatus: accepted\n", "accepted"),
        ("## Rent a second lamp\n\n**Status:** Accepted\n", "accepted"),
        ("## Rent a second lamp\n\nAccepted.\n", "accepted"),
        ("## Rent a second lamp\n\nVote: 5 for, 0 against. Passed.\n", "passed"),
        ("Motion: rent a second lamp.\nDefeated 2-3.\n", "defeated"),
        ("Motion: rent a second lamp.\nThe motion failed.\n", "failed"),
        ("## Rent a second lamp\n\nInes moved, Tomas seconded. Motion carried 5-0.\n", "carried"),
        ("Motion 3: rent a second lamp\nVote: 5-0\nResult: carried\n", "carried"),
        ("| Motion | Result |\n| --- | --- |\n| Rent a second lamp | carried |\n", "carried"),
    ],
)
def test_a_verdict_is_listed_with_what_it_is_about(text: str, verdict: str) -> None:
    (summary,) = [one.summary.casefold() for one in listed(text, "Decision")]
    assert "second lamp" in summary
    assert verdict in summary


@pytest.mark.parametrize("text", ["## Status\n\nAccepted\n\n## Decision\n\nWe will use queues.\n"])
def test_the_status_of_a_record_is_no_second_decision(text: str) -> None:
    assert [one.quote for one in listed(text, "Decision")] == ["We will use queues."]


@pytest.mark.parametrize(
    ("task", "owner"),
    [
        ("- owner: [zolt](https://hub.example/zolt): write the notes by 20 June", "zolt"),
        ("- Owner: @zolt write the notes by 20 June", "zolt"),
        ("- Write the notes by 20 June. Owner: @zolt", "zolt"),
        ("- Write the notes by 20 June. Responsible: Ines Falk", "Ines Falk"),
        ("- Assignee: Ines. Write the notes by 20 June", "Ines Falk"),
        ("- Assigned to: Ines Falk — write the notes by 20 June", "Ines Falk"),
        ("- AI @zolt: write the notes by 20 June", "zolt"),
        ("- Write the notes by 20 June -> Ines", "Ines Falk"),
        ("Task for Ines: write the notes by 20 June", "Ines Falk"),
        ("Tomas can't come, so Ines will write the notes by 20 June.", "Ines Falk"),
        ("It was agreed that Ines Falk would write the notes by 20 June.", "Ines Falk"),
        ("| What | Owner | Due |\n| --- | --- | --- |\n| write the notes | @zolt | 20 June |", "zolt"),
        (
            "| What | Owner | Due |\n| --- | --- | --- |\n| write the notes | [zolt](https://a.example) | 20 June |",
            "zolt",
        ),
    ],
)
def test_a_field_says_whose_a_task_is(task: str, owner: str) -> None:
    (found,) = listed(task, "Commitment")
    assert [name for name, role in found.actors if role == "owner"] == [owner]
    assert str(found.due)[:10] == "2026-06-20"
