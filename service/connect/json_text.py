"""Edits of a JSON text, with comments and trailing commas, that leave everything else in it as it is."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from core.errors import InvalidInput

#: White space and comments, which editors allow in their settings.
_BETWEEN: Final = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR: Final = re.compile(r"-?\d[-+.\deE]*|true|false|null")
#: Levels of a settings file; deeper ones are damaged or hostile.
_DEEPEST: Final = 100


@dataclass(slots=True)
class Node:
    """A value from `start` to `end`; of an object and a list also its children, in order.

    `start` of an `entry` is where its key begins, if it has one; `comma` is the place of the comma after it, if any.
    """

    start: int
    end: int = 0
    scalar: Any = None
    children: list["Entry"] = field(default_factory=list)
    #: The opening bracket; empty for a scalar.
    opening: str = ""

    @property
    def data(self) -> Any:  # noqa: ANN401 - JSON
        """The value as Python has it; of a key that occurs twice the last one counts, as everywhere."""
        if self.opening == "{":
            return {entry.key: entry.node.data for entry in self.children}
        return [entry.node.data for entry in self.children] if self.opening else self.scalar

    def find(self, key: str) -> "Entry | None":
        """Return the entry of an object that counts; None if it has none."""
        return next((entry for entry in reversed(self.children) if entry.key == key), None)

    def at(self, path: Sequence[str | int]) -> "Node | None":
        """Return the value at a path of keys and list indexes; None if there is none."""
        node: Node | None = self
        for key in path:
            if isinstance(key, int):
                node = node.children[key].node if node is not None and node.opening == "[" else None
                continue
            entry = node.find(key) if node is not None and node.opening == "{" else None
            node = None if entry is None else entry.node
        return node


@dataclass(slots=True)
class Entry:
    """A child of an object or a list."""

    start: int
    node: Node
    key: str | None = None
    comma: int | None = None


def parse_tree(text: str) -> Node:
    """Return the tree of a text; an empty text is read as an empty object.

    Raises:
        InvalidInput: it is no JSON; the error has the line and column.
    """
    reader = _Reader(text)
    reader.skip()
    if reader.at == len(text):
        return Node(len(text), len(text), opening="{")
    root = reader.value(0)
    reader.skip()
    if reader.at < len(text):
        raise reader.fault("the end of the file")
    return root


def describe_position(text: str, at: int) -> str:
    """Return a position as line and column, as editors count."""
    return f"line {text.count(chr(10), 0, at) + 1}, column {at - text.rfind(chr(10), 0, at)}"


class _Reader:
    def __init__(self, text: str) -> None:
        self._text, self.at = text, 0

    def fault(self, expected: str) -> InvalidInput:
        return InvalidInput(f"{describe_position(self._text, self.at)}: {expected} is expected")

    def skip(self) -> None:
        found = _BETWEEN.match(self._text, self.at)
        self.at = found.end() if found else self.at

    def value(self, depth: int) -> Node:
        if self._text[self.at : self.at + 1] in {"{", "["}:
            if depth == _DEEPEST:
                raise self.fault(f"no more than {_DEEPEST} levels")
            return self._container(depth)
        node = Node(self.at)
        node.scalar = self._string() if self._text[self.at : self.at + 1] == '"' else self._scalar()
        node.end = self.at
        return node

    def _container(self, depth: int) -> Node:
        node = Node(self.at, opening=self._text[self.at])
        closing = "}" if node.opening == "{" else "]"
        self.at += 1
        self.skip()
        while self._text[self.at : self.at + 1] != closing:
            if node.children and node.children[-1].comma is None:
                raise self.fault(f"a comma or {closing}")
            node.children.append(self._entry(depth, is_keyed=node.opening == "{"))
            self.skip()
            if self._text[self.at : self.at + 1] == ",":
                node.children[-1].comma = self.at
                self.at += 1
                self.skip()
        self.at += 1
        node.end = self.at
        return node

    def _entry(self, depth: int, *, is_keyed: bool) -> Entry:
        start, key = self.at, None
        if is_keyed:
            key = self._string()
            self.skip()
            if self._text[self.at : self.at + 1] != ":":
                raise self.fault("a colon")
            self.at += 1
            self.skip()
        return Entry(start, self.value(depth + 1), key)

    def _string(self) -> str:
        found = _STRING.match(self._text, self.at)
        return str(self._read(found, "a string"))

    def _scalar(self) -> object:
        return self._read(_SCALAR.match(self._text, self.at), "a value")

    def _read(self, found: re.Match[str] | None, expected: str) -> object:
        if found is None:
            raise self.fault(expected)
        try:
            value: object = json.loads(found[0])
        except ValueError as error:
            raise self.fault(expected) from error
        self.at = found.end()
        return value


def parse_json_text(text: str) -> Mapping[str, Any]:
    """Return the object that a text holds; an empty text holds an empty one.

    Raises:
        InvalidInput: the text is no JSON, or no object.
    """
    root = parse_tree(text)
    if root.opening != "{":
        raise InvalidInput(f"{describe_position(text, root.start)}: an object in braces is expected")
    data: dict[str, Any] = root.data
    return data


def set_value(text: str, path: Sequence[str], value: object) -> str:
    """Return the text with this value at the end of a path of keys, which are added where they are missing.

    Raises:
        InvalidInput: the text is no JSON, or something on the path is no object.
    """
    if not text.strip():
        text = "{}\n"
    root = node = parse_tree(text)
    for number, key in enumerate(path):
        if node.opening != "{":
            raise InvalidInput(
                f"{describe_position(text, node.start)}: {'.'.join(path[:number])} should be an object in braces"
            )
        entry = node.find(key)
        if entry is None:
            for missing in reversed(path[number + 1 :]):
                value = {missing: value}
            return _inserted(text, root, node, value, key)
        node = entry.node
    return text[: node.start] + _dumped(text, root, value, _indent(text, node.start)) + text[node.end :]


def append_element(text: str, path: Sequence[str], value: object) -> str:
    """Return the text with this value at the end of the list at a path of keys.

    Raises:
        InvalidInput: the text is no JSON, or what is there is no list.
    """
    root = parse_tree(text)
    if (node := root.at(path)) is None:
        return set_value(text, path, [value])
    if node.opening != "[":
        raise InvalidInput(f"{describe_position(text, node.start)}: {'.'.join(path)} should be a list in brackets")
    return _inserted(text, root, node, value)


def remove_value(text: str, path: Sequence[str]) -> str:
    """Return the text without the value at a path of keys, if there is one."""
    *parents, key = path
    node = parse_tree(text).at(parents)
    entry = None if node is None or node.opening != "{" else node.find(key)
    return text if node is None or entry is None else _removed(text, node, entry)


def remove_element(text: str, path: Sequence[str | int], index: int) -> str:
    """Return the text without an element of the list at a path of keys and of places in lists."""
    node = parse_tree(text).at(path)
    return text if node is None else _removed(text, node, node.children[index])


def _inserted(text: str, root: Node, node: Node, value: object, key: str | None = None) -> str:
    """Return the text with a child more at the end of an object or a list."""
    line_end = _line_end(text)
    inner = text[node.start + 1 : node.end - 1]
    filled = node.start + 1 + len(inner.rstrip())
    is_inline = "\n" not in (text.strip() if root.children and not node.children else inner) and bool(root.children)
    outer = _indent(text, node.start)
    indent = _child_indent(text, root, node)
    written = _dumped(text, root, value, None if is_inline else indent)
    if key is not None:
        written = f"{json.dumps(key, ensure_ascii=False)}: {written}"
    if node.children and node.children[-1].comma is None:
        last = node.children[-1].node.end
        text, filled = f"{text[:last]},{text[last:]}", filled + 1
    if is_inline:
        return f"{text[:filled]}{' ' if node.children else ''}{written}{text[filled:]}"
    end = text[filled:]
    gap = "" if end[: len(end) - len(end.lstrip())].count("\n") else f"{line_end}{outer}"
    return f"{text[:filled]}{line_end}{indent}{written}{gap}{end.lstrip(' ') if gap else end}"


def _removed(text: str, node: Node, entry: Entry) -> str:
    """Return the text without a child, the comma that it needed, and the line that it leaves empty."""
    index = next(number for number, child in enumerate(node.children) if child is entry)
    start, end = entry.start, entry.node.end
    before = text[:start].rstrip(" \t")
    is_on_own_line = before.endswith("\n")
    if entry.comma is not None:
        end = entry.comma + 1
        if not is_on_own_line:
            end += len(text[end:]) - len(text[end:].lstrip(" "))
    elif index and (comma := node.children[index - 1].comma) is not None:
        text = f"{text[:comma]}{text[comma + 1 :]}"
        start, end, before = start - 1, end - 1, text[: start - 1].rstrip(" \t")
    if is_on_own_line:
        start = len(before) - (2 if before.endswith("\r\n") else 1)
    elif entry.comma is None:
        start = len(before)
    kept = text[:start] + text[end:]
    rest = kept[start:].lstrip()
    opened = kept[:start].rstrip()
    is_empty = len(opened) == node.start + 1 and rest[:1] in {"}", "]"} and len(node.children) == 1
    return f"{opened}{rest}" if is_empty else kept


def _dumped(text: str, root: Node, value: object, indent: str | None) -> str:
    """Return a value as JSON, its lines after the first indented by `indent`; on one line if that is None."""
    if indent is None:
        return json.dumps(value, ensure_ascii=False)
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text, root)).split("\n")
    return f"{_line_end(text)}{indent}".join(lines)


def _child_indent(text: str, root: Node, node: Node) -> str:
    if node.children and _starts_line(text, node.children[0].start):
        return _indent(text, node.children[0].start)
    return _indent(text, node.start) + _unit(text, root)


def _unit(text: str, root: Node) -> str:
    """Return what one level is indented by: what the first key is, else two spaces."""
    if root.children and _starts_line(text, root.children[0].start):
        return _indent(text, root.children[0].start) or "  "
    return "  "


def _starts_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip()


def _indent(text: str, at: int) -> str:
    """Return the white space at the beginning of the line of a place."""
    line = text[text.rfind("\n", 0, at) + 1 :]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
