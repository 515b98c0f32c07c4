"""`graph export`: the graph as a file for Gephi, yEd, NetworkX or a Neo4j of your own."""

import argparse
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TextIO

from core.errors import InvalidInput, NotFound
from core.interface.memory import check_project_id
from core.interface.neighbourhood import MAX_DEPTH
from graph.atomic_file import write_atomically
from graph.store import Store
from retrieval.graph_files import FORMATS, export_neighbourhood, export_whole_graph, write_graph
from service.commands.tools import open_existing
from service.settings import load_settings

#: The file name that means standard output.
_STANDARD: Final = "-"


def configure(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - the interface of commands
    """Add the options of `graph`."""
    parser.add_argument("action", choices=["export"], help="what to do with the graph")
    parser.add_argument("file", type=Path, metavar="FILE", help="file to write; - is standard output")
    parser.add_argument("--format", choices=list(FORMATS), help="format (default: the ending of FILE)")
    parser.add_argument("--id", help="only what is around this art_…, evt_… or ent_… id, up to 500 nodes")
    parser.add_argument(
        "--depth", type=int, default=1, help=f"with --id, steps from it, 1 to {MAX_DEPTH} (default: %(default)s)"
    )
    parser.add_argument("--project-id", default="default", help="project to use (default: %(default)s)")


def run(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - the interface of commands
    """Write the file; if the command is killed, no partial file has the given name."""
    form = _format(options.file, options.format)
    project_id = check_project_id(options.project_id)
    with open_existing(load_settings()) as app, app.store.snapshot() as store, _destination(options.file) as out:
        _check_project(store, project_id)
        graph = export_whole_graph(store, project_id)
        if options.id is not None:
            graph = export_neighbourhood(store, project_id, options.id, options.depth)
        written = write_graph(graph, out, form)
    sys.stderr.write(f"Exported {written.nodes:,} nodes and {written.edges:,} edges as {form}.\n")
    return 0


def _format(file: Path, asked: str | None) -> str:
    form = asked or file.suffix.removeprefix(".").lower()
    if form not in FORMATS:
        raise InvalidInput(f"The format of {str(file)!r} is not known: pass --format {', '.join(FORMATS)}.")
    return form


def _check_project(store: Store, project_id: str) -> None:
    if project_id not in store.projects():
        raise NotFound(
            f"Project {project_id!r} is empty: store something with remember or ingest, or check --project-id."
        )


@contextmanager
def _destination(file: Path) -> Iterator[TextIO]:
    """Yield what is written as UTF-8; its content appears at the destination only when it is complete."""
    if str(file) == _STANDARD:
        out = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="\n", write_through=True)
        yield out
        out.detach()
        return
    with write_atomically(file) as part, part.open("w", encoding="utf-8", newline="\n") as target:
        yield target
