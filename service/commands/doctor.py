"""`doctor`: one line for each part, with what is wrong and how to mend it."""

import argparse
import sys
from collections.abc import Collection

from core.errors import Conflict, InvalidInput, MemoryServiceError, Unavailable
from ingest.audit import audit, mend
from ingest.rebuild_lease import is_interrupted, is_under_way
from service.app import App
from service.settings import Settings, load
from service.wiring import open_app


def configure(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add the option of `doctor`."""
    parser.add_argument(
        "--repair",
        action="store_true",
        help="make missing vectors, remove stray ones, replace a damaged vector index, try what failed again",
    )


def run(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - the interface of commands
    """Check settings, keys, stores, embedder, vectors and jobs; return 0 when all is well."""
    try:
        settings = load()
    except InvalidInput as error:
        return _say("error", "settings", str(error))
    _say("ok", "settings", f"home {settings.home}")
    keyless = _keyless(settings)
    try:
        # Without its key a part can't be made; what does not need it is looked at with the one of the install.
        with open_app(settings.model_copy(update=dict.fromkeys(keyless, "local"))) as app:
            if options.repair and not keyless:
                _repair(app)
            problems = _check(app, keyless)
    except MemoryServiceError as error:
        return _say("error", "settings" if isinstance(error, InvalidInput) else "graph", str(error))
    return 0 if not keyless and problems == 0 else 1


def _keyless(settings: Settings) -> list[str]:
    """Return the parts that lack their key, after a line about each."""
    chosen = {"embedder": settings.embedder, "extractor": settings.extractor}
    keyless = [part for part, made in chosen.items() if made == "openai" and settings.openai_api_key is None]
    for part in keyless:
        variable = f"REMEMBRANCER_{part.upper()}"
        _say("error", "keys", f"{variable} is openai and OPENAI_API_KEY is not set: set it, or use local.")
    return keyless


def _check(app: App, keyless: Collection[str]) -> int:
    """Print a line a part, but for those without their key; return how many of them tell of a problem."""
    with_embedder = "embedder" not in keyless
    status = app.status()
    problems = 0
    for name, service in status.services.items():
        if name not in keyless and (with_embedder or name != "vectors"):
            problems += _say("error" if service.status == "error" else "ok", name, service.detail)
    if status.counts is None:
        return problems
    if with_embedder and _answers(app):
        problems += _check_vectors(app)
    jobs = app.store.job_counts()
    advice = "; `remembrancer status ID` says why, `remembrancer doctor --repair` tries again" if jobs.failed else ""
    told = f"{jobs.pending} wait, {jobs.failed} failed{advice}"
    return problems + _say("error" if jobs.failed else "ok", "jobs", told)


def _answers(app: App) -> bool:
    """Whether the vectors can be looked at: those of the model set, in an index that answers."""
    try:
        app.indexer.check()
    except (Conflict, Unavailable):
        return False
    return True


def _check_vectors(app: App) -> int:
    problems = 0
    if is_under_way(app.store):
        return _say("ok", "vectors", "A rebuild is under way: run `remembrancer doctor` again once it is done.")
    if is_interrupted(app.store):
        problems += _say("error", "vectors", "A rebuild was interrupted: run `remembrancer doctor --repair`.")
    for project_id in app.store.projects():
        try:
            drift = audit(app.store, app.index, project_id)
        except Unavailable as error:
            return problems + _say("error", "vectors", str(error))
        if drift:
            problems += _say(
                "error",
                "vectors",
                f"project {project_id}: {len(drift.missing)} chunks have no vector, {len(drift.extra)} vectors have no "
                "chunk: run `remembrancer doctor --repair`.",
            )
    return problems


def _repair(app: App) -> None:
    """Bring the vectors in step with the record, and try again what failed; the check that follows tells the rest."""
    try:
        if count := app.store.queue_failed():
            _say("repair", "jobs", f"{count} that had failed queued again")
        app.indexer.check()
        for project_id in app.store.projects():
            if drift := mend(app.indexer, project_id):
                told = f"project {project_id}: {len(drift.missing)} vectors queued, {len(drift.extra)} removed"
                _say("repair", "vectors", told)
        app.worker.drain()
    except Conflict:
        return
    except Unavailable:
        _replace(app)


def _replace(app: App) -> None:
    try:
        done = app.reindex("vectors")
    except Unavailable:
        return
    moved = "" if done.moved_aside is None else f"; the damaged index lies in {done.moved_aside}, delete that folder"
    _say("repair", "vectors", f"{done.embedded} items indexed anew{moved}")


def _say(state: str, part: str, detail: str) -> int:
    """Print one line; return 1 for an error, else 0."""
    sys.stdout.write(f"{state:<7}{part:<10}{' '.join(detail.split())}\n")
    return int(state == "error")
