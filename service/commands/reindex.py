"""`reindex`: rebuild what is derivable from the record."""

import argparse
import sys

from service.progress import bar
from service.settings import load
from service.wiring import open_app


def configure(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add the options of `reindex`."""
    parser.add_argument(
        "--what",
        choices=("vectors", "keywords", "graph", "all"),
        default="all",
        help="what to rebuild (default: %(default)s)",
    )
    parser.add_argument(
        "--regenerate-embeddings", action="store_true", help="embed every text anew instead of using the cache"
    )


def run(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - one command in this module
    """Rebuild with a progress bar. Interrupted, the next start of any process goes on with what is left."""
    with open_app(load()) as app, bar(f"Rebuilding {options.what}", None) as advance:
        done = app.reindex(options.what, regenerate=options.regenerate_embeddings, progress=advance)
        left = app.store.job_counts()
    if done.moved_aside is not None:
        sys.stdout.write(
            f"The vector index was damaged and lies in {done.moved_aside} now: delete that folder, it holds texts.\n"
        )
    parts = (
        ("keywords", done.chunks, "chunks"),
        ("vectors", done.embedded, "items"),
        ("graph", done.extracted, "items"),
    )
    told = ", ".join(f"{part} of {count} {unit}" for part, count, unit in parts if count is not None)
    sys.stdout.write(f"Rebuilt {told}; {left.pending} jobs wait, {left.failed} failed.\n")
    return 1 if left.pending or left.failed else 0
