"""What every engine derives from the knowledge of artifacts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from core.errors import InvalidInput
from core.knowledge.findings import GIVEN, Entity, EntityType, Event, Knowledge
from core.knowledge.identities import MergeDecisions, identifying_names

#: All entities of an event weigh the same.
ENTITY_WEIGHT: Final = 1.0
#: Confidence orders events of the same time: a difference of 1 counts as much as 0.1 s.
_CONFIDENCE_WEIGHT: Final = 1e-6
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DAY: Final = timedelta(days=1)
#: Words before a name that are no part of it.
NAME_TITLES: Final = frozenset("mr mrs ms miss mx dr prof professor sir dame lord lady rev fr sr br frau herr".split())


def assigned_entities(knowledge: Knowledge, artifact_id: str, decisions: MergeDecisions) -> dict[str, str]:
    """Return the entity that merge decisions assign each entity of an artifact's knowledge to, by id."""
    names: dict[str, set[str]] = {}
    for entity in knowledge.entities:
        names.setdefault(entity.id, set()).update(identifying_names(entity.name, entity.aliases))
    return {id_: decisions.assigned_id(id_, artifact_id, called) for id_, called in names.items()}


def summaries_of(knowledge: Knowledge, artifact_id: str) -> set[str]:
    """Return the summaries of the events of some knowledge with evidence in an artifact: what answers show of it."""
    return {
        event.summary for event in knowledge.events if any(proof.artifact_id == artifact_id for proof in event.evidence)
    }


def event_weight(event: Event, happened_at: datetime) -> float:
    """Return days since 1970, so that a hub's newest events come first, and a trace of confidence."""
    return ((event.event_time or happened_at) - _EPOCH) / _DAY + event.confidence * _CONFIDENCE_WEIGHT


@dataclass(slots=True)
class NameUse:
    """How often artifacts give an entity a name, each time weighted by how they introduce it, and the best of these."""

    total: int = 0
    best: int = 0

    def add(self, weight: int) -> None:
        """Count one artifact."""
        self.total += weight
        self.best = max(self.best, weight)


def count_uses(names: Iterable[tuple[str, int]]) -> dict[str, NameUse]:
    """Return how often each name is used, given once for each artifact with its weight."""
    uses: dict[str, NameUse] = {}
    for name, weight in names:
        uses.setdefault(name, NameUse()).add(weight)
    return uses


def fullness(name: str) -> int:
    """Return 2 for a name of several words, 1 for one that is short: a word, initials or a title with a word.

    0 for an address or a handle.
    """
    if "@" in name:
        return 0
    words = (word.strip(".") for word in name.split())
    return min(sum(len(word) > 1 and word.casefold() not in NAME_TITLES for word in words), 2) or 1


def main_name(uses: Mapping[str, NameUse]) -> str:
    """Return the name to show: a given one, else the one most used of the full ones, else of all; there must be one.

    Ties: the longest, then the alphabetically first.
    """

    def rank(name: str) -> tuple[bool, int, int, int, str]:
        use = uses[name]
        return use.best < GIVEN, -fullness(name), -use.total, -len(name), name

    return min(uses, key=rank)


def original_entity(
    id_: str, type_: EntityType, names: Iterable[tuple[str, int]], aliases: Iterable[str], organization: str | None
) -> Entity:
    """Return an entity as resolution alone found it, by all that artifacts call it, names with their weights."""
    uses = count_uses(names)
    name = main_name(uses)
    return Entity(id_, name, type_, tuple(sorted({*uses, *aliases} - {name})), organization=organization)


def without_dismissed(knowledge: Knowledge, decisions: MergeDecisions) -> Knowledge:
    """Return the knowledge of an artifact without the entities that a person said are none."""
    dismissed = {entity.id for entity in knowledge.entities if decisions.is_dismissed(entity.id)}
    if not dismissed:
        return knowledge
    events = (
        replace(
            event,
            actors=tuple(one for one in event.actors if one.entity_id not in dismissed),
            subjects=tuple(one for one in event.subjects if one.entity_id not in dismissed),
        )
        for event in knowledge.events
    )
    return replace(
        knowledge,
        entities=tuple(one for one in knowledge.entities if one.id not in dismissed),
        mentions=tuple(one for one in knowledge.mentions if one.entity_id not in dismissed),
        events=tuple(events),
    )


def missing_entity(entity_id: str) -> InvalidInput:
    """Return what to raise for knowledge that names an entity which is not among its entities."""
    return InvalidInput(f"The knowledge names the entity {entity_id!r} but does not bring it: add it to `entities`.")


def missing_source(artifact_id: str) -> InvalidInput:
    """Return what to raise for knowledge with evidence in an artifact that is not stored."""
    return InvalidInput(f"The artifact {artifact_id!r} given as evidence is not stored: extract again without it.")
