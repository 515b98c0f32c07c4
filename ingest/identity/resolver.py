"""The resolver: strategies in order, the first of which to say whom a name means decides."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from core.knowledge.findings import Entity, FoundEntity
from ingest.identity.forms.company_names import is_part
from ingest.identity.forms.name_forms import is_short
from ingest.identity.scope import Resolution, Scope
from ingest.identity.strategies.full_names import (
    ambiguous_organization,
    cut_given_name,
    known_by_short_form,
    new_entity,
    nickname,
    other_name_in_project,
    other_name_in_text,
    same_first_and_last_word,
    same_full_name,
    same_name_of_thing,
    shared_address,
)
from ingest.identity.strategies.names_in_text import only_one_in_text
from ingest.identity.strategies.short_names import (
    fitting_full_name,
    person_called_by_word,
    same_short_name,
    same_word,
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
