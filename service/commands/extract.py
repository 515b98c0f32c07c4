"""`extract`, `refine`, `runs`, `rollback`: extract from stored items again, list such runs, and undo them."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from core.errors import NotFound, Unavailable
from core.interface.memory import CONTEXTS, check_project_id
from core.knowledge.runs import Run, RunScope, RunTally
from ingest.extract.protocol import Extractor, RemoteExtractor
from ingest.runs.pipeline import IN_PROCESS
from ingest.runs.run import Difference, count_items, create_run, execute, get_run, list_runs, preview, roll_back
from retrieval.answers.review import find_items_to_review
from service.app import NAMED, App
from service.commands.ingest import run_pending_jobs
from service.display import terminal
from service.display.reports import format_tally, progress_bar, show_difference, show_rolled_back, show_runs
from service.settings import Settings, load_settings
from service.wiring import make_extractor, open_app

#: Default number of runs that `runs` lists.
_SHOWN = 20
#: Default number of items that `refine` reads.
_REFINED = 20


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """Add the options of the command."""
    if command == "extract":
        _configure_extract(parser)
    elif command == "refine":
        parser.add_argument("--extractor", default="openai", help="openai, or an installed one (default: %(default)s)")
        parser.add_argument(
            "--limit", type=int, default=_REFINED, help="maximum number of items (default: %(default)s)"
        )
        parser.add_argument("--diff", action="store_true", help="only show what would be added, changed and removed")
    elif command == "rollback":
        parser.add_argument("run", help="run_… id of the run to undo; `remembrancer runs` lists them")
    else:
        parser.add_argument("--limit", type=int, default=_SHOWN, help="maximum number of runs (default: %(default)s)")
    parser.add_argument("--project-id", default="default", help="project to use (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def _configure_extract(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--extractor", help="local, openai, or an installed one (default: from the settings)")
    parser.add_argument("--context", choices=CONTEXTS, help="only items of this context")
    parser.add_argument("--id", action="append", default=[], help="only this art_… item (repeatable)")
    parser.add_argument("--limit", type=int, help="maximum number of items, oldest stored first")
    parser.add_argument(
        "--anew",
        action="store_true",
        help="include items that this extractor has already processed",
    )
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--diff", action="store_true", help="only show what would be added, changed and removed")
    way.add_argument("--resume", metavar="RUN", help="continue an interrupted run, with its own selection of items")
    way.add_argument(
        "--retry",
        nargs="?",
        const=True,
        metavar="ID",
        help="retry failed background extraction of this art_… item, or of the whole project",
    )
    way.add_argument("--rollback", metavar="RUN", help="undo a run, as `remembrancer rollback` does")


def run(command: str, options: argparse.Namespace) -> int:
    """Run the command; return 1 if extraction failed for some items. After Ctrl-C a run can be resumed."""
    project_id, settings = check_project_id(options.project_id), load_settings()
    with open_app(settings) as app:
        if command == "runs":
            return _runs(app, project_id, options)
        if command == "refine":
            return _refine(app, project_id, settings, options)
        if undone := options.run if command == "rollback" else options.rollback:
            return _roll_back(app, project_id, undone, options)
        if command == "extract" and options.retry:
            return _retry(app, project_id, options)
        resumed = get_run(project_id, options.resume, app.store) if options.resume else None
        kind = options.extractor if resumed is None else resumed.extractor.partition(":")[0]
        with _extractor(kind, settings, app) as extractor:
            scope = RunScope(context=options.context, ids=tuple(options.id), limit=options.limit, anew=options.anew)
            if options.diff:
                return _diff(app, project_id, scope, extractor, as_json=options.json)
            begun = resumed or create_run(project_id, scope, app.store, extractor)
            return _extract(app, begun, extractor, as_json=options.json)


@contextmanager
def _extractor(kind: str | None, settings: Settings, app: App) -> Iterator[Extractor]:
    """Yield the extractor of this kind, else of the settings; without the cache that background work uses."""
    chosen = settings if kind is None else settings.model_copy(update={"extractor": kind})
    made = make_extractor(chosen, app.store, app.tokenizer)
    try:
        yield made
    finally:
        if isinstance(made, RemoteExtractor):
            made.close()


def _refine(app: App, project_id: str, settings: Settings, options: argparse.Namespace) -> int:
    """Have the extractor read what `review` lists, most worthwhile first; what it has read it does not read again."""
    ids = tuple(find_items_to_review(app.store, project_id))
    if not ids:
        sys.stdout.write("Nothing to review.\n")
        return 0
    scope = RunScope(ids=ids, limit=options.limit)
    with _extractor(options.extractor, settings, app) as extractor:
        if options.diff:
            return _diff(app, project_id, scope, extractor, as_json=options.json)
        return _extract(app, create_run(project_id, scope, app.store, extractor), extractor, as_json=options.json)


def _extract(app: App, begun: Run, extractor: Extractor, *, as_json: bool) -> int:
    sys.stderr.write(f"Run {begun.id} with {begun.extractor}. To undo it: `remembrancer rollback {begun.id}`.\n")
    try:
        with progress_bar("Extracting", count_items(begun.project_id, begun.scope, app.store)) as advance:
            done = execute(begun, app.store, extractor, advance, app.worker.texts or IN_PROCESS)
    except KeyboardInterrupt:
        sys.stderr.write(f"\nStopped. {_how_to_continue(begun)}")
        return 130
    except Unavailable:
        sys.stderr.write(_how_to_continue(begun))
        raise
    run_pending_jobs(app)
    if as_json:
        terminal.print_json({"run": done})
    else:
        terminal.make_console().print(f"Run {done.id} is complete: {format_tally(done.tally)}.", markup=False)
    return 1 if done.tally.failed else 0


def _retry(app: App, project_id: str, options: argparse.Namespace) -> int:
    """Take up failed background extraction again; return 1 if some of it fails once more."""
    if options.retry is True:
        count = app.store.queue_failed(project_id, "extract")
    else:
        reports = app.store.job_reports(project_id, options.retry)
        if not any(report.kind == "extract" and report.state == "failed" for report in reports):
            raise NotFound(f"Extraction of {options.retry[:80]!r} has not failed: see `remembrancer status`.")
        count = app.store.queue(project_id, [options.retry], "extract")
    run_pending_jobs(app)
    ids = {
        parked.artifact_id for parked in app.store.parked_jobs(project_id, count + NAMED) if parked.kind == "extract"
    }
    failed = len(ids) if options.retry is True else int(options.retry in ids)
    if options.json:
        terminal.print_json({"retried": count, "failed": failed})
    else:
        terminal.make_console().print(f"{count} items extracted again, {failed} failed.", markup=False)
    return 1 if failed else 0


def _how_to_continue(run: Run) -> str:
    return (
        f"What was extracted is stored. To continue: `remembrancer extract --resume {run.id}`; "
        f"to undo it: `remembrancer rollback {run.id}`.\n"
    )


def _diff(app: App, project_id: str, scope: RunScope, extractor: Extractor, *, as_json: bool) -> int:
    out, tally, changed = terminal.make_console(), RunTally(), list[dict[str, Any]]()
    with progress_bar("Extracting", count_items(project_id, scope, app.store)) as advance:
        for difference in preview(project_id, scope, app.store, extractor, advance, app.worker.texts or IN_PROCESS):
            tally += _tallied(difference)
            if as_json and (difference.changes or difference.failed):
                changed.append(_as_json(difference))
            elif not as_json:
                show_difference(difference, out)
    if as_json:
        terminal.print_json({"extractor": extractor.name, "project_id": project_id, "items": changed, "tally": tally})
        return 1 if tally.failed else 0
    cached = (
        " The service's answers are cached: the run does not ask again."
        if isinstance(extractor, RemoteExtractor)
        else ""
    )
    out.print(
        f"{format_tally(tally)}.\nNothing was changed. Run it without --diff to apply this.{cached}", markup=False
    )
    return 1 if tally.failed else 0


def _tallied(difference: Difference) -> RunTally:
    read = RunTally(failed=1) if difference.failed else RunTally(items=1, unproven=difference.unproven)
    return read + difference.changes.tally()


def _as_json(difference: Difference) -> dict[str, Any]:
    artifact = difference.artifact
    return {
        "id": artifact.id,
        "title": artifact.memory.title,
        "failed": difference.failed,
        "changes": difference.changes,
    }


def _runs(app: App, project_id: str, options: argparse.Namespace) -> int:
    runs = list_runs(project_id, app.store, max(1, options.limit))
    if options.json:
        terminal.print_json({"runs": runs})
    else:
        show_runs(runs, terminal.make_console())
    return 0


def _roll_back(app: App, project_id: str, run_id: str, options: argparse.Namespace) -> int:
    chosen = get_run(project_id, run_id, app.store)
    with progress_bar("Rolling back", len(app.store.run_items(project_id, run_id))) as advance:
        done = roll_back(chosen, app.store, advance)
    run_pending_jobs(app)
    if options.json:
        terminal.print_json(done)
    else:
        show_rolled_back(done, terminal.make_console())
    return 0
