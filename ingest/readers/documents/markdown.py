"""Markdown, with the fields of a memory above it (`front_matter`).

The body is everything after them, character for character, so that offsets count in it.
"""

import re
from collections.abc import Iterator

from core.interface.memory import MAX_FIELD
from ingest.readers.encodings import text_of
from ingest.readers.fields import DOCUMENT_BYTES, document
from ingest.readers.formats.item import Item
from ingest.readers.formats.source import Source
from ingest.readers.front_matter import front_matter
from ingest.readers.note_fields import note_fields

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]++(.*)")
_UNDERLINE = re.compile(r" {0,3}=+[ \t]*")


def read(source: Source, context: str | None) -> Iterator[Item]:
    """Yield the body as one memory with the fields of the front matter, or nothing if the body is blank.

    Names that are no field of a memory go into `metadata`. The title is the first heading, else the file's name.
    """
    text = text_of(source, limit_bytes=DOCUMENT_BYTES)
    front = front_matter(text)
    body = text[front.end :]
    if not body.strip():
        return
    defaults = {"title": (_first_heading(body) or source.name)[:MAX_FIELD], "context": context}
    fields = note_fields(front)
    is_named = context is not None or "context" in fields
    yield Item(document(source.where, body, defaults | fields), told=False if is_named else None)


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
