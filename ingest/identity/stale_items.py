"""Stale items: the artifacts whose names may resolve otherwise once the names of another are stored."""

from collections.abc import Iterable, Sequence
from typing import Final

from core.dates import now
from core.filters import Filters
from core.knowledge.findings import Entity, Knowledge, normalise_name
from graph.store import Store
from ingest.identity.context_overlap import REACH, Clue, collect_clues, conversation_clues
from ingest.identity.name_forms import family, given_name, given_names_begin_alike, is_short
from ingest.identity.name_matching import VAGUE, candidate_forms, known_forms

#: Chunks mentioning people of a similar name that are looked through for one artifact.
_LIMIT: Final = 100


def find_stale_items(project_id: str, artifact_id: str, knowledge: Knowledge, store: Store) -> list[str]:
    """Return the other artifacts, by id, whose short names may be resolved otherwise once `knowledge` is stored.

    These have only "Anna" where the project had one Anna and now has two, an initial whose full name is new, a person
    taken for a thing, something in common with what this artifact says of one of two Annas, or are turns of the same
    conversation. Names that the project knew already, from an earlier run over the same text, change nothing. Looks at
    the 100 newest chunks that mention such names, and at the turns nearby.

    Raises:
        Unavailable: the record does not answer.
    """
    people = [entity for entity in knowledge.entities if entity.type == "person" and not is_short(entity.name)]
    forms = {one.id: known_forms(one.name) for one in people}
    known = (
        store.entities_by_name(project_id, sorted({form for each in forms.values() for form in each})) if forms else {}
    )
    before = store.named_entities(project_id, [artifact_id]).get(artifact_id, ())
    given = collect_clues(knowledge.entities)
    fresh = given - collect_clues(before)
    ids = _by_short_name(project_id, _rivals(people, forms, known), store)
    ids += _with_other_name(project_id, knowledge.entities, store)
    if fresh:
        ids += _with_other_full_name(project_id, knowledge, store)
        ids += _with_overlap(project_id, people, [_similar(one, forms, known) for one in people], given, store)
        ids += _of_conversation(project_id, artifact_id, fresh, store)
    return [id_ for id_ in dict.fromkeys(ids) if id_ != artifact_id]


def _similar(person: Entity, forms: dict[str, set[str]], known: dict[str, list[Entity]]) -> list[Entity]:
    """Return the people, herself included, who are known by a name that she may be meant by."""
    similar = {entity.id: entity for form in forms[person.id] for entity in known.get(normalise_name(form), [])}
    return [entity for entity in similar.values() if entity.type == "person"]


def _rivals(people: Sequence[Entity], forms: dict[str, set[str]], known: dict[str, list[Entity]]) -> list[Entity]:
    """Return who was known by a short form of a name, or as a thing of a name, that the project has not known yet."""
    rivals: dict[str, Entity] = {}
    for person in people:
        namesakes = known.get(normalise_name(person.name), [])
        if any(entity.type == "person" for entity in namesakes):
            continue
        words = (family(person.name), given_name(person.name))
        vague = [one for word in words for one in known.get(word, []) if one.type in VAGUE]
        others = _similar(person, forms, known) + [one for one in namesakes if one.type in VAGUE] + vague
        rivals.update({entity.id: entity for entity in others if entity.id != person.id})
    return [rivals[id_] for id_ in sorted(rivals)]


def _by_short_name(project_id: str, rivals: Sequence[Entity], store: Store) -> list[str]:
    """Return the artifacts that mention rivals, but not by a full name."""
    if not rivals:
        return []
    full = [rival.name for rival in rivals if not is_short(rival.name) and rival.type not in VAGUE]
    texts = store.get(project_id, _mentioning(project_id, rivals, store))
    return [id_ for id_, artifact in texts.items() if not any(name in artifact.memory.content for name in full)]


def _with_overlap(
    project_id: str, people: Sequence[Entity], similar: Sequence[list[Entity]], given: set[Clue], store: Store
) -> list[str]:
    """Return the artifacts with a short name that may mean one of these, and something in common with these clues."""
    open_ = [(one, like) for one, like in zip(people, similar, strict=True) if {other.id for other in like} - {one.id}]
    ids = _mentioning(project_id, [other for _, like in open_ for other in like], store)
    named = store.named_entities(project_id, ids) if ids else {}
    meant = {id_: [one for one, like in open_ if _may_be_meant(one, like, entities)] for id_, entities in named.items()}
    texts = store.get(project_id, [id_ for id_, several in meant.items() if several])
    contexts: dict[str | None, set[Clue]] = {None: set()}
    found: list[str] = []
    for id_ in filter(texts.__contains__, named):
        talk = texts[id_].memory.conversation_id
        if talk not in contexts:
            contexts[talk] = conversation_clues(texts[id_], store)
        common = (collect_clues(named[id_]) | contexts[talk]) & given
        if any(common - {Clue("given", given_name(one.name))} for one in meant[id_]):
            found.append(id_)
    return found


def _may_be_meant(person: Entity, similar: Sequence[Entity], entities: Iterable[Entity]) -> bool:
    """Whether an artifact names one of these by a short name, or by one that begins or ends as hers."""
    ids = {other.id for other in similar}
    named = [entity for entity in entities if entity.type == "person" and entity.id in ids]
    return any(
        is_short(one.name)
        or normalise_name(one.name) == normalise_name(person.name)
        or given_names_begin_alike(one.name, person.name)
        for one in named
    )


def _with_other_full_name(project_id: str, knowledge: Knowledge, store: Store) -> list[str]:
    """Return the artifacts that mention somebody else by a full name that this one gives a person besides her own."""
    people = [one for one in knowledge.entities if one.type == "person"]
    full = {alias: one.id for one in people for alias in one.aliases if "@" not in alias and not is_short(alias)}
    known = store.entities_by_name(project_id, sorted(full)) if full else {}
    others = [
        entity
        for alias, id_ in full.items()
        for entity in known.get(normalise_name(alias), ())
        if entity.type == "person" and entity.id != id_ and normalise_name(entity.name) == normalise_name(alias)
    ]
    return _mentioning(project_id, others, store)


def _with_other_name(project_id: str, entities: Sequence[Entity], store: Store) -> list[str]:
    """Return the artifacts that mention as a thing of its own what this one gives a thing as another name, or letters
    that it explains as an organisation's."""
    names = {
        normalise_name(alias): one.id
        for one in entities
        for alias in one.aliases
        if one.type == "object" or (one.type == "org" and alias.isupper())
    }
    known = store.entities_by_name(project_id, sorted(names)) if names else {}
    others = [
        entity
        for name, several in known.items()
        for entity in several
        if entity.type in VAGUE | {"org"} and entity.id != names[name] and normalise_name(entity.name) == name
    ]
    return _mentioning(project_id, others, store)


def _of_conversation(project_id: str, artifact_id: str, fresh: set[Clue], store: Store) -> list[str]:
    """Return the turns near this one with a short name that fits somebody, but not one alone."""
    if all(clue.kind == "given" for clue in fresh):
        return []
    near = [
        id_ for id_ in store.nearby_turns(project_id, [artifact_id], REACH, Filters(at=now())) if id_ != artifact_id
    ]
    named = store.named_entities(project_id, sorted(near)) if near else {}
    short = {
        id_: [one.name for one in each if one.type == "person" and is_short(one.name)] for id_, each in named.items()
    }
    names = {name for each in short.values() for name in each}
    known = (
        store.entities_by_name(project_id, sorted({form for name in names for form in candidate_forms(name)}))
        if names
        else {}
    )
    open_ = {name for name in names if _is_open(name, known)}
    return [id_ for id_, each in short.items() if open_.intersection(each)]


def _is_open(name: str, known: dict[str, list[Entity]]) -> bool:
    """Whether a short name could mean anyone besides the person with the matching full name."""
    people = {
        entity.id
        for form in candidate_forms(name)
        for entity in known.get(normalise_name(form), ())
        if not is_short(entity.name)
    }
    own = {entity.id for entity in known.get(normalise_name(name), ()) if not is_short(entity.name)}
    return bool(people) and len(own) != 1


def _mentioning(project_id: str, entities: Sequence[Entity], store: Store) -> list[str]:
    ids = sorted({entity.id for entity in entities})
    scored = store.mentions(project_id, ids, Filters(at=now()), _LIMIT) if ids else []
    return list(dict.fromkeys(one.artifact_id for one in scored))
