"""`sessions`: which sessions of agents were kept, what was decided in one, and what is paused or left out."""

import argparse
import sys
import time
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Final

from core.dates import now
from core.errors import InvalidInput, NotFound
from core.filters import Filters
from core.interface.memory import check_project_id
from core.interface.question import Question
from service.app import App
from service.commands.hook import CLIENTS
from service.connect.session_log import Exclusion, ExclusionKind, KeptSession, SessionLog
from service.display.terminal import write_json
from service.settings import load_settings
from service.wiring import open_app

_ACTIONS: Final = ("list", "pause", "resume", "leave-out", "take-in")
#: Most turns of a session that are searched for decisions and commitments.
_TURNS: Final = 1_000


def configure(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add the options of `sessions`."""
    parser.add_argument(
        "action",
        nargs="?",
        default="list",
        metavar=f"{{{','.join(_ACTIONS)}}} | SESSION",
        help="list what was kept (default), pause and resume, leave out and take in again, or show a session by its id",
    )
    parser.add_argument("--client", choices=CLIENTS, help="only sessions of this client")
    parser.add_argument("--folder", type=Path, help="only sessions in this folder and below it")
    parser.add_argument("--word", help="with leave-out: turns in which this is written, whatever its case")
    parser.add_argument("--project-id", default="default", help="project to use (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - one command in this module
    """List, show, pause or leave out sessions; return 0 if it was done."""
    check_project_id(options.project_id)
    settings = load_settings()
    log = SessionLog(settings.home)
    if options.action in ("pause", "leave-out"):
        return _exclude(log, _exclusion(options))
    if options.action in ("resume", "take-in"):
        return _include(log, _exclusion(options))
    kept = [
        session
        for session in log.sessions(options.project_id)
        if Exclusion("pause", options.client or "", _folder(options)).matches(session.client, _place(session))
    ]
    rows: list[dict[str, object]] = []
    if kept:
        with open_app(settings) as app:
            if options.action != "list":
                return _show(app, options, kept, settings.zone)
            for session in kept:
                turns = app.store.count_turns(options.project_id, session.id, Filters(at=now()))
                rows.append(_row(session, turns, settings.zone))
    elif options.action != "list":
        raise NotFound(_unknown(options.action))
    in_force = [one for one in log.exclusions() if one.holds(time.time())]
    if options.json:
        excluded = [{"kind": one.kind, "what": str(one)} for one in in_force]
        write_json({"sessions": rows, "excluded": excluded}, indent=2)
        return 0
    for row in rows:
        sys.stdout.write("  ".join(str(row[name]) for name in ("last", "client", "turns", "folder", "id")) + "\n")
    if not rows:
        sys.stdout.write("No session was kept. `remembrancer connect CLIENT` connects an agent.\n")
    for one in in_force:
        sys.stdout.write(f"{'Paused' if one.kind == 'pause' else 'Left out'}: {one}\n")
    return 0


def _exclusion(options: argparse.Namespace) -> Exclusion:
    kind: ExclusionKind = "pause" if options.action in ("pause", "resume") else "leave-out"
    if kind == "pause" and options.word:
        raise InvalidInput("Turns with a word can't be paused: use leave-out --word.")
    if kind == "leave-out" and not (options.word or options.folder or options.client):
        raise InvalidInput("Name what to leave out: --folder, --word or --client.")
    return Exclusion(kind, options.client or "", _folder(options), options.word or "")


def _exclude(log: SessionLog, one: Exclusion) -> int:
    log.exclude(one)
    if one.kind == "pause":
        sys.stdout.write(
            f"Paused: {one}. What is said meanwhile is not kept; `remembrancer sessions resume` goes on.\n"
        )
    else:
        sys.stdout.write(f"Left out: {one}. What was kept before stays: `remembrancer forget` deletes it.\n")
    return 0


def _include(log: SessionLog, one: Exclusion) -> int:
    if not log.include(one):
        there = "; ".join(str(found) for found in log.exclusions() if found.kind == one.kind and found.until is None)
        raise NotFound(f"Nothing is excluded by these options: use those of one of: {there or 'none'}.")
    sys.stdout.write(f"{'Resumed' if one.kind == 'pause' else 'Taken in again'}: {one}.\n")
    return 0


def _show(app: App, options: argparse.Namespace, kept: list[KeptSession], zone: tzinfo) -> int:
    """Print what was decided and promised in a session."""
    begun = [one for one in kept if one.id.startswith(options.action)]
    session = next((one for one in begun if one.id == options.action), begun[0] if len(begun) == 1 else None)
    if session is None:
        raise NotFound(_unknown(options.action))
    turns = app.store.turns(options.project_id, session.id, Filters(at=now()), _TURNS, 0)
    row = _row(session, app.store.count_turns(options.project_id, session.id, Filters(at=now())), zone)
    events = []
    for turn in turns:
        found = app.recall(Question(id=turn.id, detail="full", include_entities=False), options.project_id)
        events += [event for result in found.results for event in result.events or []]
    told = [
        {"category": event.category, "quote": event.evidence[0].quote, "due": event.due, "status": event.status}
        for event in events
        if event.category in ("Decision", "Commitment") and event.evidence
    ]
    if options.json:
        write_json({**row, "events": told}, indent=2)
        return 0
    sys.stdout.write("\n".join(f"{name}: {value}" for name, value in row.items()) + "\n")
    for one in told:
        due = f" (due {one['due']})" if one["due"] else ""
        sys.stdout.write(f"{one['category']}: {one['quote']}{due}\n")
    return 0


def _unknown(asked: str) -> str:
    return f"There is no session {asked!r}: `remembrancer sessions` lists them; actions are {', '.join(_ACTIONS)}."


def _row(session: KeptSession, turns: int, zone: tzinfo) -> dict[str, object]:
    first, last = (
        datetime.fromtimestamp(at, zone).isoformat(" ", "minutes")[:16] for at in (session.first, session.last)
    )
    return {
        "id": session.id,
        "client": session.client,
        "folder": session.folder or "-",
        "first": first,
        "last": last,
        "turns": turns,
    }


def _folder(options: argparse.Namespace) -> str:
    return "" if options.folder is None else str(options.folder.expanduser().absolute())


def _place(session: KeptSession) -> Path | None:
    return None if session.folder is None else Path(session.folder)
