"""Wikis: Notion's export of pages and databases, and TiddlyWiki, each tiddler an item."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from core.errors import InvalidInput
from core.interface.memory import MAX_FIELD
from core.regex import regex
from ingest.readers import tables
from ingest.readers.encodings import text_of
from ingest.readers.fields import DOCUMENT_BYTES, document
from ingest.readers.formats.source import Item, LeftOut, Part, Source
from ingest.readers.front_matter import FrontMatter, note_fields
from ingest.readers.json_text import fields, json_cursor, text
from ingest.readers.memories.record import Record

_ID: Final = regex(r"(?:^| )([0-9a-f]{32})(?:_all)?(?=\.(?:md|csv)\b|$)")
_VIEW: Final = regex(r"(.*[0-9a-f]{32})\.csv", re.DOTALL)
_LINK: Final = regex(r"\[([^\[\]\n]{0,500})\]\([^()\n]{0,1000}?[0-9a-f]{32}(?:_all)?\.(?:md|csv)\)")
_NOTION_HEADING: Final = regex(r"# ([^\n]*)\n*")
_PROPERTY: Final = regex(r"([^\n:]{1,60}): ([^\n]*)(?:\n|\Z)")
#: More lines than that are no properties.
_MOST: Final = 200
#: Fields that properties give; all others are kept in `metadata`.
_FIELDS: Final = frozenset({"author", "date", "participants", "tags"})


def read_notion(source: Source, context: str | None) -> Iterator[Part]:
    """Yield a page, or what the rows of a database ask to have remembered.

    Raises:
        InvalidInput: its encoding can't be told, or a row is not delimited text.
        TooLarge: the file is over its limit.
    """
    if source.suffix != ".csv":
        yield from _page(source, context)
    elif (whole := whole_table(source.name)) is None or source.data is not None or not _beside(source, whole):
        for part in tables.read_delimited_text(source, context):
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
    heading = _NOTION_HEADING.match(text)
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


_STAMP: Final = regex(r"(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?\d{0,3}")
_TAG: Final = regex(r"\[\[([^\[\]\n]{1,200})\]\]|(\S{1,200})")
_STORE: Final = 'script[class*="tiddlywiki-tiddler-store"]'
_OLD_STORE: Final = "#storeArea > div[title]"
_TIDDLY_WIKI_HEADING: Final = regex(r"^(!{1,6})[ \t]*(?=[^!\s])", re.M)
_ENTRY: Final = regex(r"^([*#]+)[ \t]*(?=[^*#\s])", re.M)
_BOLD: Final = regex(r"''(?=\S)([^'\n]{1,300})''")
_SHOWN: Final = regex(r"\[\[([^\[\]|\n]{1,300})\|([^\[\]|\n]{1,1000})\]\]")
_HEADER: Final = regex(r"([\w.-]{1,60}):[ \t]?(.*)")
#: Fields that stand elsewhere.
_KNOWN: Final = frozenset(
    {"title", "text", "tags", "created", "modified", "creator", "modifier", "type", "bag", "revision"}
)
_TEXTS: Final = frozenset({"", "text/vnd.tiddlywiki", "text/plain", "text/x-markdown", "text/markdown", "text/html"})


def read_tiddly_wiki(source: Source, context: str | None) -> Iterator[Part]:
    """Yield each tiddler with its day, tags and author.

    Raises:
        InvalidInput: it is no wiki, or no JSON.
        TooLarge: the file is over its limit.
    """
    for number, tiddler in enumerate(_tiddlers(source), 1):
        title, words = text(tiddler.get("title")) or str(number), text(tiddler.get("text"))
        kind = str(tiddler.get("type") or "")
        if title.startswith("$:/") or tiddler.get("plugin-type"):
            yield LeftOut(f"{source.where}#{title}", "tiddlers of the program")
        elif words is None or kind not in _TEXTS:
            yield LeftOut(f"{source.where}#{title}", "tiddlers without text")
        else:
            yield Record(
                title,
                f"# {title}\n\n{_plain(words) if 'markdown' not in kind else words}",
                title=title,
                author=text(tiddler.get("creator")) or text(tiddler.get("modifier")),
                date=_moment(tiddler.get("created")) or _moment(tiddler.get("modified")),
                tags=_tags(tiddler.get("tags")),
                metadata={name: value for name, value in tiddler.items() if name not in _KNOWN and text(value)},
            ).part(source, "tiddlywiki", context)


def _tiddlers(source: Source) -> Iterator[Mapping[str, object]]:
    if source.suffix == ".tid":
        whole = text_of(source, limit_bytes=DOCUMENT_BYTES).replace("\r\n", "\n")
        above, _, words = whole.partition("\n\n")
        found = {match[1]: match[2] for line in above.split("\n") if (match := _HEADER.fullmatch(line))}
        yield {"title": source.path.stem} | found | {"text": words if found else whole}
        return
    with source.open() as file:
        is_page = file.read(200).lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"<")
    if not is_page:
        with json_cursor(source) as cursor:
            yield from (fields(value) for value in cursor.each())
        return
    page = LexborHTMLParser(text_of(source, limit_bytes=DOCUMENT_BYTES))
    for store in page.css(_STORE):
        inner = Source(source.path, store.text().encode("utf-8", "replace"), source.depth)
        with json_cursor(inner) as cursor:
            yield from (fields(value) for value in cursor.each())
    for node in page.css(_OLD_STORE):
        yield {**node.attributes, "text": (node.css_first("pre") or node).text()}
    if page.css_first(f"{_STORE}, #storeArea") is None:
        raise InvalidInput(f"{source.where!r} has no tiddlers in it: save the wiki again.")


def _tags(value: object) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(tag for tag in value if isinstance(tag, str))
    return tuple(found[1] or found[2] for found in _TAG.finditer(value)) if isinstance(value, str) else ()


def _moment(value: object) -> str | None:
    found = _STAMP.fullmatch(value) if isinstance(value, str) else None
    return None if found is None else "{}-{}-{}T{}:{}:{}+00:00".format(*found.groups("00"))


def _plain(words: str) -> str:
    """Return wikitext with headings, lists and links as Markdown has them."""
    words = _ENTRY.sub(lambda mark: f"{'  ' * (len(mark[1]) - 1)}{'-' if mark[1][-1] == '*' else '1.'} ", words)
    words = _TIDDLY_WIKI_HEADING.sub(lambda mark: f"{'#' * min(len(mark[1]) + 1, 6)} ", words)
    return _SHOWN.sub(_link, _BOLD.sub(r"**\1**", words))


def _link(found: re.Match[str]) -> str:
    return f"[{found[1]}]({found[2]})" if "://" in found[2] else f"[[{found[2]}]]"
