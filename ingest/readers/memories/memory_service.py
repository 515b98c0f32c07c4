"""The export of mcp-memory-service: a document of JSON with its memories in a list."""

from collections.abc import Iterator, Mapping
from typing import Final

from ingest.readers.formats.item import Part, Refused
from ingest.readers.formats.source import Source
from ingest.readers.json_text.json_cursor import listed
from ingest.readers.json_text.json_values import fields, moment, moment_or_day, tags, text
from ingest.readers.memories.record import Record

#: Fields that are kept in `metadata`.
_KEPT: Final = ("memory_type", "updated_at_iso", "export_source")


def read(source: Source, context: str | None) -> Iterator[Part]:
    """Yield an item a memory, in the order of the file.

    Raises:
        InvalidInput: it is not JSON; what stands before the fault is read.
    """
    for number, entry in enumerate(listed(source, "memories"), 1):
        memory = fields(entry)
        if (words := text(memory.get("content"))) is None:
            yield Refused(f"{source.where!r}: memory {number} has no text: it is left out.")
        else:
            yield _record(memory, words, number).part(source, "mcp-memory-service", context)


def _record(memory: Mapping[str, object], words: str, number: int) -> Record:
    return Record(
        text(memory.get("content_hash")) or str(number),
        words,
        date=moment(memory.get("created_at")) or moment_or_day(memory.get("created_at_iso")),
        tags=tags(memory.get("tags")),
        metadata=dict(fields(memory.get("metadata"))) | {name: memory.get(name) for name in _KEPT},
    )
