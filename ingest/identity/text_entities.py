"""The entities that one artifact names, by every form under which its other names may mean them."""

from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Final

from core.knowledge.findings import IN_TEXT, Entity, EntityType, FoundEntity, Mention, normalise_name
from ingest.english.lexicon import unmarked
from ingest.identity.forms.lookup_forms import derived_forms
from ingest.identity.forms.name_forms import family, is_short, short_forms, with_nicknames

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
            forms.add(unmarked(entity.name))
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


def _weight(found: FoundEntity) -> int | None:
    return found.weight if found.weight > IN_TEXT else None


def _introduction(named: tuple[str, int | None]) -> int:
    return named[1] or IN_TEXT
