"""Makers of statements for the tests of what bears on what."""

from core.knowledge.findings import Category
from core.knowledge.ledger import Origin
from ingest.ledger.statements import Statement
from tests.contracts.makers import entity, event, item


def stated(
    text: str,
    category: Category = "Decision",
    *,
    day: int = 1,
    owners: tuple[str, ...] = (),
    others: tuple[str, ...] = (),
    context: str = "meeting",
    topic: str | None = None,
    record: str = "",
    confidence: float = 1.0,
    file_path: str | None = None,
    title: str | None = None,
    recipients: tuple[str, ...] = (),
) -> Statement:
    """Return what a text of a day in January says as a whole."""
    given = item(text, date=f"2026-01-{day:02}", context=context)
    made = event(given, text, category, event_time=given.happened_at, actors=[entity(name) for name in owners])
    told = event(given, text, category, actors=[entity(name) for name in others], role="stakeholder")
    owed = event(given, text, category, actors=[entity(name) for name in recipients], role="recipient")
    actors = made.actors + told.actors + owed.actors
    both = type(made)(made.id, category, text, actors, (), made.evidence, confidence, made.event_time)
    return Statement(both, Origin(given.id, given.happened_at, context, topic, None, file_path, title), record)
