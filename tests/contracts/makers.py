"""Small makers of what the contract suites store."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from core.filters import Filters
from core.interface.memory import Memory
from core.knowledge.findings import (
    Actor,
    ActorRole,
    Category,
    Entity,
    EntityType,
    Event,
    EventStatus,
    Evidence,
    Knowledge,
    Mention,
    Subject,
    entity_id,
    event_id,
)
from core.records import Artifact, Chunk, artifact_id
from core.search import Vectors

PROJECT = "default"
OTHER = "other"
#: The moment that undated items of the suites are stored at.
STORED_AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
#: Texts that have broken stores: quotes, operators, wild cards, NUL, right to left, unspaced, joined and astral signs.
HOSTILE = (
    'it\'s "quoted" -- ; DROP TABLE artifacts',
    "100% _of_ \\ * ? [a-z] ^ $ { } ( ) : NEAR AND OR NOT",
    "before\0after",
    "שלום עולם مرحبا",
    "東京に住んでいます。서울에서",
    "👩‍👩‍👧 zero\u200bwidth e\u0301 ﬁ",
    "\n\t lines \r\n and tabs \u2028 ",
    "𐍈 𝔘𝔫𝔦 \U0010fffe",
)


def at(days: float = 0) -> datetime:
    """Return the moment this many days after `STORED_AT`."""
    return STORED_AT + timedelta(days=days)


def everything(**conditions: Any) -> Filters:
    """Return filters that ask for these conditions only, as seen long after `STORED_AT`."""
    return Filters(**{"at": at(36_500)} | conditions)


def item(
    content: str = "A plain note.", *, project: str = PROJECT, stored: datetime = STORED_AT, **fields: Any
) -> Artifact:
    """Return an artifact as `remember` would make it; `stashed` and `fingerprint` may be given."""
    stashed = fields.pop("stashed", False)
    fingerprint = fields.pop("fingerprint", None)
    num_chunks = fields.pop("num_chunks", 1)
    memory = Memory(content=content, **fields)
    fingerprint = fingerprint or memory.fingerprint(project)
    return Artifact(
        id=artifact_id(fingerprint),
        project_id=project,
        memory=memory,
        fingerprint=fingerprint,
        happened_at=memory.moment() or stored,
        created_at=stored,
        updated_at=stored,
        last_occurred=stored,
        token_count=len(content) // 4 + 1,
        num_chunks=num_chunks,
        stashed=stashed,
    )


def pieces(artifact: Artifact, *, size: int = 10_000_000, overlap: int = 0, prefix: str = "") -> list[Chunk]:
    """Return chunks of `size` characters that cover the artifact's content."""
    content = artifact.memory.content
    starts = range(0, max(1, len(content) - overlap), size - overlap)
    return [
        Chunk(
            artifact_id=artifact.id,
            index=index,
            start_char=start,
            end_char=min(start + size, len(content)),
            text=content[start : start + size],
            prefix=prefix,
            token_count=len(content[start : start + size]) // 4 + 1,
        )
        for index, start in enumerate(starts)
    ]


def entity(name: str, type_: EntityType = "person", *, project: str = PROJECT, **fields: Any) -> Entity:
    """Return an entity whose id follows from `known_as` (its name if not given)."""
    known_as = fields.pop("known_as", name)
    return Entity(id=entity_id(project, type_, known_as), name=name, type=type_, **fields)


def mention(entity: Entity, artifact: Artifact, name: str | None = None) -> Mention:
    """Return the first mention of an entity's name, or of `name`, in an artifact."""
    start = artifact.memory.content.index(name or entity.name)
    return Mention(entity.id, artifact.id, start, start + len(name or entity.name))


def event(artifact: Artifact, quote: str, category: Category = "Decision", **fields: Any) -> Event:
    """Return an event that rests on `quote` in an artifact; `actors` and `subjects` are entities."""
    actors: Sequence[Entity] = fields.pop("actors", ())
    subjects: Sequence[Entity] = fields.pop("subjects", ())
    role: ActorRole = fields.pop("role", "owner")
    status: EventStatus | None = fields.pop("status", None)
    start = artifact.memory.content.index(quote)
    end = start + len(quote)
    return Event(
        id=event_id(artifact.project_id, artifact.id, category, start, end),
        category=category,
        summary=fields.pop("summary", quote),
        actors=tuple(Actor(one.id, one.name, role) for one in actors),
        subjects=tuple(Subject(one.id, one.name) for one in subjects),
        evidence=(Evidence(artifact.id, quote, start, end), *fields.pop("more_evidence", ())),
        confidence=fields.pop("confidence", 0.5),
        status=status,
        **fields,
    )


def lesson(artifact: Artifact, entities: Sequence[Entity] = (), events: Sequence[Event] = ()) -> Knowledge:
    """Return knowledge with these entities, each mentioned where its name first stands, and these events."""
    content = artifact.memory.content
    mentions = tuple(mention(one, artifact) for one in entities if one.name in content)
    return Knowledge(entities=tuple(entities), mentions=mentions, events=tuple(events))


def row(*numbers: float) -> Vectors:
    """Return a vector of these numbers."""
    return np.array(numbers, dtype=np.float32)
