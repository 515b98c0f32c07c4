"""TiddlyWiki: a wiki in one page of HTML, or some of its tiddlers as JSON or `.tid`; each tiddler is an item.

Tiddlers of the program itself, of plugins and of pictures are left out.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from core.errors import InvalidInput
from ingest.readers.encodings import text_of
from ingest.readers.fields import DOCUMENT_BYTES
from ingest.readers.formats.item import LeftOut, Part
from ingest.readers.formats.source import Source
from ingest.readers.json_text.json_cursor import json_cursor
from ingest.readers.json_text.json_values import fields, text
from ingest.readers.memories.record import Record

_STAMP: Final = re.compile(r"(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?\d{0,3}")
_TAG: Final = re.compile(r"\[\[([^\[\]\n]{1,200})\]\]|(\S{1,200})")
_STORE: Final = 'script[class*="tiddlywiki-tiddler-store"]'
_OLD_STORE: Final = "#storeArea > div[title]"
_HEADING: Final = re.compile(r"^(!{1,6})[ \t]*(?=[^!\s])", re.M)
_ENTRY: Final = re.compile(r"^([*#]+)[ \t]*(?=[^*#\s])", re.M)
_BOLD: Final = re.compile(r"''(?=\S)([^'\n]{1,300})''")
_SHOWN: Final = re.compile(r"\[\[([^\[\]|\n]{1,300})\|([^\[\]|\n]{1,1000})\]\]")
_HEADER: Final = re.compile(r"([\w.-]{1,60}):[ \t]?(.*)")
#: Fields that stand elsewhere.
_KNOWN: Final = frozenset(
    {"title", "text", "tags", "created", "modified", "creator", "modifier", "type", "bag", "revision"}
)
_TEXTS: Final = frozenset({"", "text/vnd.tiddlywiki", "text/plain", "text/x-markdown", "text/markdown", "text/html"})


def read(source: Source, context: str | None) -> Iterator[Part]:
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
    words = _HEADING.sub(lambda mark: f"{'#' * min(len(mark[1]) + 1, 6)} ", words)
    return _SHOWN.sub(_link, _BOLD.sub(r"**\1**", words))


def _link(found: re.Match[str]) -> str:
    return f"[{found[1]}]({found[2]})" if "://" in found[2] else f"[[{found[2]}]]"
