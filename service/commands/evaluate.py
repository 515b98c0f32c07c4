"""`evaluate`: how well recall works on your own memory."""

import argparse
import sys
from typing import Final

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from core.interface.memory import check_project_id
from core.interface.parameters import check_range
from retrieval.evaluation import Comparison, Evaluation, Figures, draw_sample, evaluate
from service.display import terminal
from service.display.reports import progress_bar
from service.settings import load_settings
from service.wiring import open_app

#: Maximum number of questions of each kind: more change only the third digit of the figures.
_MAX_QUESTIONS: Final = 10_000


def configure(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add the options of `evaluate`."""
    parser.add_argument("--project-id", default="default", help="project to use (default: %(default)s)")
    parser.add_argument(
        "--questions", type=int, default=200, help="questions of each kind, at most (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=7, help="seed of the random sample (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")


def run(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - one command in this module
    """Build questions from stored items, ask them, and print how many were answered; nothing is stored.

    Raises:
        InvalidInput: an option is out of its range.
        NotFound: the project has too few items to build questions from.
    """
    check_project_id(options.project_id)
    check_range("--questions", options.questions, 1, _MAX_QUESTIONS)
    with open_app(load_settings()) as app:
        items = app.store.counts(options.project_id).artifacts
        with progress_bar("Sampling items", items) as advance:
            sampled = draw_sample(
                app.store, options.project_id, wanted=options.questions, seed=options.seed, progress=advance
            )
        with progress_bar("Asking questions", len(sampled.known_items) + len(sampled.bridges)) as advance:
            found = evaluate(app.recaller, sampled, advance)
        waiting = app.store.job_counts(options.project_id).pending
    if options.json:
        terminal.print_json(found)
    else:
        _show(found, terminal.make_console())
    if found.degraded:
        sys.stderr.write(
            f"Not available for some answers: {', '.join(found.degraded)}. `remembrancer doctor` shows why.\n"
        )
    if waiting:
        sys.stderr.write(f"{waiting} background jobs are pending: more may be found when they are done.\n")
    return 0


def _show(found: Evaluation, out: Console) -> None:
    out.print(f"Project {escape(found.project_id)}, {found.items} items, seed {found.seed}.")
    table = Table("question", "", "graph", "recall@1", "@5", "@10", "@20", "MRR", "median ms", "p95 ms", box=None)
    _rows(table, "known item", found.known_items)
    if found.bridges is not None:
        _rows(table, "bridge", found.bridges)
    out.print(table)
    if found.passage_shown is not None:
        out.print(f"Known items in the top ten that showed the sentence asked for: {found.passage_shown:.1%}.")
    if found.bridges is None:
        out.print("No bridge questions: no two items are connected in the knowledge graph yet.")
    else:
        bridges = found.bridges
        out.print(f"Bridges found only with the graph: {bridges.only_on}; only without it: {bridges.only_off}.")
    out.print("[dim]Equal answer sizes: 10 results and 10 related events with the graph, 20 results without.[/]")


def _rows(table: Table, kind: str, compared: Comparison) -> None:
    table.add_row(kind, str(compared.questions), "on", *_cells(compared.graph_on))
    table.add_row("", "", "off", *_cells(compared.graph_off))


def _cells(figures: Figures) -> list[str]:
    shares = (figures.recall_at_1, figures.recall_at_5, figures.recall_at_10, figures.recall_at_20, figures.mrr)
    return [*(f"{share:.3f}" for share in shares), f"{figures.median_ms:.1f}", f"{figures.p95_ms:.1f}"]
