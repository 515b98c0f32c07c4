"""Memories of other systems: the official MCP memory server, mcp-memory-service, mem0 and basic-memory."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from core.errors import TooLarge
from core.interface.memory import MAX_ENTRIES
from core.regex import regex
from ingest.readers.encodings import text_of
from ingest.readers.fields import DOCUMENT_BYTES, document, line_of
from ingest.readers.formats.source import Item, Part, Refused, Source
from ingest.readers.front_matter import front_matter, note_fields
from ingest.readers.json_text import entries, fields, json_cursor, json_lines, listed, moment, moment_or_day, tags, text
from ingest.readers.memories.record import RELATED, Record

#: Most characters of a file's texts: relations stand behind all entities, so all are in memory at once.
MOST_CHARACTERS: Final = 100_000_000
#: Types of entities that are somebody.
_PEOPLE: Final = frozenset({"person", "people", "user", "human", "contact", "colleague", "friend"})


@dataclass(slots=True)
class _Entity:
    name: str
    kind: str | None = None
    observations: list[str] = field(default_factory=list)
    relations: list[str] = field(default_factory=list)
    #: The names at the other ends of `relations`.
    targets: list[str] = field(default_factory=list)


def read_entity_graph(source: Source, context: str | None) -> Iterator[Part]:
    """Yield first which lines are refused, then an item an entity, in the order in which they are first named.

    Raises:
        TooLarge: the file has more than `MOST_CHARACTERS` of texts.
    """
    known: dict[str, _Entity] = {}
    size = 0
    for number, line in json_lines(source):
        if isinstance(line, Refused):
            yield line
            continue
        texts = [text(line.get(name)) for name in ("name", "entityType", "from", "relationType", "to")]
        observations = [said for entry in entries(line.get("observations")) if (said := text(entry))]
        size += sum(map(len, [*filter(None, texts), *observations]))
        if size > MOST_CHARACTERS:
            raise TooLarge(f"{source.where!r} has more than {MOST_CHARACTERS:,} characters of texts: split it.")
        name, kind, start, relation, target = texts
        if line.get("type") == "entity" and name:
            entity = known.setdefault(name, _Entity(name))
            entity.kind = entity.kind or kind
            entity.observations += observations
        elif line.get("type") == "relation" and start and relation and target:
            entity = known.setdefault(start, _Entity(start))
            entity.relations.append(f"{_words(start)} {_words(relation)} {_words(target)}.")
            entity.targets.append(target)
        else:
            yield Refused(f"{source.where!r} line {number}: neither an entity nor a relation: the line is left out.")
    kinds = {_words(entity.name): entity.kind or "" for entity in known.values()}
    people = {entity.name for entity in known.values() if (entity.kind or "").casefold() in _PEOPLE}
    for entity in known.values():
        yield _item(entity, people, kinds, source, context)


def _item(entity: _Entity, people: set[str], kinds: Mapping[str, str], source: Source, context: str | None) -> Part:
    name = _words(entity.name)
    related = dict.fromkeys([name, *map(_words, entity.targets)])
    blocks = (
        f"{name} ({_words(entity.kind)})" if entity.kind else name,
        "\n".join(f"- {' '.join(said.split())}" for said in dict.fromkeys(entity.observations)),
        "\n".join(dict.fromkeys(entity.relations)),
    )
    record = Record(
        entity.name,
        "\n\n".join(filter(None, blocks)),
        title=name,
        tags=(entity.kind,) if entity.kind else (),
        metadata={RELATED: {other: kinds.get(other, "") for other in related}},
        participants=tuple(_words(other) for other in (entity.name, *entity.targets) if other in people),
    )
    return record.part(source, "mcp-memory", context)


def _words(name: str) -> str:
    """Return a name as words: such names are written with underscores."""
    return " ".join(name.replace("_", " ").split())


#: Fields that are kept in `metadata`.
_MEMORY_SERVICE_FIELDS: Final = ("memory_type", "updated_at_iso", "export_source")


def read_memory_service(source: Source, context: str | None) -> Iterator[Part]:
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
        metadata=dict(fields(memory.get("metadata"))) | {name: memory.get(name) for name in _MEMORY_SERVICE_FIELDS},
    )


#: Fields that say whose memory it is and where it comes from, kept in `metadata`.
_MEM0_FIELDS: Final = ("user_id", "agent_id", "app_id", "run_id", "role", "updated_at", "expiration_date")
_MEM0: Final = "mem0"


def read_mem0(source: Source, context: str | None) -> Iterator[Part]:
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
        metadata=dict(fields(memory.get("metadata"))) | {name: memory.get(name) for name in _MEM0_FIELDS},
    )
    return record.part(source, _MEM0, context)


def _related(relations: Sequence[tuple[str, str, str]], source: Source, context: str | None) -> Part:
    """Return an item of all relations, each a sentence, which names what they connect."""
    sentences = dict.fromkeys(f"{' '.join(relation)}." for relation in relations)
    names = dict.fromkeys(name for one, _, other in relations for name in (one, other))
    metadata = {RELATED: dict.fromkeys(names, "")}
    record = Record("relations", "\n".join(sentences), "Relations", metadata=metadata)
    return record.part(source, _MEM0, context)


def _relation(relation: Mapping[str, object]) -> tuple[str, str, str] | None:
    """Return what a relation connects, and how; names are written with underscores."""
    target = text(relation.get("target")) or text(relation.get("destination"))
    words = (text(relation.get("source")), text(relation.get("relationship")), target)
    one, how, other = (" ".join((word or "").replace("_", " ").split()) for word in words)
    return (one, how, other) if one and how and other else None


_RELATION: Final = regex(
    r"^([ \t]{0,8}[-*] )((?:[\w-]{1,40} ){0,4})\[\[([^\[\]|\n]{1,300})(?:\|[^\[\]\n]{0,300})?\]\]"
    r"([ \t]*\([^()\n]{0,500}\))?[ \t]*$",
    re.MULTILINE,
)
_OBSERVATION: Final = regex(r"^[ \t]{0,8}[-*] \[[^\[\]()\n]{2,60}\] ([^\n]+)", re.MULTILINE)
_TAG: Final = regex(r"(?<!\S)#([\w/-]{1,100})")
#: What stands for a relation that has no name.
_UNNAMED: Final = "relates to "


def read_basic_memory(source: Source, context: str | None) -> Iterator[Item]:
    """Yield the note with its fields, the tags of its observations among them; nothing if it is blank.

    Raises:
        InvalidInput: its encoding can't be told.
        TooLarge: the file is over its limit.
    """
    whole = text_of(source, limit_bytes=DOCUMENT_BYTES)
    front = front_matter(whole)
    title = line_of(text(front.texts.get("title"))) or source.path.stem
    body = _RELATION.sub(lambda relation: _sentence(title, relation), whole[front.end :])
    if not body.strip():
        return
    given = note_fields(front)
    tags = [*_listed(given.get("tags")), *(tag for said in _OBSERVATION.findall(body) for tag in _TAG.findall(said))]
    values = {"title": title, "context": context or "note", "source": "basic-memory"} | given
    values["tags"] = list(dict.fromkeys(tags))[:MAX_ENTRIES] or None
    values.setdefault("source_id", line_of(text(front.texts.get("permalink"))))
    if targets := [match[3].strip().rsplit("/", 1)[-1] for match in _RELATION.finditer(whole, front.end)]:
        metadata = given.get("metadata")
        values["metadata"] = {**(metadata if isinstance(metadata, dict) else {}), RELATED: dict.fromkeys(targets, "")}
    yield Item(document(source.where, body, values))


def _sentence(title: str, relation: re.Match[str]) -> str:
    words = relation[2].replace("_", " ") or _UNNAMED
    return f"{relation[1]}{title} {words}{relation[3].strip()}{relation[4] or ''}."


def _listed(value: object) -> list[str]:
    return [tag for tag in value if isinstance(tag, str)] if isinstance(value, list) else []
