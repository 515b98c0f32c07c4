"""Resolution: from the names of one artifact to the stable entities of its project."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
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
    Mention,
    Subject,
    entity_id,
    event_id,
    normalised,
)
from core.knowledge.identities import Verdicts
from core.records import Artifact
from graph.store import Store
from ingest.document.evidence import Verified
from ingest.english.letters import unmarked
from ingest.english.lexicon import FIRST_NAMES, GIVEN_NAMES
from ingest.english.name_patterns import are_two, is_role, is_title, looks_like_name, may_bear
from ingest.identity.compatibility import (
    VAGUE,
    are_colleagues,
    are_elsewhere,
    at_box,
    gives,
    goes_by,
    has_family,
    is_only,
    may_be,
    may_share,
    of_house,
    preferred,
)
from ingest.identity.context_overlap import MARGIN, Circles, given
from ingest.identity.former_names import with_former_names
from ingest.identity.name_forms import (
    OURS,
    are_apart,
    begin_alike,
    box_owners,
    boxes,
    company,
    differ_by_initials,
    family,
    family_forms,
    given_and_initial,
    given_part,
    initial_and_family,
    initials,
    is_part,
    is_renamed,
    is_second,
    is_short,
    is_titled,
    may_be_family,
    plain_box,
    same_ends,
    short_forms,
    title,
    titled,
    untitled,
    used_names,
)
from ingest.identity.namesakes import with_namesakes
from ingest.identity.nicknames import begun_with, is_of_several, nicknames

_start_char: Final = attrgetter("start_char")


def resolve(artifact: Artifact, verified: Verified, store: Store, speaker: str | None = None) -> Knowledge:
    """Return what the artifact teaches, with every name resolved to an entity; `speaker` is who says "I" in it.

    An entity is the one of its type that has its name or an alias (address, handle) in the project; a first name,
    initial, or first word of an organisation is the one full name in the artifact that it fits, else the only one in
    the project. The other way round a full name is the entity known by such a short name alone, if no other full name
    fits that. Otherwise it is a new entity. People of one name and different organisations are two. The same artifact
    gives equal knowledge again while the project's other names stay.

    Entities are *originals* (`graph.protocols.identities`): what a person merged or split is told by the names before
    that, and the store has it stand where the verdicts say. Of two that a person said are one, either is meant by a
    name that fits both; two that a person said are two are never taken for one.

    Raises:
        Unavailable: the record does not answer.
    """
    named = [_plainly_named(entity) for entity in (*verified.entities, *_unnamed(verified))]
    found = with_former_names(_joined(named), artifact.memory.content)
    found = with_namesakes(found, artifact.memory.content, speaker)
    forms = {form for entity in found for form in _forms(entity) | _fitting(entity) | _owners(entity) | _used(entity)}
    forms |= {entity.organization for entity in found if entity.organization}
    verdicts = Verdicts(store.verdicts(artifact.project_id))
    known = _originals(artifact.project_id, store.named(artifact.project_id, sorted(forms)), verdicts, store)
    circles = Circles(artifact, found, store, _employers(found, known))
    book = _Book(artifact, known, _full_names(found), verdicts, circles)
    for entity in sorted(found, key=_full_and_certain_first):
        book.enter(entity)
    return Knowledge(
        tuple(book.entities[id_] for id_ in sorted(book.entities)), book.all_mentions(), _events(book, verified)
    )


def _originals(
    project_id: str, known: dict[str, list[Entity]], verdicts: Verdicts, store: Store
) -> dict[str, list[Entity]]:
    """Return whom the names mean without any verdict: of those that are merged or split, what has the name itself."""
    moving = {entity.id for entities in known.values() for entity in entities if verdicts.moves(entity.id)}
    if not moving:
        return known
    originals = store.originals(project_id, sorted(moving))
    found: dict[str, list[Entity]] = {}
    for form, entities in known.items():
        several = {one.id: one for entity in entities for one in originals.get(entity.id, [entity])}
        named = (one for one in several.values() if form in map(normalised, (one.name, *one.aliases)))
        found[form] = list(named)
    return found


@dataclass(slots=True)
class _Book:
    """The entities of one artifact so far. Full names are entered before short ones."""

    artifact: Artifact
    known: dict[str, list[Entity]]
    #: The full names of this artifact by type and by each short form that fits them.
    full_names: dict[tuple[EntityType, str], set[str]]
    verdicts: Verdicts
    circles: Circles
    entities: dict[str, Entity] = field(default_factory=dict)
    #: Who is called by each form: more than one only if the artifact has two of one name.
    by_form: dict[str, list[str]] = field(default_factory=dict)
    by_short: dict[tuple[EntityType, str], set[str]] = field(default_factory=dict)
    #: Full names by what else people use for them: with a nickname, and the family name alone.
    by_use: dict[str, set[str]] = field(default_factory=dict)
    by_family: dict[str, set[str]] = field(default_factory=dict)
    mentions: set[Mention] = field(default_factory=set)
    known_names: dict[str, str] = field(init=False)
    #: Family names that this artifact has with a title, each with its titles.
    titled: dict[str, set[str]] = field(init=False)

    def __post_init__(self) -> None:
        self.titled = titled(self.artifact.memory.content)
        self.known_names = {entity.id: entity.name for entities in self.known.values() for entity in entities}

    def enter(self, found: FoundEntity) -> None:
        person = self._of_word(found)
        if person is not None:
            found = replace(found, type="person")
        found = replace(found, organization=self._employer(found.organization))
        id_ = person or self._within(found) or self._in_project(found) or self._new_id(found)
        forms = {found.name, *found.aliases}
        earlier = self.entities.get(id_)
        if earlier is None:
            entity = Entity(id_, found.name, self._type(id_, found), (), found.role, found.organization)
        else:
            forms |= {earlier.name, *earlier.aliases}
            entity = replace(
                earlier,
                role=earlier.role or found.role,
                organization=earlier.organization or found.organization,
            )
        short = short_forms(entity.name, entity.type)
        if entity.type == "person" and not is_short(entity.name):
            forms.add(unmarked(entity.name))
        for form in _fitting(entity):
            self.by_short.setdefault((entity.type, normalised(form)), set()).add(id_)
        if entity.type == "person" and not is_short(entity.name):
            self.by_family.setdefault(family(entity.name), set()).add(id_)
            for form in {*used_names(entity.name), *used_names(entity.name.split()[0])}:
                self.by_use.setdefault(form, set()).add(id_)
        forms |= short
        self.entities[id_] = replace(entity, aliases=tuple(sorted(forms - {entity.name})))
        for form in (found.name, *found.aliases):
            self.by_form.setdefault(normalised(form), []).append(id_)
        for span in found.mentions:
            self.mentions.add(Mention(id_, self.artifact.id, span.start_char, span.end_char))

    def _employer(self, name: str | None) -> str | None:
        """Return an employer's name; of a site the full one, by which it is known for one: "Lugger" for Lugger Inn."""
        return next((one.name for one in self._known_as(name or "") if is_part(one.name)), name)

    def _type(self, id_: str, found: FoundEntity) -> EntityType:
        """Return the type the project already knows this entity by, else the one found."""
        known = (entity.type for entity in self.known.get(normalised(found.name), ()) if entity.id == id_)
        return next(known, found.type)

    def all_mentions(self) -> tuple[Mention, ...]:
        return tuple(sorted(self.mentions, key=lambda m: (m.start_char, m.end_char, m.entity_id)))

    def called(self, name: str, start: int, end: int) -> Entity | None:
        """Return who goes by a name in these words; of several it is who is named in them, else last before them."""
        ids = list(dict.fromkeys(self.by_form.get(normalised(name), ())))
        spans = [one for one in self.mentions if one.entity_id in ids] if len(ids) > 1 else []
        inside = [one for one in spans if start <= one.start_char < end]
        before = [one for one in spans if one.start_char < start]
        first, last = min(inside, key=_start_char, default=None), max(before, key=_start_char, default=None)
        if (meant := first or last) is not None:
            return self.entities[meant.entity_id]
        return self.entities[ids[0]] if ids else None

    def full_name(self, entity: Entity) -> str:
        """Return the longest name that this artifact or the project gives the entity."""
        return max(entity.name, self.known_names.get(entity.id, ""), key=len)

    def _within(self, found: FoundEntity) -> str | None:
        """Return the one full name of this artifact that a short one fits, or what a vague thing is called here."""
        if found.type in VAGUE:
            id_ = next(iter(self.by_form.get(normalised(found.name), ())), None)
            return id_ if id_ and (" " in found.name.strip() or self.entities[id_].type != "person") else None
        if found.type == "person" and (form := given_and_initial(found.name)) is not None:
            fits = {
                id_ for id_ in self.by_short.get(("person", form[0]), ()) if has_family(self.entities[id_], form[1])
            }
            return next(iter(fits)) if len(fits) == 1 else None
        if found.type == "person" and is_role(found.name):
            return None
        fits = self.by_short.get((found.type, normalised(found.name)), set())
        fits = {id_ for id_ in fits if not are_elsewhere(found, self.entities[id_])}
        if found.type == "person" and not fits and (part := given_part(found.name)):
            fits = set(self.by_form.get(part, ())) or self.by_short.get(("person", part), set())
        if found.type == "person" and not fits and (spelt := _initials(found)):
            fits = self.by_short.get((found.type, normalised(spelt)), set())
        if found.type == "person" and not fits:
            fits = self.by_use.get(normalised(found.name), set())
            fits = {id_ for id_ in fits if not are_elsewhere(found, self.entities[id_])}
            if not fits and may_be_family(found.name):
                fits = self.by_family.get(normalised(untitled(found.name)), set())
            fits = {id_ for id_ in fits if self._may_bear(found, self.entities[id_])}
        return next(iter(fits)) if len(fits) == 1 else None

    def _in_project(self, found: FoundEntity) -> str | None:
        candidates = [entity for entity in self._known_as(found.name) if self._may_be(found, entity)]
        if found.type == "person" and not candidates:
            candidates = [entity for entity in self._known_as(unmarked(found.name)) if self._may_be(found, entity)]
        named = [entity for entity in candidates if normalised(entity.name) == normalised(found.name)]
        if found.type == "person" and is_short(found.name):
            return self._of_short(found, candidates, named)
        if found.type == "org" and not named and len(candidates) > 1 and not self._is_one(candidates):
            return None
        if found.type == "person" and candidates:
            return self._of_full(found, candidates, named)
        return (
            _first_id(preferred(found, named or candidates))
            or self._by_address(found)
            or self._by_full_alias(found)
            or self._by_use(found)
            or self._by_short_name(found)
        )

    def _of_full(self, found: FoundEntity, candidates: Sequence[Entity], named: Sequence[Entity]) -> str | None:
        """Return which of those who have this full name is meant: who has another one as well by the word of some item.

        Of several of one name it is who is of the same organisation, else who is nearest, else who is of no company.
        """
        also = [one for one in candidates if one not in named and not is_short(one.name) and one.type == "person"]
        if named and len(also) == 1 and not any(self.verdicts.are_apart(one.id, also[0].id) for one in named):
            return also[0].id
        several = preferred(found, [*(named or candidates), *self._by_initial_elsewhere(found, named)])
        several = of_house(found, several) or at_box(found, several) or several
        if len(several) > 1 and not found.organization and not self._is_one(several):
            return self.circles.likeliest(sorted(several, key=lambda one: one.organization not in (None, OURS))).id
        return several[0].id

    def _by_initial_elsewhere(self, found: FoundEntity, named: Sequence[Entity]) -> list[Entity]:
        """Return who is known by the initial alone, and works elsewhere than all who are known by the full name."""
        known = [] if found.organization else self._known_as(_initialled(found.name)[0])
        short = [one for one in known if one.type == "person" and is_short(one.name)]
        return [one for one in short if all(are_apart(one.organization, full.organization) for full in named)]

    def _of_short(self, found: FoundEntity, candidates: Sequence[Entity], named: Sequence[Entity]) -> str | None:
        """Return whom a short name means: who alone has such a full name, or is clearly nearest of those that do."""
        if (form := given_and_initial(found.name)) is not None:
            others = sorted(used_names(form[0]) | begun_with(form[0]))
            known = [one for other in (form[0], *others) for one in self._known_as(other)]
            candidates = [one for one in known if has_family(one, form[1]) and self._may_be(found, one)]
        elif not candidates and (plain := initial_and_family(found.name)) is not None:
            candidates = [one for one in self._known_as(plain) if self._may_be(found, one)]
        spelt = _initials(found)
        initialled = [one for one in self._known_as(spelt) if self._may_be(found, one)] if spelt else []
        if not candidates and (word := _titled_given(found.name)):
            candidates = [one for one in self._known_as(word) if given(one.name) == word and self._may_be(found, one)]
        boxed = [] if self._is_titled(found) else self._by_box(found)
        is_near = False
        longer = [entity for entity in candidates if not is_short(entity.name) and entity not in boxed] + boxed
        is_certain = bool(longer) and not any(is_second(found.name, one.name) for one in longer)
        if not longer:
            longer = self._used_or_family(found)
            is_near = bool(longer) and self._is_nickname(found, longer[0])
            is_certain = self._is_titled(found) or (is_near and not is_of_several(normalised(found.name)))
        if not longer:
            longer = [one for one in initialled if not is_short(one.name)] or self._begun_with(found)
            longer = longer or self._of_given_part(found)
            is_near = True
        longer = [one for one in longer if self._may_bear(found, one)]
        longer = [one for one in longer if are_colleagues(found, one)] or of_house(found, longer) or longer
        longer = at_box(found, longer) or longer
        apart = any(self.verdicts.are_apart(one.id, other.id) for one in named for other in longer)
        if not longer and not named:
            named = self._same_word(found)
        if longer and not apart and (found.organization or not self._full_names_of(found.name, "person")):
            is_certain = is_certain and self._is_one(longer)
            one = longer[0] if is_certain else self.circles.nearest(longer, least=1 if is_near else MARGIN)
            if one is not None:
                return one.id
        # What several may be called by their boxes is nobody's, whoever got it while she was the only one.
        owner = None if len(boxed) > 1 and not self._is_one(boxed) else self._by_address(found)
        return owner or _first_id(named)

    def _same_word(self, found: FoundEntity) -> list[Entity]:
        """Return who is known by nothing but the same given name or, with one title or none, the same family name."""
        word = normalised(untitled(found.name))
        known = [one for one in self._known_as(word) if one.type == "person" and normalised(untitled(one.name)) == word]
        if word not in GIVEN_NAMES:
            known = [one for one in known if not (is_titled(one.name) and is_titled(found.name))]
        return known if self._is_one(known) else []

    def _of_word(self, found: FoundEntity) -> str | None:
        """Return who is near of those whose given or family name an item has alone, and takes for no person."""
        if found.type not in VAGUE or not may_be_family(found.name):
            return None
        called = self._known_as(found.name)
        if any(one.type not in VAGUE | {"person"} for one in called):
            return None
        known = [*called, *(one for form in sorted(family_forms(found.name)) for one in self._known_as(form))]
        word = normalised(found.name)
        people = {one.id: one for one in known if one.type == "person" and goes_by(one, word)}
        likely = [people[id_] for id_ in sorted(people)]
        acts = found.type == "other"
        nearest = likely[0] if acts and self._is_one(likely) else self.circles.nearest(likely)
        return None if nearest is None else nearest.id

    def _is_titled(self, found: FoundEntity) -> bool:
        return is_titled(found.name) or normalised(found.name) in self.titled

    def _may_bear(self, found: FoundEntity, one: Entity) -> bool:
        """Whether nobody gives the family name alone a title that this full name can't have: Mr Berg, Anna Berg."""
        own = title(found.name)
        titles = {own} if own else self.titled.get(normalised(untitled(found.name)), set())
        theirs = {alias.split()[0] for alias in one.aliases if " " in alias and is_title(alias.split()[0])}
        return all(may_bear(each, one.name) and not are_two({each, *theirs}) for each in titles)

    def _used_or_family(self, found: FoundEntity) -> list[Entity]:
        """Return who has the family name that this is, or a given name that it is used for."""
        word = normalised(untitled(found.name))
        forms = set() if self._is_titled(found) else used_names(found.name)
        people = {one.id: one for form in forms for one in self._known_as(form)}
        is_family = may_be_family(found.name) or _is_boxed(found) or (not people and found.name[:1].isupper())
        if is_family or self._is_titled(found):
            people |= {one.id: one for form in family_forms(word) for one in self._known_as(form)}
        return [
            people[id_] for id_ in sorted(people) if not is_short(people[id_].name) and self._may_be(found, people[id_])
        ]

    def _is_nickname(self, found: FoundEntity, one: Entity) -> bool:
        """Whether a word is a nickname of somebody's given name."""
        return given(one.name) in nicknames(normalised(found.name))

    def _of_given_part(self, found: FoundEntity) -> list[Entity]:
        """Return who has the given name that a handle in parts begins with: Hasan Korkmaz for hasan_lager."""
        part = given_part(found.name)
        known = self._known_as(part) if part else []
        return [one for one in known if given(one.name) == part and not is_short(one.name) and self._may_be(found, one)]

    def _begun_with(self, found: FoundEntity) -> list[Entity]:
        """Return who is not named here otherwise and has a given name that may be cut to this word: Daniela, "Dani"."""
        forms = set() if self._is_titled(found) else begun_with(normalised(found.name))
        people = {one.id: one for form in sorted(forms) for one in self._known_as(form)}
        full = [people[id_] for id_ in sorted(people) if not is_short(people[id_].name)]
        cut = [one for one in full if given(unmarked(one.name)) in forms and one.id not in self.entities]
        return [one for one in cut if self._may_be(found, one)]

    def _by_use(self, found: FoundEntity) -> str | None:
        """Return the only one whose full name is this one but for a nickname."""
        if found.type != "person" or is_short(found.name):
            return None
        known = {one.id: one for form in used_names(found.name) for one in self._known_as(form)}
        likes = [known[id_] for id_ in sorted(known) if is_renamed(found.name, known[id_].name)]
        fits = [one for one in likes if self._may_be(found, one) and not self._has_rival(found, one)]
        apart = any(self.verdicts.are_apart(one.id, self._own_id(found)) for one in fits)
        if self._is_one(fits) and any(is_of_several(given(one)) for one in (found.name, fits[0].name)):
            fits = [one for one in fits if self.circles.nearest([one])]
        if fits or apart:
            return fits[0].id if fits and self._is_one(fits) and not apart else None
        return self._by_beginning(found)

    def _has_rival(self, found: FoundEntity, one: Entity) -> bool:
        """Whether this artifact has another full name too that may be somebody's: Samuel and Samantha, for Sam."""
        rivals = {name for form in _initialled(found.name) for name in self._full_names_of(form, "person")}
        others = rivals - {normalised(found.name), normalised(one.name)}
        return any(is_renamed(name, one.name) or begin_alike(name, one.name) for name in others)

    def _by_beginning(self, found: FoundEntity) -> str | None:
        """Return who has the same family name and a given name that begins this one, or the other way, if near."""
        own = self._own_id(found)
        initial = f"{found.name[0]}. {found.name.split()[-1]}"
        fits = [
            one
            for one in self._known_as(initial)
            if one.id not in {own, *self.entities} and begin_alike(found.name, one.name) and self._may_be(found, one)
            if not self._has_rival(found, one)
        ]
        nearest = self.circles.nearest(fits) if self._is_one(fits) else None
        if nearest is None or self.verdicts.are_apart(nearest.id, own):
            return self._by_ends(found)
        return nearest.id

    def _by_ends(self, found: FoundEntity) -> str | None:
        """Return the only one whose name has the same first and last word, in either order.

        Who has a middle name that this one has not, or the other way, must be near.
        """
        known = {one.id: one for form in _initialled(found.name) for one in self._known_as(form)}
        alike = [known[id_] for id_ in sorted(known) if same_ends(found.name, known[id_].name)]
        fits = [one for one in alike if one.id not in self.entities and self._may_be(found, one)]
        if not self._is_one(fits) or self.verdicts.are_apart(fits[0].id, self._own_id(found)):
            return None
        if differ_by_initials(found.name, fits[0].name):
            return fits[0].id
        nearest = self.circles.nearest(fits)
        return None if nearest is None else nearest.id

    def _by_box(self, found: FoundEntity) -> list[Entity]:
        """Return those whose mail box or handle a single word in small letters may be."""
        known = {entity.id: entity for form in _owners(found) for entity in self._known_as(form)}
        name = normalised(found.name)
        wanted = {plain_box(name), plain_box(name.partition("_")[0])}
        fits = [known[id_] for id_ in sorted(known) if any(gives(known[id_], box) for box in wanted)]
        return [one for one in fits if self._may_be(found, one)]

    def _by_full_alias(self, found: FoundEntity) -> str | None:
        """Return the only one who has another full name that the artifact gives this person."""
        full = [alias for alias in sorted(found.aliases) if "@" not in alias and not is_short(alias)]
        known = [entity for alias in full for entity in self._known_as(alias) if self._may_be(found, entity)]
        return known[0].id if found.type == "person" and self._is_one(known) else None

    def _by_address(self, found: FoundEntity) -> str | None:
        """Return who has one of the addresses or handles that the artifact gives this name."""
        for alias in sorted(found.aliases):
            if "@" in alias:
                owners = [
                    e for e in self._known_as(alias) if e.type == found.type and may_share(alias, found.name, e.name)
                ]
                if len(owners) == 1:
                    return owners[0].id
        return None

    def _by_short_name(self, found: FoundEntity) -> str | None:
        """Return the entity so far known by a short form of this name alone, if no other full name fits the form.

        A mail box or handle that the name may give is such a form.
        """
        alike = {one.id: one for form in short_forms(found.name, found.type) for one in self._known_as(form)}
        for form in sorted(_fitting(found), key=lambda one: (len(one), one)):
            known = [entity for entity in self._known_as(form) if entity.type == found.type]
            known += [one for one in alike.values() if form in boxes(one.name)]
            alone = [entity for entity in known if is_only(entity.name, form)]
            if (
                len(alone) == len(known) == 1
                and alone[0].id not in self.entities
                and self._may_be(found, alone[0])
                and len(self._full_names_of(form, found.type)) == 1
                and not self.verdicts.are_apart(alone[0].id, self._own_id(found))
            ):
                return alone[0].id
        return None

    def _may_be(self, found: FoundEntity, one: Entity) -> bool:
        """Whether somebody known may be who is found here, and not a namesake, by where they work."""
        here = self.entities.get(one.id)
        if here is not None and are_elsewhere(found, here):
            return False
        return may_be(found, one) or (found.type == one.type == "person" and self._is_ours(found, one))

    def _is_ours(self, found: FoundEntity, one: Entity) -> bool:
        """Whether one of two is of a company and the other only said to be "ours", of some company as well.

        So it is if the namesake to tell them from is known to be of another one.
        """
        if OURS not in (found.organization, one.organization):
            return False
        people = [other for other in self._known_as(one.name) if other.type == "person"]
        firms = {company(other.organization or OURS) for other in people} - {OURS}
        if found.organization != OURS:
            return bool(firms) and all(are_apart(found.organization, firm) for firm in firms)
        return len(firms) > 1 and all(other.organization not in (None, OURS) for other in people)

    def _is_one(self, entities: Sequence[Entity]) -> bool:
        """Whether these are one entity, or were merged into one."""
        return len({self.verdicts.standing(entity.id) for entity in entities}) == 1

    def _own_id(self, found: FoundEntity) -> str:
        return entity_id(self.artifact.project_id, found.type, found.name)

    def _known_as(self, form: str) -> list[Entity]:
        return self.known.get(normalised(form), [])

    def _full_names_of(self, form: str, type_: EntityType) -> set[str]:
        return self.full_names.get((type_, normalised(form)), set())

    def _new_id(self, found: FoundEntity) -> str:
        """Return the id of a new entity; a namesake of another organisation, or of a fuller name, gets its own."""
        project_id = self.artifact.project_id
        own = self._own_id(found)
        owner = next((entity for entity in self._known_as(found.name) if entity.id == own), None)
        if found.organization and (owner is not None or own in self.entities):
            return entity_id(project_id, found.type, f"{found.name} ({company(found.organization)})")
        if own in self.entities or (owner is not None and normalised(owner.name) != normalised(found.name)):
            return entity_id(project_id, found.type, f"{found.name} (alone)")
        return own


def _titled_given(name: str) -> str | None:
    """Return "grace" for Sister Grace, Sr Grace and sr_grace; None for what is no title with a given name."""
    words = normalised(name.replace("_", " ")).split()
    return words[-1] if len(words) == 2 and is_title(words[0]) and words[-1] in FIRST_NAMES else None


def _initials(found: FoundEntity) -> str | None:
    """Return "K. D." for KD and kd; None for what is no initials alone."""
    return initials(found.name) if " " not in found.name.strip() else None


def _initialled(name: str) -> tuple[str, ...]:
    """Return the short forms with one initial of a full name and of the same turned round."""
    words = unmarked(name).split()
    return (f"{words[0][0]}. {words[-1]}", f"{words[-1][0]}. {words[0]}") if len(words) > 1 else ()


def _is_boxed(found: FoundEntity) -> bool:
    """Whether a name is only what stands before the @ of an address."""
    return any(normalised(alias).startswith(f"{normalised(found.name)}@") for alias in found.aliases)


def _first_id(entities: Sequence[Entity]) -> str | None:
    return entities[0].id if entities else None


def _full_and_certain_first(found: FoundEntity) -> tuple[bool, bool, int, str, str]:
    is_short_one = found.type == "person" and is_short(found.name)
    return found.type in VAGUE, is_short_one, -len(found.name.split()), found.type, found.name


def _employers(found: Iterable[FoundEntity], known: Mapping[str, Sequence[Entity]]) -> list[str]:
    """Return where each of the people of an artifact works who is the only one of the full name, by what is known."""
    full = [one.name for one in found if one.type == "person" and not is_short(one.name)]
    alone = (known[normalised(name)][0] for name in full if len(known.get(normalised(name), ())) == 1)
    return sorted(one.organization for one in {one.id: one for one in alone}.values() if one.organization)


def _full_names(found: Iterable[FoundEntity]) -> dict[tuple[EntityType, str], set[str]]:
    full: dict[tuple[EntityType, str], set[str]] = {}
    for entity in found:
        for form in _fitting(entity):
            full.setdefault((entity.type, normalised(form)), set()).add(normalised(entity.name))
    return full


def _fitting(entity: FoundEntity | Entity) -> set[str]:
    """Return the short forms that fit a full name, and the mail boxes and handles that it may give."""
    return short_forms(entity.name, entity.type) | (boxes(entity.name) if entity.type == "person" else set())


def _owners(entity: FoundEntity) -> set[str]:
    return box_owners(entity.name) if entity.type == "person" else set()


def _used(entity: FoundEntity) -> set[str]:
    """Return under what else a person may be known: by a nickname, or with the initial of any given name."""
    if entity.type != "person":
        return family_forms(entity.name) if entity.type in VAGUE and may_be_family(entity.name) else set()
    given = (given_and_initial(entity.name) or ())[:1]
    given = (*given, *(other for one in given for other in used_names(one) | begun_with(one)))
    forms = {unmarked(entity.name), *given, initial_and_family(entity.name) or entity.name, *_initialled(entity.name)}
    forms |= set(filter(None, [_initials(entity), given_part(entity.name), _titled_given(entity.name)]))
    return used_names(entity.name) | begun_with(normalised(entity.name)) | family_forms(entity.name) | forms


def _plainly_named(entity: FoundEntity) -> FoundEntity:
    """Return a person under the full name without titles; "Dr Patel" stays, and is "Patel" as well."""
    plain = untitled(entity.name)
    if entity.type != "person" or plain == entity.name:
        return entity
    if " " not in plain:
        return replace(entity, aliases=(*entity.aliases, plain))
    return replace(entity, name=plain, aliases=(*entity.aliases, entity.name))


def _forms(entity: FoundEntity) -> set[str]:
    return {entity.name, *entity.aliases}


def _unnamed(verified: Verified) -> Iterable[FoundEntity]:
    """Yield entities for actors and subjects that the extractor named in events alone; odd actor names are left out."""
    known = {normalised(form) for entity in verified.entities for form in _forms(entity)}
    for event in verified.events:
        for name, _ in event.actors:
            if normalised(name) not in known and looks_like_name(name):
                yield FoundEntity(name, "person")
        for name in event.subjects:
            if normalised(name) and normalised(name) not in known:
                yield FoundEntity(name, "other")


def _joined(found: Iterable[FoundEntity]) -> list[FoundEntity]:
    """Join entries of one name and type; nameless ones are left out."""
    joined: dict[tuple[EntityType, str, str], FoundEntity] = {}
    for entity in found:
        if not normalised(entity.name):
            continue
        key = (entity.type, normalised(entity.name), company(entity.organization or ""))
        earlier = joined.get(key, entity)
        joined[key] = replace(
            earlier,
            aliases=tuple(sorted({*earlier.aliases, *entity.aliases})),
            role=earlier.role or entity.role,
            mentions=tuple(dict.fromkeys([*earlier.mentions, *entity.mentions])),
        )
    return list(joined.values())


def _events(book: _Book, verified: Verified) -> tuple[Event, ...]:
    events: dict[str, Event] = {}
    for found in verified.events:
        event = _event(book, found)
        earlier = events.get(event.id)
        events[event.id] = event if earlier is None else _united(earlier, event)
    return tuple(events.values())


def _event(book: _Book, found: FoundEvent) -> Event:
    start, end = found.near_char, found.near_char + len(found.quote)
    actors: dict[str, Actor] = {}
    for name, role in found.actors:
        entity = book.called(name, start, end)
        if entity is not None:
            actors.setdefault(entity.id, Actor(entity.id, book.full_name(entity), role))
    subjects: dict[str, Subject] = {}
    for name in found.subjects:
        entity = book.called(name, start, end)
        if entity is not None:
            subjects.setdefault(entity.id, Subject(entity.id, book.full_name(entity)))
    artifact = book.artifact
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
        FIRST_STATUS.get(found.category),
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
