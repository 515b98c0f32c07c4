"""`sync`: keep a folder of Markdown notes and the memory the same."""

import argparse
import hashlib
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout
from rich.text import Text

from core.errors import Conflict, InvalidInput, MemoryServiceError, NotFound, Unavailable
from core.interface.memory import CONTEXTS, check_project_id
from core.interface.parameters import check_choice
from ingest.intake.known_files import SyncedNotes
from ingest.readers import Selection
from ingest.sync.folder import Act, FolderSync, Outcome, SyncOptions
from ingest.sync.watching import MemorySide, watch_both
from service.commands.ingest import run_pending_jobs
from service.display.reports import progress_bar
from service.display.terminal import make_console, strip_controls, write_json
from service.settings import load_settings
from service.wiring import make_reader, open_app, open_record
from service.workspace import detect_workspace, resolve_written_path

#: Acts that are only counted, unless the run is a dry one.
_USUAL: Final[frozenset[Act]] = frozenset({"remembered", "revised", "moved", "written", "rewritten", "forgotten"})
#: How long a watching sync waits for another of its home, in seconds.
_TURN_SECONDS: Final = 600.0
#: Acts after which the sides are not the same.
_OPEN: Final[frozenset[Act]] = frozenset({"refused", "held back"})


def configure(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add the options of `sync`."""
    parser.add_argument("folder", type=resolve_written_path, metavar="FOLDER", help="folder of Markdown notes")
    parser.add_argument("--project-id", default="default", help="project whose items are the notes")
    parser.add_argument("--context", choices=CONTEXTS, help="kind of item, for notes that do not name one")
    parser.add_argument(
        "--trust", action="store_true", help="trust the notes: accept their scope and author, and rules for agents"
    )
    parser.add_argument(
        "--write",
        metavar="CONTEXTS",
        help="contexts whose items get a note, separated by commas; none for no new notes (default: all)",
    )
    parser.add_argument("--include", action="append", default=[], metavar="G", help="only notes that match; repeatable")
    parser.add_argument("--exclude", action="append", default=[], metavar="G", help="skip notes that match; repeatable")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    parser.add_argument("--purge", action="store_true", help="keep no copies in .trash")
    parser.add_argument("--confirm-count", type=int, metavar="N", help="number of deletions, if they are many")
    parser.add_argument("--watch", action="store_true", help="go on syncing what changes on either side until Ctrl-C")
    parser.add_argument("--stop", action="store_true", help="end the sync of the folder: both sides stay as they are")
    parser.add_argument("--json", action="store_true", help="print a line of JSON for each note that changed")


def run(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - one command in this module
    """Bring both sides together; return 1 if that was not possible for some notes."""
    settings = load_settings()
    folder: Path = options.folder.resolve()
    asked = SyncOptions(
        check_project_id(options.project_id),
        options.context,
        options.trust,
        options.dry_run,
        options.purge,
        options.confirm_count,
        _contexts(options.write),
        Selection(tuple(options.include), tuple(options.exclude)),
        _rule_scope(folder),
    )
    settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    notes = SyncedNotes(settings.known_files_path, asked.project_id, folder)
    if options.watch:
        if options.stop or options.dry_run or options.confirm_count is not None:
            raise InvalidInput(
                "--watch goes with none of --stop, --dry-run and --confirm-count: run these by themselves."
            )
        return _watch(folder, asked, notes, as_json=options.json)
    with _turn(settings.home):
        if options.stop:
            sys.stdout.write(f"{notes.stop()} notes are not in sync any more; both sides stay as they are.\n")
            return 0
        outcomes = _sync(folder, asked, notes, _Report(options.json, options.dry_run))
    return 1 if any(one.act in _OPEN for one in outcomes) else 0


@contextmanager
def _locked(file: Path, refusal: str, seconds: float = 0) -> Iterator[None]:
    """Hold a lock, for which another process is waited for as long as that. Raises Conflict."""
    lock = FileLock(file)
    try:
        lock.acquire(timeout=seconds)
    except Timeout as error:
        raise Conflict(refusal) from error
    try:
        yield
    finally:
        lock.release()


def _turn(home: Path, seconds: float = 0) -> AbstractContextManager[None]:
    """Be the only sync of a home."""
    refusal = "Another sync of this home is running: wait until it has ended, or end it."
    return _locked(home / "sync.lock", refusal, seconds)


def _watch(folder: Path, asked: SyncOptions, notes: SyncedNotes, *, as_json: bool) -> int:
    """Sync whenever either side changed; what can't be done now is said and tried again."""
    settings = load_settings()
    place = hashlib.sha256(folder.as_posix().encode()).hexdigest()[:12]
    if not folder.is_dir():
        raise NotFound(f"There is no folder {folder.as_posix()!r}: check the path.")
    lock = settings.home / f"sync-{place}.lock"
    refusal = f"{folder.as_posix()!r} is being watched by another process: end that one first."
    report = _Report(as_json, is_rehearsal=False)
    with _locked(lock, refusal), open_record(settings) as store:
        memory = MemorySide(store, asked.project_id)
        for _ in watch_both(folder, memory.has_changed, report.say):
            try:
                memory.begin_sync()
                with _turn(settings.home, _TURN_SECONDS):
                    _sync(folder, asked, notes, report)
                report.say("Watching; Ctrl-C ends it.")
            except (NotFound, Unavailable) as error:
                memory.look_again()
                report.say(f"{error} It is tried again.")
    return 0


def _contexts(given: str | None) -> frozenset[str] | None:
    if given is None or given == "all":
        return None
    names = frozenset(name.strip() for name in given.split(",") if name.strip()) - {"none"}
    for name in names:
        check_choice("--write", name, CONTEXTS)
    return names


def _rule_scope(folder: Path) -> str:
    """Return the scope of the files of rules in a folder: its project, if it is the top of a repository."""
    project = detect_workspace(folder).project if (folder / ".git").exists() else None
    return "universal" if project is None else f"project:{project}"


def _sync(folder: Path, asked: SyncOptions, notes: SyncedNotes, report: "_Report") -> list[Outcome]:
    """Sync the folder, then embed and extract what came in; what waited before is done first, for the notes to tell."""
    settings = load_settings()
    with open_app(settings) as app:
        if not asked.dry_run and app.store.job_counts().pending:
            run_pending_jobs(app)
        syncing = FolderSync(folder, asked, app.store, app.tokenizer, make_reader(settings).items, notes)
        try:
            syncing.run(progress_bar)
        except MemoryServiceError:
            if syncing.outcomes:
                report.show(syncing.outcomes)
            raise
        report.show(syncing.outcomes)
        if not asked.dry_run and app.store.job_counts().pending:
            run_pending_jobs(app)
    return syncing.outcomes


@dataclass(slots=True)
class _Report:
    """Shows what became of notes; what is still so after the next sync is not shown again."""

    as_json: bool
    is_rehearsal: bool
    _shown: set[Outcome] | None = None
    _said: str = ""

    def say(self, text: str) -> None:
        """Say a thing once."""
        if text != self._said:
            sys.stderr.write(f"{text}\n")
            sys.stderr.flush()
        self._said = text

    def show(self, found: Sequence[Outcome]) -> None:
        """Show what changed, and what is to be done by hand."""
        outcomes = [one for one in found if one not in (self._shown or ())]
        is_first, self._shown = self._shown is None, {one for one in found if one.act not in _USUAL}
        if not outcomes and not is_first:
            return
        self._said = ""
        counts = Counter(one.act for one in outcomes if one.act != "noted")
        if self.as_json:
            for one in outcomes:
                write_json(asdict(one))
            write_json({"dry_run": self.is_rehearsal, "counts": dict(counts)})
            return
        console = make_console()
        for one in outcomes:
            if self.is_rehearsal or one.act not in _USUAL:
                console.print(Text(strip_controls(f"{one.act}: {one.path}{f': {one.why}' if one.why else ''}")))
        said = ", ".join(f"{number:,} {act}" for act, number in counts.items()) or "nothing changed on either side"
        console.print(Text(f"{'Would be: ' if self.is_rehearsal else ''}{said}."))
