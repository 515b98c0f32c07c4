"""Plain text: the whole file is one document, titled by its first line or its name."""

from collections.abc import Iterator

from ingest.readers.documents.titles import title_of
from ingest.readers.encodings import decoded
from ingest.readers.fields import DOCUMENT_BYTES, document
from ingest.readers.formats.item import Item
from ingest.readers.formats.source import Source


def read(source: Source, context: str | None) -> Iterator[Item]:
    """Yield the file as one memory, or nothing if it is blank."""
    text = decoded(source, source.content(DOCUMENT_BYTES))
    if text.text.strip():
        values = {"title": title_of(source, None, text.text), "context": context, "metadata": text.metadata or None}
        yield Item(document(source.where, text.text, values))
