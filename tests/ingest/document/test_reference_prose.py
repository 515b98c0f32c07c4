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


STEPS = (
    "# Using the winch\n\nSelect the winch and press Apply.\nOnce a winch is chosen, the panel will open.\nThe winch "
    "was accepted if the lamp turns green.\nBy default the winch has been approved for two users.\nOpen the panel.\n"
    "Choose another lamp.\nMake sure that it can be selected.\n"
)
RULES = (
    "# Winch protocol\n\nThe winch MUST be chosen first. A client SHOULD reject a winch that it has not agreed to. If "
    "it was approved, the client MAY go on. What is accepted MUST NOT be sent again.\n"
)
REPORT = (
    "# A winch divides the town\n\nThe council said on Monday that it had approved the winch. Residents had agreed to "
    "it years ago, according to a spokesman. A court rejected it, it said in a statement. Critics doubt it.\n"
)
TRIAL = (
    "# On winches\n\n## Abstract\n\nWe chose six winches [1].\n\n## Methods\n\nIt was decided to leave out two. The "
    "hypothesis was rejected. We agreed that three are enough.\n\n## Results\n\nThey hold.\n"
)
PROGRAM = "def choose(winch): return winch.selected\nassert winch.agreed is True\nreturn decided or winch.accept(1)\n"
FAULTS = "".join(f"| E10{number} | The winch was rejected. | Choose another one. |\n" for number in range(5))


@pytest.mark.parametrize("text", [STEPS, RULES, REPORT, TRIAL, PROGRAM, FAULTS])
def test_steps_rules_news_papers_programs_and_faults_are_reference_prose(text: str) -> None:
    """Although they say of things that they are accepted, and of others that they decided."""
    assert is_reference(text)


@pytest.mark.parametrize("text", [STEPS, TRIAL])
def test_a_body_that_decides_among_them_is_listened_to(text: str) -> None:
    assert not is_reference(text + "\nThe board decided to buy a winch. The committee approved it.\n")


@pytest.mark.parametrize(
    "text",
    [
        "<bo> the winch works, we think\n<ana> it is new\n" * 6,
        "".join(
            f"§ {number} The board resolved to rent winch {number}. It was accepted.\n\n" for number in range(1, 8)
        ),
        "".join(f"§ {number} Winch {number} has been approved.\n\n" for number in range(1, 8)),
    ],
)
def test_chats_and_resolutions_in_clauses_are_none(text: str) -> None:
    assert not is_reference(text)
