"""Scope: what the names of one artifact are resolved against, its own entities and those of its project."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Final, NamedTuple

from core.knowledge.findings import IN_TEXT, Entity, EntityType, FoundEntity, Mention, entity_id, normalise_name
from core.knowledge.identities import MergeDecisions
from core.records import Artifact
from ingest.english.lexicon import spelt_out, unmarked
from ingest.english.name_patterns import is_title, may_have_title, titles_conflict
from ingest.identity.context_overlap import ContextOverlap
from ingest.identity.name_forms import (
    OURS,
    are_different_companies,
    company,
    family,
    is_short,
    is_titled,
    short_forms,
    strip_title,
    title,
    with_nicknames,
)
from ingest.identity.name_matching import derived_forms, may_be_one, work_elsewhere

_start_char: Final = attrgetter("start_char")


@dataclass(slots=True)
class TextEntities:
    """The entities of one artifact so far. Full names are added before short ones."""

    artifact_id: str
    entities: dict[str, Entity] = field(default_factory=dict)
    #: Ids by name: several only if the artifact has two people of one name.
    by_name: dict[str, list[str]] = field(default_factory=dict)
    by_short_form: dict[tuple[EntityType, str], set[str]] = field(default_factory=dict)
    #: People by their full name with a nickname in it, and by family name.
    by_nickname: dict[str, set[str]] = field(default_factory=dict)
    by_family: dict[str, set[str]] = field(default_factory=dict)
    mentions: set[Mention] = field(default_factory=set)

    def add(self, id_: str, type_: EntityType, found: FoundEntity) -> None:
        """Add a name and its mentions to the entity that it means, which is of this type if it is new here."""
        forms = {found.name, *found.aliases}
        earlier = self.entities.get(id_)
        if earlier is None:
            entity = Entity(id_, found.name, type_, (), found.role, found.organization, weight=_weight(found))
        else:
            forms |= {earlier.name, *earlier.aliases}
            role, organization = earlier.role or found.role, earlier.organization or found.organization
            name, weight = max((earlier.name, earlier.weight), (found.name, _weight(found)), key=_introduction)
            entity = replace(earlier, name=name, weight=weight, role=role, organization=organization)
        for form in derived_forms(entity.name, entity.type):
            self.by_short_form.setdefault((entity.type, normalise_name(form)), set()).add(id_)
        if entity.type == "person" and not is_short(entity.name):
            forms |= {unmarked(entity.name), spelt_out(entity.name)}
            self.by_family.setdefault(family(entity.name), set()).add(id_)
            for form in {*with_nicknames(entity.name), *with_nicknames(entity.name.split()[0])}:
                self.by_nickname.setdefault(form, set()).add(id_)
        forms |= short_forms(entity.name, entity.type)
        self.entities[id_] = replace(entity, aliases=tuple(sorted(forms - {entity.name})))
        for form in (found.name, *found.aliases):
            self.by_name.setdefault(normalise_name(form), []).append(id_)
        for span in found.mentions:
            self.mentions.add(Mention(id_, self.artifact_id, span.start_char, span.end_char))

    def meant(self, name: str, start: int, end: int) -> Entity | None:
        """Return whom a name in these words means; of several it is who is named in them, else last before them."""
        ids = list(dict.fromkeys(self.by_name.get(normalise_name(name), ())))
        spans = [one for one in self.mentions if one.entity_id in ids] if len(ids) > 1 else []
        inside = [one for one in spans if start <= one.start_char < end]
        before = [one for one in spans if one.start_char < start]
        first, last = min(inside, key=_start_char, default=None), max(before, key=_start_char, default=None)
        if (mention := first or last) is not None:
            return self.entities[mention.entity_id]
        return self.entities[ids[0]] if ids else None

    def all_mentions(self) -> tuple[Mention, ...]:
        """Return the mentions in the order of the text."""
        return tuple(sorted(self.mentions, key=lambda one: (one.start_char, one.end_char, one.entity_id)))


def _titles_of(one: Entity) -> set[str]:
    return {name.split()[0] for name in (one.name, *one.aliases) if " " in name and is_title(name.split()[0])}


def _weight(found: FoundEntity) -> int | None:
    return found.weight if found.weight > IN_TEXT else None


def _introduction(named: tuple[str, int | None]) -> tuple[bool, int]:
    """Return how well a name introduces an entity: a full one, before how an item gives it."""
    return " " in named[0], named[1] or IN_TEXT


class Resolution(NamedTuple):
    """The entity that a name means, and why: a fixed phrase that holds no name."""

    entity_id: str
    reason: str


@dataclass(slots=True)
class Scope:
    """One artifact's entities so far, and the entities of its project by the names under which they are known."""

    artifact: Artifact
    known: Mapping[str, Sequence[Entity]]
    merge_decisions: MergeDecisions
    overlap: ContextOverlap
    #: The full names of the artifact by type and by each form that fits them.
    full_names: Mapping[tuple[EntityType, str], set[str]]
    #: What stands behind a title in the artifact, each word with its titles.
    titles: Mapping[str, frozenset[str]]
    text: TextEntities = field(init=False)
    known_by_id: dict[str, Entity] = field(init=False)

    def __post_init__(self) -> None:
        self.text = TextEntities(self.artifact.id)
        self.known_by_id = {entity.id: entity for entities in self.known.values() for entity in entities}

    def known_as(self, form: str) -> Sequence[Entity]:
        """Return the entities of the project that have this name or alias."""
        return self.known.get(normalise_name(form), [])

    def candidates(self, found: FoundEntity) -> list[Entity]:
        """Return the entities of the project that have this very name and may be meant."""
        further = (unmarked(found.name), spelt_out(found.name)) if found.type == "person" else ()
        for form in (found.name, *further):
            fits = [one for one in self.known_as(form) if self.may_be(found, one) and self.agrees(found, one)]
            if fits:
                return fits
        return []

    def people_known_as(
        self, found: FoundEntity, forms: Iterable[str], is_meant: Callable[[Entity], bool]
    ) -> list[Entity]:
        """Return those of the project's entities with one of the forms that may be meant, by id."""
        people = {one.id: one for form in forms for one in self.known_as(form)}
        return [people[id_] for id_ in sorted(people) if is_meant(people[id_]) and self.may_be(found, people[id_])]

    def may_be(self, found: FoundEntity, one: Entity) -> bool:
        """Whether a known entity may be the one found, and not its namesake, by type and by where people work."""
        here = self.text.entities.get(one.id)
        if here is not None and work_elsewhere(found, here):
            return False
        return may_be_one(found, one) or (found.type == one.type == "person" and self._is_one_of_ours(found, one))

    def _is_one_of_ours(self, found: FoundEntity, one: Entity) -> bool:
        """Whether one of two is of a company and the other only said to be "ours", of some company as well.

        So it is if the namesake to tell them from is known to be of another one.
        """
        if OURS not in (found.organization, one.organization):
            return False
        people = [other for other in self.known_as(one.name) if other.type == "person"]
        companies = {company(other.organization or OURS) for other in people} - {OURS}
        if found.organization != OURS:
            return bool(companies) and all(are_different_companies(found.organization, other) for other in companies)
        return len(companies) > 1 and all(other.organization not in (None, OURS) for other in people)

    def titles_of(self, found: FoundEntity) -> frozenset[str]:
        """Return the titles that the artifact gives a name."""
        own = title(found.name)
        return frozenset({own}) if own else self.titles.get(normalise_name(strip_title(found.name)), frozenset())

    def may_have_title(self, found: FoundEntity, one: Entity) -> bool:
        """Whether nothing gives the family name a title that this full name can't have: Mr Berg, Anna Berg."""
        theirs, titles = _titles_of(one), self.titles_of(found)
        return all(may_have_title(each, one.name) and not titles_conflict({each, *theirs}) for each in titles)

    def agrees(self, found: FoundEntity, one: Entity) -> bool:
        """Whether a family name alone is not a woman's here, and a man's where it is known from, or the other way."""
        if found.type != "person" or " " in strip_title(found.name):
            return True
        return not any(titles_conflict({each, *_titles_of(one)}) for each in self.titles_of(found))

    def is_titled(self, found: FoundEntity) -> bool:
        """Whether a name has a title, here or elsewhere in the artifact."""
        return is_titled(found.name) or normalise_name(found.name) in self.titles

    def is_one(self, entities: Sequence[Entity]) -> bool:
        """Whether these are one entity, or were merged into one."""
        return len({self.merge_decisions.current_id(entity.id) for entity in entities}) == 1

    def is_ruled_out(self, found: FoundEntity, entities: Iterable[Entity]) -> bool:
        """Whether a person said that one of these is not who has the found name for its own."""
        own = self.own_id(found)
        return any(self.merge_decisions.are_kept_apart(one.id, own) for one in entities)

    def own_id(self, found: FoundEntity) -> str:
        """Return the id of the entity that is new under this name."""
        return entity_id(self.artifact.project_id, found.type, found.name)

    def full_names_of(self, form: str, type_: EntityType) -> set[str]:
        """Return the full names of the artifact that a form fits."""
        return self.full_names.get((type_, normalise_name(form)), set())


def full_names(found: Iterable[FoundEntity]) -> dict[tuple[EntityType, str], set[str]]:
    """Return the full names of these entities by type and by each form that fits them."""
    full: dict[tuple[EntityType, str], set[str]] = {}
    for entity in found:
        for form in derived_forms(entity.name, entity.type):
            full.setdefault((entity.type, normalise_name(form)), set()).add(normalise_name(entity.name))
    return full
