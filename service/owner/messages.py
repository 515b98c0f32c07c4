"""Messages: JSON-RPC as clients send it, one message or batch a line; what is damaged is repaired or answered."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from core.knowledge.text import repair_json

#: Codes of JSON-RPC for text that is not JSON, JSON that is not a message, and an error of the server.
PARSE_ERROR, INVALID_REQUEST, INTERNAL_ERROR = -32700, -32600, -32603
#: Largest message of a client, in bytes.
MAX_MESSAGE: Final = 64 * 1024 * 1024
#: Deepest nesting of a message: what the libraries on its way can read and write.
_MAX_DEPTH: Final = 128
_TOO_DEEP: Final = f"The message is nested too deep: use at most {_MAX_DEPTH} levels."
#: Longest id that is looked for in a message that can't be read, in characters.
_LONGEST_ID: Final = 200
#: The parts of JSON text that tell how deep a place is: strings whole, brackets, and what names a value.
_PART: Final = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)|[{}\[\]]|-?\d+', re.S)


@dataclass(frozen=True, slots=True)
class Fault:
    """A message that can't be handled; `id` is the id of the request, None if it can't be read."""

    id: int | str | None
    code: int
    reason: str

    def answer(self) -> dict[str, Any]:
        """Return the error response."""
        return {"jsonrpc": "2.0", "id": self.id, "error": {"code": self.code, "message": self.reason}}


@dataclass(frozen=True, slots=True)
class Received:
    """What one line holds: its messages and faults in order, and whether they came as a batch."""

    parts: tuple[dict[str, Any] | Fault, ...]
    is_batch: bool = False

    def requests(self) -> Iterator[dict[str, Any]]:
        """Yield the messages that have to be answered."""
        return (part for part in self.parts if isinstance(part, dict) and "id" in part and "method" in part)


def format_id(value: object) -> str:
    """Return an id as JSON, so that 1 and "1" are two."""
    return json.dumps(value)


def read_line(line: bytes, longest: int) -> Received:
    """Return the messages of a line; empty for a blank line.

    Bytes that are not UTF-8 and unpaired surrogates become U+FFFD, and a byte order mark is dropped.
    """
    text = line.decode("utf-8", errors="replace").strip("\ufeff \t\r\n")
    if not text:
        return Received(())
    if len(line) > longest:
        return _fault(text, f"The message has {len(line):,} bytes: send at most {longest:,}.")
    try:
        value = json.loads(text)
    except RecursionError:
        return _fault(text, _TOO_DEEP)
    except ValueError as error:
        return _fault(text, f"The message is not JSON ({error}): send one JSON-RPC message a line.", PARSE_ERROR)
    if _is_deeper(value, _MAX_DEPTH):
        return _fault(text, _TOO_DEEP)
    if not isinstance(value, list):
        return Received((check_message(repair_json(value)),))
    if not value:
        return Received((Fault(None, INVALID_REQUEST, "The batch is empty: send at least one message."),))
    return Received(tuple(check_message(repair_json(one)) for one in value), is_batch=True)


def check_message(value: Any) -> dict[str, Any] | Fault:  # noqa: ANN401 - JSON
    """Return a message if its outer form is JSON-RPC, else a fault."""
    if not isinstance(value, dict):
        return Fault(None, INVALID_REQUEST, "The message is not an object: send a JSON-RPC request or notification.")
    id_ = value.get("id")
    if "id" in value and not _is_id(id_):
        is_answer = "error" in value and id_ is None
        return value if is_answer else Fault(None, INVALID_REQUEST, "id is not valid: use a whole number or a text.")
    if value.get("jsonrpc") != "2.0":
        return Fault(id_, INVALID_REQUEST, 'jsonrpc is not valid: it must be "2.0".')
    if "method" in value:
        if not isinstance(value["method"], str):
            return Fault(id_, INVALID_REQUEST, "method is not valid: use the text of a method's name.")
        if not isinstance(value.get("params", {}), dict | None):
            return Fault(id_, INVALID_REQUEST, "params is not valid: use an object.")
    elif not ("result" in value or "error" in value):
        return Fault(id_, INVALID_REQUEST, "method is missing: name the method to call.")
    return value


def _is_id(value: object) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


def _is_deeper(value: object, most: int) -> bool:
    level = [value]
    for _ in range(most):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


def _fault(text: str, reason: str, code: int = INVALID_REQUEST) -> Received:
    return Received((Fault(_id_within(text), code, reason),))


def _id_within(text: str) -> int | str | None:
    """Return the id of a message that can't be read as a whole: the value after "id" in its outermost object."""
    depth, name = 0, ""
    for part in _PART.finditer(text):
        found = part[0]
        if found in "{[":
            depth += 1
        elif found in "}]":
            depth -= 1
        elif depth == 1 and text[0] == "{":
            if name == '"id"':
                return _id_of(found)
            is_name = text[part.end() : part.end() + 8].lstrip().startswith(":")
            name = found if is_name else ""
    return None


def _id_of(text: str) -> int | str | None:
    try:
        value = json.loads(text[:_LONGEST_ID])
    except ValueError:
        return None
    return repair_json(value) if _is_id(value) else None
