"""The fields of a note, as Obsidian, HackMD, Jekyll, Hugo, Notion and Logseq write them above its text.

YAML comes from strangers: only plain data is read, aliases and tags are not, and every field is read by itself where
the block as a whole is no YAML, so that a strange field costs itself and not the file. What can't be a field of a
memory is kept in `metadata`; what was meant as a field and can't be read is named there under `UNREAD`.
PyYAML is used as is because python-frontmatter strips the body, in which offsets count.
"""

import re
import tomllib
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import yaml

from core.interface.memory import MAX_METADATA

#: Where `metadata` says which fields were not read, and why.
UNREAD: Final = "unread_fields"
#: Most fields read one by one, of a block that is no YAML.
_ENTRIES: Final = 1_000

_YAML: Final = re.compile(r"---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_TOML: Final = re.compile(r"\+\+\+[ \t]*\r?\n(.*?)^\+\+\+[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_PROPERTIES: Final = re.compile(r"(?:[ \t]*(?:- )?[\w/-][\w /-]{0,60}::(?:[ \t][^\n]*)?(?:\n|\Z))+")
_PROPERTY: Final = re.compile(r"[ \t]*(?:- )?([\w/-][\w /-]{0,60})::[ \t]*([^\n]*)")
_NAMED: Final = re.compile(r"""["']?([^\n:"']{1,200})["']?[ \t]*:(?:[ \t]+([^\n]*)|[ \t\r]*$)""", re.M)
#: Tags as they stand in a text, which YAML takes for a comment.
_BARE_TAGS: Final = re.compile(r"^([Tt]ags?[ \t]*:[ \t]*)(\[?[ \t]*#[^\n\r]*)", re.M)
#: The same as entries of a list, and tags with blanks between them.
_TAG_LIST: Final = re.compile(r"^[Tt]ags?[ \t]*:[ \t]*\r?\n(?:[ \t]*-[^\n]*(?:\n|\Z)|[ \t]*\r?\n)+", re.M)
_TAG_ENTRY: Final = re.compile(r"^([ \t]*-[ \t]+)(#[^\s#][^\n\r]*)", re.M)
_SPACED_TAGS: Final = re.compile(r"^([Tt]ags?[ \t]*:[ \t]+)([\w/-]+(?:[ \t]+#?[\w/-]+)+)[ \t\r]*$", re.M)
#: What belongs to the field above it stands behind one of these.
_INNER: Final = " \t\r\n#-]}"


class _UnreadableError(Exception):
    """A block or field that is no plain YAML, with the reason."""


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
            problem = "aliases (*name) and tags (!name) are not read"
            raise yaml.constructor.ConstructorError(None, None, problem, event.start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002
        values = super().construct_mapping(node, deep=deep)
        if len(values) < len(node.value):
            raise yaml.constructor.ConstructorError(None, None, "a name is given twice", node.start_mark)
        return values


class _TextLoader(_Loader):
    """The same with every value as the text that is written: `1.10` is no number."""

    yaml_implicit_resolvers = {}  # noqa: RUF012


for _tag, _pattern, _first in (
    ("bool", r"(?i:true|false)$", "tTfF"),
    ("null", r"(?:~|(?i:null)|)$", ["~", "n", "N", ""]),
    ("int", r"-?(?:0|[1-9]\d*)$", "-0123456789"),
    ("float", r"-?(?:0|[1-9]\d*)\.\d+$", "-0123456789"),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern, re.ASCII), list(_first))


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The fields above a text by their names, and why others were not read.

    `typed` has numbers and truth values as such, `texts` each plain value as it is written. `end` is where the text
    begins.
    """

    typed: Mapping[str, object]
    texts: Mapping[str, object]
    unread: Mapping[str, str]
    end: int


_NONE: Final = FrontMatter({}, {}, {}, 0)


def front_matter(text: str) -> FrontMatter:
    """Return what stands above the text; a line `---` that opens no fields is part of the text."""
    if block := _YAML.match(text):
        return _from_yaml(block[1], block.end())
    if block := _TOML.match(text):
        return _from_toml(block[1], block.end())
    if block := _PROPERTIES.match(text):
        found = {match[1]: match[2].strip() for match in _PROPERTY.finditer(block[0])}
        return FrontMatter(found, found, {}, block.end())
    return _NONE


def _from_yaml(block: str, end: int) -> FrontMatter:
    if len(block) > MAX_METADATA:
        return FrontMatter({}, {}, {"front matter": f"it has more than {MAX_METADATA:,} characters"}, 0)
    block = _with_tags(block)
    try:
        typed, texts = _loaded(block)
    except _UnreadableError:
        return _by_entry(block, end)
    return _NONE if typed is None or texts is None else FrontMatter(typed, texts, {}, end)


def _with_tags(block: str) -> str:
    """Return a block with its tags as texts of YAML."""
    block = _BARE_TAGS.sub(lambda match: match[1] + _quoted(match[2]), block)
    block = _TAG_LIST.sub(lambda listed: _TAG_ENTRY.sub(lambda tag: tag[1] + _quoted(tag[2]), listed[0]), block)
    return _SPACED_TAGS.sub(lambda match: match[1] + _quoted(", ".join(match[2].split())), block)


def _from_toml(block: str, end: int) -> FrontMatter:
    try:
        found = {name: _plain(value) for name, value in tomllib.loads(block).items()}
    except (ValueError, RecursionError) as error:
        return FrontMatter({}, {}, {"front matter": _reason(error)}, 0)
    return FrontMatter(found, found, {}, end)


def _plain(value: object) -> object:
    """Return a value of TOML as one of JSON, dates as they are written."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value if isinstance(value, str | bool | int) else str(value)


def _loaded(block: str) -> tuple[dict[str, object] | None, dict[str, object] | None]:
    """Return the fields of a block, typed and as texts; None twice if it is something else than fields.

    Raises:
        _UnreadableError: it is no YAML, or has names that are no texts.
    """
    found: list[dict[str, object] | None] = []
    for loader in (_Loader, _TextLoader):
        try:
            values: object = yaml.load(block, Loader=loader)  # noqa: S506  (a SafeLoader with less)
        except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
            raise _UnreadableError(_reason(error)) from error
        values = {} if values is None or values == "" else values
        found.append({str(name): value for name, value in values.items()} if isinstance(values, dict) else None)
    return found[0], found[1]


def _by_entry(block: str, end: int) -> FrontMatter:
    """Read each field by itself: what is no YAML on one line is a text, such as `title: Plan: the second try`."""
    typed: dict[str, object] = {}
    texts: dict[str, object] = {}
    unread: dict[str, str] = {}
    strays = 0
    for number, entry in enumerate(_entries(block)):
        if number == _ENTRIES:
            unread["front matter"] = f"only its first {_ENTRIES:,} fields were read"
            break
        named = _NAMED.match(entry)
        if named is None:
            strays += not entry.startswith("#")
            continue
        name, written = named[1].strip(), (named[2] or "").strip()
        try:
            one, texts_of_one = _loaded(entry)
        except _UnreadableError as error:
            one = texts_of_one = {name: entry[named.start(2) if named[2] else named.end() :].strip()}
            if entry.strip().count("\n") or written[:1] in "&*!":
                unread[name] = str(error)
        if name in typed:
            unread[name] = "it is given twice, the first counts"
            continue
        typed |= one or {}
        texts |= texts_of_one or {}
    if strays >= len(typed):
        return _NONE
    return FrontMatter(typed, texts, unread, end)


def _entries(block: str) -> Iterator[str]:
    lines: list[str] = []
    for line in block.splitlines(keepends=True):
        if lines and line[:1] not in _INNER:
            yield "".join(lines)
            lines = []
        lines.append(line)
    yield "".join(lines)


def _quoted(text: str) -> str:
    return "'" + text.rstrip().replace("'", "''") + "'"


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
