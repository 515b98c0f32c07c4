"""Reference prose: manuals, papers, laws, fiction, changelogs and tables of codes, told from records."""

import pytest

from ingest.document.reference_prose import is_reference

MANUAL = """# Tide clock

The dial can be chosen by a menu. When a mark is selected, its border is dashed, and the next mark is shown below it. A
mark that is selected will be replaced by the text that is typed. The lamp will restart upon the next call.
"""
PAPER = """# Pulses in small arms

## Abstract
We decided on six pulses for each arm of the crane in all of the trials.
## Results
We chose twenty arms.
## References
[1] Osei, 2024.
"""
LAW = "".join(
    f"Article {number}\nThe master shall keep a list of the berths and shall close it.\n\n" for number in "123"
)
STORY = """Ana looked at the quay. “I will sell the boat,” said Bo. “You will not,” she replied, and the rain began.
“We decided it last night,” he answered, while Ana closed the door behind them and the lamp went out.
"""
CHANGES = "# Changes\n\n## 1.2.0 - 2025-03-04\n\n- We will drop the lamp.\n\n## 1.1.0\n\n- Rejected dials are kept.\n"
CODES = "\n".join(
    f"CODE: E-00{at}; TEXT: REJECTED FOR THE CHANGE OF A BERTH; NOTE: Will be set on old boats" for at in range(4)
)


GUIDE = MANUAL + "\nAna: you can set `dial`, `lamp`, `mark` and `bell`, where you see your own `clock`, as you like.\n"
LICENCE = "Copyright Ana Osei. Permission is hereby granted to any person. We accept no claims."


@pytest.mark.parametrize("text", [GUIDE, LICENCE, MANUAL, PAPER, LAW, STORY, CHANGES, CODES])
def test_texts_that_tell_how_things_are_are_reference_prose(text: str) -> None:
    assert is_reference(text)


@pytest.mark.parametrize(
    "text",
    [
        MANUAL + "\nThe board decided to buy a second clock.\n",
        MANUAL + "\nWe will buy a second clock.\n",
        MANUAL + "\nAna will order the second clock.\n",
        MANUAL + "\n- [ ] Order the second clock\n",
        MANUAL + "\nOrder the second clock by Friday.\n",
        MANUAL + "\n## Decision\n\nThe clock is of steel.\n",
        MANUAL + "\nStatus: accepted\n",
        MANUAL + "\n@bo: order the clock\n",
        MANUAL + "\nAttendees: Ana, Bo\n",
        MANUAL + "\n```\nclock --set\n```\n\n* bo: I will order it.\n",
        "Dear all,\n\n" + MANUAL,
        PAPER + "\n## Action items\n\n- Repeat the trial.\n",
        PAPER + "\nIt was agreed that the trial is repeated. The board decided to pay it.\n",
        "The clock is of steel.",
    ],
)
def test_a_text_in_which_people_act_is_none(text: str) -> None:
    assert not is_reference(text)
