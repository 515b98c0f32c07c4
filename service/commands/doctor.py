"""`doctor`: one line for each component and each fault, with the remedy."""

import argparse
import asyncio
import os
import shlex
import shutil
import stat
import sys
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from core.dates import now
from core.errors import Conflict, InvalidInput, MemoryServiceError, Unavailable
from core.interface.operations import describe_tools
from core.knowledge.secrets import describe_redactions
from core.records import IntegrityIssue
from core.search import MonolingualEmbedder, TokenEmbedder
from graph.text.languages import LANGUAGE_MARK, LANGUAGE_TERMS, UNKNOWN_CODE
from graph.text.term_vectors import term
from graph.vector_checks import check_model
from ingest.indexing.drift import (
    compare_vectors,
    find_foreign_vectors,
    remove_foreign_vectors,
    repair_record,
    repair_vectors,
)
from ingest.indexing.rebuild import is_interrupted, is_under_way
from ingest.transfer.stored_secrets import find_stored_secrets, redact_stored
from service.app import NAMED, App
from service.connect.session_log import SessionLog
from service.display.terminal import write_json
from service.http.issuer import PublishedKeys
from service.owner.endpoint import NoOwner
from service.owner.home_config import HomeConfig
from service.owner.launcher import connect_if_running
from service.settings import Settings, ineffective_variables, load_settings
from service.wiring import open_app

_State = Literal["ok", "warning", "error", "repair"]
#: Free space on the home's volume below which writes will soon fail, in bytes.
_LOW_SPACE = 100_000_000
#: Expired items are deleted within minutes where background work runs.
_OVERDUE = timedelta(hours=1)
#: How long what a hook met is reported.
_LATELY = timedelta(days=7)
#: The share of a project's chunks that is much of it in one language, and how few chunks say nothing.
_MUCH, _FEWEST_CHUNKS = 0.2, 20
_EXPIRED = (
    "items expired over an hour ago and are not deleted yet: keep a client, `remembrancer serve` or `remembrancer "
    "worker` running for ten minutes"
)
_WITHOUT_STATES = (
    "texts have no states of their tokens, which rank the best results once more, and are ranked without: run "
    "`remembrancer reindex --what vectors`"
)
_REPAIR = "run `remembrancer doctor --repair`"
_RESTORE = (
    "stop every process of this home, keep a copy of it, then `remembrancer restore` a backup or `remembrancer import` "
    "an export into an empty home"
)


@dataclass(slots=True)
class _Report:
    """The findings, printed line by line, or as one JSON object at the end."""

    as_json: bool
    findings: list[dict[str, object]] = field(default_factory=list)

    def add(self, state: _State, part: str, detail: str, issue: IntegrityIssue | None = None) -> None:
        line = " ".join(detail.split())
        found: dict[str, object] = {"state": state, "part": part, "detail": line}
        if issue is not None:
            found |= {"project_id": issue.project_id, "what": issue.what, "number": issue.number, "ids": issue.ids}
        self.findings.append(found)
        if not self.as_json:
            sys.stdout.write(f"{state:<8}{part:<10}{line}\n")

    def add_flaw(self, issue: IntegrityIssue) -> None:
        remedy = _RESTORE if issue.part == "record" else _REPAIR
        shown = f" ({', '.join(issue.ids[:3])}{' …' if len(issue.ids) > 3 else ''})" if issue.ids else ""
        self.add("error", issue.part, f"{issue}{shown}: {remedy}.", issue)

    def end(self) -> int:
        """Print the JSON object if asked for; return the exit code, 0 if there is no error."""
        healthy = all(finding["state"] != "error" for finding in self.findings)
        if self.as_json:
            found = {"healthy": healthy, "findings": self.findings}
            write_json(found, indent=2)
        return 0 if healthy else 1


def configure(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add the options of `doctor`."""
    parser.add_argument(
        "--repair",
        action="store_true",
        help="repair words, lists, graph and vectors, rebuild all vectors if they are damaged or of another model, "
        "and retry failed jobs",
    )
    parser.add_argument(
        "--secrets",
        action="store_true",
        help="find keys, tokens and passwords that were stored earlier, and put marks in their places, in texts, words "
        "and vectors",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object with the ids of all faulty items")


def run(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - the interface of commands
    """Check settings, keys, stores, embedder, words, lists, graph, vectors and jobs; return 0 if all is well."""
    report = _Report(options.json)
    try:
        settings = load_settings()
    except InvalidInput as error:
        report.add("error", "settings", str(error))
        return report.end()
    here = settings.timezone or f"the system's ({settings.zone.tzname(None)})"
    served = f"tools {describe_tools(settings.tools)} unless a client chooses others"
    report.add("ok", "settings", f"home {settings.home}; time zone {here}; {served}")
    home_config = HomeConfig.find()
    for sentence in ineffective_variables(home_config):
        report.add("warning", "settings", sentence)
    keyless = _keyless(settings, report)
    try:
        _check_permissions(home_config, report)
        _check_owner(home_config, report)
        _check_disk(settings, report)
        _check_hooks(settings, report)
        _check_damaged(settings, report)
        _check_issuer(settings, report)
        # A component without its key can't be opened; everything else is checked with the local one in its place.
        with open_app(settings.model_copy(update=dict.fromkeys(keyless, "local"))) as app:
            if options.repair and not keyless:
                _repair(app, report)
            if options.secrets:
                _redact(app, settings, report)
            _check(app, keyless, report)
    except MemoryServiceError as error:
        report.add("error", "settings" if isinstance(error, InvalidInput) else "graph", str(error))
    return report.end()


def _keyless(settings: Settings, report: _Report) -> list[str]:
    """Report the components without their key, and return them."""
    chosen = {"embedder": settings.embedder, "extractor": settings.extractor}
    keyless = [part for part, made in chosen.items() if made == "openai" and settings.openai_api_key is None]
    for part in keyless:
        variable = f"REMEMBRANCER_{part.upper()}"
        report.add("error", "keys", f"{variable} is openai, but OPENAI_API_KEY is not set: set it, or use local.")
    return keyless


def _check_permissions(home_config: HomeConfig, report: _Report) -> None:
    """Report a home and a file of settings that others may read or change."""
    for path, only_mine in ((home_config.home, "700"), (home_config.dotenv, "600")):
        if os.name != "posix" or not path.exists():
            continue
        mode = stat.S_IMODE(path.stat().st_mode)
        if others := mode & 0o077:
            state: _State = "error" if others & 0o022 else "warning"
            may = "change" if others & 0o022 else "read"
            mend = f"`chmod {only_mine} {shlex.quote(str(path))}`"
            report.add(state, "home", f"Others may {may} {path} (mode {mode:o}): run {mend}.")


def _check_owner(home_config: HomeConfig, report: _Report) -> None:
    """Report which process owns the embedded home; none is fine."""
    if home_config.allows_multiple_servers:
        return
    try:
        connection = connect_if_running(home_config, "status")
    except NoOwner:
        report.add("ok", "owner", "none; the next client starts one")
        return
    except Unavailable as error:
        report.add("error", "owner", str(error))
        return
    connection.close()
    said = connection.status
    owner = f"process {said.get('pid')}, version {said.get('version')}, {said.get('clients')} clients"
    report.add("ok", "owner", owner)
    if notice := said.get("notice"):
        report.add("warning", "settings", notice)


def _check_disk(settings: Settings, report: _Report) -> None:
    """Report the free space of the home, unless the memory is on servers."""
    if settings.graph == "neo4j" and settings.vectors == "server":
        return
    folder = next(folder for folder in (settings.home, *settings.home.parents) if folder.exists())
    free = shutil.disk_usage(folder).free
    advice = "" if free > _LOW_SPACE else ": free some space, or writes will soon fail"
    report.add("ok" if free > _LOW_SPACE else "error", "disk", f"{free / 1e6:,.0f} MB free{advice}")


def _check_hooks(settings: Settings, report: _Report) -> None:
    """Report what hooks of clients met lately, which they tell nobody else: a hook never fails its client."""
    faults = SessionLog(settings.home).faults((now() - _LATELY).timestamp())
    for at, client, what in faults[:NAMED]:
        moment = datetime.fromtimestamp(at, settings.zone).isoformat(" ", "minutes")
        report.add("warning", "hooks", f"{moment} {client}: {what}")
    if len(faults) > NAMED:
        report.add("warning", "hooks", f"{len(faults) - NAMED} more in the last days")


def _check_damaged(settings: Settings, report: _Report) -> None:
    """Report damaged vector indexes that were moved aside: what is forgotten stays in them."""
    for damaged in sorted(settings.home.glob(f"{settings.vectors_path.name}.damaged-*")):
        delete = f"`rm -r {shlex.quote(str(damaged))}`"
        report.add("warning", "vectors", f"A damaged index still holds texts, also forgotten ones: run {delete}.")


def _check_issuer(settings: Settings, report: _Report) -> None:
    """Report whose signed tokens HTTP accepts, and whether they can be checked; with no such issuer nothing."""
    if settings.jwt_keys is None:
        return
    try:
        count = asyncio.run(PublishedKeys(settings.jwt_keys).count())
    except Unavailable as error:
        report.add(
            "error", "issuer", f"{error} Tokens of {settings.jwt_issuer} are refused: see REMEMBRANCER_JWT_KEYS."
        )
        return
    keys = f"{count} keys for RS256 and ES256 at {settings.jwt_keys}"
    accepted = f"tokens of {settings.jwt_issuer} for {settings.jwt_audience}"
    report.add("ok" if count else "error", "issuer", f"{accepted}: {keys}")


def _check(app: App, keyless: Collection[str], report: _Report) -> None:
    """Report the health of each component that has its key."""
    with_embedder = "embedder" not in keyless
    status = app.status()
    for name, service in status.services.items():
        if name not in keyless and (with_embedder or name != "vectors"):
            report.add("error" if service.status == "error" else "ok", name, service.detail)
    if status.counts is None:
        return
    if app.store.write_obstacle() is None:
        for issue in app.store.integrity_issues():
            report.add_flaw(issue)
    else:
        report.add("warning", "record", "Its words, lists and graph are checked only where it may be written.")
    if with_embedder and _can_check_vectors(app):
        _check_vectors(app, report)
    _check_languages(app, report)
    if overdue := app.store.num_expired(now() - _OVERDUE):
        report.add("warning", "retention", f"{overdue} {_EXPIRED}.")
    jobs = app.store.job_counts()
    advice = "; `remembrancer status ID` shows why, `remembrancer doctor --repair` retries them" if jobs.failed else ""
    report.add("error" if jobs.failed else "ok", "jobs", f"{jobs.pending} pending, {jobs.failed} failed{advice}")
    for job in app.store.parked_jobs(None, NAMED) if jobs.failed else []:
        title = f" {job.title!r}" if job.title else ""
        report.add("warning", "jobs", f"{job.kind} of {job.artifact_id}{title} in {job.project_id}: {job.error}")


def _check_languages(app: App, report: _Report) -> None:
    """Suggest the multilingual embedder where much of a project is in a language that the embedder does not know."""
    if not isinstance(app.embedder, MonolingualEmbedder):
        return
    codes = {term(marked): marked.removeprefix(LANGUAGE_MARK) for marked in LANGUAGE_TERMS}
    for project_id in app.store.projects():
        found = app.store.term_statistics(project_id, list(codes))
        much = {codes[one]: count for one, count in found.num_with.items() if count >= _MUCH * found.num_chunks}
        told = ", ".join(f"{code} {count}" for code, count in sorted(much.items()) if code != UNKNOWN_CODE)
        if told and found.num_chunks >= _FEWEST_CHUNKS:
            report.add(
                "warning",
                "languages",
                f"Many of the {found.num_chunks} chunks in {project_id!r} are not in English ({told}), found by words "
                "more than by meaning: pip install 'remembrancer[multilingual]', set "
                "REMEMBRANCER_EMBEDDER=multilingual, and run `remembrancer reindex --what vectors`.",
            )


def _can_check_vectors(app: App) -> bool:
    """Whether the index answers and holds vectors of the current model."""
    try:
        app.indexer.check()
    except (Conflict, Unavailable):
        return False
    return True


def _check_vectors(app: App, report: _Report) -> None:
    if is_under_way(app.store):
        report.add("ok", "vectors", "A rebuild is in progress: run `remembrancer doctor` again when it is done.")
        return
    if is_interrupted(app.store):
        report.add("error", "vectors", f"A rebuild was interrupted: {_REPAIR}.")
    try:
        for project_id in app.store.projects():
            for issue in compare_vectors(app.store, app.index, project_id).issues(project_id):
                report.add_flaw(issue)
        for issue in find_foreign_vectors(app.store, app.index, app.embedder.model):
            report.add_flaw(issue)
    except (Unavailable, Conflict) as error:
        report.add("error", "vectors", str(error))
    if isinstance(app.embedder, TokenEmbedder):
        without = app.store.count_without_states(app.embedder.model, app.embedder.states_model)
        if without:
            report.add("warning", "vectors", f"{without} {_WITHOUT_STATES}.")


def _redact(app: App, settings: Settings, report: _Report) -> None:
    """Report the secrets of each project, and put marks in their places unless they are to be kept."""
    number = 0
    for project_id in app.store.projects():
        found = list(find_stored_secrets(app.store, project_id))
        number += sum(len(one.found) for one in found)
        ids = sorted({one.artifact_id for one in found} - {""})
        redacts = bool(ids) and settings.secrets != "keep"
        if redacts:
            dropped = redact_stored(app.store, project_id, ids, app.tokenizer)
            app.indexer.drop(project_id, dropped)
        for one in found:
            where = (
                f"{one.artifact_id or 'a decision about entities'} in {project_id}: {describe_redactions(one.found)}"
            )
            is_done = redacts and bool(one.artifact_id)
            report.add("repair" if is_done else "warning", "secrets", f"{where} {'redacted' if is_done else 'kept'}")
        if redacts:
            app.worker.drain()
            repair_vectors(app.indexer, project_id)
            app.worker.drain()
    if not number:
        report.add("ok", "secrets", "none is stored")


def _repair(app: App, report: _Report) -> None:
    """Repair whatever differs from the record, and retry failed jobs; the checks that follow report the rest."""
    if count := app.store.queue_failed():
        report.add("repair", "jobs", f"{count} failed jobs queued again")
    _repair_vectors(app, report)
    issues = [issue for issue in app.store.integrity_issues() if issue.part != "record"]
    if issues:
        again = repair_record(app.indexer, issues)
        for issue in issues:
            report.add("repair", issue.part, str(issue), issue)
        report.add("repair", "graph", f"{again} items extracted again")
    app.worker.drain()


def _repair_vectors(app: App, report: _Report) -> None:
    try:
        check_model(app.store, app.embedder.model)
        app.index.ping()
        for project_id in app.store.projects():
            if drift := repair_vectors(app.indexer, project_id):
                queued = len(drift.missing) + len(drift.stale)
                detail = f"project {project_id}: {queued} vectors queued, {len(drift.extra)} removed"
                report.add("repair", "vectors", detail)
        if strange := remove_foreign_vectors(app.indexer):
            report.add("repair", "vectors", f"{strange} vectors of other models and unknown projects removed")
    except (Conflict, Unavailable):
        _rebuild_vectors(app, report)


def _rebuild_vectors(app: App, report: _Report) -> None:
    """Rebuild all vectors: they are damaged, or of another model."""
    try:
        done = app.reindex("vectors")
    except (Conflict, Unavailable):
        return
    moved = "" if done.moved_aside is None else f"; the damaged index is now {done.moved_aside}: delete that folder"
    report.add("repair", "vectors", f"{done.embedded} items indexed again{moved}")
