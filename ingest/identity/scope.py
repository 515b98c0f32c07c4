"""Scope: what the names of one artifact are resolved against, its own entities and those of its project."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from core.knowledge.findings import Entity, EntityType, FoundEntity, entity_id, normalise_name
from core.knowledge.identities import MergeDecisions
from core.records import Artifact
from ingest.english.lexicon import unmarked
from ingest.english.name_patterns import is_title, may_have_title, titles_conflict
from ingest.identity.compatibility import may_be_one, work_elsewhere
from ingest.identity.context_overlap import ContextOverlap
from ingest.identity.forms.company_names import OURS, are_different_companies, company
from ingest.identity.forms.lookup_forms import derived_forms
from ingest.identity.forms.name_forms import is_titled, title, untitled
from ingest.identity.text_entities import TextEntities


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
        candidates = [one for one in self.known_as(found.name) if self.may_be(found, one)]
        if found.type == "person" and not candidates:
            return [one for one in self.known_as(unmarked(found.name)) if self.may_be(found, one)]
        return candidates

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

    def may_have_title(self, found: FoundEntity, one: Entity) -> bool:
        """Whether nothing gives the family name a title that this full name can't have: Mr Berg, Anna Berg."""
        own = title(found.name)
        titles = frozenset({own}) if own else self.titles.get(normalise_name(untitled(found.name)), frozenset())
        theirs = {alias.split()[0] for alias in one.aliases if " " in alias and is_title(alias.split()[0])}
        return all(may_have_title(each, one.name) and not titles_conflict({each, *theirs}) for each in titles)

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
