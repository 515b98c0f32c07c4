"""What the caller declares: decisions and tasks are events whatever extraction finds."""

from datetime import UTC, datetime
from typing import Any

from core.knowledge import Extraction, FoundEntity, FoundEvent
from core.memory import Memory
from core.records import Artifact
from ingest.extract.declared import declared
from ingest.extract.evidence import verify
from ingest.extract.local import LocalExtractor

TUESDAY = datetime(2026, 3, 10, 9, tzinfo=UTC)


def declare(content: str, **fields: Any) -> Extraction:
    artifact = Artifact(
        id="art_000000000001",
        project_id="default",
        memory=Memory(content=content, **fields),
        fingerprint="f",
        happened_at=TUESDAY,
        created_at=TUESDAY,
        updated_at=TUESDAY,
        last_occurred=TUESDAY,
        token_count=1,
        num_chunks=1,
    )
    found = declared(artifact, LocalExtractor().extract(artifact))
    assert verify(content, found).dropped == 0
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
    content = "# Storage\n\nPostgres it is. " + "Because of reasons. " * 40
    event = declare(content, context="decision").events[0]
    assert content.startswith(event.quote)
    assert len(event.quote) <= 400


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
    assert declare("Postgres is fine.", context="note").events == ()
