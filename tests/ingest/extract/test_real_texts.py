"""What extraction makes of texts as people and programs write them: who speaks, whose task it is, what is reference."""

import os
from datetime import date
from pathlib import Path

import pytest

from core.interface.memory import Memory
from ingest.document.reference_prose import is_reference
from ingest.intake.dating import FileDates, add_text_date
from tests.ingest.extracting import extract, names
from tests.ingest.readers.reading import memories, put


def owners(content: str, **fields: str) -> dict[str, tuple[str, ...]]:
    """The owners of each commitment, by the words that it rests on."""
    found = extract(content, **fields)
    return {
        " ".join(event.quote.split()): tuple(name for name, role in event.actors if role == "owner")
        for event in found.events
        if event.category == "Commitment"
    }


ZOOM = (
    "09:01:12 From Ruth Amsel (Pier Ltd) to Everyone:\n\tGood morning\n"
    "09:02:33 From Tomas Berg - Dock Co to Everyone:\n\tI will send the plan by 20 March 2026.\n"
    "09:03:10 From Olga Stein [guest] to Everyone:\n\tI'll book the room tomorrow.\n"
    "09:04:12 From Ruth Amsel (Pier Ltd) to Everyone:\n\tThanks Tomas\n"
    "09:05:33 From Tomas Berg - Dock Co to Ruth Amsel (Pier Ltd)(Direct Message):\n\tWe agreed to close the gate.\n"
)
TEAMS = (
    "[09:01] Ruth Amsel (External): Good morning to you.\n[09:02] Tomas Berg / Dock Co: I'll check it on Friday.\n"
    "[09:03] Ruth Amsel (External): Fine with me.\n[09:04] Tomas Berg / Dock Co: Is the gate open?\n"
    "[09:05] Olga Stein, PhD: No, it is shut.\n[09:06] Olga Stein, PhD: I'll tell the others.\n"
)


@pytest.mark.parametrize(
    ("chat", "expected"),
    [
        (ZOOM, {"I will send the plan by 20 March 2026.": "Tomas Berg", "I'll book the room tomorrow.": "Olga Stein"}),
        (TEAMS, {"I'll check it on Friday.": "Tomas Berg", "I'll tell the others.": "Olga Stein"}),
    ],
)
def test_a_promise_in_a_saved_chat_is_of_who_speaks_not_of_a_company(chat: str, expected: dict[str, str]) -> None:
    found = owners(chat, context="transcript", date="2026-03-12")
    assert {words: found.get(words) for words in expected} == {words: (name,) for words, name in expected.items()}


@pytest.mark.parametrize(
    "listed", ["Attendees: kdvz, zol_t, @pnob\n", "## Attendees\n\n- kdvz\n- zol_t (scribe)\n- @pnob\n"]
)
def test_a_task_is_of_the_listed_handle_that_it_names(listed: str) -> None:
    tasks = "- kdvz will update the script by Friday\n- zol_t to write the release post\n- [ ] check the docs (pnob)\n"
    found = owners(f"# Core sync 2026-02-10\n\n{listed}\n## Notes\n\n{tasks}", context="meeting")
    assert sorted(found.values()) == [("kdvz",), ("pnob",), ("zol_t",)]


def test_a_word_in_small_letters_that_no_list_has_owns_nothing() -> None:
    found = owners(
        "# Sync\n\nAttendees: kdvz, zol_t\n\n- tests will run by Friday\n- somebody to write it\n", context="meeting"
    )
    assert not any({"tests", "somebody"} & set(named) for named in found.values())


@pytest.mark.parametrize(
    ("entry", "is_person"),
    [
        ("Harbour Info <info@pier.example>", False),
        ("Ship Notifications <notifications@pier.example>", False),
        ("Ruth Amsel <ruth@pier.example>", True),
        ("Ruth Info <info@pier.example>", True),
    ],
)
def test_the_name_of_a_shared_address_is_no_person(tmp_path: Path, entry: str, *, is_person: bool) -> None:
    mail = f"From: Tomas Berg <tb@pier.example>\nTo: {entry}\nSubject: Keys\n\nThe keys are here.\n"
    (memory,) = memories(put(tmp_path, "a.eml", mail))
    name = entry.partition(" <")[0]
    assert (name in (memory.participants or ())) is is_person
    assert (name in names(extract(memory.content, context="email"), "person")) is is_person


MANUAL = (
    "# Backup tool guide\n\nThis guide explains how to set up the tool on a server with two "
    "disks.\n\nOpen the settings. "
    "When a target is selected, the daemon accepts it. The chosen mode was approved for production use by default.\n\n"
    "1. Click the button.\n2. Enter the address.\n3. Press OK.\n\nIf both sides agreed on a key, the "
    "sync starts at once.\n"
)
WINCH = (
    "WINCH - OPERATING INSTRUCTIONS\n\nThe brake must be engaged before the rope is attached. Turn "
    "the switch. The speed is "
    "shown on the display. The oil will be changed every year. A record must be kept. The "
    "manufacturer has decided on a "
    "service interval of twelve months.\n"
)
CODES = "# Status codes\n\n| Code | Name | Description |\n|---|---|---|\n" + "".join(
    f"| {number} | {name} | The request {said} by the peer of this connection |\n"
    for number, (name, said) in enumerate(
        (
            ("OK", "was accepted"), ("REJECTED", "was rejected"), ("DEFERRED", "was deferred"),
            ("APPROVED", "was approved"), ("AGREED", "was agreed"),
        )
    )
)  # fmt: skip
PROPOSAL = (
    "# Frozen lists\n\n## Abstract\n\nA frozen list type. It will be hashable.\n\n## "
    "Specification\n\nThe parser will accept the "
    "new token. Tuples have been accepted as a replacement.\n\n## Rejected Ideas\n\nUsing brackets "
    "was rejected since it is "
    "ambiguous. A prefix was not approved.\n\n## Copyright\n\nThis document is placed in the public domain.\n"
)
SPECIFICATION = (
    "# Berth booking\n\nThe system will let skippers book a berth. The booking service will confirm "
    "each booking by 18:00. A "
    "message will be sent to the skipper by tomorrow morning. Payments are taken by card. The map shows free berths.\n"
)
MINUTES = (
    "The harbour board met on Monday in the old customs house, and it was a long evening for "
    "everybody. It was decided to "
    "sell the crane. The gate was discussed and it was agreed to leave it open until the spring.\n"
)


@pytest.mark.parametrize("text", [MANUAL, WINCH, CODES, PROPOSAL, SPECIFICATION], ids=lambda text: text[2:12])
def test_manuals_tables_of_codes_proposals_and_descriptions_are_reference(text: str) -> None:
    assert is_reference(text)


def test_a_report_of_what_a_body_decided_is_no_reference() -> None:
    assert not is_reference(MINUTES)


def test_nothing_is_decided_in_a_patch() -> None:
    patch = (
        "The lift may not call it, since the rope swings.\n\ndiff --git a/lift.c b/lift.c\n--- a/lift.c\n+++ b/lift.c\n"
        "@@ -1,3 +1,2 @@\n-\tSTOP(); // we decided to stop here\n+\t/* Decision: approved */\n \n "
        "\tend();\nWe decided to merge it.\n"
    )
    found = extract(patch, context="email", author="Ruth Amsel")
    assert [one.quote for one in found.events if one.category == "Decision"] == ["We decided to merge it."]


def test_a_day_without_a_year_is_in_that_of_the_files_beside_it(tmp_path: Path) -> None:
    put(tmp_path, "2023-03-09 sync.md", "# Sync 9 March 2023\n\nAll went well.\n")
    path = put(tmp_path, "03-02 sync.md", "# Sync 2 March\n\nAll went well.\n")
    (memory,) = memories(path)
    assert FileDates().dated(memory, path).date == "2023-03-02"


def test_a_day_without_a_year_far_from_the_files_own_time_is_not_guessed(tmp_path: Path) -> None:
    path = put(tmp_path, "sync.md", "# Sync 2 March\n\nAll went well.\n")
    os.utime(path, (1_732_000_000, 1_732_000_000))  # 19 November 2024
    (memory,) = memories(path)
    found = FileDates().dated(memory, path)
    assert date.fromisoformat(str(found.date)[:10]).month == 11
    assert found.date_source == "file time"


@pytest.mark.parametrize(
    "text",
    [
        "- DONE Oil the winch\n  CLOSED: [2026-03-02 Mon 10:00]\n- TODO Paint\n",
        "Report on fees\n\nThe fees rise in May 2026.\n",
    ],
)
def test_the_day_of_a_task_or_a_sentence_is_not_that_of_the_text(text: str) -> None:
    assert add_text_date(Memory(content=text)).date is None


def test_a_due_day_of_dataview_is_read() -> None:
    text = "- [ ] Paint the mast [due:: 2026-03-20]\n- [ ] Oil the winch [due::2026-03-21]\n"
    assert {str(event.due)[:10] for event in extract(text, context="note").events} == {"2026-03-20", "2026-03-21"}
