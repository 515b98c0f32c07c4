"""Resolution: from the names of one artifact to the stable entities of its project, by strategies in order."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from core.knowledge.findings import (
    FIRST_STATUS,
    Actor,
    Entity,
    EntityType,
    Event,
    Evidence,
    FoundEntity,
    FoundEvent,
    Knowledge,
    Subject,
    event_id,
    normalise_name,
)
from core.knowledge.identities import MergeDecisions
from core.records import Artifact
from graph.store import Store
from ingest.document.condensed import condense
from ingest.document.evidence import Verified
from ingest.english.name_patterns import looks_like_name
from ingest.identity.context_overlap import ContextOverlap
from ingest.identity.name_forms import company, is_part, is_short, strip_title, titled
from ingest.identity.name_matching import VAGUE, lookup_forms
from ingest.identity.namesakes import with_former_names, with_namesakes
from ingest.identity.scope import Resolution, Scope, full_names
from ingest.identity.strategies import (
    ambiguous_organization,
    cut_given_name,
    explained_short_name,
    fitting_full_name,
    known_by_short_form,
    new_entity,
    nickname,
    only_one_in_text,
    other_name_in_project,
    other_name_in_text,
    person_called_by_word,
    same_first_and_last_word,
    same_full_name,
    same_name_of_thing,
    same_short_name,
    same_word,
    shared_address,
    unambiguous_address,
)

#: The reason for an alias: an address, a title with the name, a nickname, a former name.
GIVEN_WITH_NAME: Final = "given with the name in the text"
#: Says whom a name means, and why; None if it has nothing to say, and the next one is asked.
Strategy = Callable[[Scope, FoundEntity], Resolution | None]

SHORT_NAMES: Final[tuple[Strategy, ...]] = (
    only_one_in_text,
    fitting_full_name,
    unambiguous_address,
    same_short_name,
    same_word,
    new_entity,
)
FULL_NAMES: Final[tuple[Strategy, ...]] = (
    only_one_in_text,
    other_name_in_project,
    same_full_name,
    shared_address,
    other_name_in_text,
    nickname,
    cut_given_name,
    same_first_and_last_word,
    known_by_short_form,
    new_entity,
)
THINGS: Final[tuple[Strategy, ...]] = (
    person_called_by_word,
    only_one_in_text,
    ambiguous_organization,
    same_name_of_thing,
    shared_address,
    explained_short_name,
    known_by_short_form,
    new_entity,
)


@dataclass(slots=True)
class Resolver:
    """Resolves the names of one artifact, of which full ones come before short ones."""

    scope: Scope
    #: Why each name that the artifact gives an entity was resolved to it, by entity and name.
    reasons: dict[str, dict[str, str]] = field(default_factory=dict)

    def add(self, found: FoundEntity) -> None:
        """Resolve a name and add it to the entities of the artifact."""
        found = replace(found, organization=self._employer(found.organization))
        id_, reason = self.resolve(found)
        known = self.scope.known_by_id.get(id_)
        self.scope.text.add(id_, known.type if known else found.type, found)
        reasons = self.reasons.setdefault(id_, {})
        if reasons.get(found.name, GIVEN_WITH_NAME) == GIVEN_WITH_NAME:
            reasons[found.name] = reason
        for alias in found.aliases:
            reasons.setdefault(alias, GIVEN_WITH_NAME)

    def entities(self) -> tuple[Entity, ...]:
        """Return the entities of the artifact by id, each with the reasons for its names."""
        return tuple(
            replace(one, reasons=tuple(sorted(self.reasons[id_].items())))
            for id_, one in sorted(self.scope.text.entities.items())
        )

    def resolve(self, found: FoundEntity) -> Resolution:
        """Return whom a name means, by the first strategy that says so."""
        strategies = THINGS if found.type != "person" else SHORT_NAMES if is_short(found.name) else FULL_NAMES
        return next(resolution for each in strategies if (resolution := each(self.scope, found)) is not None)

    def full_name(self, entity: Entity) -> str:
        """Return the name of the entity in the project, or the one that the artifact gives it if that is fuller."""
        known = self.scope.known_by_id.get(entity.id, entity)
        return entity.name if is_short(known.name) else known.name

    def _employer(self, name: str | None) -> str | None:
        """Return an employer's name; of a site the full one, by which it is known for one: "Lugger" for Lugger Inn."""
        return next((one.name for one in self.scope.known_as(name or "") if is_part(one.name)), name)


def disambiguate_names(verified: Verified, content: str, speaker: str | None = None) -> Verified:
    """Return what was found with one entity for each that its text tells apart, those only events name among them.

    `speaker` is who says "I" in the text.
    """
    named = [_plainly_named(entity) for entity in (*verified.entities, *_unnamed(verified))]
    found = with_former_names(_joined(named), condense(content).text)
    return replace(verified, entities=tuple(with_namesakes(found, content, speaker)), titles=titled(content))


def resolve(artifact: Artifact, verified: Verified, store: Store) -> Knowledge:
    """Return what the artifact teaches, with every name resolved to an entity; its text has told them apart before.

    An entity is the one of its type that has its name or an alias (address, handle) in the project; a first name,
    initial, or first word of an organisation is the one full name in the artifact that it fits, else the only one in
    the project. The other way round a full name is the entity known by such a short name alone, if no other full name
    fits that. Otherwise it is a new entity. People of one name and different organisations are two. The same artifact
    gives equal knowledge again while the project's other names stay.

    Entities are *originals* (`graph.protocols.knowledge`): what a person merged or split is told by the names before
    that, and the store has it stand where the merge decisions say. Of two that a person said are one, either is meant
    by a name that fits both; two that a person said are two are never taken for one.

    Raises:
        Unavailable: the record does not answer.
    """
    found = verified.entities
    forms = {form for entity in found for form in lookup_forms(entity)}
    forms |= {entity.organization for entity in found if entity.organization}
    merge_decisions = MergeDecisions(store.merge_decisions(artifact.project_id))
    known = _originals(
        artifact.project_id, store.entities_by_name(artifact.project_id, sorted(forms)), merge_decisions, store
    )
    overlap = ContextOverlap(artifact, found, store, _employers(found, known))
    resolver = Resolver(Scope(artifact, known, merge_decisions, overlap, full_names(found), verified.titles))
    for entity in sorted(found, key=_full_and_certain_first):
        resolver.add(entity)
    mentions, events = resolver.scope.text.all_mentions(), _events(resolver, verified)
    return Knowledge(resolver.entities(), mentions, events, verified.unread_language)


def _originals(
    project_id: str, known: dict[str, list[Entity]], merge_decisions: MergeDecisions, store: Store
) -> dict[str, list[Entity]]:
    """Return whom the names mean without any merge decision: of those that are merged or split, what has the name
    itself."""
    moving = {entity.id for entities in known.values() for entity in entities if merge_decisions.affects(entity.id)}
    if not moving:
        return known
    originals = store.originals(project_id, sorted(moving))
    found: dict[str, list[Entity]] = {}
    for form, entities in known.items():
        several = {one.id: one for entity in entities for one in originals.get(entity.id, [entity])}
        named = (one for one in several.values() if form in map(normalise_name, (one.name, *one.aliases)))
        found[form] = list(named)
    return found


def _full_and_certain_first(found: FoundEntity) -> tuple[bool, bool, int, str, str]:
    is_short_one = found.type == "person" and is_short(found.name)
    return found.type in VAGUE, is_short_one, -len(found.name.split()), found.type, found.name


def _employers(found: Iterable[FoundEntity], known: Mapping[str, Sequence[Entity]]) -> list[str]:
    """Return where each of the people of an artifact works who is the only one of the full name, by what is known."""
    full = [one.name for one in found if one.type == "person" and not is_short(one.name)]
    alone = (known[normalise_name(name)][0] for name in full if len(known.get(normalise_name(name), ())) == 1)
    return sorted(one.organization for one in {one.id: one for one in alone}.values() if one.organization)


def _plainly_named(entity: FoundEntity) -> FoundEntity:
    """Return a person under the full name without titles; "Dr Patel" stays, and is "Patel" as well."""
    plain = strip_title(entity.name)
    if entity.type != "person" or plain == entity.name:
        return entity
    if " " not in plain:
        return replace(entity, aliases=(*entity.aliases, plain))
    return replace(entity, name=plain, aliases=(*entity.aliases, entity.name))


def _unnamed(verified: Verified) -> Iterable[FoundEntity]:
    """Yield entities for actors and subjects that the extractor named in events alone; odd actor names are left out."""
    known = {normalise_name(form) for entity in verified.entities for form in (entity.name, *entity.aliases)}
    for event in verified.events:
        for name, _ in event.actors:
            if normalise_name(name) not in known and looks_like_name(name):
                yield FoundEntity(name, "person")
        for name in event.subjects:
            if normalise_name(name) and normalise_name(name) not in known:
                yield FoundEntity(name, "other")


def _joined(found: Iterable[FoundEntity]) -> list[FoundEntity]:
    """Join entries of one name and type; nameless ones are left out."""
    joined: dict[tuple[EntityType, str, str], FoundEntity] = {}
    for entity in found:
        if not normalise_name(entity.name):
            continue
        key = (entity.type, normalise_name(entity.name), company(entity.organization or ""))
        earlier = joined.get(key, entity)
        joined[key] = replace(
            earlier,
            aliases=tuple(sorted({*earlier.aliases, *entity.aliases})),
            role=earlier.role or entity.role,
            mentions=tuple(dict.fromkeys([*earlier.mentions, *entity.mentions])),
            weight=max(earlier.weight, entity.weight),
        )
    return list(joined.values())


def _events(resolver: Resolver, verified: Verified) -> tuple[Event, ...]:
    events: dict[str, Event] = {}
    for found in verified.events:
        event = _event(resolver, found)
        earlier = events.get(event.id)
        events[event.id] = event if earlier is None else _united(earlier, event)
    return tuple(events.values())


def _event(resolver: Resolver, found: FoundEvent) -> Event:
    start, end = found.near_char, found.near_char + len(found.quote)
    actors: dict[str, Actor] = {}
    for name, role in found.actors:
        entity = resolver.scope.text.meant(name, start, end)
        if entity is not None:
            actors.setdefault(entity.id, Actor(entity.id, resolver.full_name(entity), role))
    subjects: dict[str, Subject] = {}
    for name in found.subjects:
        entity = resolver.scope.text.meant(name, start, end)
        if entity is not None:
            subjects.setdefault(entity.id, Subject(entity.id, resolver.full_name(entity)))
    artifact = resolver.scope.artifact
    return Event(
        event_id(artifact.project_id, artifact.id, found.category, start, end),
        found.category,
        found.summary,
        tuple(actors.values()),
        tuple(subjects.values()),
        (Evidence(artifact.id, found.quote, start, end),),
        found.confidence,
        found.event_time,
        found.due,
        found.status or FIRST_STATUS.get(found.category),
        found.origin,
        found.bears_on,
    )


def _united(first: Event, second: Event) -> Event:
    """Return the first event with the actors and subjects of both, and the due date either has."""
    actors = {actor.entity_id: actor for actor in (*second.actors, *first.actors)}
    subjects = {subject.entity_id: subject for subject in (*second.subjects, *first.subjects)}
    return replace(
        first,
        actors=tuple(actors.values()),
        subjects=tuple(subjects.values()),
        due=first.due or second.due,
        confidence=max(first.confidence, second.confidence),
    )
