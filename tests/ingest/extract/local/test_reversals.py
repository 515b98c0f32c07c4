"""Turnabouts: one thing taken in place of another, by the word of those who take it, is a decision."""

import pytest

from tests.ingest.extracting import extract


def categories(content: str) -> list[str]:
    """Return the categories of all events."""
    return [event.category for event in extract(content, context="meeting").events]


@pytest.mark.parametrize(
    "content",
    [
        "We buy no more paper from Norddruck; we order it from Velo Print.",
        "Instead of the small van we are renting the large one.",
        "We do not meet on Monday any more, we take Thursday.",
        "The committee holds the fair in the gym instead of the yard.",
    ],
)
def test_what_a_group_takes_in_place_of_another_thing_is_a_decision(content: str) -> None:
    """Whoever asks what was decided wants the latest word, however it is put."""
    assert categories(content) == ["Decision"]


@pytest.mark.parametrize(
    "content",
    [
        "We no longer have a key for the cellar.",
        "Maybe we open on Saturday instead of Friday.",
        "Should we open on Saturday instead of Friday?",
        "If it rains we meet in the gym instead of the yard.",
        "We went by train instead of by car.",
        "We used to open on Friday instead of Saturday.",
    ],
)
def test_what_befell_a_group_or_is_only_thought_of_decides_nothing(content: str) -> None:
    """A choice is made by those who can make it, and not in a question or a doubt."""
    assert "Decision" not in categories(content)
