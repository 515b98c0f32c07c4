"""`hook`: what clients run when a session begins, is compacted or ends. It never fails a client: the exit code is 0,
and what went wrong is said on standard error.
"""

import argparse
import io
import json
import logging
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self, TextIO

from core.errors import InvalidInput, MemoryServiceError
from core.interface.memory import Memory, check_project_id
from core.records import artifact_id
from ingest.intake.files import IntakeTally, ingest
from ingest.readers.conversations import assistants
from ingest.readers.formats.conversation_formats import CODEX
from ingest.readers.formats.format import Fit, Head
from ingest.readers.formats.source import Item, Part, Source
from service.connect.brief import BUDGET, render_brief
from service.owner.home_config import HomeConfig
from service.owner.launcher import connect_to_owner
from service.settings import Settings, load_settings
from service.wiring import open_app
from service.workspace import project_folder

#: Characters that are read: an event of a hook has some hundreds.
_MOST_BYTES: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class HookEvent:
    """The transcript of the session so far, and the folder that it works in; None where the client does not say."""

    transcript: Path | None = None
    folder: Path | None = None

    @classmethod
    def read(cls, stream: TextIO) -> Self:
        """Read the event.

        Raises:
            InvalidInput: it is no JSON object, or a path in it is not a path.
        """
        try:
            given: object = json.loads(stream.read(_MOST_BYTES))
        except (ValueError, RecursionError) as error:
            raise InvalidInput(f"standard input is not the JSON of a hook ({str(error)[:80]})") from error
        if not isinstance(given, Mapping):
            raise InvalidInput("standard input is not the JSON object of a hook")
        return cls(_path(given, "transcript_path"), _path(given, "cwd"))


def _path(given: Mapping[str, object], name: str) -> Path | None:
    value = given.get(name)
    if value in (None, ""):
        return None
    if not isinstance(value, str) or "\0" in value:
        raise InvalidInput(f"{name} {str(value)[:80]!r} is no path")
    try:
        return Path(value).expanduser().absolute()
    except (OSError, RuntimeError, ValueError) as error:
        raise InvalidInput(f"{name} {value[:80]!r} is no path ({error})") from error


_EVENTS: Final = ("session-start", "pre-compact", "session-end")
#: Refused lines that are named.
_NAMED: Final = 3
#: Newest entries of the audit trail that are searched for what was forgotten: the transcript still has it.
_ACTS: Final = 10_000
#: Fewest and most tokens of a brief.
_LEAST, _MOST = 200, 1_500

_log = logging.getLogger("remembrancer")


def configure(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add the options of `hook`."""
    known = f"{{{','.join(_EVENTS)}}}"  # an event of a later release is reported, and blocks no client
    parser.add_argument(
        "event", metavar=known, help="name of the event; the client sends details on standard input, as JSON"
    )
    parser.add_argument("--home", type=Path, help="the memory's home, if it is not the one of REMEMBRANCER_HOME")
    parser.add_argument("--project-id", default="default", help="project to use (default: %(default)s)")
    parser.add_argument(
        "--goal", help="what the session is for: decisions and commitments about it come first in its brief"
    )
    parser.add_argument(
        "--max-tokens",
        type=int,
        default=BUDGET,
        help="maximum number of tokens added when a session starts (default: %(default)s)",
    )


def run(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - one command in this module
    """Answer the event; return 0 whatever happens."""
    try:
        check_project_id(options.project_id)
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(encoding="utf-8")  # as clients write it, whatever the system's encoding
        event = HookEvent.read(sys.stdin)
        if options.event not in _EVENTS:
            raise InvalidInput(f"The event {options.event!r} is unknown: use {', '.join(_EVENTS)}.")
        if options.event == "session-start":
            _begin(event, options)
        else:
            _keep(event, options)
    except (MemoryServiceError, OSError) as error:
        _note(str(error))
    except Exception:  # noqa: BLE001 - the edge of another program, whose session goes on: a bug is printed with its traceback
        _log.exception("The hook failed unexpectedly")
    return 0


def _begin(event: HookEvent, options: argparse.Namespace) -> None:
    """Tell the client what its agent is to know."""
    if not _LEAST <= options.max_tokens <= _MOST:
        raise InvalidInput(f"--max-tokens {options.max_tokens} is out of range: use {_LEAST} to {_MOST:,}.")
    settings = load_settings(options.home)
    if settings.graph == "embedded" and not settings.record_path.exists():
        return
    folder = None if event.folder is None else project_folder(event.folder)
    with open_app(settings) as app:
        said = render_brief(app, options.project_id, folder, options.max_tokens, options.goal)
    if said:
        told = {"hookEventName": "SessionStart", "additionalContext": said}
        sys.stdout.write(f"{json.dumps({'hookSpecificOutput': told})}\n")  # ASCII, for any encoding of the system


def _keep(event: HookEvent, options: argparse.Namespace) -> None:
    """Remember the turns of the session that are not remembered yet, and were not forgotten."""
    if event.transcript is None or not event.transcript.exists():
        return  # a session in which nothing was said
    settings = load_settings(options.home)
    tally = _remembered(event.transcript, settings, options.project_id)
    home_config = HomeConfig.find(options.home)
    if tally.stored and not home_config.allows_multiple_servers:
        connect_to_owner(home_config, "status").close()  # the owner of the home does the background work
    for line in tally.redacted:
        _note(f"secrets are not stored, of {line}")
    for reason in tally.refused[:_NAMED]:
        _note(reason)
    if len(tally.refused) > _NAMED:
        _note(f"{len(tally.refused) - _NAMED} more lines were refused")


def _remembered(transcript: Path, settings: Settings, project_id: str) -> IntakeTally:
    tally = IntakeTally()
    with open_app(settings) as app:
        forgotten = {
            id_
            for entry in app.store.audit_trail(project_id, limit=_ACTS)
            if entry.act == "forget"
            for id_ in entry.ids
        }

        def read(path: Path, *, context: str | None) -> Iterator[Part]:
            for part in _turns(path, context=context):
                if not isinstance(part, Item) or forgotten.isdisjoint(_ids(part.memory, project_id)):
                    yield part

        tallies = ingest([transcript], project_id, context=None, records=app.store, tokenizer=app.tokenizer, read=read)
        for tally in tallies:
            tally.outcomes.clear()
    return tally


def _ids(memory: Memory, project_id: str) -> Iterator[str]:
    """Yield the ids that an item may have: ids of an earlier release come from its exact text."""
    for exact in (False, True):
        yield artifact_id(memory.fingerprint(project_id, exact=exact))


def _turns(path: Path, *, context: str | None) -> Iterator[Part]:
    """Yield the turns of a transcript of Codex if it begins as one does, else of Claude Code, however it begins."""
    source = Source(path.resolve())
    read = CODEX.read if CODEX.fit(Head(source)) is Fit.CERTAIN else assistants.read_claude_code
    return iter(read(source, context))


def _note(text: str) -> None:
    sys.stderr.write(f"remembrancer: {' '.join(text.split())}\n")
