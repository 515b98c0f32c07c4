"""`demo`: the main job end to end, on the sample corpus, in a memory that is thrown away."""

import argparse
import json
import tempfile
import time
from importlib.resources import as_file, files
from pathlib import Path

from rich.markup import escape
from rich.rule import Rule

from core.interface.question import Question
from ingest.readers import walk
from service.app import App
from service.commands.ingest import finish, take_in
from service.display import terminal
from service.settings import load
from service.wiring import open_app

#: What a person reads of an answer in one screen.
_RESULTS, _RELATED = 3, 12
#: What is thrown away is never put on a server that a team shares.
_NO_SERVERS = {"graph": "embedded", "vectors": "embedded"}


def configure(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add the options of `demo`."""
    parser.add_argument("--keep", action="store_true", help='keep the corpus in your own memory, as project "demo"')


def run(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - one command in this module
    """Ingest the corpus and answer its three questions with passages, connected events and quotes."""
    settings = load()
    with tempfile.TemporaryDirectory(prefix="remembrancer-demo-") as folder, as_file(files("samples")) as corpus:
        here = settings if options.keep else settings.model_copy(update={"home": Path(folder)} | _NO_SERVERS)
        with open_app(here) as app:
            _show(app, corpus)
    out = terminal.console()
    if options.keep:
        out.print("Kept. Ask your own: [bold]remembrancer recall --project-id demo 'Who is on leave in March?'[/]")
    else:
        out.print(
            "That memory is gone again. Yours begins with [bold]remembrancer ingest FOLDER[/] or with your agent."
        )
    return 0


def _show(app: App, corpus: Path) -> None:
    out = terminal.console()
    begin = time.perf_counter()
    found = walk([corpus / "corpus"])
    tally = take_in(app, found, "demo")
    finish(app)
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
        answer = app.recall(Question(query=query, limit=_RESULTS, graph_budget=_RELATED), "demo")
        elapsed = (time.perf_counter() - begin) * 1000
        terminal.show(answer, out)
        out.print(f"[dim]{elapsed:.0f} ms[/]\n")
