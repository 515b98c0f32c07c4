"""`ingest`: store the contents of files and folders."""

import argparse
import sys
from pathlib import Path

from core.errors import InvalidInput
from core.interface.memory import CONTEXTS, check_project_id
from ingest.intake.file_changes import changes
from ingest.intake.files import Tally, ingest
from ingest.readers import Read, Walk, items, walk
from service.app import App
from service.display.progress_bar import bar
from service.settings import Settings, load
from service.wiring import open_app, reader_of


def configure(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add the options of `ingest`."""
    parser.add_argument("path", nargs="+", type=Path, help="file or folder; folders are read recursively")
    parser.add_argument("--project-id", default="default", help="project to use (default: %(default)s)")
    parser.add_argument("--context", choices=CONTEXTS, help="kind of item, for files that do not name one")
    parser.add_argument(
        "--trust", action="store_true", help="let files name their key, scope and author, and be rules for agents"
    )
    parser.add_argument("--watch", action="store_true", help="go on with what changes, until Ctrl-C")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and store nothing")


def run(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - one command in this module
    """Store the files, then embed and extract; return 0 if all were stored. Ctrl-C loses nothing that was stored."""
    settings, project_id = load(), check_project_id(options.project_id)
    read = reader_of(settings).items
    if not options.watch:
        return _take_in(walk(options.path), settings, project_id, options, read)
    if options.dry_run:
        raise InvalidInput("--watch stores what changes, and --dry-run nothing: leave out one of them.")
    for changed in changes(options.path):
        for path in changed.gone:
            sys.stderr.write(f"Gone: {path.as_posix()!r}; what came from it stays until it is forgotten.\n")
        if changed.found.files:
            _take_in(changed.found, settings, project_id, options, read)
        sys.stderr.write("Watching; Ctrl-C ends it.\n")
    return 0


def _take_in(found: Walk, settings: Settings, project_id: str, options: argparse.Namespace, read: Read) -> int:
    """Store these files; the memory is open only meanwhile, so that others may have it to themselves."""
    with open_app(settings) as app:
        tally = ingest_files(
            app,
            found,
            project_id,
            context=options.context,
            trust=options.trust,
            dry_run=options.dry_run,
            read=read,
        )
        if not options.dry_run:
            run_pending_jobs(app)
        left = app.store.job_counts()
    sys.stdout.write(_summary(tally, found))
    if options.dry_run:
        sys.stdout.write("Nothing was stored: this was a dry run.\n")
    for reason in tally.refused:
        sys.stderr.write(f"Refused: {reason}\n")
    for reason in tally.unread:
        sys.stderr.write(f"Kept in metadata only: {reason}\n")
    if left.pending or left.failed:
        sys.stderr.write(f"{left.pending} jobs pending, {left.failed} failed: `remembrancer doctor` shows why.\n")
    return 1 if tally.refused else 0


def ingest_files(
    app: App,
    found: Walk,
    project_id: str,
    *,
    context: str | None = None,
    trust: bool = False,
    dry_run: bool = False,
    read: Read = items,
) -> Tally:
    """Store the contents of the files, with a progress bar."""
    tally = Tally()
    with bar("Reading", len(found.files)) as advance:
        for tally in ingest(  # noqa: B007 - the last tally is the answer
            found.files,
            project_id,
            context=context,
            trust=trust,
            dry_run=dry_run,
            records=app.store,
            tokenizer=app.tokenizer,
            read=read,
        ):
            advance(1)
    return tally


def run_pending_jobs(app: App) -> None:
    """Embed and extract what is pending, with a progress bar."""
    with bar("Embedding and extracting", app.store.job_counts().pending) as advance:
        app.worker.drain(advance)


def _summary(tally: Tally, found: Walk) -> str:
    parts = [f"{tally.stored} stored", f"{tally.updated} updated", f"{tally.unchanged} unchanged"]
    if tally.blank:
        parts.append(f"{tally.blank} empty files")
    if found.skipped:
        skipped = ", ".join(f"{count} {reason}" for reason, count in found.skipped.items())
        parts.append(f"skipped: {skipped}")
    lines = [f"{len(found.files)} files: {', '.join(parts)}.\n"]
    if tally.claiming:
        lines.append(
            f"{tally.claiming} files name a key, scope, author, rule context or manual source of their own: kept in "
            "metadata, and counts with --trust.\n"
        )
    return "".join(lines)
