"""What mem0 returns for all memories of somebody: a list of facts in JSON, and the relations of its graph."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ingest.readers.formats.item import Part, Refused
from ingest.readers.formats.source import Source
from ingest.readers.json_text.json_cursor import json_cursor
from ingest.readers.json_text.json_values import fields, moment_or_day, tags, text
from ingest.readers.memories.record import RELATED, Record

#: Fields that say whose memory it is and where it comes from, kept in `metadata`.
_KEPT: Final = ("user_id", "agent_id", "app_id", "run_id", "role", "updated_at", "expiration_date")
_SYSTEM: Final = "mem0"


def read(source: Source, context: str | None) -> Iterator[Part]:
    """Yield an item a memory, and one of the relations, each a sentence on a line of its own.

    Raises:
        InvalidInput: it is not JSON; what stands before the fault is read.
    """
    with json_cursor(source) as cursor:
        if cursor.kind() == "[":
            for number, entry in enumerate(cursor.elements(), 1):
                yield _memory(fields(entry), number, source, context)
            return
        for name in cursor.members():
            if name == "results" and cursor.kind() == "[":
                for number, entry in enumerate(cursor.elements(), 1):
                    yield _memory(fields(entry), number, source, context)
            elif name == "relations" and cursor.kind() == "[":
                relations = [said for entry in cursor.elements() if (said := _relation(fields(entry))) is not None]
                if relations:
                    yield _related(relations, source, context)
            else:
                cursor.value()


def _memory(memory: Mapping[str, object], number: int, source: Source, context: str | None) -> Part:
    words = text(memory.get("memory"))
    if words is None:
        return Refused(f"{source.where!r}: memory {number} has no text: it is left out.")
    record = Record(
        text(memory.get("id")) or str(number),
        words,
        author=text(memory.get("actor_id")),
        date=moment_or_day(memory.get("created_at")),
        tags=tags(memory.get("categories")),
        metadata=dict(fields(memory.get("metadata"))) | {name: memory.get(name) for name in _KEPT},
    )
    return record.part(source, _SYSTEM, context)


def _related(relations: Sequence[tuple[str, str, str]], source: Source, context: str | None) -> Part:
    """Return an item of all relations, each a sentence, which names what they connect."""
    sentences = dict.fromkeys(f"{' '.join(relation)}." for relation in relations)
    names = dict.fromkeys(name for one, _, other in relations for name in (one, other))
    metadata = {RELATED: dict.fromkeys(names, "")}
    record = Record("relations", "\n".join(sentences), "Relations", metadata=metadata)
    return record.part(source, _SYSTEM, context)


def _relation(relation: Mapping[str, object]) -> tuple[str, str, str] | None:
    """Return what a relation connects, and how; names are written with underscores."""
    target = text(relation.get("target")) or text(relation.get("destination"))
    words = (text(relation.get("source")), text(relation.get("relationship")), target)
    one, how, other = (" ".join((word or "").replace("_", " ").split()) for word in words)
    return (one, how, other) if one and how and other else None
