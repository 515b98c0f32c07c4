"""The text blocks of brief answers about decisions and commitments."""

from collections.abc import Iterator

from core.interface.ledger_results import Cause, LedgerAnswer, LedgerItem
from retrieval.messages.blocks import format_facts, quote_text


def render_ledger(answer: LedgerAnswer) -> str:
    """Return a page as Markdown, a numbered line an item and one a later event that changed it."""
    held = f", {answer.held_back} held back" if answer.held_back else ""
    lines = [f"{len(answer.items)} of {answer.total_count}{held}" if answer.total_count or held else "None found."]
    for number, item in enumerate(answer.items, 1):
        lines += _lines(f"{number}. ", item)
    return "\n".join([*lines, *(["", answer.hint] if answer.hint else [])])


def render_ledger_item(item: LedgerItem) -> str:
    """Return one item as Markdown."""
    return "\n".join([*_lines("", item), *([item.hint] if item.hint else [])])


def _lines(mark: str, item: LedgerItem) -> Iterator[str]:
    words = item.evidence[0].quote if item.evidence else item.summary
    repeats = item.summary.rstrip(".") in " ".join(words.split())
    said = [quote_text(words)] if repeats else [quote_text(item.summary), quote_text(words)]
    day = item.event_time and item.event_time[:10]
    facts = format_facts(
        [
            "stale" if item.stale else "overdue" if item.overdue else item.status,
            item.due and f"due {item.due}",
            *map(quote_text, item.owners),
            *(f"to {quote_text(name)}" for name in item.recipients),
            "given" if item.origin == "given" else None,
            day,
            f"{item.confidence}",
        ]
    )
    places = [item.title, item.evidence[0].place if item.evidence else None]
    place = format_facts(map(quote_text, filter(None, places)))
    yield f"{mark}{item.id} {item.category}{facts} {' '.join(said)} {item.artifact_id}{place}"
    links = [
        f"{name} {identity}"
        for name, identity in (("supersedes", item.supersedes), ("superseded by", item.superseded_by))
        if identity
    ]
    if links:
        yield f"   {', '.join(links)}"
    for name, cause in (
        ("superseded by", item.superseding),
        ("done by", item.completed_by),
        ("cancelled by", item.cancelled_by),
    ):
        if cause is not None:
            yield f"   {_cause(name, cause)}"
    for declared in item.history or ():
        note = f": {quote_text(declared.note)}" if declared.note else ""
        yield f"   declared {declared.status} on {declared.at[:10]}{note}"


def _cause(name: str, cause: Cause) -> str:
    words = cause.evidence[0].quote if cause.evidence else cause.summary
    day = format_facts([cause.event_time and cause.event_time[:10]])
    return f"{name} {cause.id}{day} {quote_text(words)} {cause.artifact_id}"
