"""Edits of a TOML text, a table at a time, that leave every other line as it is."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from core.errors import InvalidInput

_HEADER: Final = re.compile(r"\s*\[\[?\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?")
_PART: Final = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([\w-]+))\s*(?:\.|$)""")


def parse_toml_text(text: str) -> Mapping[str, Any]:
    """Return what a text holds.

    Raises:
        InvalidInput: it is no TOML; the error has the line and column.
    """
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InvalidInput(str(error) or "the tables are too deep") from error


def set_table(text: str, path: Sequence[str], values: Mapping[str, object]) -> str:
    """Return the text with this table, in the place of one of that name, else at the end."""
    line_end = "\r\n" if "\r\n" in text else "\n"
    table = _table(path, values, line_end)
    lines = text.splitlines(keepends=True)
    if (span := _span(lines, path)) is not None:
        return "".join([*lines[: span[0]], table, *lines[span[1] :]])
    gap = "" if not text.strip() else line_end if text.endswith("\n") else line_end * 2
    return f"{text}{gap}{table}"


def remove_table(text: str, path: Sequence[str]) -> str:
    """Return the text without a table and the tables in it, if it has its own header."""
    lines = text.splitlines(keepends=True)
    if (span := _span(lines, path)) is None:
        return text
    start, end = span
    while start and not lines[start - 1].strip():
        start -= 1
    return "".join([*lines[:start], *lines[end:]])


def _table(path: Sequence[str], values: Mapping[str, object], line_end: str) -> str:
    fields = (f"{name} = {_value(value)}" for name, value in values.items())
    return "".join(f"{line}{line_end}" for line in (f"[{'.'.join(path)}]", *fields))


def _value(value: object) -> str:
    """Return a string, a list of strings or a table of strings as TOML, whose strings are written as in JSON."""
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{name} = {_value(inner)}' for name, inner in value.items())} }}"
    return json.dumps(value, ensure_ascii=False)


def _span(lines: Sequence[str], path: Sequence[str]) -> tuple[int, int] | None:
    """Return the lines of a table, from its header to before what follows it; None if it has no header."""
    headers = [(number, _path(line)) for number, line in enumerate(lines)]
    headers = [(number, found) for number, found in headers if found is not None]
    wanted = list(path)
    ours = [number for number, found in headers if found is not None and found[: len(wanted)] == wanted]
    if not ours:
        return None
    after = [number for number, found in headers if number > ours[-1]]
    end = after[0] if after else len(lines)
    while end > ours[-1] + 1 and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
        end -= 1
    return ours[0], end


def _path(line: str) -> list[str] | None:
    """Return the keys of a table's header; None if the line is not a header."""
    found = _HEADER.fullmatch(line.rstrip("\r\n"))
    return None if found is None else ["".join(part) for part in _PART.findall(found[1])]
