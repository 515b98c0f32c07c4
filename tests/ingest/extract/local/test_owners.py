"""Whose an act is that its own words give to nobody: who speaks, who decides by the record, who alone is named."""

import pytest

from core.knowledge.ledger import SURE
from tests.ingest.extracting import extract

MAIL = "From: Ana Silva <ana@mill.example>\nTo: all\n\n{}\n"
MINUTES = "Present: Ana Silva, Bo Lund\n\n{}\n"


def owners(content: str, **fields: object) -> list[str]:
    """Return who owns the events."""
    events = extract(content, **fields).events
    return [name for event in events for name, role in event.actors if role == "owner"]


@pytest.mark.parametrize(
    "said",
    [
        "We have chosen the red paint for the hall.",
        "It was decided to paint the hall red.",
        "The importer is blocked by the schema change.",
        "The migration of the price list is completed.",
    ],
)
def test_what_nobody_else_does_is_of_who_writes_the_mail(said: str) -> None:
    """ "We" is who speaks for the others; minutes speak for nobody."""
    assert owners(MAIL.format(said), context="email") == ["Ana Silva"]
    assert owners(MINUTES.format(said), context="meeting", author="Ana Silva") == []


@pytest.mark.parametrize(
    "said",
    [
        "The board decided to paint the hall red.",
        "Bo Lund decided to paint the hall red.",
        "Bo Lund sent the contract.",
    ],
)
def test_what_somebody_else_does_is_not_of_who_tells_it(said: str) -> None:
    """Whoever passes it on has no part in it."""
    assert "Ana Silva" not in owners(MAIL.format(said), context="email")


def test_a_record_is_decided_by_whom_its_head_names() -> None:
    """Whoever wrote it down may be another."""
    content = "# Store\n\nDeciders: Ana Silva, Bo Lund\n\n## Decision\n\nWe will use Postgres for the billing store.\n"
    assert owners(content, context="decision", author="Cem Kaya") == ["Ana Silva", "Bo Lund"]


def test_who_alone_is_named_did_what_is_reported_unless_it_was_done_for_him() -> None:
    """ "(Bo)" behind a report says who did it, "to Bo" does not."""
    assert owners(MINUTES.format("The contract was sent to the insurer (Bo)."), context="meeting") == ["Bo Lund"]
    assert owners(MINUTES.format("The contract was sent to Bo."), context="meeting") == []
    assert owners(MINUTES.format("Bo's laptop was repaired."), context="meeting") == []


@pytest.mark.parametrize(
    "task",
    [
        "- [ ] Send Bo Lund the plan by Friday",
        "- TODO call Bo Lund",
        "- LATER write the report for [[Bo Lund]]",
        "- [ ] Talk to Bo Lund about the roof",
        "- [ ] Discuss the roof with Bo Lund by Friday",
        "- [ ] Order Bo Lund's badge by Friday",
    ],
)
def test_a_task_is_not_of_whom_it_is_done_to(task: str) -> None:
    """Who keeps the list knows whose it is."""
    assert owners(f"Present: Ana Silva, Bo Lund\n\n{task}\n", context="meeting") == []


def test_a_task_is_of_whom_it_names_otherwise() -> None:
    for task in (
        "- [ ] Send the plan (Bo Lund)",
        "- [ ] Bo Lund: call the insurer",
        "- TODO @Bo Lund call the insurer",
    ):
        assert owners(f"Present: Ana Silva, Bo Lund\n\n{task}\n", context="meeting") == ["Bo Lund"], task


def test_who_had_it_done_is_whose_deed_it_is() -> None:
    """ "Bo had the roof mended": nobody else is named."""
    assert owners(MINUTES.format("Bo had the roof repaired on 3 March."), context="meeting") == ["Bo Lund"]


def test_a_line_of_fields_is_a_row_of_its_table() -> None:
    """As a sheet is kept: a task that is done is no promise, and the line of totals is nothing."""
    found = extract(
        "Task: Fetch the hook; Owner: Ana Costa; Due: 2026-03-20; Status: open\n"
        "Task: Pay the deposit; Owner: Ben Stone; Due: 2026-03-10; Status: done; Notes: €200\n"
        "Task: Paint the rail; Owner: Ben Stone; Status: cancelled\n"
        "Task: Total; Notes: 3 tasks",
        context="document",
    )
    assert [(event.category, event.due and event.due.date().isoformat()) for event in found.events] == [
        ("Commitment", "2026-03-20"),
        ("Execution", None),
    ]
    assert [name for event in found.events for name, role in event.actors if role == "owner"][:1] == ["Ana Costa"]


def promised(content: str) -> list[tuple[str, list[str]]]:
    """Return the commitments of minutes that are listed, by their first words, each with its owners."""
    return [
        (" ".join(event.quote.split()[:3]), [name for name, role in event.actors if role == "owner"])
        for event in extract(content, context="meeting").events
        if event.category == "Commitment" and event.confidence >= SURE
    ]


@pytest.mark.parametrize("head", ["@dana_m", "### @dana_m", "**@dana_m**"])
def test_what_comes_next_in_somebody_s_list_is_theirs(head: str) -> None:
    """A stand-up in writing: who, and below that what is done, what blocks and what is next."""
    done = "- Done:\n  - Painted the north pier\n- Blocked:\n  - n/a\n"
    content = f"## Updates\n\n{head}\n{done}- Next:\n  - Write the mooring guide\n  - Order the new ropes\n"
    assert promised(content) == [("Write the mooring", ["dana_m"]), ("Order the new", ["dana_m"])]


def test_what_somebody_says_in_a_line_of_initials_is_theirs() -> None:
    """Also in a later sentence, and where the subject is left out."""
    said = "DB: We spoke to the yard last week. I'll check the log and call them.\n\nTJ: Will file an issue.\n"
    content = f"Present: TJ, DB\n\n{said}"
    assert promised(content) == [("I'll check the", ["DB"]), ("TJ: Will file", ["TJ"])]


def test_he_or_she_is_whom_the_sentence_before_begins_with() -> None:
    """Even by initials, and whoever else it names."""
    content = (
        "Present: Hella Crane (HCR), James Black\n\n## Action items\n\n"
        "* HCR will contact James Black about the quay. She will open an issue in the register.\n"
        "* **Action item**: HCR will talk to James Black to learn when the dock opens.\n"
    )
    assert all("James Black" not in who for _, who in promised(content))
    assert [len(who) for _, who in promised(content)] == [1, 1, 1]


@pytest.mark.parametrize(
    "line",
    [
        "- DB: David Barker (dbarker)",
        "- @dana_m",
        "_Submit a PR to add your item here_",
        "- Put your name and your topics here",
        "The next meeting of the dock group will be at 9 am on Friday, 3 April 2026.",
        "NOTE: Dana will be on vacation next week.",
        "Dana is going to be out of the office until Monday.",
    ],
)
def test_a_legend_a_form_an_announcement_or_an_absence_is_no_commitment(line: str) -> None:
    """It has the form of one."""
    assert promised(f"Present: Dana Marsh, David Barker (DB)\n\n## Action items\n\n{line}\n") == []
