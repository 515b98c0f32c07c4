"""Markdown, with the fields of a memory above it (`front_matter`).

The body is everything after them, character for character, so that offsets count in it.
"""

import re
from collections.abc import Iterator
from typing import Final

from core.interface.memory import MAX_ENTRIES
from ingest.readers.documents.inline_tags import inline_tags
from ingest.readers.documents.titles import title_of
from ingest.readers.encodings import text_of
from ingest.readers.fields import DOCUMENT_BYTES, PUBLISHED, document
from ingest.readers.formats.item import Item
from ingest.readers.formats.source import Source
from ingest.readers.front_matter import front_matter
from ingest.readers.note_fields import note_fields

#: A time in a date: sites write the time of publishing.
_TIME: Final = re.compile(r"[T ]\d\d:")


def read(source: Source, context: str | None) -> Iterator[Item]:
    """Yield the body as one memory with the fields of the front matter, or nothing if the body is blank.

    Names that are no field of a memory go into `metadata`. The title of the front matter counts unless a program filled
    it in. The tags in the text follow those of the front matter.
    """
    text = text_of(source, limit_bytes=DOCUMENT_BYTES)
    front = front_matter(text)
    body = text[front.end :]
    if not body.strip():
        return
    fields = note_fields(front)
    fields["title"] = title_of(source, fields.get("title"), body)
    if _TIME.search(str(fields.get("date", ""))):
        fields["date_source"] = PUBLISHED
    if tags := _with_inline(fields.get("tags"), body):
        fields["tags"] = tags
    is_named = context is not None or "context" in fields
    yield Item(document(source.where, body, {"context": context} | fields), told=False if is_named else None)


def _with_inline(given: object, body: str) -> list[str]:
    """Return the tags of the front matter and of the text, each once."""
    tags = {tag.casefold(): tag for tag in (given if isinstance(given, list) else ())}
    for tag in inline_tags(body):
        tags.setdefault(tag.casefold(), tag)
    return list(tags.values())[:MAX_ENTRIES]
