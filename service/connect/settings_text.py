"""The text of a client's settings, whatever its format: with our entries, and without them.

Each edit is checked: what is read of the text afterwards differs from what was read of it before in our entries alone.
"""

import copy
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, Final

from core.errors import Conflict, InvalidInput
from service.connect import json_text
from service.connect.clients import TOOLS, Change, Entry, Format

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


def parse_settings(text: str, of: Format) -> Mapping[str, Any]:
    """Return what a text holds; raises InvalidInput if it can't be read."""
    return json_text.parse_json_text(text) if of == "json" else parse_toml_text(text)


def add_entries(text: str, change: Change) -> str:
    """Return the text with our entries, each once.

    Raises:
        InvalidInput: it can't be read, or there is something else in place of an entry.
    """
    return _checked(text, reduce(lambda made, entry: _with(made, entry, change.format), change.entries, text), change)


def remove_entries(text: str, change: Change, earlier: str | None) -> str:
    """Return the text without our entries; one that `earlier` had in the same place is put back.

    Raises:
        InvalidInput: it can't be read.
    """
    past = {} if earlier is None else parse_settings(earlier, change.format)
    made = reduce(lambda made, entry: _without(made, entry, change.format, past), change.entries, text)
    return _checked(text, made, change)


def written_tools(text: str, change: Change) -> str | None:
    """Return the tools that our server in the text is to serve; None if it is not there or does not say."""
    data = parse_settings(text, change.format)
    places = [entry.path for entry in change.entries if entry.mark is None]
    named = (_at(data, (*path, name, TOOLS)) for path in places for name in ("env", "environment"))
    return next((tools for tools in named if isinstance(tools, str)), None)


def is_ours(text: str, change: Change) -> bool:
    """Whether `connect` wrote entries of the text: our hooks, or a server that says which tools it is to serve."""
    hooks = (_unmarked(text, entry) != text for entry in change.entries if entry.mark is not None)
    return written_tools(text, change) is not None or any(hooks)


def has_entries(text: str, change: Change) -> bool:
    """Whether one of our entries is in the text."""
    data = parse_settings(text, change.format)
    return any(
        _found(data, entry) is not None if entry.mark is None else _unmarked(text, entry) != text
        for entry in change.entries
    )


def _with(text: str, entry: Entry, of: Format) -> str:
    data = parse_settings(text, of)
    if _found(data, entry) == entry.value:
        return text
    if of == "toml" and isinstance(entry.value, Mapping):
        return set_table(text, entry.path, entry.value)
    if entry.mark is None:
        return json_text.set_value(text, entry.path, entry.value)
    return json_text.append_element(_unmarked(text, entry), entry.path, entry.value)


def _without(text: str, entry: Entry, of: Format, past: Mapping[str, Any]) -> str:
    before = _found(past, entry)
    if before is not None:
        return _with(text, Entry(entry.path, before, entry.mark), of)
    if of == "toml":
        return remove_table(text, entry.path)
    if not isinstance(entry.value, Mapping) and len(parse_settings(text, of)) > 1:
        return text
    text = json_text.remove_value(text, entry.path) if entry.mark is None else _unmarked(text, entry)
    return _pruned(text, entry.path if entry.mark else entry.path[:-1], past)


def _unmarked(text: str, entry: Entry) -> str:
    """Return the text without our hooks at an entry's path: a group of them goes if it has no others."""
    elements = _at(parse_settings(text, "json"), entry.path)
    for index, element in reversed(list(enumerate(elements if isinstance(elements, list) else []))):
        ours, others = _hooks(element, entry)
        if ours and not others:
            text = json_text.remove_element(text, entry.path, index)
        else:
            for number in reversed(ours):
                text = json_text.remove_element(text, (*entry.path, index, "hooks"), number)
    return text


def _pruned(text: str, path: Sequence[str], past: Mapping[str, Any]) -> str:
    """Return the text without what is empty now on this path and was not there in the past."""
    for length in range(len(path), 0, -1):
        part = path[:length]
        if _at(parse_settings(text, "json"), part) in ({}, []) and _at(past, part) is None:
            text = json_text.remove_value(text, part)
    return text


def _checked(before: str, after: str, change: Change) -> str:
    try:
        if _rest(before, change) == _rest(after, change):
            return after
    except InvalidInput as error:
        if before == after:
            raise
        raise Conflict(f"the settings are written in a form that can't be edited safely ({error})") from error
    raise Conflict("the settings are written in a form that can't be edited safely")


def _rest(text: str, change: Change) -> Mapping[str, Any]:
    """Return what a text holds besides our entries and what is empty without them."""
    data = copy.deepcopy(parse_settings(text, change.format))
    for entry in change.entries:
        parent = _at(data, entry.path[:-1])
        if not isinstance(parent, dict):
            continue
        if entry.mark is None:
            parent.pop(entry.path[-1], None)
        elif isinstance(elements := parent.get(entry.path[-1]), list):
            parent[entry.path[-1]] = [left for element in elements if (left := _others(element, entry)) is not None]
        for length in range(len(entry.path), 0, -1):
            above = _at(data, entry.path[: length - 1])
            if isinstance(above, dict) and above.get(entry.path[length - 1]) in ({}, []):
                del above[entry.path[length - 1]]
    return data


def _at(data: object, path: Sequence[str]) -> object:
    return reduce(lambda inner, key: inner.get(key) if isinstance(inner, dict) else None, path, data)


def _found(data: Mapping[str, Any], entry: Entry) -> Any:  # noqa: ANN401 - JSON
    """Return the value of our entry in what was read; None if it is not there, there in several places, or
    in a group of hooks that has others."""
    value = _at(data, entry.path)
    if entry.mark is None or not isinstance(value, list):
        return None if entry.mark else value
    marked = [(element, others) for element in value for ours, others in [_hooks(element, entry)] if ours]
    return marked[0][0] if len(marked) == 1 and not marked[0][1] else None


def _others(element: object, entry: Entry) -> object:
    """Return a group of hooks without ours; None if it has no others."""
    ours, others = _hooks(element, entry)
    if not ours or not isinstance(element, dict):
        return element
    return element | {"hooks": others} if others else None


def _hooks(element: object, entry: Entry) -> tuple[list[int], list[object]]:
    """Return the places of our hooks in a group, those whose command has the entry's mark, and the others.

    A hook that is in no group counts as a group of its own.
    """
    hooks = element.get("hooks", [element]) if isinstance(element, dict) else None
    hooks = hooks if isinstance(hooks, list) else []
    command = re.compile(rf"(?<![\w.-])remembrancer(?:\.exe)?['\"]?{re.escape(entry.mark or '')}(?!\S)")
    ours = [
        number
        for number, hook in enumerate(hooks)
        if isinstance(hook, dict) and command.search(str(hook.get("command") or hook.get("bash")))
    ]
    return ours, [hook for number, hook in enumerate(hooks) if number not in ours]
