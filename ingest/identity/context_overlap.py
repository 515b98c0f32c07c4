"""Context overlap: what an item and the items about a person both name, which tells people of one short name apart.

The names compared are those that the items themselves give, never the entities that they were resolved to: so the
result does not depend on the order in which items were processed.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from core.dates import now
from core.filters import Filters
from core.knowledge.findings import Entity, FoundEntity, normalise_name
from core.records import Artifact
from graph.store import Store
from ingest.english.lexicon import FREE_MAIL
from ingest.english.name_patterns import is_role
from ingest.identity.name_forms import company, given_name, is_short, short_forms

#: Candidates that are compared; of more than these none is chosen.
_CANDIDATES: Final = 12
#: Chunks, and items, that are read for each candidate.
_CHUNKS, _ITEMS = 40, 16
#: Distance in `turn_index` up to which names of other turns count: for this item, and for one about a candidate.
REACH, _NEAR = 60, 6
#: The nearest must have this much more weight than any other candidate, and this many times as much.
MARGIN: Final = 2
_RATIO: Final = 2


class Clue(NamedTuple):
    """Something that an item names: `kind` is `org`, `person` (a full name), `given` (a first name) or `thing`."""

    kind: str
    name: str


#: People whom an item names besides somebody, at least, to tell which group that is one of, and how many of them are
#: strangers to each one whose first name another group has as well. In a memory of 12 projects' minutes 94 % of first
#: names go to somebody of the same project without this, 97 % with seven people and 11 % fewer names, 99 % with three
#: and 21 % fewer.
_GROUP, _STRANGERS = 7, 4
#: Weight of a clue that both have.
_WEIGHTS: Final[Mapping[str, int]] = {"org": 2, "person": 2, "given": 1, "thing": 1}
#: Colleagues in the item multiply the weight of their organisation, up to this many times.
_COLLEAGUES: Final = 3
#: Weight of the candidate's full name in the item, or in a turn near it.
_NAMED: Final = 8


@dataclass(slots=True)
class ContextOverlap:
    """Compares the context of one item with those of the people whom it may mean. Reads the store only when asked."""

    artifact: Artifact
    found: Sequence[FoundEntity]
    store: Store
    #: Employers that other items give the people of the item.
    employers: Sequence[str] = ()
    _own: set[Clue] | None = None
    #: Contexts read so far, by entity id and whether it has a namesake among the candidates.
    _known: dict[tuple[str, bool], set[Clue]] = field(default_factory=dict)

    def nearest(self, candidates: Sequence[Entity], *, least: int = MARGIN) -> Entity | None:
        """Return the candidate whose overlap is clearly the largest; None if there is no such one.

        A single candidate needs an overlap of `least`. Of namesakes one is certainly meant, so any lead is enough.

        Raises:
            Unavailable: the record does not answer.
        """
        people = {one.id: one for one in candidates}
        weights = self._weights(people)
        if not any(weights.values()):
            return None
        ranked = sorted(((weight, id_) for id_, weight in weights.items()), reverse=True)
        first, second = ranked[0][0], ranked[1][0] if len(ranked) > 1 else 0
        if _are_namesakes(people.values()):
            return people[ranked[0][1]] if first > second else None
        return people[ranked[0][1]] if first >= second + least and first >= _RATIO * second else None

    def is_of_other_group(self, one: Entity) -> bool:
        """Whether both the item and the items about a person name several others, and hardly anybody in common.

        Raises:
            Unavailable: the record does not answer.
        """
        own = self._own_clues() - {Clue("given", given_name(one.name))}
        given = {clue for clue in own if clue.kind == "given"}
        if len(given) < _GROUP or Clue("person", normalise_name(one.name)) in own:
            return False
        context = self._context(one, of_namesake=False)
        common = own & context
        is_group = sum(clue.kind == "given" for clue in context) >= _GROUP
        return is_group and common <= given and len(common) * _STRANGERS <= len(given)

    def likeliest(self, candidates: Sequence[Entity]) -> Entity:
        """Return the candidate with the largest overlap; ties go to the first.

        Raises:
            Unavailable: the record does not answer.
        """
        weights = self._weights({one.id: one for one in candidates})
        return max(candidates, key=lambda one: weights.get(one.id, 0))

    def _weights(self, people: Mapping[str, Entity]) -> dict[str, int]:
        """Return the overlap of each, without what all candidates have; empty if there are too many of them."""
        if not people or len(people) > _CANDIDATES or not (self._own_clues() or self.employers):
            return {}
        of_namesake = _are_namesakes(people.values())
        contexts = {id_: self._context(one, of_namesake=of_namesake) for id_, one in people.items()}
        colleagues = Counter(map(_org, self.employers)) if of_namesake else Counter[Clue]()
        distinctive = (self._own_clues() | colleagues.keys()) - _shared(list(contexts.values()))
        return {id_: self._weight(distinctive, people[id_], contexts[id_], colleagues) for id_ in people}

    def _weight(self, distinctive: set[Clue], one: Entity, context: set[Clue], colleagues: Mapping[Clue, int]) -> int:
        named = Clue("person", normalise_name(one.name)) in distinctive
        common = distinctive & context
        weights = (_WEIGHTS[clue.kind] * max(1, min(_COLLEAGUES, colleagues.get(clue, 0))) for clue in common)
        return sum(weights) + _NAMED * named

    def _own_clues(self) -> set[Clue]:
        if self._own is None:
            self._own = collect_clues(self.found) | conversation_clues(self.artifact, self.store)
        return self._own

    def _context(self, one: Entity, *, of_namesake: bool) -> set[Clue]:
        """Return the clues of the items with the full name; of a namesake only of those that give the employer too."""
        key = (one.id, of_namesake)
        if key not in self._known:
            project_id, store = self.artifact.project_id, self.store
            scored = store.mentions(project_id, [one.id], Filters(at=now()), _CHUNKS)
            ids = [id_ for id_ in dict.fromkeys(chunk.artifact_id for chunk in scored) if id_ != self.artifact.id]
            named = store.named_entities(project_id, ids[:_ITEMS])
            about = [id_ for id_ in ids if _has_full_name(named.get(id_, ()), one)]
            if of_namesake:
                about = [id_ for id_ in about if _has_employer(named[id_], one)]
            near = store.nearby_turns(project_id, about, _NEAR, Filters(at=now())) if about else []
            more = [id_ for id_ in near if id_ not in named and id_ != self.artifact.id]
            named |= store.named_entities(project_id, more) if more else {}
            known = [collect_clues(named.get(id_, ())) for id_ in [*about, *more]]
            self._known[key] = set().union(collect_clues([one]), *known) - {Clue("given", given_name(one.name))}
        return self._known[key]


def collect_clues(entities: Iterable[Entity | FoundEntity]) -> set[Clue]:
    """Return the clues that an item gives by naming these entities."""
    found: set[Clue] = set()
    for entity in entities:
        if entity.type == "org":
            found.add(_org(entity.name))
        elif entity.type == "project":
            found.add(Clue("thing", normalise_name(entity.name)))
        elif entity.type == "person" and not is_role(entity.name):
            found |= _of_person(entity)
    return found


def conversation_clues(artifact: Artifact, store: Store) -> set[Clue]:
    """Return the clues of the other turns near an item, without first names; empty if it is no turn."""
    if artifact.memory.conversation_id is None:
        return set()
    near = store.nearby_turns(artifact.project_id, [artifact.id], REACH, Filters(at=now()))
    named = store.named_entities(artifact.project_id, [id_ for id_ in near if id_ != artifact.id])
    return {clue for entities in named.values() for clue in collect_clues(entities) if clue.kind != "given"}


def _of_person(entity: Entity | FoundEntity) -> set[Clue]:
    found = {Clue("given", given_name(entity.name))}
    if not is_short(entity.name):
        found.add(Clue("person", normalise_name(entity.name)))
    if entity.organization:
        found.add(_org(entity.organization))
    domains = (alias.rpartition("@")[2].casefold().split(".") for alias in entity.aliases if "@" in alias[1:])
    return found | {Clue("org", parts[0]) for parts in domains if parts[0] not in FREE_MAIL}


def _org(name: str) -> Clue:
    return Clue("org", normalise_name(next(iter(short_forms(name, "org")), "") or company(name)))


def _has_full_name(named: Iterable[Entity], one: Entity) -> bool:
    return any(entity.id == one.id and not is_short(entity.name) for entity in named)


def _are_namesakes(people: Collection[Entity]) -> bool:
    return len(people) > 1 and len({normalise_name(one.name) for one in people}) == 1


def _has_employer(named: Iterable[Entity], one: Entity) -> bool:
    return not one.organization or any(entity.id == one.id and entity.organization for entity in named)


def _shared(contexts: Collection[set[Clue]]) -> set[Clue]:
    """Return the clues that all contexts have and that therefore distinguish nobody."""
    return set.intersection(*contexts) if len(contexts) > 1 else set()
