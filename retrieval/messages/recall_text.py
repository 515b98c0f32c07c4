"""The text block of a brief `recall` or `pop`."""

from collections.abc import Iterator, Sequence

from core.interface.pop import Popped
from core.interface.results import UNLIKELY, EventView, Recall, RelatedEvent, Result, TurnView
from retrieval.messages.blocks import fenced, fields, listed, quoted


def recall_text(answer: Recall) -> str:
    """Return an answer as Markdown, first of all whether it is likely to be one."""
    lines = list(_first_lines(answer.answer_likelihood, answer.degraded, found=bool(answer.results)))
    lines += _results(answer.results)
    lines += [_turn(turn) for turn in answer.turns or ()]
    if answer.related:
        lines += ["", "Related:", *map(_related, answer.related)]
    if answer.entities:
        named = (f"{quoted(entity.name)} {entity.type} {entity.id}" for entity in answer.entities)
        lines += ["", f"Involved: {', '.join(named)}"]
    return _with_hint(lines, answer.hint, answer.total_count)


def popped_text(answer: Popped) -> str:
    """Return stashes as Markdown."""
    lines = list(_first_lines(answer.answer_likelihood, answer.degraded, found=bool(answer.results)))
    return _with_hint([*lines, *_results(answer.results)], answer.message, len(answer.results))


def _first_lines(likelihood: float | None, degraded: Sequence[str], *, found: bool) -> Iterator[str]:
    if found and likelihood is not None and likelihood < UNLIKELY:
        yield f"Probably not in memory (answer_likelihood {likelihood}): these are only the closest."
    if degraded:
        yield f"Not available for this answer: {', '.join(degraded)}."


def _with_hint(lines: Sequence[str], hint: str | None, total: int) -> str:
    said = list(lines) if lines or total else ["No results."]
    return "\n".join([*said, *(["", hint] if hint and said else [hint] if hint else [])])


def _results(results: Sequence[Result]) -> Iterator[str]:
    for number, result in enumerate(results, 1):
        place = f"{result.chunk.start_char}-{result.chunk.end_char}" if result.chunk else None
        facts = listed([result.context, result.date, result.author and quoted(result.author), place])
        title = f" {quoted(result.title)}" if result.title else ""
        given = f" {fields(result.metadata)}" if result.metadata else ""
        yield f"{number}. {result.id}{facts}{title}{given}"
        if result.content:
            yield fenced(result.content)
        for event in result.events or ():
            yield _event(event, result.content)


def _event(event: EventView, passage: str) -> str:
    """Return an event as a line; what stands in the passage is not repeated."""
    words = [text for text in _said(event.summary, event.quote) if text not in passage]
    return f"- {_what(event)}{'; '.join(map(quoted, words))}".rstrip(": ")


def _related(event: RelatedEvent) -> str:
    reason, _, name = event.reason.partition(":")
    why = f"{reason}:{quoted(name)}" if name else reason
    return f"- {_what(event)}{'; '.join(map(quoted, _said(event.summary, event.quote)))} {event.artifact_id}, {why}"


def _what(event: EventView | RelatedEvent) -> str:
    facts = listed([event.status, event.due and f"due {event.due}"])
    return f"{event.category} {event.id}{facts}: "


def _said(summary: str, quote: str | None) -> list[str]:
    """Return summary and quote, or the longer if one holds the other."""
    if quote is None or quote in summary:
        return [summary]
    return [quote] if summary.rstrip(".") in quote else [summary, quote]


def _turn(turn: TurnView) -> str:
    who = turn.author or turn.role
    return f"{turn.turn_index}. {turn.id}{listed([turn.ts, who and quoted(who)])}\n{fenced(turn.content)}"
