"""ContextOverlap: with whom and what somebody is named, which tells people of one short name apart.

What is compared is read off the names that items themselves give, never off who these were taken for: so who is meant
does not depend on the order in which items were learnt.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from core.dates import now
from core.filters import Filters
from core.knowledge.findings import Entity, FoundEntity, Knowledge, normalised
from core.records import Artifact
from graph.store import Store
from ingest.english.lexicon import FREE_MAIL
from ingest.english.name_patterns import is_role
from ingest.identity.company_names import company
from ingest.identity.name_forms import given_name, is_short, short_forms

#: People of one short name that are told apart; of more nobody is meant.
_CANDIDATES: Final = 12
#: Chunks, and items, in which each of them is looked at.
_CHUNKS, _ITEMS = 40, 16
#: How far off a turn may stand, in `turn_index`, whose names count for this one, and for one who is named there.
REACH, _NEAR = 60, 6
#: Least weight that one has to have more than any other, and least times as much.
MARGIN: Final = 2
_TIMES: Final = 2


class Mark(NamedTuple):
    """Something that an item names: `kind` is `org`, `person` (in full), `given` (a first name) or `thing`."""

    kind: str
    name: str


#: How much it tells that two items name one thing.
_WEIGHTS: Final[Mapping[str, int]] = {"org": 2, "person": 2, "given": 1, "thing": 1}
#: As many people of one organisation tell more than one of them.
_COLLEAGUES: Final = 3
#: How much it tells that a turn of the conversation, or the item, has the very name.
_NAMED: Final = 8


@dataclass(slots=True)
class ContextOverlap:
    """The circle of one item, to hold against those of the people whom it may mean. Nothing is read until asked."""

    artifact: Artifact
    found: Sequence[FoundEntity]
    store: Store
    #: Where each of the people of the item works by the word of other items.
    employers: Sequence[str] = ()
    _own: set[Mark] | None = None
    #: ContextOverlap so far, by id and whether it is that of a namesake.
    _known: dict[tuple[str, bool], set[Mark]] = field(default_factory=dict)

    def nearest(self, candidates: Sequence[Entity], *, least: int = MARGIN) -> Entity | None:
        """Return who of several people has clearly more in common with the item than all others; None if nobody has.

        Of one it is whether they have enough in common, which is this `least` weight. Of namesakes it is surely one, so
        that any more is enough.

        Raises:
            Unavailable: the record does not answer.
        """
        people = {one.id: one for one in candidates}
        weights = self._weights(people)
        if not any(weights.values()):
            return None
        sure = sorted(((weight, id_) for id_, weight in weights.items()), reverse=True)
        first, second = sure[0][0], sure[1][0] if len(sure) > 1 else 0
        if _are_namesakes(people.values()):
            return people[sure[0][1]] if first > second else None
        return people[sure[0][1]] if first >= second + least and first >= _TIMES * second else None

    def likeliest(self, candidates: Sequence[Entity]) -> Entity:
        """Return who of several people has most in common with the item; the first of those who have as much.

        Raises:
            Unavailable: the record does not answer.
        """
        weights = self._weights({one.id: one for one in candidates})
        return max(candidates, key=lambda one: weights.get(one.id, 0))

    def _weights(self, people: Mapping[str, Entity]) -> dict[str, int]:
        """Return how much each has in common with the item beyond what all have; nothing of too many people."""
        if not people or len(people) > _CANDIDATES or not (self._own_marks() or self.employers):
            return {}
        of_namesake = _are_namesakes(people.values())
        circles = {id_: self._circle(one, of_namesake=of_namesake) for id_, one in people.items()}
        colleagues = Counter(map(_org, self.employers)) if of_namesake else Counter[Mark]()
        telling = (self._own_marks() | colleagues.keys()) - _shared(list(circles.values()))
        return {id_: self._weight(telling, people[id_], circles[id_], colleagues) for id_ in people}

    def _weight(self, telling: set[Mark], one: Entity, circle: set[Mark], colleagues: Mapping[Mark, int]) -> int:
        named = Mark("person", normalised(one.name)) in telling
        told = (_WEIGHTS[mark.kind] * max(1, min(_COLLEAGUES, colleagues.get(mark, 0))) for mark in telling & circle)
        return sum(told) + _NAMED * named

    def _own_marks(self) -> set[Mark]:
        if self._own is None:
            self._own = marks(self.found) | conversation_marks(self.artifact, self.store)
        return self._own

    def _circle(self, one: Entity, *, of_namesake: bool) -> set[Mark]:
        """Return what the items tell that name somebody in full; of a namesake those that also say where they work."""
        key = (one.id, of_namesake)
        if key not in self._known:
            project_id, store = self.artifact.project_id, self.store
            scored = store.mentions(project_id, [one.id], Filters(at=now()), _CHUNKS)
            ids = [id_ for id_ in dict.fromkeys(chunk.artifact_id for chunk in scored) if id_ != self.artifact.id]
            lessons = store.lessons(project_id, ids[:_ITEMS])
            telling = [id_ for id_ in ids if id_ in lessons and _names_in_full(lessons[id_], one)]
            if of_namesake:
                telling = [id_ for id_ in telling if _says_where(lessons[id_], one)]
            near = store.turns_near(project_id, telling, _NEAR, Filters(at=now())) if telling else []
            more = [id_ for id_ in near if id_ not in lessons and id_ != self.artifact.id]
            lessons |= store.lessons(project_id, more) if more else {}
            known = [marks(lessons[id_].entities) for id_ in [*telling, *more] if id_ in lessons]
            self._known[key] = set().union(marks([one]), *known) - {Mark("given", given_name(one.name))}
        return self._known[key]


def marks(entities: Iterable[Entity | FoundEntity]) -> set[Mark]:
    """Return what these entities, as one item names them, tell about its circle."""
    found: set[Mark] = set()
    for entity in entities:
        if entity.type == "org":
            found.add(_org(entity.name))
        elif entity.type == "project":
            found.add(Mark("thing", normalised(entity.name)))
        elif entity.type == "person" and not is_role(entity.name):
            found |= _of_person(entity)
    return found


def conversation_marks(artifact: Artifact, store: Store) -> set[Mark]:
    """Return what the other turns near an item name, first names apart; nothing if it is no turn."""
    lessons = conversation(artifact, store)
    found = (marks(lesson.entities) for id_, lesson in lessons.items() if id_ != artifact.id)
    return {mark for each in found for mark in each if mark.kind != "given"}


def conversation(artifact: Artifact, store: Store) -> dict[str, Knowledge]:
    """Return what the turns near an item teach, by their ids."""
    if artifact.memory.conversation_id is None:
        return {}
    near = store.turns_near(artifact.project_id, [artifact.id], REACH, Filters(at=now()))
    return store.lessons(artifact.project_id, sorted(near)) if near else {}


def _of_person(entity: Entity | FoundEntity) -> set[Mark]:
    found = {Mark("given", given_name(entity.name))}
    if not is_short(entity.name):
        found.add(Mark("person", normalised(entity.name)))
    if entity.organization:
        found.add(_org(entity.organization))
    domains = (alias.rpartition("@")[2].casefold().split(".") for alias in entity.aliases if "@" in alias[1:])
    return found | {Mark("org", parts[0]) for parts in domains if parts[0] not in FREE_MAIL}


def _org(name: str) -> Mark:
    return Mark("org", normalised(next(iter(short_forms(name, "org")), "") or company(name)))


def _names_in_full(lesson: Knowledge, one: Entity) -> bool:
    return any(entity.id == one.id and not is_short(entity.name) for entity in lesson.entities)


def _are_namesakes(people: Collection[Entity]) -> bool:
    return len(people) > 1 and len({normalised(one.name) for one in people}) == 1


def _says_where(lesson: Knowledge, one: Entity) -> bool:
    return not one.organization or any(entity.id == one.id and entity.organization for entity in lesson.entities)


def _shared(circles: Collection[set[Mark]]) -> set[Mark]:
    """Return what tells nobody apart, being in all circles of several."""
    return set.intersection(*circles) if len(circles) > 1 else set()
