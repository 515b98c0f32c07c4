"""Printing of extraction runs: what they would change, what they changed, and what a rollback restored."""

from collections.abc import Sequence
from datetime import datetime

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from core.knowledge.findings import Actor, Entity, Event, Subject
from core.knowledge.runs import Run, RunTally
from ingest.runs.diff import Changes, EntityChange, EventChange
from ingest.runs.run import Difference, RolledBack
from service.display.terminal import strip_controls

_STATES = {"running": "cyan", "interrupted": "yellow", "finished": "green", "rolling_back": "yellow"}


def show_difference(difference: Difference, out: Console) -> None:
    """Print what a run would change in one item; nothing if it stays the same."""
    if not difference.changes and difference.failed is None:
        return
    memory = difference.artifact.memory
    head = Text(strip_controls(memory.title or memory.key or memory.content[:60]).replace("\n", " "), style="bold")
    out.print(head.append(f" {difference.artifact.id} · {memory.context}", style="dim not bold"))
    if difference.failed is not None:
        out.print(_line("!", "yellow", f"extraction failed: {difference.failed}"))
    for line in _lines(difference.changes):
        out.print(line)


def _lines(changes: Changes) -> list[Padding]:
    return [
        *(_line("+", "green", _event(event)) for event in changes.events_added),
        *(_line("~", "yellow", _event_change(change)) for change in changes.events_changed),
        *(_line("-", "red", _event(event)) for event in changes.events_removed),
        *(_line("+", "green", _entity(entity)) for entity in changes.entities_added),
        *(_line("~", "yellow", _entity_change(change)) for change in changes.entities_changed),
        *(_line("-", "red", _entity(entity)) for entity in changes.entities_removed),
    ]


def _line(sign: str, colour: str, text: str) -> Padding:
    return Padding(
        Text(f"{sign} ", style=colour).append(" ".join(strip_controls(text).split()), style="not bold"),
        (0, 0, 0, 2),
    )


def _event(event: Event) -> str:
    due = f", due {event.due:%Y-%m-%d}" if event.due else ""
    actors = ", ".join(actor.name for actor in event.actors)
    quote = event.evidence[0].quote if event.evidence else ""
    return f"{event.category}: {event.summary} ({actors or 'no actors'}{due}) “{quote}”"


def _event_change(change: EventChange) -> str:
    shown = "; ".join(f"{name}: {_field(change.before, name)} → {_field(change.after, name)}" for name in change.fields)
    return f"{change.after.category}: {change.after.summary} ({shown})"


def _entity(entity: Entity) -> str:
    about = ", ".join(fact for fact in (entity.type, entity.role, entity.organization) if fact)
    return f"{entity.name} ({about})"


def _entity_change(change: EntityChange) -> str:
    shown = "; ".join(f"{name}: {_field(change.before, name)} → {_field(change.after, name)}" for name in change.fields)
    return f"{change.after.name} ({shown})"


def _field(of: Event | Entity, name: str) -> str:
    value = getattr(of, name)
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d}"
    if isinstance(value, tuple):
        return ", ".join(_part(one) for one in value) or "none"
    return "none" if value is None else str(value)


def _part(one: Actor | Subject | str) -> str:
    if isinstance(one, Actor):
        return f"{one.name} as {one.role}"
    return one.name if isinstance(one, Subject) else one


def format_tally(tally: RunTally) -> str:
    """Return a run's totals in one line, without a full stop."""
    parts = [
        f"{tally.items} items processed",
        f"events: {tally.events_added} added, {tally.events_changed} changed, {tally.events_removed} removed",
        f"entities: {tally.entities_added} added, {tally.entities_changed} changed, {tally.entities_removed} removed",
    ]
    further = (
        (tally.unproven, "events without evidence left out"),
        (tally.failed, "items failed"),
        (tally.tokens, "tokens"),
    )
    return "; ".join([*parts, *(f"{number:,} {what}" for number, what in further if number)])


def show_runs(runs: Sequence[Run], out: Console) -> None:
    """Print runs as a table, in the order given."""
    table = Table(box=None, pad_edge=False)
    for name in ("run", "extractor", "started", "ended", "state", "items"):
        table.add_column(name, justify="right" if name == "items" else "left")
    for run in runs:
        ended = "" if run.ended is None else f"{run.ended:%Y-%m-%d %H:%M}"
        state = Text(run.state.replace("_", " "), style=_STATES.get(run.state, "dim"))
        table.add_row(
            run.id,
            Text(strip_controls(run.extractor)),
            f"{run.started:%Y-%m-%d %H:%M}",
            ended,
            state,
            str(run.tally.items),
        )
    out.print(table)


def show_rolled_back(done: RolledBack, out: Console) -> None:
    """Print what a rollback restored."""
    if done.decisions:
        out.print(f"Run {done.run.id} was undone: what it decided about entities no longer holds.")
        return
    out.print(f"Run {done.run.id} was undone: the earlier results of {done.restored} items are restored.")
    if done.forgotten:
        out.print(f"{done.forgotten} of its items were deleted in the meantime.")
    if done.queued:
        out.print(f"{done.queued} items were extracted again, because other items were added or changed since.")
