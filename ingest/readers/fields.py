"""From loosely typed values, as YAML and JSON give them, to a checked memory."""

from collections.abc import Mapping
from typing import Any, Final

from core.dates import is_relative, parse_iso, read_date
from core.errors import InvalidInput, TooLarge
from core.interface.memory import MAX_CONTENT, MAX_FIELD, Memory
from core.interface.parameters import argument_fields

#: Everything a memory can be given, by name.
NAMES: Final[frozenset[str]] = frozenset(item.name for item in argument_fields(Memory))
#: Most bytes read of a file that is one document: UTF-8 takes up to 4 a character, and front matter needs some room.
DOCUMENT_BYTES: Final = 4 * MAX_CONTENT + 1_000_000

#: Sources of a date that the document's own words correct: the properties of its file, the archive that holds it, and
#: its time of publishing.
PROPERTIES: Final = "properties"
ARCHIVE: Final = "archive"
PUBLISHED: Final = "published"

_LISTS: Final = frozenset({"participants", "tags"})
_NUMBERS: Final = frozenset({"importance"})
_WHOLE_NUMBERS: Final = frozenset({"turn_index"})
_OBJECTS: Final = frozenset({"metadata"})
_DATES: Final = frozenset({"date", "document_date"})


def memory_from(values: Mapping[str, object], *, where: str) -> Memory:
    """Make a memory of `values`, whose names are all in `NAMES`; None means not given.

    Raises:
        InvalidInput: a value has the wrong type or is refused by `Memory`; the message starts with `where`.
        TooLarge: a text is over its limit; likewise.
    """
    given = {name: value for name, value in values.items() if value is not None}
    try:
        typed: dict[str, Any] = {name: _typed(name, value) for name, value in given.items()}
        return Memory(**typed)
    except TooLarge as error:
        raise TooLarge(f"{where}: {error}") from error
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error}") from error


def document(path: str, content: str, values: Mapping[str, object]) -> Memory:
    """Make the memory of a file that is one document, keyed by its path unless `values` has a key."""
    defaults: dict[str, object] = {"source": "file", "file_path": path, "key": path}
    given = {name: value for name, value in values.items() if value is not None}
    if "date_source" in given and not _is_date(given.get("date")):  # no text is refused for its properties
        given = {name: value for name, value in given.items() if name not in ("date", "date_source")}
    return memory_from(defaults | given | {"content": content}, where=repr(path))


def date_of(text: str | None) -> str | None:
    """Return a date that a file gives in its properties if it is one (ISO 8601), else None."""
    try:
        return None if text is None or parse_iso(text.strip(), field="date") is None else text.strip()
    except InvalidInput:
        return None


def _is_date(value: object) -> bool:
    try:
        return isinstance(value, str) and bool(read_date(value, field="date"))
    except InvalidInput:
        return False


def line_of(text: str | None) -> str | None:
    """Return a property of a file on one line, cut to the length of a field; None if it is blank."""
    return " ".join((text or "").split())[:MAX_FIELD].strip() or None


def _typed(name: str, value: object) -> object:
    if name in _LISTS:
        if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
            return tuple(value)
        raise InvalidInput(f'{name} {_short(value)} is not a list of texts: write it as a list, ["like", "this"].')
    if name in _OBJECTS:
        if isinstance(value, dict) and all(isinstance(key, str) for key in value):
            return value
        raise InvalidInput(f"{name} {_short(value)} is not an object: write it as names with values.")
    if name in _WHOLE_NUMBERS | _NUMBERS:
        wanted = int if name in _WHOLE_NUMBERS else (int, float)
        if isinstance(value, wanted) and not isinstance(value, bool):
            return value
        raise InvalidInput(
            f"{name} {_short(value)} is not a {'whole ' * (wanted is int)}number: write it without quotes."
        )
    if not isinstance(value, str):
        raise InvalidInput(f"{name} {_short(value)} is not a text: put it in quotes.")
    if name in _DATES and is_relative(value):
        raise InvalidInput(f"{name} {_short(value)} counts from a day that the file does not name: write the date.")
    return value


def _short(value: object) -> str:
    return f"{value!r:.60}"
