"""The text block of a brief `recall` or `pop`."""

from collections.abc import Iterator, Sequence
from typing import Final

from core.interface.results import UNLIKELY, EventView, Recall, RelatedEvent, Result, TurnView
from core.interface.stash import Popped
from graph.text.tokens import distinctive_stems
from retrieval.messages.blocks import format_facts, format_fields, quote_name, quote_or_fence, quote_text

#: Words that a summary has and the quote has not, as names in place of "I", without saying more.
_FEW_WORDS: Final = 2
#: What a turn's id leads to.
_OF_TURN: Final = frozenset({"conversation_id", "turn_index"})


def render_recall(answer: Recall) -> str:
    """Return an answer as Markdown, first of all whether it is likely to be one."""
    lines = list(_first_lines(answer.answer_likelihood, answer.degraded, found=bool(answer.results)))
    lines += _results(answer.results)
    lines += [_turn(turn) for turn in answer.turns or ()]
    if answer.related:
        lines += ["", "Related:", *map(_related, answer.related)]
    if answer.entities:
        involved = (f"{quote_text(entity.name)} {entity.type}" for entity in answer.entities)
        lines += ["", f"Involved: {', '.join(involved)}"]
    return _with_hint(lines, answer.hint, answer.total_count)


def render_popped(answer: Popped) -> str:
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
        passage = quote_or_fence(result.content) if result.content else ""
        yield f"{number}. {' '.join(filter(None, [result.id, *_facts(result)]))}{passage}"
        for event in result.events or ():
            yield _event(event, result.content)


def _facts(result: Result) -> Iterator[str | None]:
    """Yield what is known of a result, but of a turn not that it is one, and which."""
    given = result.metadata
    is_turn = "turn_index" in given
    yield None if is_turn else result.context
    yield result.date
    yield result.author and quote_name(result.author)
    yield result.title and quote_text(result.title)
    yield f"{result.chunk.start_char}-{result.chunk.end_char}" if result.chunk else None
    yield quote_text(result.chunk.place) if result.chunk and result.chunk.place else None
    yield format_fields({name: value for name, value in given.items() if not (is_turn and name in _OF_TURN)})
    if result.also:
        number, more = result.also_count or len(result.also), result.also_count is not None
        yield f"(stored {number + 1} times, also as {', '.join(result.also)}{' …' if more else ''})"


def _event(event: EventView, passage: str) -> str:
    """Return an event as a line; a quote in the passage is not repeated."""
    words = [text for text in _said(event.summary, event.quote) if not _repeats(text, passage)]
    return f"- {_what(event)}{'; '.join(map(quote_text, words))}".rstrip(": ")


def _related(event: RelatedEvent) -> str:
    reason, _, name = event.reason.partition(":")
    why = f"{reason}:{quote_text(name)}" if name else reason
    return f"- {_what(event)}{'; '.join(map(quote_text, _said(event.summary, event.quote)))} {event.artifact_id}, {why}"


def _what(event: EventView | RelatedEvent) -> str:
    facts = format_facts([event.status, event.due and f"due {event.due}"])
    return f"{event.category} {event.id}{facts}: "


def _said(summary: str, quote: str | None) -> list[str]:
    """Return the words that it rests on, and its summary if that says something else."""
    if quote is None or quote in summary:
        return [summary]
    return [quote] if _repeats(summary, quote) else [summary, quote]


def _repeats(text: str, said: str) -> bool:
    return len(set(distinctive_stems(text)) - set(distinctive_stems(said))) <= _FEW_WORDS


def _turn(turn: TurnView) -> str:
    who = turn.author or turn.role
    return (
        f"{turn.turn_index}. {turn.id}{format_facts([turn.ts, who and quote_name(who)])}{quote_or_fence(turn.content)}"
    )
