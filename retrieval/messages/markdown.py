"""Answers as Markdown, in which stored text can't pose as the tool's own lines.

All stored text is in a fence or in quotation marks. Everything outside comes from the tool itself, except for names
of one word.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from core.interface.learning import Review, ReviewItem
from core.interface.ledger import Cause, LedgerAnswer, LedgerItem
from core.interface.question import Edge, Neighbourhood, Node
from core.interface.results import (
    UNLIKELY,
    EventView,
    Recall,
    Receipts,
    Refusal,
    RelatedEvent,
    Result,
    Status,
    TurnView,
    describe_unread_languages,
    to_json,
)
from core.interface.stash import Popped, Segment, StashMatches, Unstashed
from graph.text.tokens import distinctive_stems

#: Most letters of a name that needs no quotation marks.
_WORD: Final = 30
_BACKTICKS: Final = re.compile("`+")
#: What JSON leaves as it is and some readers take for the end of a line, or for a change of direction.
_UNESCAPED: Final = re.compile("[\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]")


_QUOTES: Final = json.JSONEncoder(ensure_ascii=False)


def fence(text: str) -> str:
    """Return a text in a fence that is longer than any run of backticks in it."""
    longest = max(map(len, _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def quote_or_fence(text: str) -> str:
    """Return a text in quotation marks after a blank if it needs no escapes there, else in a fence below."""
    on_one_line = quote_text(text)
    return f" {on_one_line}" if on_one_line[1:-1] == text else f"\n{fence(text)}"


def quote_name(text: str) -> str:
    """Return a name as it is if it is a single word of letters, which can't say anything, else in quotation marks."""
    return text if text.isalpha() and len(text) <= _WORD else quote_text(text)


def quote_text(text: str) -> str:
    """Return a text in quotation marks on one line, escaped as in JSON."""
    return _on_one_line(_QUOTES.encode(text))


def format_fields(values: Mapping[str, Any]) -> str:
    """Return values as JSON on one line; empty if there are none."""
    return _on_one_line(json.dumps(values, ensure_ascii=False, separators=(",", ":"))) if values else ""


def format_facts(facts: Iterable[str | None]) -> str:
    """Return the facts that are not None in brackets, after a blank; empty if there are none."""
    there = ", ".join(filter(None, facts))
    return f" ({there})" if there else ""


def _on_one_line(text: str) -> str:
    return _UNESCAPED.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


def render_stash_matches(answer: StashMatches) -> str:
    """Return what was found in the stash as Markdown."""
    head = f"{len(answer.segments)} of {answer.total_matches} stashed segments"
    return "\n".join([head, *_segments(answer.segments), *(["", answer.hint] if answer.hint else [])])


def render_unstashed(answer: Unstashed) -> str:
    """Return segments read from the stash as Markdown."""
    moved = [f"Active again: {', '.join(answer.moved_to_active)}"] if answer.moved_to_active else []
    last = [*map(quote_text, answer.errors), *([answer.hint] if answer.hint else [])]
    head = f"{len(answer.retrieved_segments)} segments"
    return "\n".join([head, *moved, *_segments(answer.retrieved_segments), *([""] if last else []), *last])


def _segments(segments: Sequence[Segment]) -> Iterator[str]:
    for number, segment in enumerate(segments, 1):
        named = [quote_text(text) for text in (segment.key, segment.title) if text]
        facts = format_facts([segment.type, segment.created_at, segment.tier, f"{segment.tokens} tokens", *named])
        stored = {"file_path": segment.file_path, "task_id": segment.task_id, "tags": segment.tags}
        given = format_fields({name: value for name, value in stored.items() if value} | segment.metadata)
        yield f"{number}. {segment.id}{facts} {given}".rstrip()
        if segment.text:
            yield fence(segment.text)


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
    yield from filter(None, (answer.tools and f"tools: {answer.tools}", answer.notice, answer.hint))


def render_ledger(answer: LedgerAnswer) -> str:
    """Return a page as Markdown, a numbered line an item and one a later event that changed it."""
    held = f", {answer.held_back} held back" if answer.held_back else ""
    lines = [f"{len(answer.items)} of {answer.total_count}{held}" if answer.total_count or held else "None found."]
    for number, item in enumerate(answer.items, 1):
        lines += _ledger_lines(f"{number}. ", item)
    return "\n".join([*lines, *(["", answer.hint] if answer.hint else [])])


def render_ledger_item(item: LedgerItem) -> str:
    """Return one item as Markdown."""
    return "\n".join([*_ledger_lines("", item), *([item.hint] if item.hint else [])])


def _ledger_lines(mark: str, item: LedgerItem) -> Iterator[str]:
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


def render_review(answer: Review) -> str:
    """Return a review as Markdown, a numbered line each."""
    lines = [f"{len(answer.items)} of {answer.total_count}" if answer.items else "None found."]
    lines += [f"{number}. {_line(item)}" for number, item in enumerate(answer.items, 1)]
    return "\n".join([*lines, *(["", answer.hint] if answer.hint else [])])


def _line(item: ReviewItem) -> str:
    sure = None if item.confidence is None else f"{item.confidence}"
    facts = format_facts([item.category, sure])
    is_new = item.quote is not None and " ".join(item.quote.split()) not in item.summary
    quote = f" {quote_text(item.quote)}" if item.quote is not None and is_new else ""
    place = "" if item.artifact_id in (None, item.id) else f" {item.artifact_id}"
    settle = f" → {item.settle}" if item.settle else ""
    names = f"{item.kind} {item.id}{f' {item.other}' if item.other else ''}"
    return f"{names}{facts} {quote_text(item.summary)}{quote}{place}{settle}"


#: Words that a summary has and the quote has not, as names in place of "I", without saying more.
_FEW_WORDS: Final = 2
#: What a turn's id leads to.
_OF_TURN: Final = frozenset({"conversation_id", "turn_index"})


def render_recall(answer: Recall, write: Callable[[Result], str] | None = None) -> str:
    """Return an answer as Markdown, first of all whether it is likely to be one.

    `write` is `render_result`, or what keeps its results.
    """
    lines = list(_first_lines(answer.answer_likelihood, answer.degraded, found=bool(answer.results)))
    lines += _numbered(map(write or render_result, answer.results))
    lines += [_turn(turn) for turn in answer.turns or ()]
    if answer.related:
        lines += ["", "Related:", *map(_related, answer.related)]
    if answer.entities:
        involved = (f"{quote_text(entity.name)} {entity.type}" for entity in answer.entities)
        lines += ["", f"Involved: {', '.join(involved)}"]
    return _with_hint(lines, answer.hint, answer.total_count)


def render_popped(answer: Popped, write: Callable[[Result], str] | None = None) -> str:
    """Return stashes as Markdown; `write` as for `render_recall`."""
    lines = list(_first_lines(answer.answer_likelihood, answer.degraded, found=bool(answer.results)))
    results = _numbered(map(write or render_result, answer.results))
    return _with_hint([*lines, *results], answer.message, len(answer.results))


def _first_lines(likelihood: float | None, degraded: Sequence[str], *, found: bool) -> Iterator[str]:
    if found and likelihood is not None and likelihood < UNLIKELY:
        yield f"Probably not in memory (answer_likelihood {likelihood}): these are only the closest."
    if degraded:
        yield f"Not available for this answer: {', '.join(degraded)}."


def _with_hint(lines: Sequence[str], hint: str | None, total: int) -> str:
    said = list(lines) if lines or total else ["No results."]
    return "\n".join([*said, *(["", hint] if hint and said else [hint] if hint else [])])


def _numbered(results: Iterable[str]) -> Iterator[str]:
    return (f"{number}. {result}" for number, result in enumerate(results, 1))


def render_result(result: Result) -> str:
    """Return a result as Markdown, without its number."""
    passage = quote_or_fence(result.content) if result.content else ""
    first = f"{' '.join(filter(None, [result.id, *_facts(result)]))}{passage}"
    return "\n".join([first, *map(_event, result.events or ())])


def _facts(result: Result) -> Iterator[str | None]:
    """Yield what is known of a result, but of a turn not that it is one, and which."""
    given = result.metadata
    is_turn = "turn_index" in given
    yield None if is_turn else result.context
    yield result.date
    yield "(newest)" if result.newest else None
    yield result.author and quote_name(result.author)
    yield result.title and quote_text(result.title)
    yield f"{result.chunk.start_char}-{result.chunk.end_char}" if result.chunk else None
    yield quote_text(result.chunk.place) if result.chunk and result.chunk.place else None
    yield format_fields({name: value for name, value in given.items() if not (is_turn and name in _OF_TURN)})
    if result.also:
        number, more = result.also_count or len(result.also), result.also_count is not None
        yield f"(stored {number + 1} times, also as {', '.join(result.also)}{' …' if more else ''})"


def _event(event: EventView) -> str:
    return f"- {_what(event)}{'; '.join(map(quote_text, _said(event.summary, event.quote)))}"


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


def render_neighbourhood(answer: Neighbourhood) -> str:
    """Return nodes and edges as Markdown; paths replace their edges."""
    nodes = [_node(number, node) for number, node in enumerate(answer.nodes, 1)]
    edges = ["Edges:", *map(_edge, answer.edges)] if answer.edges and answer.paths is None else []
    paths = [[f"Path {number}:", *map(_edge, path)] for number, path in enumerate(answer.paths or (), 1)]
    last = [f"{answer.total_count} pairs in all."] if answer.total_count is not None else []
    last += ["There is more around it."] if answer.truncated else []
    last += [answer.hint] if answer.hint else []
    return "\n\n".join("\n".join(block) for block in (nodes, edges, *paths, last) if block) or "Nothing is connected."


def _node(number: int, node: Node) -> str:
    day = node.date or node.event_time
    facts = [
        node.type,
        node.role and quote_text(node.role),
        node.organization and quote_text(node.organization),
        node.status,
    ]
    also = f" also {', '.join(map(quote_text, node.aliases))}" if node.aliases else ""
    known = format_facts([*facts, node.due and f"due {node.due}", day and day[:10]])
    reasons = [f"\n   {quote_text(why.name)}: {why.reason} ({why.artifact_id})" for why in node.reasons or ()]
    return f"{number}. {node.id}{known} {quote_text(node.name)}{also}{''.join(reasons)}"


def _edge(edge: Edge) -> str:
    sure = None if edge.confidence is None else str(edge.confidence)
    facts = format_facts([edge.role, sure, edge.reason and quote_text(edge.reason)])
    quotes = [f" {quote_text(proof.quote)}" for proof in edge.evidence or ()]
    return f"- {edge.source} {edge.type} {edge.target}{facts}{''.join(quotes)}"
