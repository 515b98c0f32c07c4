"""The file of the official MCP memory server: lines of JSON, each an entity with observations, or a relation of two.

An entity becomes an item of its observations and of the relations that start at it, each a sentence. Names are written
as words ("Mei_Tanaka" as "Mei Tanaka"), so that they are the names that other texts use.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from core.errors import TooLarge
from ingest.readers.formats.item import Part, Refused
from ingest.readers.formats.source import Source
from ingest.readers.json_text.json_lines import json_lines
from ingest.readers.json_text.json_values import entries, text
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


def read(source: Source, context: str | None) -> Iterator[Part]:
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
