"""`ingest`: files and folders into the memory."""

import argparse
import sys
from pathlib import Path

from core.interface.memory import CONTEXTS, check_project_id
from ingest.intake.files import Tally, ingest
from ingest.readers import Walk, walk
from service.app import App
from service.display.progress_bar import bar
from service.settings import load
from service.wiring import open_app


def configure(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add the options of `ingest`."""
    parser.add_argument("path", nargs="+", type=Path, help="files and folders")
    parser.add_argument("--project-id", default="default", help="memory to use (default: %(default)s)")
    parser.add_argument("--context", choices=CONTEXTS, help="kind of item, for files that do not say it themselves")


def run(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - one command in this module
    """Take the files in, then embed and extract; 0 when every file went in. Ctrl-C loses nothing that was taken in."""
    found = walk(options.path)
    with open_app(load()) as app:
        tally = take_in(app, found, check_project_id(options.project_id), context=options.context)
        finish(app)
        left = app.store.job_counts()
    sys.stdout.write(_summary(tally, found))
    for reason in tally.refused:
        sys.stderr.write(f"Refused: {reason}\n")
    if left.pending or left.failed:
        sys.stderr.write(f"{left.pending} jobs wait and {left.failed} failed: `remembrancer doctor` says why.\n")
    return 1 if tally.refused else 0


def take_in(app: App, found: Walk, project_id: str, *, context: str | None = None) -> Tally:
    """Remember what the files hold, with a bar over the files."""
    tally = Tally()
    with bar("Reading", len(found.files)) as advance:
        for tally in ingest(  # noqa: B007 - the last tally is the answer
            found.files, project_id, context=context, records=app.store, tokenizer=app.tokenizer
        ):
            advance(1)
    return tally


def finish(app: App) -> None:
    """Embed and extract what waits, with a bar over the jobs."""
    with bar("Embedding and extracting", app.store.job_counts().pending) as advance:
        app.worker.drain(advance)


def _summary(tally: Tally, found: Walk) -> str:
    parts = [f"{tally.stored} stored", f"{tally.updated} updated", f"{tally.unchanged} unchanged"]
    if tally.blank:
        parts.append(f"{tally.blank} blank files")
    if found.skipped:
        skipped = ", ".join(f"{count} {reason}" for reason, count in found.skipped.items())
        parts.append(f"passed over: {skipped}")
    return f"{len(found.files)} files: {', '.join(parts)}.\n"
