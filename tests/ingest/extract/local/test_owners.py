"""Whose an act is that its own words give to nobody: who speaks, who decides by the record, who alone is named."""

import pytest

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
