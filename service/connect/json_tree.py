"""A JSON text with comments and trailing commas, as a tree with the position of each value in the text."""

import json
import re
from collections.abc import Sequence
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
