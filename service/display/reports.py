"""Progress bars and reports: what became of ingested files, and what runs of extractors change, changed or restored."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.padding import Padding
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from core.interface.results import describe_unread_languages
from core.knowledge.findings import Actor, Entity, Event, Subject
from core.knowledge.runs import Run, RunTally
from ingest.intake.files import FileOutcome, IntakeTally, UnreadTexts
from ingest.intake.known_files import DeletedFile
from ingest.readers import Walk
from ingest.runs.diff import Changes, EntityChange, EventChange
from service.display.terminal import make_console, strip_controls

if TYPE_CHECKING:  # which takes long to import
    from ingest.runs.run import Difference, RolledBack

#: A rate is estimated over so many seconds: some steps take minutes.
_PERIOD: Final = 600.0


@contextmanager
def progress_bar(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show a bar while the block runs; call the yielded function with the number of steps since the last call.

    If standard error is no terminal, only the last state is printed.
    """
    with _progress() as progress:
        task = progress.add_task(what, total=total)
        yield lambda steps: progress.advance(task, steps)


@contextmanager
def total_progress_bar(what: str) -> Iterator["TotalBar"]:
    """Show the same bar; call what is yielded with the number of steps done so far and in total."""
    with _progress() as progress:
        yield TotalBar(progress, what, progress.add_task(what, total=None))


@dataclass(frozen=True, slots=True)
class TotalBar:
    """A bar of which the total may change."""

    _progress: Progress
    _what: str
    _task: TaskID

    def __call__(self, done: int, total: int) -> None:
        """Show so many steps of so many."""
        self._progress.update(self._task, completed=done, total=total, description=self._what)

    def within(self, done: int, total: int) -> None:
        """Show how far a long step is, in parts of it."""
        if done:
            self._progress.update(self._task, description=f"{self._what} ({done:,} of {total:,} parts)")


def _progress() -> Progress:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=Console(stderr=True), speed_estimate_period=_PERIOD)


class _Rate(ProgressColumn):
    """Steps a second, as far as they are known."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f}/s")


#: What of a project's counts the report compares with those before.
LEARNT: Final = ("entities", "events", "decisions", "commitments")
#: Files of one kind that the table names.
_NAMED: Final = 10
#: Why files are passed over of which the table gives only the number.
_BY_DESIGN: Final = frozenset({"generated", "ignored", "media", "not selected", "templates"})


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeReport:
    """The report of one call; `forgotten` counts the items that no file contains any more, `learnt` what the project
    holds more than before."""

    tally: IntakeTally
    found: Walk
    unread: UnreadTexts
    departed: Sequence[DeletedFile] = ()
    forgotten: int = 0
    learnt: Mapping[str, int] = field(default_factory=dict)
    is_rehearsal: bool = False

    @property
    def num_taken(self) -> int:
        """How many items the memory has of these files."""
        return self.tally.stored + self.tally.updated + self.tally.unchanged

    def fields(self) -> Mapping[str, Any]:
        """Return the last line of the JSON."""
        return {
            "files": len(self.found.files),
            "stored": self.tally.stored,
            "updated": self.tally.updated,
            "unchanged": self.tally.unchanged,
            "blank": len(self.tally.blank),
            "empty": list(self.tally.blank),
            "refused": len(self.tally.refused),
            "skipped": dict(self.found.skipped),
            "skipped_files": {path.as_posix(): reason for path, reason in self.found.passed_over.items()},
            "left_out": dict(self.tally.left_out),
            "redacted": list(self.tally.redacted),
            "unread_rules": list(self.found.unread_rules),
            "unread_languages": dict(self.unread.languages),
            "gone": [asdict(one) for one in self.departed],
            "forgotten": self.forgotten,
            "learnt": dict(self.learnt),
            "dry_run": self.is_rehearsal,
        }

    def show(self, to: Console | None = None) -> None:
        """Print the table."""
        table = Table.grid(padding=(0, 2))
        table.add_column()
        table.add_column(overflow="fold")
        for name, what in self._rows():
            table.add_row(Text(name, style="bold"), Text(what))
        (to or make_console()).print(table)

    def _rows(self) -> Iterator[tuple[str, str]]:
        tally = self.tally
        yield "items", f"{tally.stored} stored, {tally.updated} updated, {tally.unchanged} unchanged"
        blank = f", {len(tally.blank)} empty" if tally.blank else ""
        skipped = f"; skipped: {_listed(self.found.skipped)}" if self.found.skipped else ""
        yield "files", f"{len(self.found.files)} found{blank}{skipped}"
        if learnt := {name: number for name, number in self.learnt.items() if number}:
            yield "learnt", ", ".join(f"{name} {number:,}" for name, number in learnt.items())
        yield from _cut("empty", [f"{path}: it holds no text" for path in tally.blank])
        passed = ((path, why) for path, why in self.found.passed_over.items() if why.split(" (")[0] not in _BY_DESIGN)
        yield from _cut("skipped", [f"{path}: {why}" for path, why in passed])
        if tally.left_out:
            yield "left out", f"{_listed(tally.left_out)} in archives, mails and exports"
        yield from _cut("moved", [f"{one.path} is now {one.moved_to}" for one in self.departed if one.moved_to])
        going = [one for one in self.departed if one.kept is None]
        yield from _cut("gone", [_counted(one) for one in going if not one.moved_to and not one.is_there])
        yield from _cut("no longer in file", [_counted(one) for one in going if one.is_there])
        if going:
            count = sum(len(one.ids) for one in going) if self.is_rehearsal else self.forgotten
            yield "to forget" if self.is_rehearsal else "forgotten", f"{count} item{'s' * (count != 1)}"
        kept = [one for one in self.departed if one.kept is not None]
        yield from _cut("gone, kept", [f"{_counted(one)}: {one.kept}" for one in kept if not one.is_there])
        yield from _cut("not found, kept", [f"{_counted(one)}: {one.kept}" for one in kept if one.is_there])
        yield from _cut("unread", [*tally.unread, *self.found.unread_rules])
        if self.unread.languages:
            yield "languages", describe_unread_languages(self.unread.languages)
        if tally.claiming:
            claims = "files set a key, scope, author, rule context or manual source"
            yield "claims", f"{tally.claiming} {claims}: kept in metadata only, unless --trust is given."
        yield from _cut("not stored", [f"secrets of {line}" for line in tally.redacted])
        yield from _cut("refused", tally.refused)
        if self.is_rehearsal:
            yield "", "Nothing was stored: this was a dry run."


def outcome_fields(outcome: FileOutcome) -> Mapping[str, Any]:
    """Return the line of JSON for one file."""
    counts = {name: getattr(outcome, name) for name in ("stored", "updated", "unchanged")}
    left_out = [asdict(part) for part in outcome.left_out]
    return {"file": outcome.path.as_posix(), **counts, "refused": outcome.refused, "left_out": left_out} | (
        {"redacted": [str(one) for one in outcome.redacted]} if outcome.redacted else {}
    )


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in counts.items())


def _counted(one: DeletedFile) -> str:
    return f"{one.path} ({len(one.ids)} item{'s' * (len(one.ids) != 1)})"


def _cut(name: str, entries: Sequence[str]) -> Iterator[tuple[str, str]]:
    for number, entry in enumerate(entries[:_NAMED]):
        yield name if number == 0 else "", entry
    if len(entries) > _NAMED:
        yield "", f"… and {len(entries) - _NAMED:,} more: --json names all"


_STATES = {"running": "cyan", "interrupted": "yellow", "finished": "green", "rolling_back": "yellow"}


def show_difference(difference: "Difference", out: Console) -> None:
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


def show_rolled_back(done: "RolledBack", out: Console) -> None:
    """Print what a rollback restored."""
    if done.decisions:
        out.print(f"Run {done.run.id} was undone: what it decided about entities no longer holds.")
        return
    out.print(f"Run {done.run.id} was undone: the earlier results of {done.restored} items are restored.")
    if done.forgotten:
        out.print(f"{done.forgotten} of its items were deleted in the meantime.")
    if done.queued:
        out.print(f"{done.queued} items were extracted again, because other items were added or changed since.")
