"""Printing of answers. Stored text is printed as it is, never interpreted as markup."""

import json
import re
import sys
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.text import Text

from core.interface.learning import Learnt
from core.interface.ledger import Quote
from core.interface.results import (
    UNLIKELY,
    Detail,
    EventView,
    Forgotten,
    Recall,
    Receipt,
    RelatedEvent,
    Status,
    describe_unread_languages,
    to_json,
)
from core.interface.stash import Popped
from core.knowledge.findings import Evidence

#: Characters of a passage, and events of it, shown before an ellipsis; `recall --id ID` shows all.
_SHOWN, _EVENTS_SHOWN = 320, 3
#: Control characters, and those that change the direction of text.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class _Console(Console):
    """A console that leaves it to the command what happens when the reader of the output is gone."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def make_console() -> Console:
    """Return the console for standard output."""
    return _Console(highlight=False, soft_wrap=False)


def print_json(answer: object, detail: Detail = "full") -> None:
    """Print an answer as JSON on standard output."""
    write_json(to_json(answer, detail), indent=2)


def write_json(value: object, *, indent: int | None = None) -> None:
    """Write JSON and a line break on standard output; what its encoding does not have is escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=indent)
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def show(answer: Receipt | Learnt | Recall | Popped | Forgotten | Status, to: Console | None = None) -> None:
    """Print an answer."""
    out = to or make_console()
    if isinstance(answer, Recall):
        _recall(answer, out)
    elif isinstance(answer, Popped):
        _popped(answer, out)
    elif isinstance(answer, Receipt):
        out.print(f"{answer.status} [bold]{answer.id}[/] ({answer.token_count} tokens, {answer.num_chunks} chunks)")
        if answer.degraded:
            out.print(f"[yellow]Still to be processed: {', '.join(answer.degraded)}[/]")
        if answer.hint:
            out.print(f"[dim]{escape(strip_controls(answer.hint))}[/]")
    elif isinstance(answer, Learnt):
        known = "known already" if answer.run_id is None else f"run [bold]{answer.run_id}[/]"
        out.print(f"{len(answer.events)} events, {len(answer.entities)} entities of {answer.id}: {known}")
        if answer.hint:
            out.print(f"[dim]{escape(strip_controls(answer.hint))}[/]")
    elif isinstance(answer, Forgotten):
        _forgotten(answer, out)
    else:
        _status(answer, out)


def _recall(answer: Recall, out: Console) -> None:
    if answer.degraded:
        out.print(f"[yellow]Not available for this answer: {', '.join(answer.degraded)}[/]")
    for number, result in enumerate(answer.results, 1):
        title = result.title or result.author or result.metadata.get("author") or result.context
        out.print(f"[bold]{number}. {escape(strip_controls(str(title)))}[/] [dim]{result.id} · {result.context}[/]")
        whole = answer.match_type == "id"
        passage = strip_controls(result.content) if whole else _cut(strip_controls(result.content))
        out.print(Padding(Text(passage, style="bright_white"), (0, 0, 0, 3)))
        _events(result.events or (), out, most=None if whole else _EVENTS_SHOWN)
    for turn in answer.turns or ():
        out.print(
            f"[bold]{turn.turn_index}. {escape(strip_controls(turn.author or turn.role or ''))}[/] [dim]{turn.id}[/]"
        )
        out.print(Padding(Text(strip_controls(turn.content)), (0, 0, 0, 3)))
    show_related(answer, out)
    if answer.entities:
        names = ", ".join(f"{entity.name} ({entity.type})" for entity in answer.entities[:12])
        out.print(f"\n[bold]Involved:[/] {escape(strip_controls(names))}")
    if answer.results and answer.answer_likelihood is not None and answer.answer_likelihood < UNLIKELY:
        out.print("[dim]The memory probably holds no answer; these are the closest matches.[/]")
    if answer.hint:
        out.print(f"[dim]{escape(answer.hint)}[/]")


def show_related(answer: Recall, out: Console) -> None:
    """Print the events that the graph connects with the results, each with its quote and the reason."""
    if answer.related:
        out.print("\n[bold]Connected through people and projects[/]")
        for related in answer.related:
            _related(related, out)


def _popped(answer: Popped, out: Console) -> None:
    if answer.degraded:
        out.print(f"[yellow]Not available for this answer: {', '.join(answer.degraded)}[/]")
    for number, result in enumerate(answer.results, 1):
        name = result.metadata.get("key") or result.title or result.context
        out.print(f"[bold]{number}. {escape(strip_controls(str(name)))}[/] [dim]{result.id} · {result.context}[/]")
        whole = strip_controls(result.content)
        out.print(Padding(Text(whole if answer.match_type == "exact" else _cut(whole)), (0, 0, 0, 3)))
    if answer.message:
        out.print(f"[dim]{escape(strip_controls(answer.message))}[/]")


def _events(events: Sequence[EventView], out: Console, *, most: int | None) -> None:
    for event in events[:most]:
        _event(event, out, indent=3)
    if most is not None and len(events) > most:
        out.print(Padding(Text(f"… and {len(events) - most} more", style="dim"), (0, 0, 0, 3)))


def _related(event: RelatedEvent, out: Console) -> None:
    _event(event, out, indent=1)
    out.print(Padding(Text(f"because {strip_controls(event.reason)}", style="dim"), (0, 0, 0, 5)))


def _event(event: EventView | RelatedEvent, out: Console, *, indent: int) -> None:
    """Print an event with its evidence; a summary that only repeats the quote is left out."""
    proofs = [format_quote(evidence) for evidence in event.evidence] or _brief_quote(event)
    quote = event.evidence[0].quote if event.evidence else event.quote
    line = Text()
    line.append(f"{event.category} ", style="cyan")
    repeats = quote is not None and (event.summary in quote or quote in event.summary)
    if not repeats:
        line.append(f"{strip_controls(event.summary)} ")
    facts = [fact for fact in (event.status, event.due and f"due {event.due[:10]}") if fact]
    if facts:
        line.append(f"[{', '.join(facts)}] ", style="green")
    if repeats:
        line.append_text(proofs.pop(0))
    out.print(Padding(line, (0, 0, 0, indent)))
    for proof in proofs:
        out.print(Padding(proof, (0, 0, 0, indent + 4)))


def _brief_quote(event: EventView | RelatedEvent) -> list[Text]:
    """Return the one quote of a brief event, if it has one, with its artifact unless that is the result itself."""
    if event.quote is None:
        return []
    line = Text(f"“{strip_controls(event.quote)}”", style="italic")
    if isinstance(event, RelatedEvent):
        line.append(f"  {event.artifact_id}", style="dim")
    return [line]


def format_quote(quote: Evidence | Quote) -> Text:
    """Return a quote with its artifact and offsets."""
    line = Text(f"“{strip_controls(quote.quote)}”", style="italic")
    line.append(f"  {quote.artifact_id} [{quote.start_char}:{quote.end_char}]", style="dim")
    if isinstance(quote, Quote) and quote.place is not None:
        line.append(f" {strip_controls(quote.place)}", style="dim")
    return line


def _forgotten(answer: Forgotten, out: Console) -> None:
    done = "Deleted" if answer.deleted else "Not deleted"
    out.print(f"[bold]{done}[/] {answer.id or answer.conversation_id or ''}")
    if answer.error:
        out.print(escape(answer.error))
    if answer.cascade:
        c = answer.cascade
        out.print(f"{answer.items} items, {c.chunks} chunks, {c.events} events, {c.entities} entities")
    if answer.degraded:
        out.print("[yellow]Their vectors are deleted when the vector index is available; no answer shows them.[/]")


def _status(answer: Status, out: Console) -> None:
    for name, service in answer.services.items():
        colour = {"healthy": "green", "error": "red", "disabled": "dim"}[service.status]
        out.print(
            f"[{colour}]{service.status:<9}[/] {name:<10} {escape(service.detail)} [dim]{service.latency_ms} ms[/]"
        )
    if (c := answer.counts) is None:
        return
    out.print(
        f"{c.artifacts} items ({c.turns} turns, {c.chunks} chunks, {c.stashed} stashed), {c.entities} entities, "
        f"{c.events} events ({c.decisions} decisions, {c.commitments} commitments)"
    )
    if c.unread_languages:
        out.print(describe_unread_languages(c.unread_languages))
    out.print(f"{answer.pending_jobs} jobs pending, {answer.failed_jobs} failed")
    if answer.storage:
        out.print(f"{describe_storage(answer.storage)} on disk")
    for parked in answer.parked or []:
        title = f" {parked.title!r}" if parked.title else ""
        out.print(f"{parked.kind} of {parked.id}{escape(title)} failed: {escape(parked.error)}")
    for kind, job in (answer.job_status or {}).items():
        out.print(f"{kind}: {job.state}" + (f" ({escape(job.error)})" if job.error else ""))


def describe_storage(storage: Mapping[str, int]) -> str:
    """Return what each part takes."""
    return ", ".join(f"{name} {size / 1e6:,.1f} MB" for name, size in storage.items())


def _cut(text: str) -> str:
    packed = re.sub(r"\n\s*\n", "\n", text.strip())
    return packed if len(packed) <= _SHOWN else f"{packed[:_SHOWN].rstrip()} …"


def strip_controls(text: str) -> str:
    """Return `text` without control characters that a terminal would interpret."""
    return _CONTROL.sub("", text)
