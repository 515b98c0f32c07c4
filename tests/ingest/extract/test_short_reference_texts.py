"""Short reference texts, guides and definitions list nothing; short notes of what people decide and promise do."""

import pytest

from core.knowledge.ledger import SURE
from tests.ingest.extracting import extract


def listed(content: str, context: str = "document", **fields: str) -> list[tuple[str, str]]:
    """The decisions and commitments that answers show, by the words that they rest on."""
    found = extract(content, context=context, **fields).events
    return [
        (one.category, one.quote)
        for one in found
        if one.category in ("Decision", "Commitment") and one.confidence >= SURE
    ]


REFERENCE = (
    "The width can be chosen in the side bar. Selected boats are drawn in red.",
    "Once a claim is approved, its owner will be told by mail. A rejected claim can be sent again.",
    "Wait until the pressure has been accepted, then shut the valve.",
    "The harbour office shall decide within ten days. A claim that is not decided upon is deemed approved.",
    "The hirer shall return the dinghy by 30 September. The owner will inspect it within a week.",
    "By using this service you agree to these terms. We will notify you of changes ten days before.",
    "## 4.1.0\n\n- The cache is chosen by size\n- Fixed: approved rows came twice",
    "- Fix: rejected files will be retried (#87)",
    "The new version will be available for everybody next week.",
    "/**\n * Returns the chosen buoy. The caller will free it.\n */",
    "# We decided to keep this value because the lookup is slow here.\nvalue = cache.get(key)\n",
    "[11:02:01] rule 7 selected\n[11:02:02] job will run at 12:00",
    "error: the chosen port is in use; the server will be restarted",
    "| Code | Meaning |\n| --- | --- |\n| E12 | Claim rejected |\n| E13 | Will be retried tomorrow |",
    "We chose a step of 0.2. The null hypothesis was rejected (p < 0.01).",
    "“I will be back by Friday,” she said. He had decided to stay on the island.",
    "If the key was approved, the server SHALL answer. The key will expire after an hour.",
    "The council approved the new quay on Monday, a spokesman said. Work will begin in May.",
)


@pytest.mark.parametrize("text", REFERENCE, ids=lambda text: text[:20])
def test_a_short_text_of_reference_kind_lists_nothing(text: str) -> None:
    assert listed(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Decision: the outcome of a vote of the members.\nAction item: a task that somebody has taken on.",
        "- **Decision**: what the group agreed to do\n- **Action**: who will do what by when",
        "Commitment: when somebody says that they will do something.",
        "Resolution – a formal decision of the board that is recorded in the minutes.",
        "Action: [what] – [who] – [when]",
        "Decision: <one sentence that says what was decided>",
    ],
)
@pytest.mark.parametrize("context", ["document", "meeting", "note"])
def test_a_label_with_what_it_means_lists_nothing(text: str, context: str) -> None:
    assert listed(text, context) == []


GUIDE = (
    "# How to hold a good meeting\n\nEvery meeting needs an agenda. The chair will send it two days before.\n\n"
    "## Decisions\n\n- Decisions are made by consensus where it can be reached\n- A decision that was agreed is "
    "written down\n\n## Action items\n\n- Each action item has one owner\n"
    "- The owner will report on it at the next meeting\n"
)
TIPS = (
    "Notes for hosts\n\nBegin on time. You should ask everyone how they are. "
    "If nobody objects, a proposal is "
    "accepted. The host will write it down by the end of the day.\n"
)


@pytest.mark.parametrize("text", [GUIDE, TIPS], ids=["guide", "tips"])
@pytest.mark.parametrize("context", ["document", "meeting", "reference"])
def test_a_guide_is_not_read_as_minutes(text: str, context: str) -> None:
    assert listed(text, context) == []


def test_what_a_named_person_takes_on_in_a_guide_is_kept() -> None:
    text = GUIDE + "- Ines Falk: book the hall by 20 March\n"
    assert ("Commitment", "Ines Falk: book the hall by 20 March") in listed(text, "meeting")


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("We decided to sell the dinghy.", "Decision"),
        ("User decided to use tabs.", "Decision"),
        ("The client decided to cancel the order.", "Decision"),
        ("It was decided to shut the gate.", "Decision"),
        ("Agreed to paint the door.", "Decision"),
        ("SQLite was chosen for the ledger.", "Decision"),
        ("The CPC discussed the fees and decided to wait.", "Decision"),
        ("Decision: the outcome of the vote holds, the gate is shut.", "Decision"),
        ("Ylva Stern will call Nils Aune tomorrow.", "Commitment"),
        ("The user will send the deed by Friday.", "Commitment"),
        ("The team will meet the supplier on Friday.", "Commitment"),
        ("I will send the report by Monday.", "Commitment"),
        ("Tomas to order the pump by 20 March.", "Commitment"),
    ],
)
def test_what_somebody_decides_or_promises_in_a_short_text_is_listed(text: str, category: str) -> None:
    assert listed(text) == [(category, text)]
