"""The fields above a note, as Obsidian, HackMD, Jekyll, Hugo, Notion and Logseq write them, as fields of a memory."""

import re
import tomllib
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import yaml

from core.dates import parse_iso
from core.dates.reading import written_dates
from core.errors import InvalidInput, TooLarge
from core.interface.memory import MAX_FIELD, MAX_METADATA
from core.regex import regex
from ingest.document.terms import english_header
from ingest.readers.fields import NAMES, memory_from

#: Where `metadata` says which fields were not read, and why.
UNREAD: Final = "unread_fields"
#: Most fields read one by one, of a block that is no YAML.
_ENTRIES: Final = 1_000

_YAML: Final = regex(r"---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_TOML: Final = regex(r"\+\+\+[ \t]*\r?\n(.*?)^\+\+\+[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_PROPERTIES: Final = regex(r"(?:[ \t]*(?:- )?[\w/-][\w /-]{0,60}::(?:[ \t][^\n]*)?(?:\n|\Z))+")
_PROPERTY: Final = regex(r"[ \t]*(?:- )?([\w/-][\w /-]{0,60})::[ \t]*([^\n]*)")
_NAMED: Final = regex(r"""["']?([^\n:"']{1,200})["']?[ \t]*:(?:[ \t]+([^\n]*)|[ \t\r]*$)""", re.M)
#: Tags as they stand in a text, which YAML takes for a comment.
_BARE_TAGS: Final = regex(r"^([Tt]ags?[ \t]*:[ \t]*)(\[?[ \t]*#[^\n\r]*)", re.M)
#: The same as entries of a list, and tags with blanks between them.
_TAG_LIST: Final = regex(r"^[Tt]ags?[ \t]*:[ \t]*\r?\n(?:[ \t]*-[^\n]*(?:\n|\Z)|[ \t]*\r?\n)+", re.M)
_TAG_ENTRY: Final = regex(r"^([ \t]*-[ \t]+)(#[^\s#][^\n\r]*)", re.M)
_SPACED_TAGS: Final = regex(r"^([Tt]ags?[ \t]*:[ \t]+)([\w/-]+(?:[ \t]+#?[\w/-]+)+)[ \t\r]*$", re.M)
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


for _tag, _pattern, _first in (
    ("bool", r"(?i:true|false)$", "tTfF"),
    ("null", r"(?:~|(?i:null)|)$", ["~", "n", "N", ""]),
    ("int", r"-?(?:0|[1-9]\d*)$", "-0123456789"),
    ("float", r"-?(?:0|[1-9]\d*)\.\d+$", "-0123456789"),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", regex(_pattern, re.ASCII), list(_first))


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
        found = {name: _toml_value(value) for name, value in tomllib.loads(block).items()}
    except (ValueError, RecursionError) as error:
        return FrontMatter({}, {}, {"front matter": _reason(error)}, 0)
    return FrontMatter(found, found, {}, end)


def _toml_value(value: object) -> object:
    """Return a value of TOML as one of JSON, dates as they are written."""
    if isinstance(value, dict):
        return {name: _toml_value(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_toml_value(inner) for inner in value]
    return value if isinstance(value, str | bool | int) else str(value)


def _loaded(block: str) -> tuple[dict[str, object] | None, dict[str, object] | None]:
    """Return the fields of a block, typed and as texts; None twice if it is something else than fields.

    Raises:
        _UnreadableError: it is no YAML, or has names that are no texts.
    """
    found: list[dict[str, object] | None] = []
    try:
        loader = _Loader(block)
        node = loader.get_single_node()
        for _ in ("typed", "texts"):
            values: object = None if node is None else loader.construct_document(node)
            values = {} if values is None or values == "" else values
            found.append({str(name): value for name, value in values.items()} if isinstance(values, dict) else None)
            _untype(node)
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        raise _UnreadableError(_reason(error)) from error
    return found[0], found[1]


def _untype(root: yaml.Node | None) -> None:
    """Make every value the text that is written: `1.10` is no number."""
    nodes = [root]
    for node in nodes:
        if isinstance(node, yaml.ScalarNode):
            node.tag = "tag:yaml.org,2002:str"
        elif isinstance(node, yaml.CollectionNode):
            nodes += [one for entry in node.value for one in (entry if isinstance(entry, tuple) else (entry,))]


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


#: Other names of a field, of which the first that is given counts.
_OTHER_NAMES: Final[dict[str, tuple[str, ...]]] = {
    "date": ("datetime", "day", "meeting_date", "date_of_meeting", "held_on", "created", "created_at", "created_on",
        "created_time", "creation_date", "date_created", "written", "published", "published_at", "publishdate",
        "publish_date", "pubdate"),
    "author": ("authors", "by", "created_by", "written_by"),
    "participants": ("attendees", "present", "people"),
    "tags": ("tag", "keywords", "labels"),
}  # fmt: skip
_LINK: Final = regex(r"!?\[\[([^\[\]|\n]{0,500})(?:\|[^\[\]\n]{0,500})?\]\]|\[([^\[\]\n]{0,500})\]\([^()\n]{0,1000}\)")
_STAMP: Final = regex(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(?: ?(Z|UTC|[+-]\d\d:?\d\d))?", re.I)
_COMMAS: Final = regex(r"\s*[,;]\s*")
_TAGS_BETWEEN: Final = regex(r"\s*[,;]\s*|\s+(?=#)")


def note_fields(front: FrontMatter) -> dict[str, object]:
    """Return the fields of a memory that stand above a note, with all others in `metadata`.

    A field that a memory refuses is kept there, too, and named under `UNREAD` with the reason.
    """
    names = _names(front)
    extra = {
        name: value
        for name, value in front.typed.items()
        if name not in names.values() and name != "metadata" and (value is not None or name not in NAMES)
    }
    unread = dict(front.unread)
    nested = front.typed.get("metadata")
    if isinstance(nested, Mapping):
        extra = {str(name): value for name, value in nested.items()} | extra
    elif nested is not None:
        extra["metadata"] = nested
    found: dict[str, object] = {}
    for field, name in names.items():
        if (refused := _take(found, field, front.texts[name], front.typed[name])) is not None:
            unread[name] = refused
        if field not in found and front.typed[name] is not None:
            extra[name] = front.typed[name]
    kept, misfits = _storable(extra)
    unread |= misfits
    metadata = kept | ({UNREAD: unread} if unread else {})
    return found | ({"metadata": metadata} if metadata else {})


def day_text(text: str) -> str | None:
    """Return a date in any common form as ISO 8601, with its time where it has one in digits; None if it is not a
    date."""
    plain = _unlinked(text[:MAX_FIELD])
    try:
        parse_iso(plain, field="date")
    except InvalidInput:
        pass
    else:
        return plain
    if stamp := _STAMP.fullmatch(plain):
        zone = (stamp[3] or "").upper().replace("UTC", "Z")
        return day_text(f"{stamp[1]}T{stamp[2]}{zone}") if f"{stamp[1]}T{stamp[2]}{zone}" != plain else None
    found = written_dates(plain)
    return found[0].iso() if len(found) == 1 else None


def _names(front: FrontMatter) -> dict[str, str]:
    """Return the name by which each field is given."""
    given: dict[str, str] = {}
    for name in front.typed:
        plain = re.sub(r"[\s_-]+", "_", name.strip().casefold())
        given.setdefault(plain, name)
        if len(plain) > 1 and (english := english_header(plain.replace("_", " "))) is not None:
            given.setdefault({"from": "author"}.get(english, english), name)
    found = {}
    for field in sorted(NAMES - {"content", "metadata"}, key=lambda field: (field == "context", field)):
        for name in (field, *_OTHER_NAMES.get(field, ())):
            if name in given and front.typed[given[name]] not in (None, ""):
                found[field] = given[name]
                break
    return found


def _take(found: dict[str, object], field: str, text: object, typed: object) -> str | None:
    """Add a field to those found, or return why a memory can't have it."""
    value = _READERS.get(field, _text_value)(text, typed)
    if value is None:
        return None if text in (None, "") else f"{text!r:.60} can't be read as {field}"
    try:
        memory_from({"content": "-"} | found | {field: value}, where=field)
    except (InvalidInput, TooLarge) as error:
        return str(error).removeprefix(f"{field}: ")
    found[field] = value
    return None


def _text_value(text: object, typed: object) -> object:
    """Return a field that is one text, links as what they show, and anything else as it is typed."""
    if isinstance(typed, str) and isinstance(text, str):
        return _unlinked(text)
    return typed


def _text(text: object, _typed: object) -> object:
    """Return a field that is one text, of a list with one entry that entry."""
    entries = list(_leaves(text))
    return _unlinked(entries[0])[:MAX_FIELD] if len(entries) == 1 else None


def _person(text: object, _typed: object) -> object:
    """Return the first of those named, by `name` where it stands beside other things."""
    first = text[0] if isinstance(text, list) and text else text
    if isinstance(first, Mapping):
        first = first.get("name")
    return next((_unlinked(entry) for entry in _leaves(first)), None)


def _date(text: object, _typed: object) -> object:
    entries = list(_leaves(text))
    return day_text(entries[0]) if len(entries) == 1 else None


def _people(text: object, _typed: object) -> object:
    return _list(text, _COMMAS, lambda entry: entry)


def _tags(text: object, _typed: object) -> object:
    """Return tags, without the mark and the brackets of a list in a text."""
    entries = text.strip().removeprefix("[").removesuffix("]") if isinstance(text, str) and "[[" not in text else text
    return _list(entries, _TAGS_BETWEEN, lambda entry: entry.strip("\"' ").lstrip("#").strip("\"' "))


def _list(value: object, between: re.Pattern[str], cleaned: Callable[[str], str]) -> list[str] | None:
    parts = [part for entry in _leaves(value) for part in between.split(_unlinked(entry))]
    found = list(dict.fromkeys(text for part in parts if (text := cleaned(part).strip())))
    return found or None


def _leaves(value: object) -> Iterator[str]:
    """Yield the texts in a value, however they are nested; of names with values the values."""
    if isinstance(value, Mapping):
        yield from (leaf for inner in value.values() for leaf in _leaves(inner))
    elif isinstance(value, list):
        yield from (leaf for inner in value for leaf in _leaves(inner))
    elif value is not None and str(value).strip():
        yield str(value)


def _unlinked(text: str) -> str:
    """Return a text with links as the names that they link to or show."""
    return _LINK.sub(lambda match: match[1] or match[2] or "", text).strip()


def _storable(values: Mapping[str, object]) -> tuple[dict[str, object], dict[str, str]]:
    """Return what `metadata` can hold, and why not the rest."""
    if _misfit("metadata", values) is None:
        return dict(values), {}
    found = {name: _misfit(name, {name: value}) for name, value in values.items()}
    kept = {name: values[name] for name, misfit in found.items() if misfit is None}
    misfits = {ascii(name)[1:-1]: misfit for name, misfit in found.items() if misfit is not None}
    if (misfit := _misfit("metadata", kept)) is not None:
        return {}, misfits | {"front matter": misfit}
    return kept, misfits


def _misfit(name: str, metadata: Mapping[str, object]) -> str | None:
    """Return why `metadata` can't be this, None if it can."""
    try:
        memory_from({"content": "-", "metadata": dict(metadata)}, where=name)
    except (InvalidInput, TooLarge) as error:
        return str(error).removeprefix(f"{name}: ")
    return None


_READERS: Final[dict[str, Callable[[object, object], object]]] = {
    "date": _date, "document_date": _date, "expires_at": _date, "title": _text, "key": _text, "author": _person,
    "participants": _people, "tags": _tags,
}  # fmt: skip
