"""A record: one memory of another system, as the reader of its export found it, and how it becomes an item."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from core.errors import InvalidInput, TooLarge
from core.interface.memory import MAX_ENTRIES
from ingest.readers.encodings import storable
from ingest.readers.fields import date_of, line_of, memory_from
from ingest.readers.formats.source import Item, Part, Refused, Source
from ingest.readers.front_matter import UNREAD

#: The field of `metadata` with the names that an item of a graph connects, each with its kind.
RELATED: Final = "related"


@dataclass(frozen=True, slots=True)
class Record:
    """A memory by its own id, which tells it from the others of its file. None and empty values are not given."""

    id: str
    content: str
    title: str | None = None
    author: str | None = None
    date: str | None = None
    tags: tuple[str, ...] = ()
    participants: tuple[str, ...] = ()
    metadata: Mapping[str, object] = field(default_factory=dict)
    #: Whether its author is who said it, as `Item.spoken` has it.
    spoken: bool = False

    def part(self, source: Source, system: str, context: str | None) -> Part:
        """Return its item, of context "note" unless one is given, or why it is refused.

        A date that does not exist is named among the fields that could not be read.
        """
        where = f"{source.where}#{self.id}"
        date = date_of(self.date)
        unread = {"date": f"{self.date!r:.60} is no day"} if self.date and date is None else {}
        metadata = {name: value for name, value in self.metadata.items() if value not in (None, "", [], {})}
        metadata |= {UNREAD: unread} if unread else {}
        values = {
            "content": storable(self.content),
            "title": line_of(self.title),
            "author": line_of(self.author),
            "date": date,
            "tags": _lines(self.tags),
            "participants": _lines(self.participants),
            "context": context or "note",
            "source": system,
            "source_id": line_of(self.id),
            "file_path": source.where,
            "key": f"{source.where}#{line_of(self.id)}",
            "metadata": metadata or None,
        }
        try:
            return Item(memory_from(values, where=repr(where[:200])), spoken=self.spoken)
        except (InvalidInput, TooLarge) as error:
            return Refused(str(error))


def _lines(values: tuple[str, ...]) -> list[str] | None:
    return list(dict.fromkeys(filter(None, map(line_of, values))))[:MAX_ENTRIES] or None
