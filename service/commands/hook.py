"""`hook`: what clients run when a session begins, is compacted or ends. It never fails a client: the exit code is 0,
and what went wrong is said on standard error and kept for `doctor`.

What needs the memory is imported when it is needed: most prompts need nothing.
"""

import argparse
import importlib
import io
import json
import logging
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import ModuleType
from typing import Final

from core.errors import InvalidInput, MemoryServiceError
from core.interface.memory import check_project_id
from service.connect.hook_event import HookEvent, answer_json
from service.connect.session_log import SessionLog
from service.owner.home_config import HomeConfig
from service.owner.launcher import connect_to_owner, detach_options

_EVENTS: Final = ("session-start", "prompt", "pre-compact", "session-end")
CLIENTS: Final = ("claude-code", "codex", "gemini", "cursor", "opencode", "cline", "copilot", "hermes")
#: Refused lines that are named.
_NAMED: Final = 3
#: Fewest and most tokens of a brief, and its usual maximum.
_LEAST, _MOST, _USUAL = 200, 1_500, 1_200
#: Seconds after which a client does not wait any longer, and after which an event that was not handled is taken up.
_LIMIT, _TAKEN_UP = 20.0, 300.0
#: A transcript that was written so shortly before may still be written to, and how long it is waited for, in seconds.
_QUIET, _LONGEST = 1.0, 10.0
#: Shortest prompt that is a goal, in words, and how much of a long one is, in characters.
_WORDS, _GOAL_CHARS = 3, 1_000

_SERVICE: Final = __package__.rpartition(".")[0]

_log = logging.getLogger("remembrancer")


def configure(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add the options of `hook`."""
    known = f"{{{','.join(_EVENTS)}}}"  # an event of a later release is reported, and blocks no client
    parser.add_argument(
        "event", metavar=known, help="name of the event; the client sends details on standard input, as JSON"
    )
    parser.add_argument("--client", default="claude-code", help=f"one of {', '.join(CLIENTS)} (default: %(default)s)")
    parser.add_argument("--home", type=Path, help="the memory's home, if it is not the one of REMEMBRANCER_HOME")
    parser.add_argument("--project-id", default="default", help="project to use (default: %(default)s)")
    parser.add_argument(
        "--goal", help="what the session is for: decisions and commitments about it come first in its brief"
    )
    parser.add_argument(
        "--max-tokens",
        type=int,
        default=_USUAL,
        help="maximum number of tokens added when a session starts (default: %(default)s)",
    )
    parser.add_argument("--wait", action="store_true", help="remember the turns before the command ends")


def run(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - one command in this module
    """Answer the event; return 0 whatever happens."""
    limit = threading.Timer(_LIMIT, _give_up, [options])
    limit.daemon = True
    try:
        _check(options)
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(encoding="utf-8")  # as clients write it, whatever the system's encoding
        event = HookEvent.read(sys.stdin, options.client)
        log = SessionLog(HomeConfig.find(options.home).home)
        if options.event in ("session-start", "prompt"):
            limit.start()
            _tell(event, options, log)
        elif options.wait or event.messages is not None:
            _keep(event, options, log)
        else:
            _hand_over(event, options, log)
    except (MemoryServiceError, OSError) as error:
        _note(options, str(error))
    except Exception as error:  # noqa: BLE001 - the client's session goes on: a bug is printed with its traceback
        _log.exception("The hook failed unexpectedly")
        _note(options, f"{options.event} failed unexpectedly: {type(error).__name__}")
    finally:
        limit.cancel()
    return 0


def _check(options: argparse.Namespace) -> None:
    check_project_id(options.project_id)
    if options.event not in _EVENTS:
        raise InvalidInput(f"The event {options.event!r} is unknown: use {', '.join(_EVENTS)}.")
    if options.client not in CLIENTS:
        raise InvalidInput(f"The client {options.client!r} is unknown: use {', '.join(CLIENTS)}.")
    if not _LEAST <= options.max_tokens <= _MOST:
        raise InvalidInput(f"--max-tokens {options.max_tokens} is out of range: use {_LEAST} to {_MOST:,}.")


def _tell(event: HookEvent, options: argparse.Namespace, log: SessionLog) -> None:
    """Tell the client what its agent is to know: at the start, and once for the goal, which the first prompt says."""
    home_config = HomeConfig.find(options.home)
    is_embedded = home_config.variables.get("REMEMBRANCER_GRAPH", "embedded") == "embedded"
    if is_embedded and not (log.path.parent / "remembrancer.db").exists():
        return
    is_start = options.event == "session-start"
    if is_start:
        _take_up(options, log)
    if any(
        not one.word and one.matches(options.client, event.folder) and one.holds(time.time())
        for one in log.exclusions()
    ):
        return
    goal = options.goal or _goal(event)
    if goal and event.session_id and not log.begin_goal(options.project_id, event.session_id):
        goal = None
    if goal or is_start:
        said = _module("connect.brief").tell(options, event.folder, goal)
        if said:
            name = "SessionStart" if is_start else event.name or "UserPromptSubmit"
            sys.stdout.write(f"{answer_json(options.client, name, said)}\n")


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"{_SERVICE}.{name}")


def _goal(event: HookEvent) -> str | None:
    prompt = " ".join((event.prompt or "").split())
    return prompt[:_GOAL_CHARS] if len(prompt.split()) >= _WORDS and not prompt.startswith("/") else None


def _hand_over(event: HookEvent, options: argparse.Namespace, log: SessionLog) -> None:
    """Have another process remember the turns: clients wait seconds at most for the end of a hook."""
    if event.transcript is None or not event.transcript.exists():
        return  # a session in which nothing was said
    if not event.transcript.is_file():
        raise InvalidInput(f"{str(event.transcript)!r} is not a regular file")
    given = {"transcript_path": str(event.transcript), "cwd": str(event.folder or ""), "session_id": event.session_id}
    _start(json.dumps(given | {"client": options.client, "project_id": options.project_id}), options, log)


def _start(waiting: str, options: argparse.Namespace, log: SessionLog) -> None:
    given = json.loads(waiting)
    try:
        log.begin_keeping(waiting)
    except MemoryServiceError as error:
        _note(options, str(error))
    home = [] if options.home is None else ["--home", str(options.home)]
    words = ["hook", "session-end", "--wait", "--client", given["client"], "--project-id", given["project_id"], *home]
    code = f"import sys; from {_SERVICE}.cli import main; sys.exit(main({words!r}))"
    process = subprocess.Popen(  # noqa: S603 - this program
        [sys.executable, "-P", "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        **detach_options(),
    )
    if process.stdin is not None:
        process.stdin.write(json.dumps({**given, "waiting": waiting}).encode())
        process.stdin.close()
    process.returncode = 0  # it goes on when this process ends


def _take_up(options: argparse.Namespace, log: SessionLog) -> None:
    """Handle again what was not handled to its end: the machine was switched off, the disk was full."""
    for waiting in log.take_waiting(_TAKEN_UP):
        if Path(json.loads(waiting)["transcript_path"]).is_file():
            _start(waiting, options, log)
        else:
            log.end_keeping(waiting)


def _keep(event: HookEvent, options: argparse.Namespace, log: SessionLog) -> None:
    """Remember the turns of the session that are not remembered yet."""
    if event.messages is None and (event.transcript is None or not event.transcript.exists()):
        return
    if event.waiting is not None and event.transcript is not None:
        _settle(event.transcript)
    with _module("wiring").open_app(_module("settings").load_settings(options.home)) as app:
        tally = _module("connect.keeping").keep_session(app, log, event, options.client, options.project_id)
    home_config = HomeConfig.find(options.home)
    if tally.stored and not home_config.allows_multiple_servers:
        connect_to_owner(home_config, "status").close()  # the owner of the home does the background work
    for line in tally.redacted:
        _note(options, f"secrets are not stored, of {line}", is_fault=False)
    for reason in tally.refused[:_NAMED]:
        _note(options, reason)
    if len(tally.refused) > _NAMED:
        _note(options, f"{len(tally.refused) - _NAMED} more lines were refused")
    if event.waiting is not None:
        log.end_keeping(event.waiting)


def _settle(transcript: Path) -> None:
    """Wait until the client has written the last turn, which some do after they run the hook."""
    until = time.monotonic() + _LONGEST
    while time.time() - transcript.stat().st_mtime < _QUIET and time.monotonic() < until:
        time.sleep(_QUIET / 4)


def _give_up(options: argparse.Namespace) -> None:
    _note(options, f"{options.event} took more than {_LIMIT:.0f} seconds and was given up")
    sys.stderr.flush()
    os._exit(0)


def _note(options: argparse.Namespace, text: str, *, is_fault: bool = True) -> None:
    line = " ".join(text.split())
    sys.stderr.write(f"remembrancer: {line}\n")
    try:
        log = SessionLog(HomeConfig.find(options.home).home)
        if is_fault and log.path.parent.exists():
            log.add_fault(options.client, line)
    except (MemoryServiceError, OSError):
        return  # it was said on standard error, and a log that can't be written has no other place
