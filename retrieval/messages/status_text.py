"""The text blocks of a brief `remember_many` and `status`."""

from collections.abc import Iterator
from dataclasses import replace

from core.interface.results import Receipts, Refusal, Status, describe_unread_languages, to_json
from retrieval.messages.blocks import format_facts, format_fields, quote_text


def render_receipts(answer: Receipts) -> str:
    """Return what came of each item as Markdown, an item a line."""
    parts = {
        "stored": answer.stored,
        "updated": answer.updated,
        "duplicates": answer.duplicates,
        "failed": answer.failed,
    }
    head = ", ".join(f"{number} {name}" for name, number in parts.items() if number)
    lines = [
        f"refused item {one.index} ({one.code}): {quote_text(one.error)}"
        if isinstance(one, Refusal)
        else f"{one.status} {one.id}{f' ({one.hint})' if one.hint else ''}"
        for one in answer.results
    ]
    waits = [f"Still to be processed: {', '.join(answer.degraded)}."] if answer.degraded else []
    return "\n".join([head, *lines, *waits, *([answer.hint] if answer.hint else [])])


def render_status(answer: Status) -> str:
    """Return a status as Markdown."""
    state = "healthy" if answer.healthy else "not healthy"
    return "\n".join([f"Remembrancer {answer.version}, project {answer.project_id}: {state}", *_lines(answer)])


def _lines(answer: Status) -> Iterator[str]:
    for name, service in answer.services.items():
        detail = f": {quote_text(service.detail)}" if service.detail else ""
        yield f"- {name} {service.status}{format_facts([f'{service.latency_ms} ms'])}{detail}"
    if answer.counts is not None:
        yield f"Stored: {format_fields(to_json(replace(answer.counts, unread_languages={}), 'brief'))}"
        yield from filter(None, [describe_unread_languages(answer.counts.unread_languages)])
    if answer.pending_jobs is not None:
        yield f"Jobs: {answer.pending_jobs} pending, {answer.failed_jobs} failed"
    for kind, job in (answer.job_status or {}).items():
        facts = format_facts([f"{job.attempts} attempts", job.error and quote_text(job.error)])
        yield f"- {kind} {job.state}{facts}"
    for parked in answer.parked or ():
        title = format_facts([parked.title and quote_text(parked.title)])
        yield f"- failed: {parked.kind} of {parked.id}{title}: {quote_text(parked.error)}"
    yield from filter(None, (answer.notice, answer.hint))
