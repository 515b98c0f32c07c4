"""Plain text: the whole file is one document, titled by its file name."""

from collections.abc import Iterator

from ingest.readers.encodings import text_of
from ingest.readers.fields import DOCUMENT_BYTES, document
from ingest.readers.formats.item import Item
from ingest.readers.formats.source import Source


def read(source: Source, context: str | None) -> Iterator[Item]:
    """Yield the file as one memory, or nothing if it is blank."""
    content = text_of(source, limit_bytes=DOCUMENT_BYTES)
    if content.strip():
        yield Item(document(source.where, content, {"title": source.name, "context": context}))
