"""The text of a client's settings, whatever its format: with our entries, and without them.

Each edit is checked: what is read of the text afterwards differs from what was read of it before in our entries alone.
"""

import copy
import re
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

from core.errors import Conflict, InvalidInput
from service.connect import json_text, toml_text
from service.connect.clients import Change, Entry, Format


def parse_settings(text: str, of: Format) -> Mapping[str, Any]:
    """Return what a text holds; raises InvalidInput if it can't be read."""
    return json_text.parse_json_text(text) if of == "json" else toml_text.parse_toml_text(text)


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
    if of == "toml":
        return toml_text.set_table(text, entry.path, entry.value)
    if entry.mark is None:
        return json_text.set_value(text, entry.path, entry.value)
    return json_text.append_element(_unmarked(text, entry), entry.path, entry.value)


def _without(text: str, entry: Entry, of: Format, past: Mapping[str, Any]) -> str:
    before = _found(past, entry)
    if before is not None:
        return _with(text, Entry(entry.path, before, entry.mark), of)
    if of == "toml":
        return toml_text.remove_table(text, entry.path)
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
    """Return the places of our hooks in a group, those whose command has the entry's mark, and the others."""
    hooks = element.get("hooks") if isinstance(element, dict) else None
    hooks = hooks if isinstance(hooks, list) else []
    command = re.compile(rf"(?<![\w.-])remembrancer(?:\.exe)?['\"]?{re.escape(entry.mark or '')}(?!\S)")
    ours = [
        number
        for number, hook in enumerate(hooks)
        if isinstance(hook, dict) and command.search(str(hook.get("command", "")))
    ]
    return ours, [hook for number, hook in enumerate(hooks) if number not in ours]
