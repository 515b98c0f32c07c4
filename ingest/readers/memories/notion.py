"""Notion's export: pages in Markdown and databases in CSV, whose names end with 32 hexadecimal digits.

The properties of a page stand in lines below its title. A database is there as one of its views, and whole as
"…_all.csv"; where both are, the view is passed over.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from core.interface.memory import MAX_FIELD
from ingest.readers.encodings import text_of
from ingest.readers.fields import DOCUMENT_BYTES, document
from ingest.readers.formats.item import Item, Part
from ingest.readers.formats.source import Source
from ingest.readers.front_matter import FrontMatter
from ingest.readers.note_fields import note_fields
from ingest.readers.tables import delimited_text

_ID: Final = re.compile(r"(?:^| )([0-9a-f]{32})(?:_all)?(?=\.(?:md|csv)\b|$)")
_VIEW: Final = re.compile(r"(.*[0-9a-f]{32})\.csv", re.DOTALL)
_LINK: Final = re.compile(r"\[([^\[\]\n]{0,500})\]\([^()\n]{0,1000}?[0-9a-f]{32}(?:_all)?\.(?:md|csv)\)")
_HEADING: Final = re.compile(r"# ([^\n]*)\n*")
_PROPERTY: Final = re.compile(r"([^\n:]{1,60}): ([^\n]*)(?:\n|\Z)")
#: More lines than that are no properties.
_MOST: Final = 200
#: Fields that properties give; all others are kept in `metadata`.
_FIELDS: Final = frozenset({"author", "date", "participants", "tags"})


def read(source: Source, context: str | None) -> Iterator[Part]:
    """Yield a page, or what the rows of a database ask to have remembered.

    Raises:
        InvalidInput: its encoding can't be told, or a row is not delimited text.
        TooLarge: the file is over its limit.
    """
    if source.suffix != ".csv":
        yield from _page(source, context)
    elif (whole := whole_table(source.name)) is None or source.data is not None or not _beside(source, whole):
        for part in delimited_text.read(source, context):
            yield _titled(part) if isinstance(part, Item) else part


def whole_table(name: str) -> str | None:
    """Return the name that the whole of a database has if this is the name of one of its views."""
    return f"{view[1]}_all.csv" if (view := _VIEW.fullmatch(name)) else None


def _beside(source: Source, name: str) -> bool:
    return source.path.with_name(name).is_file()


def _titled(item: Item) -> Item:
    """Return an item of a database, whose title may be the file's name, without the id."""
    title = item.memory.title
    return item if title is None else replace(item, memory=replace(item.memory, title=_ID.sub("", title)))


def _page(source: Source, context: str | None) -> Iterator[Part]:
    text = _LINK.sub(r"\1", text_of(source, limit_bytes=DOCUMENT_BYTES))
    if not text.strip():
        return
    heading = _HEADING.match(text)
    found = _properties(text, heading.end() if heading else 0)
    title = (heading[1].strip() if heading else "") or _ID.sub("", source.name).removesuffix(".md")
    own = _ID.search(source.name)
    values = {name: value for name, value in found.items() if name in _FIELDS}
    rest = {name: value for name, value in found.items() if name not in _FIELDS and name != "metadata"}
    named = found.get("metadata")
    metadata = (named if isinstance(named, dict) else {}) | rest
    yield Item(
        document(
            source.where,
            text,
            values
            | {
                "title": title[:MAX_FIELD] or None,
                "context": context,
                "source": "notion",
                "source_id": own[1] if own else None,
                "metadata": metadata or None,
            },
        )
    )


def _properties(text: str, start: int) -> dict[str, object]:
    """Return the fields in the lines from `start` on, if each line down to the next blank one is a property."""
    block = text[start:].partition("\n\n")[0]
    found: dict[str, object] = {}
    at = 0
    while at < len(block):
        if (line := _PROPERTY.match(block, at)) is None or len(found) == _MOST:
            return {}
        found[line[1].strip()] = line[2].strip()
        at = line.end()
    return note_fields(FrontMatter(found, found, {}, 0)) if found else {}
