"""What a sentence is never taken to say, however likely it seems."""

import pytest

from core.knowledge.findings import Category
from ingest.extract.local.speech_acts.denials import is_denied


@pytest.mark.parametrize(
    ("category", "text"),
    [
        ("Stakeholder", "Directors present: Ms Ana Berg (chair), Dr Bo Li (independent)."),
        ("Decision", "By invitation: Ms Lind, controller."),
        ("Decision", "A proposal of Mr Berg to sell the old van was discussed and not put to a vote."),
        ("Decision", "Adopted in the public session of 29 January 2026"),
        ("Commitment", "Mr Berg issued the revised plan on Tuesday, thirty sheets of it."),
        ("Commitment", "Callum Reid, Calder Heating, handed in his written quote on Friday."),
        ("Stakeholder", "Callum Reid, foreman of Calder Heating, is on leave until Monday."),
    ],
)
def test_lists_formulas_and_what_is_over_say_nothing_of_it(category: Category, text: str) -> None:
    """Who is there decides nothing by that, and what somebody did is promised no more."""
    assert is_denied(category, text)


@pytest.mark.parametrize(
    ("category", "text"),
    [
        ("Decision", "The board adopted the budget of 2026."),
        ("Commitment", "Ms Berg was instructed to send the costs by 2 October."),
        ("Commitment", "Mr Berg promised the plan for Tuesday."),
        ("Commitment", "Ana will send the plan by Friday."),
        ("Stakeholder", "I am on leave in October, and Erik stands in for me."),
        ("QualityRisk", "Mr Berg found a crack in the valve."),
    ],
)
def test_what_is_still_to_come_or_somebody_takes_on_stays(category: Category, text: str) -> None:
    """A duty given in the past is one all the same."""
    assert not is_denied(category, text)
