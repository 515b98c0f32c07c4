"""`ingest`: store the contents of files and folders; `formats`: what it reads."""

import argparse
import hashlib
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Protocol

from rich.table import Table
from rich.text import Text

from core.errors import InvalidInput, TooLarge
from core.interface.memory import CONTEXTS, check_project_id
from core.interface.operations import OPERATION
from core.records import JobCounts, JobKind
from ingest.intake.files import FileOutcome, IntakeTally, UnreadTexts, ingest, watch_changes
from ingest.intake.known_files import KnownFiles
from ingest.readers import MISSING, Read, Selection, Walk, items, walk
from ingest.readers.fields import DOCUMENT_BYTES
from ingest.readers.formats.format import Format, faults, formats
from ingest.readers.formats.source import Item, Part
from ingest.worker import LEASE
from service.app import App
from service.commands.tools import add_parameters
from service.display import terminal
from service.display.reports import LEARNT, IntakeReport, outcome_fields, progress_bar, total_progress_bar
from service.display.terminal import write_json
from service.settings import Settings, load_settings
from service.wiring import make_reader, open_app, open_known_files
from service.workspace import resolve_written_path

#: The name of standard input, as elsewhere in shells.
_STANDARD_INPUT: Final = Path("-")
#: The jobs after which an item is ready, in words.
_WORK: Final[Mapping[JobKind, str]] = {"embed": "embedding", "reembed": "embedding", "extract": "extraction"}
#: How long to wait for jobs that another process has in hand without any being finished, and how often to look, in
#: seconds.
_PATIENCE, _POLL = LEASE.total_seconds() + 2, 0.1


def configure_ingest(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add the options of `ingest`."""
    parser.add_argument(
        "path",
        nargs="+",
        type=resolve_written_path,
        help="file or folder; folders are read recursively; - is standard input",
    )
    add_parameters(parser, OPERATION["ingest"], without=("path", "context"))
    parser.add_argument("--context", choices=CONTEXTS, help="kind of item, for files that do not name one")
    parser.add_argument(
        "--trust", action="store_true", help="trust the files: accept their key, scope and author, and rules for agents"
    )
    parser.add_argument("--watch", action="store_true", help="keep ingesting changed files until Ctrl-C")
    parser.add_argument(
        "--include", action="append", default=[], metavar="G", help="only files that match, such as '*.md'; repeatable"
    )
    parser.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="G",
        help="skip files that match, as in .gitignore; repeatable",
    )
    parser.add_argument("--json", action="store_true", help="print a line of JSON for each file, and one for all")


def run_ingest(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - one command in this module
    """Store the files, then embed and extract; return 0 if all were stored and are ready, 1 if not or if a path is
    missing.

    Ctrl-C loses nothing that was stored, and the next run goes on.
    """
    options.dry_run, options.prune = bool(options.dry_run), bool(options.prune)
    settings = load_settings()
    check_project_id(options.project_id)
    selection = Selection(tuple(options.include), tuple(options.exclude))
    if not options.watch:
        with _standard_input(options.path, settings.home) as piped:
            paths = [piped if path == _STANDARD_INPUT and piped else path for path in options.path]
            return _take_in(walk(paths, selection), settings, options, piped)
    if options.dry_run:
        raise InvalidInput("--watch stores what changes, and --dry-run nothing: leave out one of them.")
    for found in watch_changes(options.path, selection):
        _take_in(found, settings, options)
        sys.stderr.write("Watching; Ctrl-C ends it.\n")
    return 0


def _take_in(found: Walk, settings: Settings, options: argparse.Namespace, piped: Path | None = None) -> int:
    """Store these files; the memory is open only meanwhile, so that others may have it to themselves."""
    with open_app(settings) as app:
        read = _nameless(make_reader(settings).items, piped)
        if not options.dry_run:
            read = _beside(app.worker.prepare_texts, read)
        unread = UnreadTexts(read)
        known = open_known_files(
            settings,
            app.store,
            options.project_id,
            options.context,
            trust=options.trust,
            is_rehearsal=options.dry_run,
        )
        known.look_below(found.roots)
        before, ids = app.store.counts(options.project_id), list[str]()

        def note(outcome: FileOutcome) -> None:
            ids.extend(outcome.ids)
            if options.json:
                _print_line(outcome_fields(outcome))

        with nullcontext() if options.dry_run else app.worker.embedding_meanwhile():
            tally = ingest_files(
                app,
                found,
                options.project_id,
                context=options.context,
                trust=options.trust,
                dry_run=options.dry_run,
                read=unread if app.intake.reads_english_alone else read,
                known=known,
                tell=note,
            )
        departed = known.deleted_files(prune=options.prune)
        forgotten = 0 if options.dry_run else known.forget(departed)
        left = app.store.job_counts() if options.dry_run else run_pending_jobs(app)
        after = app.store.counts(options.project_id)
        unready = [] if options.dry_run else _unready_items(app, options.project_id, ids)
    report = IntakeReport(
        tally=tally,
        found=found,
        unread=unread,
        departed=departed,
        forgotten=forgotten,
        learnt={name: max(0, getattr(after, name) - getattr(before, name)) for name in LEARNT},
        is_rehearsal=options.dry_run,
    )
    if options.json:
        _print_line(report.fields())
    else:
        report.show()
    if left.running:
        sys.stderr.write(
            f"{left.running} jobs are still being done by another process: `remembrancer status` counts.\n"
        )
    if left.pending > left.running or left.failed:
        waiting = left.pending - left.running
        sys.stderr.write(f"{waiting} jobs pending, {left.failed} failed: `remembrancer doctor` shows why.\n")
    if not report.num_taken:
        sys.stderr.write("Nothing was taken in: `remembrancer formats` lists what is read.\n")
    for line in unready:
        sys.stderr.write(f"Not ready: {line}\n")
    is_complete = not tally.refused and MISSING not in found.skipped and not unready
    return 0 if report.num_taken and is_complete else 1


def ingest_files(
    app: App,
    found: Walk,
    project_id: str,
    *,
    context: str | None = None,
    trust: bool = False,
    dry_run: bool = False,
    read: Read = items,
    known: KnownFiles | None = None,
    tell: Callable[[FileOutcome], None] | None = None,
) -> IntakeTally:
    """Store the contents of the files, with a progress bar; `tell` is called for each finished file."""
    tally = IntakeTally()
    with progress_bar("Reading", len(found.files)) as advance:
        for tally in ingest(
            found.files,
            project_id,
            context=context,
            trust=trust,
            dry_run=dry_run,
            records=app.store,
            tokenizer=app.tokenizer,
            read=read,
            known=known,
        ):
            if tell is not None:
                for outcome in tally.outcomes:
                    tell(outcome)
            tally.outcomes.clear()
            advance(1)
    return tally


def run_pending_jobs(app: App) -> JobCounts:
    """Embed and extract what is pending, with a progress bar, and return what is left.

    Jobs that another process has in hand are waited for as long as any is finished.
    """
    with total_progress_bar("Embedding and extracting") as show:
        work = _Work(app, show)
        while True:
            app.worker.drain(work.look, work.within)
            work.look()
            if not work.left.running or work.has_stalled():
                return work.left
            time.sleep(_POLL)


def _unready_items(app: App, project_id: str, ids: Sequence[str]) -> list[str]:
    """Return which work is left on these items, and why, a line for each reason."""
    found = Counter[str]()
    if not (counts := app.store.job_counts(project_id)).pending and not counts.failed:
        return []
    for id_ in dict.fromkeys(ids):
        for job in app.store.job_reports(project_id, id_):
            if job.state != "done" and job.kind in _WORK:
                waits_for = app.worker.no_vectors if job.kind == "embed" else None
                why = job.error or waits_for or "another process has it in hand, or it waits for its turn"
                found[f"{_WORK[job.kind]} {'failed' if job.state == 'failed' else 'is pending'}: {why}"] += 1
    return [f"{number} item{'s' * (number != 1)} of which {why}" for why, number in found.most_common()]


class _Bar(Protocol):
    """What shows the state of work."""

    def __call__(self, done: int, total: int) -> None: ...

    def within(self, done: int, total: int) -> None: ...


class _Work:
    """How far background work is: what was done since the beginning, of that and what is still pending.

    Safe to call from several threads.
    """

    def __init__(self, app: App, show: _Bar) -> None:
        self._app, self._show, self._lock = app, show, threading.RLock()
        self.left, self._done, self._shown = app.store.job_counts(), 0, 0
        self._moved_at = time.monotonic()
        self.look()

    def look(self, _: int = 0) -> None:
        """Show how many jobs are done; new ones add to the total, and take nothing from what was done."""
        with self._lock:
            before, self.left = self.left.pending, self._app.store.job_counts()
            if self.left.pending != before:
                self._moved_at = time.monotonic()
            self._done += max(0, before - self.left.pending)
            self._shown = max(self._shown, self._done)
            self._show(self._shown, max(self._shown, self._done + self.left.pending))

    def within(self, done: int, total: int) -> None:
        """Show how far the jobs in hand are."""
        with self._lock:
            self.look()
            self._shown = max(self._shown, self._done + self.left.running * done // max(1, total))
            self._show(self._shown, max(self._shown, self._done + self.left.pending))

    def has_stalled(self) -> bool:
        """Whether no job was finished for longer than the jobs of a process that was killed stay in its hands."""
        return time.monotonic() - self._moved_at > _PATIENCE


def _print_line(fields: Mapping[str, Any]) -> None:
    write_json(fields)


@contextmanager
def _standard_input(paths: Sequence[Path], home: Path) -> Iterator[Path | None]:
    """Yield a file with the content of standard input, if that is one of the paths; the same bytes get the same
    path."""
    if _STANDARD_INPUT not in paths:
        yield None
        return
    data = sys.stdin.buffer.read(DOCUMENT_BYTES + 1)
    if len(data) > DOCUMENT_BYTES:
        raise TooLarge(f"Standard input has more than {DOCUMENT_BYTES:,} bytes: put it into a file and name that.")
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = home / f"input-{hashlib.sha256(data).hexdigest()[:16]}.txt"
    path.write_bytes(data)
    try:
        yield path.resolve()
    finally:
        path.unlink()


def _beside(prepare: Callable[[], None], read: Read) -> Read:
    """Return a reader that has what comes after reading prepared meanwhile."""

    def read_any(path: Path, *, context: str | None) -> Iterator[Part]:
        prepare()
        return read(path, context=context)

    return read_any


def _nameless(read: Read, piped: Path | None) -> Read:
    """Return a reader that gives what was piped in no path and no title made of it: it is no file."""

    def read_any(path: Path, *, context: str | None) -> Iterator[Part]:
        for part in read(path, context=context):
            if path == piped and isinstance(part, Item):
                made = {part.memory.file_path, path.name, path.stem}
                key, title = (None if name in made else name for name in (part.memory.key, part.memory.title))
                yield replace(part, memory=replace(part.memory, file_path=None, key=key, title=title))
            else:
                yield part

    return read_any if piped is not None else read


def configure_formats(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add the options of `formats`."""
    parser.add_argument("--json", action="store_true", help="print the formats as JSON")


def run_formats(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - the interface of commands
    """Print each format with what it reads and needs; return 1 if an entry point gives none."""
    if options.json:
        terminal.print_json({"formats": [_fields(known) for known in formats()], "faults": list(faults())})
        return 1 if faults() else 0
    table = Table("format", "files", "reads", "needs", box=None)
    for known in formats():
        table.add_row(*(Text(cell) for cell in (known.name, " ".join(known.suffixes), known.reads, _needs(known))))
    console = terminal.make_console()
    console.print(table)
    for fault in faults():
        console.print(Text(fault))
    return 1 if faults() else 0


def _fields(known: Format) -> dict[str, object]:
    return {
        "name": known.name,
        "suffixes": list(known.suffixes),
        "by_content": known.look is not None,
        "reads": known.reads,
        "needs": list(known.needs),
        "missing": known.missing(),
        "extra": known.extra,
    }


def _needs(known: Format) -> str:
    if not known.missing():
        return ", ".join(known.needs)
    return f"{', '.join(known.missing())}, which is missing: pip install {known.extra!r}"
