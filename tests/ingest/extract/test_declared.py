"""What the caller declares: decisions and tasks are events whatever extraction finds."""

from typing import Any

from core.knowledge.findings import Extraction, FoundEntity, FoundEvent
from ingest.document.evidence import verify_evidence
from ingest.extract.declared import add_declared_event
from tests.ingest.extracting import TUESDAY, artifact_of
from tests.shipped import shipped_extractor


def declare(content: str, **fields: Any) -> Extraction:
    artifact = artifact_of(content, **fields)
    found = add_declared_event(artifact, shipped_extractor().extract(artifact))
    assert verify_evidence(content, found).dropped == 0
    return found


def test_a_decision_is_one_event_about_its_key() -> None:
    """The key is the topic, the author the owner, the content the evidence; the same sentence counts once."""
    found = declare("We decided to use Postgres.", context="decision", key="database", author="Alice Chen")
    assert found.events == (
        FoundEvent(
            "Decision",
            "We decided to use Postgres.",
            "We decided to use Postgres.",
            0,
            (("Alice Chen", "owner"),),
            ("database", "Postgres"),
            TUESDAY,
            None,
            1.0,
        ),
    )
    assert FoundEntity("database", "object") in found.entities


def test_a_decision_without_a_key_is_about_its_title() -> None:
    """The title is the topic when there is no key."""
    found = declare("Postgres it is.", context="decision", title="ADR 7: Database")
    assert found.events[0].subjects[0] == "Database"


def test_a_long_decision_is_evidenced_by_its_first_sentence() -> None:
    """Evidence stays readable: content of more than 400 characters is not quoted whole."""
    event = declare("We chose Postgres. " + "Because of reasons. " * 40, context="decision").events[0]
    assert event.quote == "We chose Postgres."


RECORD = """# How Lantern alerts reach a shift lead

Project Lantern, 11 February 2026. Decided by Priya Raman, after asking Tomasz Wieczorek.

## Background

On 21 January we agreed on text messages, which are slow. Project Lantern is young.

## Decision

We decided to send Lantern alerts as push notifications to the scanners. This reverses the decision of 21 January.

## Why

- Push costs nothing, and everything else that was looked at costs more than anybody is willing to pay for it.
- [ ] Priya Raman: update the brief by 2026-02-18
"""


def test_a_decision_record_is_quoted_where_it_decides() -> None:
    """Neither heading nor date line nor what went before is the decision; the topic stays its subject."""
    found = declare(RECORD, context="decision", key="lantern-alert-channel", author="Priya Raman")
    sentence = "We decided to send Lantern alerts as push notifications to the scanners."
    front = found.events[0]
    assert (front.summary, front.quote) == (sentence, sentence)
    assert front.subjects[0] == "lantern-alert-channel"
    assert [event.category for event in found.events if event.quote == sentence] == ["Decision"]


def test_a_short_decision_is_quoted_where_it_decides_too() -> None:
    """Talk before and after the deciding sentence is no part of it."""
    front = declare("Long talk today. We decided to use Postgres. Lunch was good.", context="decision").events[0]
    assert (front.summary, front.quote) == ("We decided to use Postgres.", "We decided to use Postgres.")
    marked = declare("Notes\n\nDecision: ship on 3 May.\n\nLunch was good.", context="decision").events[0]
    assert (marked.summary, marked.quote) == ("Ship on 3 May.", "Decision: ship on 3 May.")


def test_a_record_that_states_nothing_outright_says_its_first_statement() -> None:
    """Headings, dates and names above it are no summary."""
    said = "Postgres it is, as ever."
    for title in ("# Storage\n\nProject Atlas, 11 February 2026. Written by Dana Fox.", "Storage\n\nStatus: accepted"):
        event = declare(f"{title}\n\n{said}\n", context="decision").events[0]
        assert (event.summary, event.quote) == (said, said)
    assert declare("# Use Postgres\n", context="decision").events[0].summary == "Use Postgres"
    task = declare("# Renew the certificate\n\nIt expires on Friday.\n", context="task").events[0]
    assert task.summary == "Renew the certificate"


def test_a_task_is_an_open_commitment_with_owner_and_due_date() -> None:
    """The text's own assignee owns it, else the author, else the first handle or participant."""
    named = declare("Bob to renew the certificate by Friday", context="task", author="Alice Chen").events
    assert [(e.category, e.actors[0], e.due and e.due.date().isoformat()) for e in named] == [
        ("Commitment", ("Bob", "owner"), "2026-03-13")
    ]
    assert declare("renew the certificate", context="task", author="Alice Chen").events[0].actors == (
        ("Alice Chen", "owner"),
    )
    assert declare("please renew it @erik", context="task").events[0].actors == (("erik", "owner"),)
    assert declare("renew it", context="task", participants=("Dana Fox",)).events[0].actors == (("Dana Fox", "owner"),)


def test_other_contexts_declare_nothing() -> None:
    """Only decisions and tasks are events by declaration."""
    assert declare("Postgres has four tables.", context="note").events == ()
