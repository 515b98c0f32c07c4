"""`reindex`: rebuild what is derived from the record."""

import argparse
import sys

from core.interface.memory import CONTEXTS
from ingest.indexing.partial_rebuild import Part
from service.actions.rebuilds import PATIENCE
from service.display.progress_bar import total_progress_bar
from service.settings import load_settings
from service.wiring import open_app


def configure(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add the options of `reindex`."""
    parser.add_argument(
        "--what",
        choices=("vectors", "keywords", "graph", "all"),
        default="all",
        help="what to rebuild (default: %(default)s)",
    )
    parser.add_argument("--project-id", help="only the items of this project")
    parser.add_argument(
        "--context",
        action="append",
        default=[],
        choices=CONTEXTS,
        metavar="CONTEXT",
        help="only items of this context, such as stash, insight or decision (repeatable)",
    )
    parser.add_argument(
        "--regenerate-embeddings",
        action="store_true",
        help="embed every text again instead of using cached embeddings",
    )


def run(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - one command in this module
    """Rebuild with a progress bar. If interrupted, the next process that opens the memory continues."""
    part = Part(project_id=options.project_id, contexts=tuple(options.context))
    with open_app(load_settings()) as app, total_progress_bar(f"Rebuilding {options.what}") as show:
        done = app.reindex(
            options.what,
            part,
            regenerate=options.regenerate_embeddings,
            show=show,
            patience_seconds=PATIENCE,
        )
        left = app.store.job_counts()
    if done.moved_aside is not None:
        sys.stdout.write(
            f"The damaged vector index was moved to {done.moved_aside}: delete that folder, it contains texts.\n"
        )
    parts = (
        ("keywords", done.chunks, "chunks"),
        ("vectors", done.embedded, "items"),
        ("graph", done.extracted, "items"),
    )
    counts = ", ".join(f"{part} of {count} {unit}" for part, count, unit in parts if count is not None)
    sys.stdout.write(f"Rebuilt {counts}; {left.pending} jobs pending, {left.failed} failed.\n")
    return 1 if left.pending or left.failed else 0
