"""Markdown, with the fields of a memory as YAML front matter.

The body is everything after the closing `---` line, character for character, so that offsets count in it.
PyYAML is used as is because python-frontmatter strips the body and turns 30 February into an unexplained `ValueError`.
"""

import re
from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import yaml

from core.errors import InvalidInput, TooLarge
from core.interface.memory import MAX_FIELD, MAX_METADATA
from ingest.readers.encodings import text_of
from ingest.readers.fields import DOCUMENT_BYTES, NAMES, document
from ingest.readers.formats.item import Item
from ingest.readers.formats.source import Source

_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]++(.*)")
_UNDERLINE = re.compile(r" {0,3}=+[ \t]*")


class _Loader(yaml.SafeLoader):
    """YAML of plain data, each name and value written out once.

    Only `true`, `false`, `null` and decimal numbers are more than text: dates stay as they are written, and so do
    `no`, `10:30` and `007`, which YAML 1.1 turns into False, 630 and 7. Aliases are refused because a few lines of them
    can stand for gigabytes, tags because they ask for types that no memory has.
    """

    yaml_implicit_resolvers = {}  # noqa: RUF012 - PyYAML's own class attribute, filled below

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]  # the stubs leave it untyped
        if isinstance(event, yaml.AliasEvent) or getattr(event, "tag", None) is not None:
            problem = "aliases (*name) and tags (!name) are not read: write plain values out"
            raise yaml.constructor.ConstructorError(None, None, problem, event.start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002
        values = super().construct_mapping(node, deep=deep)
        if len(values) < len(node.value):
            raise yaml.constructor.ConstructorError(None, None, "a name is given twice", node.start_mark)
        return values


for _tag, _pattern, _first in (
    ("bool", r"(?i:true|false)$", "tTfF"),
    ("null", r"(?:~|(?i:null)|)$", ["~", "n", "N", ""]),
    ("int", r"-?(?:0|[1-9]\d*)$", "-0123456789"),
    ("float", r"-?(?:0|[1-9]\d*)\.\d+$", "-0123456789"),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern, re.ASCII), list(_first))


def read(source: Source, context: str | None) -> Iterator[Item]:
    """Yield the body as one memory with the fields of the front matter, or nothing if the body is blank.

    Names that are no field of a memory go into `metadata`. The title is the first heading, else the file's name.
    """
    text = text_of(source, limit_bytes=DOCUMENT_BYTES)
    front = _FRONT_MATTER.match(text)
    body = text if front is None else text[front.end() :]
    if not body.strip():
        return
    where = source.where
    values = {} if front is None else _fields(front[1], where)
    defaults = {"title": (_first_heading(body) or source.name)[:MAX_FIELD], "context": context}
    yield Item(document(where, body, defaults | {name: value for name, value in values.items() if value is not None}))


def _fields(block: str, where: str) -> dict[str, object]:
    values = _load(block, where)
    if "content" in values:
        raise InvalidInput(f"{where!r}: content can't be given in the front matter: the text below it is the content.")
    own = {name: value for name, value in values.items() if name in NAMES and name != "metadata"}
    extra = {name: value for name, value in values.items() if name not in NAMES}
    given = values.get("metadata")
    if not extra:
        return own | {"metadata": given}
    if given is not None and not isinstance(given, dict):
        raise InvalidInput(f"{where!r}: metadata {given!r:.60} is not an object: write it as names with values.")
    if twice := sorted(extra.keys() & (given or {}).keys()):
        raise InvalidInput(f"{where!r}: {', '.join(twice)} is given both beside metadata and inside it: keep one.")
    return own | {"metadata": (given or {}) | extra}


def _load(block: str, where: str) -> Mapping[str, object]:
    if len(block) > MAX_METADATA:
        raise TooLarge(f"{where!r}: the front matter has {len(block):,} characters: at most {MAX_METADATA:,} are read.")
    advice = "correct it, or start the file with a blank line if it is not meant as front matter"
    try:
        values: object = yaml.load(block, Loader=_Loader)  # noqa: S506  (a SafeLoader with less)
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        reason = " ".join(str(error).split())[:200]
        raise InvalidInput(f"{where!r}: the front matter is not plain YAML ({reason}): {advice}.") from error
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise InvalidInput(f"{where!r}: the front matter is not names with values: {advice}.")
    for name in values:
        if not isinstance(name, str):
            raise InvalidInput(f"{where!r}: the front matter's name {name!r:.60} is not a text: put it in quotes.")
    return values


def _first_heading(body: str) -> str | None:
    fence = above = ""
    for line in body.splitlines():
        mark = _FENCE.match(line)
        if fence:
            closes = mark is not None and line.strip() == mark[1] and mark[1].startswith(fence)
            fence = "" if closes else fence
        elif mark:
            fence = mark[1]
        elif (heading := _HEADING.fullmatch(line.rstrip(" \t"))) and heading[1]:
            return _unclosed(heading[1])
        elif above.strip() and _UNDERLINE.fullmatch(line):
            return above.strip()
        above = "" if mark or fence else line
    return None


def _unclosed(heading: str) -> str:
    """Return a heading without the marks that may close it."""
    text = heading.rstrip("#")
    return text.rstrip(" \t") if text.endswith((" ", "\t")) else heading
