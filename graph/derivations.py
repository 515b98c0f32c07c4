"""What every engine derives from the knowledge of artifacts."""

from collections.abc import Collection, Iterable
from datetime import UTC, datetime, timedelta
from typing import Final

from core.errors import InvalidInput
from core.knowledge.findings import Entity, EntityType, Event, Knowledge
from core.knowledge.identities import MergeDecision, MergeDecisions, identifying_names

#: All entities of an event weigh the same.
ENTITY_WEIGHT: Final = 1.0
#: Confidence orders events of the same time: a difference of 1 counts as much as 0.1 s.
_CONFIDENCE_WEIGHT: Final = 1e-6
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DAY: Final = timedelta(days=1)


def assigned_entities(knowledge: Knowledge, artifact_id: str, decisions: Iterable[MergeDecision]) -> dict[str, str]:
    """Return the entity that merge decisions assign each entity of an artifact's knowledge to, by id."""
    names: dict[str, set[str]] = {}
    for entity in knowledge.entities:
        names.setdefault(entity.id, set()).update(identifying_names(entity.name, entity.aliases))
    active = MergeDecisions(decisions)
    return {id_: active.assigned_id(id_, artifact_id, called) for id_, called in names.items()}


def summaries_of(knowledge: Knowledge, artifact_id: str) -> set[str]:
    """Return the summaries of the events of some knowledge with evidence in an artifact: what answers show of it."""
    return {
        event.summary for event in knowledge.events if any(proof.artifact_id == artifact_id for proof in event.evidence)
    }


def event_weight(event: Event, happened_at: datetime) -> float:
    """Return days since 1970, so that a hub's newest events come first, and a trace of confidence."""
    return ((event.event_time or happened_at) - _EPOCH) / _DAY + event.confidence * _CONFIDENCE_WEIGHT


def main_name(names: Iterable[str]) -> str:
    """Return the longest name (ties: the alphabetically first); there must be one."""
    return min(names, key=lambda name: (-len(name), name))


def original_entity(
    id_: str, type_: EntityType, names: Collection[str], aliases: Iterable[str], organization: str | None
) -> Entity:
    """Return an entity as resolution alone found it, by all that artifacts call it."""
    name = main_name(names)
    return Entity(id_, name, type_, tuple(sorted({*names, *aliases} - {name})), organization=organization)


def missing_entity(entity_id: str) -> InvalidInput:
    """Return what to raise for knowledge that names an entity which is not among its entities."""
    return InvalidInput(f"The knowledge names the entity {entity_id!r} but does not bring it: add it to `entities`.")


def missing_source(artifact_id: str) -> InvalidInput:
    """Return what to raise for knowledge with evidence in an artifact that is not stored."""
    return InvalidInput(f"The artifact {artifact_id!r} given as evidence is not stored: extract again without it.")
