"""`demo`: ingest the sample corpus into a temporary memory and answer questions from it."""

import argparse
import json
import tempfile
import time
from importlib.resources import as_file, files
from pathlib import Path

from rich.markup import escape
from rich.rule import Rule

import samples
from core.interface.question import Question
from ingest.readers import walk
from service.app import App
from service.commands.ingest import ingest_files, run_pending_jobs
from service.display import terminal
from service.display.answers import RESULTS, show_search
from service.settings import load_settings
from service.wiring import open_app

#: Related events below the results.
_RELATED = 6
#: A temporary memory is never created on shared servers.
_EMBEDDED = {"graph": "embedded", "vectors": "embedded"}


def configure(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add the options of `demo`."""
    parser.add_argument("--keep", action="store_true", help='store the corpus in your own memory, as project "demo"')


def run(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - one command in this module
    """Ingest the corpus and answer its three questions with passages, connected events and quotes."""
    settings = load_settings()
    with tempfile.TemporaryDirectory(prefix="remembrancer-demo-") as folder, as_file(files(samples)) as corpus:
        here = settings if options.keep else settings.model_copy(update={"home": Path(folder)} | _EMBEDDED)
        with open_app(here) as app:
            _show(app, corpus)
    out = terminal.make_console()
    if options.keep:
        question = "remembrancer recall --project-id demo 'Who is on leave in March?'"
        out.print(f"Stored as project demo. Ask more questions: [bold]{question}[/]")
    else:
        out.print(
            "The demo memory was deleted. Start your own with [bold]remembrancer ingest FOLDER[/] or with your agent."
        )
    return 0


def _show(app: App, corpus: Path) -> None:
    out = terminal.make_console()
    begin = time.perf_counter()
    found = walk([corpus / "corpus"])
    tally = ingest_files(app, found, "demo", trust=True)
    run_pending_jobs(app)
    counts = app.store.counts("demo")
    out.print(
        f"Remembered {tally.stored + tally.unchanged} items from {len(found.files)} files in "
        f"{time.perf_counter() - begin:.1f} s: {counts.entities} people, organisations and projects, "
        f"{counts.decisions} decisions, {counts.commitments} commitments.\n"
    )
    for question in json.loads((corpus / "questions.json").read_text(encoding="utf-8"))["demo"]:
        query = question["query"]
        out.print(Rule(f"[bold]{escape(query)}[/]", align="left"))
        begin = time.perf_counter()
        answer = app.recall(Question(query=query, limit=RESULTS, graph_budget=_RELATED, detail="full"), "demo")
        elapsed = (time.perf_counter() - begin) * 1000
        show_search(answer, query, out)
        terminal.show_related(answer, out)
        out.print(f"[dim]{elapsed:.0f} ms[/]\n")
