"""`doctor`: one line for each part and each fault of it, with what is wrong and how to mend it."""

import argparse
import json
import shutil
import sys
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal

from core.errors import Conflict, InvalidInput, MemoryServiceError, Unavailable
from core.flaws import Flaw
from graph.model_marker import check_model
from ingest.indexing.drift import audit, expel, mend, mend_record, strangers
from ingest.indexing.rebuild_lease import is_interrupted, is_under_way
from service.app import App
from service.owner.endpoint import NobodyListens
from service.owner.home import Place
from service.owner.launcher import call
from service.settings import Settings, load
from service.wiring import open_app

_State = Literal["ok", "error", "repair"]
#: Free space on the home's volume under which writes will soon be refused, in bytes.
_SCARCE = 100_000_000
_REPAIR = "run `remembrancer doctor --repair`"
_RESTORE = (
    "stop every process of this home, keep a copy of it, and `remembrancer restore` a backup, or `remembrancer import` "
    "an export, into an empty one"
)


@dataclass(slots=True)
class _Report:
    """What is found, printed line by line, or as one object at the end."""

    as_json: bool
    findings: list[dict[str, object]] = field(default_factory=list)

    def say(self, state: _State, part: str, detail: str, flaw: Flaw | None = None) -> None:
        told = " ".join(detail.split())
        found: dict[str, object] = {"state": state, "part": part, "detail": told}
        if flaw is not None:
            found |= {"project_id": flaw.project_id, "what": flaw.what, "number": flaw.number, "ids": flaw.ids}
        self.findings.append(found)
        if not self.as_json:
            sys.stdout.write(f"{state:<7}{part:<10}{told}\n")

    def flaw(self, flaw: Flaw) -> None:
        remedy = _RESTORE if flaw.part == "record" else _REPAIR
        shown = f" ({', '.join(flaw.ids[:3])}{' …' if len(flaw.ids) > 3 else ''})" if flaw.ids else ""
        self.say("error", flaw.part, f"{flaw}{shown}: {remedy}.", flaw)

    def end(self) -> int:
        """Print the object; return the exit code, 0 when all is well."""
        healthy = all(finding["state"] != "error" for finding in self.findings)
        if self.as_json:
            told = {"healthy": healthy, "findings": self.findings}
            sys.stdout.write(f"{json.dumps(told, ensure_ascii=False, indent=2)}\n")
        return 0 if healthy else 1


def configure(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add the options of `doctor`."""
    parser.add_argument(
        "--repair",
        action="store_true",
        help="make words, lists, graph and vectors right again, all vectors if they are damaged or of another model, "
        "and try what failed again",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, with the id of all that is wrong")


def run(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - the interface of commands
    """Check settings, keys, stores, embedder, words, lists, graph, vectors and jobs; return 0 when all is well."""
    report = _Report(options.json)
    try:
        settings = load()
    except InvalidInput as error:
        report.say("error", "settings", str(error))
        return report.end()
    report.say("ok", "settings", f"home {settings.home}")
    keyless = _keyless(settings, report)
    try:
        _tell_owner(report)
        _tell_disk(settings, report)
        # Without its key a part can't be made; what does not need it is looked at with the one of the install.
        with open_app(settings.model_copy(update=dict.fromkeys(keyless, "local"))) as app:
            if options.repair and not keyless:
                _repair(app, report)
            _check(app, keyless, report)
    except MemoryServiceError as error:
        report.say("error", "settings" if isinstance(error, InvalidInput) else "graph", str(error))
    return report.end()


def _keyless(settings: Settings, report: _Report) -> list[str]:
    """Return the parts that lack their key, after a line about each."""
    chosen = {"embedder": settings.embedder, "extractor": settings.extractor}
    keyless = [part for part, made in chosen.items() if made == "openai" and settings.openai_api_key is None]
    for part in keyless:
        variable = f"REMEMBRANCER_{part.upper()}"
        report.say("error", "keys", f"{variable} is openai and OPENAI_API_KEY is not set: set it, or use local.")
    return keyless


def _tell_owner(report: _Report) -> None:
    """Say which process has the embedded home; that there is none is well."""
    place = Place.find()
    if place.shared:
        return
    try:
        connection = call(place, "status")
    except NobodyListens:
        report.say("ok", "owner", "none: the next client starts one")
        return
    except Unavailable as error:
        report.say("error", "owner", str(error))
        return
    connection.close()
    said = connection.said
    report.say(
        "ok", "owner", f"process {said.get('pid')} of release {said.get('version')}, {said.get('clients')} clients"
    )


def _tell_disk(settings: Settings, report: _Report) -> None:
    """Say how much room the home has; nothing of a memory that is on servers."""
    if settings.graph == "neo4j" and settings.vectors == "server":
        return
    folder = next(folder for folder in (settings.home, *settings.home.parents) if folder.exists())
    free = shutil.disk_usage(folder).free
    advice = "" if free > _SCARCE else ": free some, or what is remembered will be refused"
    report.say("ok" if free > _SCARCE else "error", "disk", f"{free / 1e6:,.0f} MB free{advice}")


def _check(app: App, keyless: Collection[str], report: _Report) -> None:
    """Say how each part is, but for those without their key."""
    with_embedder = "embedder" not in keyless
    status = app.status()
    for name, service in status.services.items():
        if name not in keyless and (with_embedder or name != "vectors"):
            report.say("error" if service.status == "error" else "ok", name, service.detail)
    if status.counts is None:
        return
    for flaw in app.store.flaws():
        report.flaw(flaw)
    if with_embedder and _answers(app):
        _check_vectors(app, report)
    jobs = app.store.job_counts()
    advice = "; `remembrancer status ID` says why, `remembrancer doctor --repair` tries again" if jobs.failed else ""
    report.say("error" if jobs.failed else "ok", "jobs", f"{jobs.pending} wait, {jobs.failed} failed{advice}")


def _answers(app: App) -> bool:
    """Whether the vectors can be looked at: those of the model set, in an index that answers."""
    try:
        app.indexer.check()
    except (Conflict, Unavailable):
        return False
    return True


def _check_vectors(app: App, report: _Report) -> None:
    if is_under_way(app.store):
        report.say("ok", "vectors", "A rebuild is under way: run `remembrancer doctor` again once it is done.")
        return
    if is_interrupted(app.store):
        report.say("error", "vectors", f"A rebuild was interrupted: {_REPAIR}.")
    try:
        for project_id in app.store.projects():
            for flaw in audit(app.store, app.index, project_id).flaws(project_id):
                report.flaw(flaw)
        for flaw in strangers(app.store, app.index, app.embedder.model):
            report.flaw(flaw)
    except (Unavailable, Conflict) as error:
        report.say("error", "vectors", str(error))


def _repair(app: App, report: _Report) -> None:
    """Bring all parts in step with the record, and try again what failed; the check that follows tells the rest."""
    if count := app.store.queue_failed():
        report.say("repair", "jobs", f"{count} that had failed queued again")
    _repair_vectors(app, report)
    flaws = [flaw for flaw in app.store.flaws() if flaw.part != "record"]
    if flaws:
        again = mend_record(app.indexer, flaws)
        for flaw in flaws:
            report.say("repair", flaw.part, str(flaw), flaw)
        report.say("repair", "graph", f"{again} items extracted again")
    app.worker.drain()


def _repair_vectors(app: App, report: _Report) -> None:
    try:
        check_model(app.store, app.embedder.model)
        app.index.ping()
        for project_id in app.store.projects():
            if drift := mend(app.indexer, project_id):
                queued = len(drift.missing) + len(drift.stale)
                told = f"project {project_id}: {queued} vectors queued, {len(drift.extra)} removed"
                report.say("repair", "vectors", told)
        if strange := expel(app.indexer):
            report.say("repair", "vectors", f"{strange} vectors of other models and unknown projects removed")
    except (Conflict, Unavailable):
        _replace(app, report)


def _replace(app: App, report: _Report) -> None:
    """Make all vectors anew: they are damaged, or of another model."""
    try:
        done = app.reindex("vectors")
    except (Conflict, Unavailable):
        return
    moved = "" if done.moved_aside is None else f"; the damaged index lies in {done.moved_aside}, delete that folder"
    report.say("repair", "vectors", f"{done.embedded} items indexed anew{moved}")
