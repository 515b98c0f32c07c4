"""Sessions of coding agents that keep a list of messages: Gemini CLI, Cursor, Copilot, Cline and OpenCode.

Their files differ in where a message has its role, text, id and time, and in what the program adds to the user's text.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from core.regex import regex
from ingest.readers.conversations.turns import Conversation
from ingest.readers.formats.source import Part, Refused, Source
from ingest.readers.json_text import entries, fields, json_cursor, json_lines, moment, seconds, text

_ROLES: Final = {"user": "user", "assistant": "assistant", "gemini": "assistant", "model": "assistant"}
#: Elements that programs add to the user's text: context, and what hooks such as ours returned.
_ADDED: Final = regex(
    r"<(session_context|hook_context|environment_details|memory-context|system-reminder|current_datetime|user_info"
    r"|attached_files|open_and_recently_viewed_files)\b[^<>]{0,200}>"
)
#: The element in which Cline and Cursor enclose what the user typed.
_TYPED: Final = regex(r"<(user_input|user_query)\b[^<>]{0,200}>")
#: From this number on, a time is in milliseconds.
_MILLISECONDS: Final = 100_000_000_000
#: Names of fields: the id of a session, its folder, the text of a message, and its time.
_SESSION: Final = ("sessionId", "session_id", "sessionID", "id")
_FOLDER: Final = ("cwd", "directory", "workspaceRoot")
_TIME: Final = ("timestamp", "ts", "created", "createdAt")


@dataclass(slots=True)
class _Header:
    """What the messages of a file have in common."""

    session: str
    folder: str | None = None
    program: str = "cursor"

    def take(self, record: Mapping[str, object]) -> None:
        """Take what a record that is no message says of the session."""
        about = fields(record.get("data")) or fields(record.get("info")) or record
        self.session = _first(about, _SESSION) or self.session
        self.folder = _first(fields(about.get("context")), _FOLDER) or _first(about, _FOLDER) or self.folder
        for mark, program in (("projectHash", "gemini"), ("copilotVersion", "copilot"), ("origin", "cline")):
            if mark in about:
                self.program = program
        if "info" in record:
            self.program = "opencode"


def read_agent_session(source: Source, _context: str | None) -> Iterator[Part]:
    """Yield the turns; of messages with the same id, the last one at the place of the first.

    Raises:
        NotFound, InvalidInput: the file can't be opened, or is no JSON.
        TooLarge: a message is over the limit.
    """
    header = _Header(source.path.name.partition(".")[0])
    said: dict[str, tuple[str, str, str | None, str | None]] = {}
    for where, record in _records(source):
        if isinstance(record, Refused):
            yield record
        elif (role := _role(record)) is None:
            header.take(record)
        elif words := _words(record, role):
            about = fields(record.get("data")) or fields(record.get("info")) or record
            own_id = _first(about, ("messageId", "id")) or _first(record, ("id",))
            said[own_id or where] = role, words, _time(record, about), own_id
    for index, (role, words, date, own_id) in enumerate(said.values()):
        yield from Conversation(source.where, header.program, header.session).turns(
            index, words, role=role, date=date, own_id=own_id, metadata={"folder": header.folder}
        )


def _records(source: Source) -> Iterator[tuple[str, Mapping[str, object] | Refused]]:
    """Yield each message of a file with its place, and before it what the file says of the session."""
    if source.suffix == ".jsonl":
        for number, line in json_lines(source):
            changed = {} if isinstance(line, Refused) else fields(line.get("$set"))
            for inner, one in enumerate(map(fields, entries(changed.get("messages")))):
                yield f"line {number} message {inner}", one
            if not changed:
                yield f"line {number}", line
        return
    with json_cursor(source) as cursor:
        about: dict[str, object] = {}
        for name in cursor.members():
            if name == "messages" and cursor.kind() == "[":
                yield "", about
                for number, value in enumerate(cursor.elements()):
                    yield f"message {number}", fields(value)
            else:
                about[name] = cursor.value()
        yield "", about


def _role(record: Mapping[str, object]) -> str | None:
    """Return who says a message; None if the record is no message, "" if it is not said to the other side."""
    about = fields(record.get("info")) or record
    kind = record.get("type")
    if isinstance(kind, str) and kind.endswith(".message"):
        return _ROLES.get(kind.partition(".")[0], "")
    named = about.get("role", kind)
    is_message = isinstance(named, str) and ("role" in about or named in _ROLES or "content" in record)
    return _ROLES.get(str(named), "") if is_message else None


def _words(record: Mapping[str, object], role: str) -> str:
    about = fields(record.get("info"))
    if not role or about.get("summary") is True or record.get("isSummary") is True:
        return ""
    holders = (fields(record.get("data")), fields(record.get("message")), record)
    content = next((one["content"] for one in holders if one.get("content") is not None), record.get("parts"))
    blocks = [content] if isinstance(content, str) else [_block(block) for block in entries(content)]
    cleaned = [_typed(words) for words in blocks] if role == "user" else blocks
    return "\n\n".join(words for words in cleaned if words.strip())


def _block(block: object) -> str:
    one = fields(block)
    is_said = one.get("type", "text") == "text" and not one.get("synthetic") and not one.get("thought")
    return (text(one.get("text")) or "") if is_said else ""


def _typed(words: str) -> str:
    """Return what the user typed, without the elements that the program added."""
    if (inner := _TYPED.search(words)) and (end := words.rfind(f"</{inner[1]}>")) > inner.end():
        return words[inner.end() : end].strip()
    kept, at, unclosed = [], 0, set[str]()
    for found in _ADDED.finditer(words):
        close = f"</{found[1]}>"
        if found.start() < at or found[1] in unclosed:
            continue
        if (end := words.find(close, found.end())) < 0:
            unclosed.add(found[1])
            continue
        kept.append(words[at : found.start()])
        at = end + len(close)
    return "".join([*kept, words[at:]]).strip() if at else words


def _time(record: Mapping[str, object], about: Mapping[str, object]) -> str | None:
    for one in (record, about, fields(about.get("time"))):
        for name in _TIME:
            value = one.get(name)
            number = None if isinstance(value, str) else seconds(value)
            if found := moment(number / 1_000 if number is not None and number >= _MILLISECONDS else value):
                return found
    return None


def _first(one: Mapping[str, object], names: tuple[str, ...]) -> str | None:
    return next((found for name in names if (found := text(one.get(name)))), None)
