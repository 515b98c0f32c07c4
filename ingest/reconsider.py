"""Reconsider: which artifacts mean someone else now that a full name has become known."""

from typing import Final

from core.dates import now
from core.filters import Filters
from core.knowledge import Entity, Knowledge, normalised
from graph.store import Store
from ingest.name_forms import boxes, is_short, short_forms
from ingest.resolve import VAGUE

#: How many chunks that mention somebody of a like name are looked through for each artifact learnt.
_LIMIT: Final = 100


def outdated(project_id: str, artifact_id: str, knowledge: Knowledge, store: Store) -> list[str]:
    """Return the other artifacts, by id, whose short names may be resolved otherwise once `knowledge` is stored.

    These say only "Anna" where the project had one Anna and now has two, use an initial that has found its name, or
    take a person for a thing. Names that the project knew before change nothing. At most those of the 100 newest
    chunks that tell.

    Raises:
        Unavailable: the record does not answer.
    """
    rivals = _rivals(project_id, knowledge, store)
    if not rivals:
        return []
    scored = store.mentions(project_id, [rival.id for rival in rivals], Filters(at=now()), _LIMIT)
    texts = store.get(project_id, list(dict.fromkeys(one.artifact_id for one in scored)))
    full = [rival.name for rival in rivals if not is_short(rival.name) and rival.type not in VAGUE]
    return [
        id_
        for id_, artifact in texts.items()
        if id_ != artifact_id and not any(name in artifact.memory.content for name in full)
    ]


def _rivals(project_id: str, knowledge: Knowledge, store: Store) -> list[Entity]:
    """Return who was known by a short form of a name, or as a thing of a name, that the project has not known yet."""
    people = [entity for entity in knowledge.entities if entity.type == "person" and not is_short(entity.name)]
    forms = {form for person in people for form in (person.name, *short_forms(person.name), *boxes(person.name))}
    known = store.named(project_id, sorted(forms)) if forms else {}
    rivals: dict[str, Entity] = {}
    for person in people:
        namesakes = known.get(normalised(person.name), [])
        if any(entity.type == "person" for entity in namesakes):
            continue
        fitting = short_forms(person.name) | boxes(person.name)
        likes = [entity for form in fitting for entity in known.get(normalised(form), [])]
        others = [entity for entity in likes if entity.type == "person"]
        others += [entity for entity in namesakes if entity.type in VAGUE]
        rivals.update({entity.id: entity for entity in others if entity.id != person.id})
    return [rivals[id_] for id_ in sorted(rivals)]
