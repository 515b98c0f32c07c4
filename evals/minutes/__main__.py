"""`python -m evals.minutes`: a folder of real minutes: files taken, days right, and what `recall` and one by hand find.

The data is not part of the project. To measure on it, name its folder with --data:
read/*.md           documents, marks/*.json beside it with their `date` and `questions` (`question`, `answer_quote`)
rest/*.md           what else lies in the folder when a question is asked
The last row is of a memory to which all marked decisions, commitments and people were given.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import anyio
from mcp import Client
from rich.console import Console

from core.errors import MemoryServiceError
from evals import client as through
from evals.client import Answer
from evals.figures import Table, tables
from evals.minutes.baselines import Pieces
from evals.minutes.dates import dates
from evals.minutes.documents import Minutes, minutes
from evals.minutes.finding import FindingTask
from evals.minutes.given import given, teach
from evals.minutes.intake import PROJECT, take_in
from evals.minutes.told import Told
from evals.minutes.told import documents as marked_documents
from evals.report import ROOT, Run, as_json, show
from evals.run import embedded
from evals.variants import OPENED, SHIPPED
from service.app import App
from service.display.reports import progress_bar
from service.server import create_server

#: Where the data lies unless --data names another folder.
_DATA: Final = ROOT.parent / "shared" / "data" / "minutes"
#: Steps that say nothing of documents.
_OF_TURNS: Final = ("feedback", "turns around", "author named", "question and answer")


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit code: 1 if something is below its target or could not be measured."""
    options = _options(arguments)
    out, log = Console(width=160, highlight=False), Console(stderr=True, highlight=False, soft_wrap=True)
    try:
        with ExitStack() as stack:
            home = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="remembrancer-evals-")))
            measured = Run.of(
                [anyio.run(given, marked_documents(options.data), home)]
                if options.given
                else found(minutes(options.data), options.data, home, quick=options.quick),
                "python -m evals.minutes" + " --given" * options.given,
            )
    except MemoryServiceError as error:
        log.print(str(error), markup=False)
        return 1
    show(measured, out)
    if options.json:
        options.json.write_text(json.dumps(as_json(measured), indent=1) + "\n", encoding="utf-8")
    return 1 if measured.missed() else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m evals.minutes", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=_DATA, metavar="FOLDER", help="where the minutes lie")
    parser.add_argument("--given", action="store_true", help="only what the ledger lists of what an agent gives it")
    parser.add_argument("--quick", action="store_true", help="only the service as shipped and the baselines")
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="FOLDER",
        help="keep the memory there; again: what is stored is not embedded again, and keeps its day and"
        " the knowledge given to it, so that `as shipped` has that, too",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write everything measured to FILE")
    return parser.parse_args(arguments)


def found(material: Minutes, folder: Path, home: Path, *, quick: bool) -> list[Table]:
    """Return how many files get their day, and how well each step of the service, and each baseline, finds."""
    settings = embedded(home)
    with OPENED[SHIPPED](settings) as app:
        stored = take_in(app, material.documents)
        task, dated = FindingTask(material.questions, stored), dates(material, folder, stored, app)
        answers = {SHIPPED: anyio.run(_asked, app, task, SHIPPED)}
        answers |= Pieces.of(material.documents, task.stored.ids, app).answers(task.askings(), app.embedder)
    for name in () if quick else OPENED:
        if name != SHIPPED and not name.endswith(_OF_TURNS):
            with OPENED[name](settings) as app:
                answers[name] = anyio.run(_asked, app, task, name)
    with OPENED[SHIPPED](settings) as app:
        told = marked_documents(folder)
        anyio.run(_taught, app, told, stored.ids)
        app.indexer.embed(PROJECT, [stored.ids[one.name] for one in told])
        answers["with given knowledge"] = anyio.run(_asked, app, task, "with given knowledge")
    return [dated, *tables(task, answers)]


async def _taught(app: App, told: Sequence[Told], ids: Mapping[str, str]) -> None:
    async with Client(create_server(app)) as client:
        await teach(client, told, ids, PROJECT)


async def _asked(app: App, task: FindingTask, what: str) -> list[Answer]:
    askings = task.askings()
    async with Client(create_server(app)) as client:
        with progress_bar(f"Asking, {what}", len(askings)) as advance:
            return await through.ask(client, askings, advance)


if __name__ == "__main__":
    sys.exit(main())
