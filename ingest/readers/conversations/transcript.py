"""A plain transcript, as Zoom, Teams, Meet, Otter and others save it: one document, its text exactly as it stands.

Extraction reads who speaks from the lines of such a document, and its quotes point into it, so it is kept whole rather
than as turns; each line that says who speaks is a place with its time.
"""

from collections.abc import Iterator

from core.interface.memory import MAX_ENTRIES
from ingest.readers.encodings import text_of
from ingest.readers.fields import DOCUMENT_BYTES, document
from ingest.readers.formats.item import Item, Place
from ingest.readers.formats.source import Source
from ingest.readers.formats.spoken_lines import spoken_lines


def read(source: Source, context: str | None) -> Iterator[Item]:
    """Yield the text as one memory, of context "transcript" unless told otherwise; nothing if it is blank.

    Raises:
        InvalidInput: it is not text that decodes for certain.
        TooLarge: it is over the limit of a document.
    """
    text = text_of(source, limit_bytes=DOCUMENT_BYTES)
    if not text.strip():
        return
    lines = spoken_lines(text)
    speakers = list(dict.fromkeys(line.speaker for line in lines))[:MAX_ENTRIES]
    values = {"title": source.path.stem, "context": context or "transcript", "participants": speakers}
    yield Item(document(source.where, text, values), tuple(Place(line.start, line.time) for line in lines))
