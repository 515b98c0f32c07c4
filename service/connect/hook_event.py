"""An event of a client's hook: its fields, under the names that the clients give them, and the answer in their form."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self, TextIO

from core.errors import InvalidInput
from service.owner.home_config import client_variables

#: Largest event, in characters: most have some hundreds, plug-ins send the messages of a session with it.
_MOST: Final = 64_000_000
#: Where clients that name no transcript keep it: the variable and the usual place of their folder, and a pattern in it.
_TRANSCRIPTS: Final[Mapping[str, tuple[str, str, str]]] = {
    "copilot": ("COPILOT_HOME", ".copilot", "session-state/{id}/events.jsonl"),
    "cursor": ("CURSOR_CONFIG_DIR", ".cursor", "projects/*/agent-transcripts/**/{id}.jsonl"),
}
_ID: Final = re.compile(r"[\w-]{1,200}")


@dataclass(frozen=True, slots=True)
class HookEvent:
    """What a client says: the session and its folder, its transcript so far or its messages, and the prompt.

    Each is None where the client does not say it. `name` is what the client calls the event.
    """

    transcript: Path | None = None
    folder: Path | None = None
    session_id: str | None = None
    prompt: str | None = None
    name: str | None = None
    #: The whole event, if it has the messages of the session.
    messages: Mapping[str, Any] | None = None
    #: The entry of the log that ends when this event was handled.
    waiting: str | None = None

    @classmethod
    def read(cls, stream: TextIO, client: str) -> Self:
        """Read the event.

        Raises:
            InvalidInput: it is no JSON object, or a path in it is not a path.
        """
        try:
            given: object = json.loads(stream.read(_MOST))
        except (ValueError, RecursionError) as error:
            raise InvalidInput(f"standard input is not the JSON of a hook ({str(error)[:80]})") from error
        if not isinstance(given, Mapping):
            raise InvalidInput("standard input is not the JSON object of a hook")
        session_id = _session_id(given)
        folder = _path(given, "cwd") or _path(given, "workspace_roots")
        transcript = _path(given, "transcript_path") or _path(given, "transcriptPath")
        return cls(
            transcript or _usual_transcript(client, session_id),
            folder,
            session_id,
            _text(given.get("prompt")) or _text(given.get("initialPrompt")),
            _text(given.get("hook_event_name")),
            given if isinstance(given.get("messages"), list) else None,
            _text(given.get("waiting")),
        )


def answer_json(client: str, name: str, said: str) -> str:
    """Return text for the agent's context in the form that its client reads; ASCII, for any encoding of the system.

    `name` is what the client calls the event.
    """
    if client == "cursor":
        return json.dumps({"continue": True, "additional_context": said})
    if client in ("copilot", "opencode", "cline", "hermes"):
        return json.dumps({"additionalContext": said})
    told = {"hookEventName": name, "additionalContext": said}
    return json.dumps({"hookSpecificOutput": told})


def _session_id(given: Mapping[str, object]) -> str | None:
    names = ("session_id", "sessionId", "conversation_id")
    return next((found for name in names if (found := _text(given.get(name)))), None)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _path(given: Mapping[str, object], name: str) -> Path | None:
    value = given.get(name)
    if isinstance(value, list):
        value = value[0] if value else None
    if value in (None, ""):
        return None
    if not isinstance(value, str) or "\0" in value:
        raise InvalidInput(f"{name} {str(value)[:80]!r} is no path")
    try:
        return Path(value).expanduser().absolute()
    except (OSError, RuntimeError, ValueError) as error:
        raise InvalidInput(f"{name} {value[:80]!r} is no path ({error})") from error


def _usual_transcript(client: str, session_id: str | None) -> Path | None:
    """Return the transcript of a session where its client keeps it; None if there is none."""
    if client not in _TRANSCRIPTS or session_id is None or not _ID.fullmatch(session_id):
        return None
    variable, usual, pattern = _TRANSCRIPTS[client]
    folder = Path(client_variables().get(variable) or Path.home() / usual).expanduser()
    return next(iter(sorted(folder.glob(pattern.format(id=session_id)))), None)
