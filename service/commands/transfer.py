"""`export`, `import`, `backup`, `restore`: write a memory to a file, and load it."""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib.metadata import version
from pathlib import Path
from typing import BinaryIO, Final, cast

from core.errors import InvalidInput, NotFound, Unavailable
from core.interface.memory import check_project_id
from graph.atomic_file import write_atomically
from ingest.transfer.archive import Imported, export, import_lines, projects_to_export, read_header
from ingest.transfer.line_format import Header
from service.app import App
from service.commands.ingest import run_pending_jobs
from service.display.reports import progress_bar, total_progress_bar
from service.owner.ownership import own_home
from service.settings import load_settings
from service.wiring import open_app, restore

#: The file name that means standard output or input.
_STANDARD: Final = "-"
_PURPOSE: Final = {
    "export": "file to write; - is standard output",
    "import": "file that `export` wrote; - is standard input",
    "backup": "file to write",
    "restore": "file that `backup` wrote",
}


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """Add the options of the command."""
    parser.add_argument("file", type=Path, metavar="FILE", help=_PURPOSE[command])
    if command == "export":
        parser.add_argument("--project-id", help="export this project only (default: all)")
        parser.add_argument(
            "--embeddings", action="store_true", help="include the cached embeddings of the current embedder"
        )


def run(command: str, options: argparse.Namespace) -> int:
    """Run the command; if it is killed, no partial file has the given name, and it can be run again."""
    file: Path = options.file
    if command == "restore":
        return _restore(file)
    with open_app(load_settings()) as app:
        if command == "backup":
            app.store.backup(file)
            sys.stdout.write(f"Backed up to {file}. Vectors are not included; `restore` makes them again.\n")
            return 0
        if command == "export":
            return _export(app, file, options.project_id, with_embeddings=options.embeddings)
        return _import(app, file)


def _export(app: App, file: Path, project_id: str | None, *, with_embeddings: bool) -> int:
    projects = projects_to_export(app.store, None if project_id is None else check_project_id(project_id))
    model = app.embedder.model if with_embeddings else None
    total = sum(app.store.count_items(project) for project in projects)
    with _destination(file) as out, progress_bar("Exporting", total) as advance:
        header = export(
            app.store, out, service=version("remembrancer"), project_id=project_id, model=model, progress=advance
        )
    counts = ", ".join(f"{count:,} {kind}" for kind, count in sorted(header.lines.items()))
    sys.stderr.write(f"Exported {header.total:,} lines ({counts or 'nothing is stored'}).\n")
    return 0


@contextmanager
def _destination(file: Path) -> Iterator[BinaryIO]:
    """Yield a seekable file; its content appears at the destination only when it is complete."""
    if str(file) != _STANDARD:
        with write_atomically(file) as part, part.open("wb") as out:
            yield out
            out.flush()
        return
    try:
        with tempfile.TemporaryFile() as out:
            yield cast("BinaryIO", out)
            out.seek(0)
            shutil.copyfileobj(out, sys.stdout.buffer, 1 << 20)
            sys.stdout.buffer.flush()
    except OSError as error:
        raise Unavailable(f"The export can't be written ({error}): check the disk, or export to a file.") from error


def _import(app: App, file: Path) -> int:
    with _source(file) as source:
        header = read_header(source)
        with progress_bar("Importing", header.total) as advance:
            imported = import_lines(
                source, header, app.store, embedder=app.embedder, tokenizer=app.tokenizer, progress=advance
            )
    run_pending_jobs(app)
    left = app.store.job_counts()
    sys.stdout.write(_summary(imported, header))
    for line in imported.redacted:
        sys.stderr.write(f"Secrets are not stored. {line}\n")
    for reason in imported.refused:
        sys.stderr.write(f"Refused: {reason}\n")
    if left.pending or left.failed:
        sys.stderr.write(f"{left.pending} jobs pending, {left.failed} failed: `remembrancer doctor` shows why.\n")
    return 1 if imported.refused else 0


@contextmanager
def _source(file: Path) -> Iterator[BinaryIO]:
    if str(file) == _STANDARD:
        yield sys.stdin.buffer
        return
    if not file.exists():
        raise NotFound(f"The file {str(file)!r} does not exist: give a file written by `remembrancer export`.")
    if file.is_dir():
        raise InvalidInput(f"{str(file)!r} is a folder: give a file written by `remembrancer export`.")
    try:
        with file.open("rb") as source:
            yield source
    except OSError as error:
        raise Unavailable(f"{str(file)!r} can't be read ({error}): check its permissions and the disk.") from error


def _summary(imported: Imported, header: Header) -> str:
    items, others = imported.items, imported.others
    counts = ", ".join(f"{items[outcome]:,} {outcome}" for outcome in ("stored", "updated", "unchanged"))
    rules = f"{imported.rules:,} of them are rules that `memory_context` shows to agents.\n" if imported.rules else ""
    return (
        f"{header.lines.get('item', 0):,} items: {counts}.\n{rules}"
        f"{others.total():,} runs, merge decisions, links and resolutions: "
        f"{others['stored'] + others['updated']:,} new.\n"
    )


def _restore(file: Path) -> int:
    settings = load_settings()
    # A home that does not exist has no owner.
    with own_home(settings.home) if settings.home.is_dir() else nullcontext():
        restore(settings, file)
    with open_app(settings) as app, total_progress_bar("Embedding") as show:
        app.reindex("vectors", show=show)
        left = app.store.job_counts()
    sys.stdout.write(f"Restored {file} to {settings.record_path}; {left.pending} jobs pending, {left.failed} failed.\n")
    return 0
