"""Texts of files that extraction does not read for events, since they are in another language than English."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ingest.document.text_kind import unread_language
from ingest.readers import Read
from ingest.readers.formats.source import Item, Part


class UnreadTexts:
    """Reads files as another reader does, and counts what is in another language. Fulfils `ingest.readers.Read`."""

    def __init__(self, read: Read) -> None:
        self._read = read
        #: Items by the ISO 639 code of their language; English and texts of uncertain language are not counted.
        self.languages: Counter[str] = Counter()

    def __call__(self, path: Path, *, context: str | None) -> Iterator[Part]:
        """Yield what the other reader reads; raises as it does."""
        for part in self._read(path, context=context):
            if isinstance(part, Item) and (language := unread_language(part.memory.content)) is not None:
                self.languages[language] += 1
            yield part
