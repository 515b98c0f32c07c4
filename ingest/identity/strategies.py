"""Strategies: whom a full or short name means by the other names of its text, or by names that the project knows."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final, NamedTuple

from core.knowledge.findings import Entity, FoundEntity, entity_id, normalise_name
from ingest.english.lexicon import GIVEN_NAMES, unmarked
from ingest.english.name_patterns import is_role
from ingest.identity.context_overlap import MARGIN
from ingest.identity.name_forms import (
    OURS,
    are_different_companies,
    company,
    differ_by_initials,
    given_and_initial,
    given_name,
    given_name_of_handle,
    given_names_begin_alike,
    initial_and_family,
    initials_alone,
    initials_in_both_orders,
    is_ambiguous,
    is_second_given_name,
    is_short,
    is_titled,
    may_be_family,
    middle_names_conflict,
    names_cut_to,
    nicknames,
    same_ends,
    same_given_name,
    short_forms,
    strip_title,
    title_and_given_name,
    with_nicknames,
)
from ingest.identity.name_matching import (
    VAGUE,
    are_colleagues,
    company_in_handle,
    derived_forms,
    family_forms,
    has_family_initial,
    has_name_part,
    mailbox_owners,
    mailboxes,
    matches_short_form,
    may_own_mailbox,
    may_share_address,
    not_of_other_company,
    plain_mailbox,
    sort_by_preference,
    work_elsewhere,
)
from ingest.identity.scope import Resolution, Scope

Rule = Callable[[Scope, FoundEntity], Collection[str]]


def same_name(scope: Scope, found: FoundEntity) -> Collection[str]:
    """A thing is what has its name already; a person only if that is no single word."""
    if found.type not in VAGUE:
        return ()
    id_ = next(iter(scope.text.by_name.get(normalise_name(found.name), ())), None)
    is_meant = id_ and (" " in found.name.strip() or scope.text.entities[id_].type != "person")
    return [id_] if id_ and is_meant else ()


def given_name_and_initial(scope: Scope, found: FoundEntity) -> Collection[str]:
    """Alice C. and alice_c are Alice Chen."""
    form = given_and_initial(found.name) if found.type == "person" else None
    if form is None:
        return ()
    alike = _entities(scope, scope.text.by_short_form.get(("person", form[0]), ()))
    return [one.id for one in alike if has_family_initial(one, form[1])]


def short_form(scope: Scope, found: FoundEntity) -> Collection[str]:
    """Alice and A. Chen are Alice Chen, Globex is Globex Foods."""
    if found.type == "person" and not _is_plain(found):
        return ()
    alike = _entities(scope, scope.text.by_short_form.get((found.type, normalise_name(found.name)), ()))
    return [one.id for one in alike if not work_elsewhere(found, one)]


def handle(scope: Scope, found: FoundEntity) -> Collection[str]:
    """hasan_lager is Hasan, or else Hasan Korkmaz."""
    part = given_name_of_handle(found.name) if _is_plain(found) else None
    text = scope.text
    return (set(text.by_name.get(part, ())) or text.by_short_form.get(("person", part), ())) if part else ()


def initials(scope: Scope, found: FoundEntity) -> Collection[str]:
    """KD is Katherine Doyle."""
    spelt = initials_alone(found.name) if _is_plain(found) else None
    return scope.text.by_short_form.get(("person", normalise_name(spelt)), ()) if spelt else ()


def nickname_in_text(scope: Scope, found: FoundEntity) -> Collection[str]:
    """Bob and Bob Dunn are Robert Dunn."""
    alike = _entities(scope, scope.text.by_nickname.get(normalise_name(found.name), ()) if _is_plain(found) else ())
    return [one.id for one in alike if not work_elsewhere(found, one) and scope.may_have_title(found, one)]


def family_name(scope: Scope, found: FoundEntity) -> Collection[str]:
    """Okafor, a word that is nobody's given name, is James Okafor."""
    if not _is_plain(found) or not may_be_family(found.name):
        return ()
    alike = _entities(scope, scope.text.by_family.get(normalise_name(strip_title(found.name)), ()))
    return [one.id for one in alike if scope.may_have_title(found, one)]


#: The first of these that fits anybody decides; where it fits several, none of them is meant.
RULES: Final[tuple[tuple[Rule, str], ...]] = (
    (same_name, "the same name in this text"),
    (given_name_and_initial, "given name and initial of the only full name in this text that they fit"),
    (short_form, "short form of the only full name in this text that it fits"),
    (handle, "handle that begins with the given name of one person in this text"),
    (initials, "initials of the only full name in this text that they fit"),
    (nickname_in_text, "nickname of the only full name in this text that it fits"),
    (family_name, "family name of one person in this text"),
)


def only_one_in_text(scope: Scope, found: FoundEntity) -> Resolution | None:
    """Who is the only one in the text that a name fits."""
    for rule, reason in RULES:
        if fits := rule(scope, found):
            return Resolution(next(iter(fits)), reason) if len(fits) == 1 else None
    return None


def _entities(scope: Scope, ids: Iterable[str]) -> list[Entity]:
    return [scope.text.entities[id_] for id_ in ids]


def _is_plain(found: FoundEntity) -> bool:
    """Whether a name is a person's, not that of a role, and has no initial behind the given name."""
    return found.type == "person" and not is_role(found.name) and given_and_initial(found.name) is None


SAME_NAME: Final = "same name"
NEAREST: Final = ", and most in common with this text"


def other_name_in_project(scope: Scope, found: FoundEntity) -> Resolution | None:
    """Somebody with this name besides a full name of their own, by the word of some item, goes before a namesake."""
    candidates = scope.candidates(found)
    named = _with_name(candidates, found)
    also = [one for one in candidates if one not in named and not is_short(one.name) and one.type == "person"]
    if not named or len(also) != 1 or any(scope.merge_decisions.are_kept_apart(one.id, also[0].id) for one in named):
        return None
    return Resolution(also[0].id, "another name that a text gives for the full one")


def same_full_name(scope: Scope, found: FoundEntity) -> Resolution | None:
    """Of several with one name: the one of the same organisation, else the closest, else the one of no company."""
    candidates = scope.candidates(found)
    if not candidates:
        return None
    named = _with_name(candidates, found)
    if not named and len({normalise_name(one.name) for one in candidates}) > 1 and not scope.is_one(candidates):
        nearest = scope.overlap.nearest(candidates)
        return None if nearest is None else Resolution(nearest.id, SAME_NAME + NEAREST)
    several = sort_by_preference(found, [*(named or candidates), *_known_by_initial_elsewhere(scope, found, named)])
    several = not_of_other_company(found, several) or company_in_handle(found, several) or several
    if len(several) > 1 and not found.organization and not scope.is_one(several):
        likeliest = scope.overlap.likeliest(sorted(several, key=lambda one: one.organization not in (None, OURS)))
        return Resolution(likeliest.id, SAME_NAME + NEAREST)
    return Resolution(several[0].id, SAME_NAME)


def ambiguous_organization(scope: Scope, found: FoundEntity) -> Resolution | None:
    """A short name shared by several organisations identifies none of them."""
    candidates = scope.candidates(found)
    if found.type != "org" or len(candidates) < 2 or scope.is_one(candidates) or _with_name(candidates, found):
        return None
    return new_entity(scope, found)


def same_name_of_thing(scope: Scope, found: FoundEntity) -> Resolution | None:
    """Anything but a person is what has the name, best of its own type and with it as its main name."""
    candidates = scope.candidates(found)
    named = _with_name(candidates, found)
    # A note that is called so besides its own name goes before a name that only links give, and an organisation
    # whose letters a text explains before the letters alone.
    is_given = found.type == "object" or (found.type == "org" and found.name.isupper())
    full = [one for one in candidates if one not in named] if is_given else []
    best = full if len(full) == 1 and full[0].type == found.type else sort_by_preference(found, named or candidates)
    return Resolution(best[0].id, SAME_NAME) if best else None


def shared_address(scope: Scope, found: FoundEntity) -> Resolution | None:
    """Who has one of the addresses or handles that the text gives this name."""
    for alias in sorted(found.aliases):
        if "@" in alias:
            owners = [
                one
                for one in scope.known_as(alias)
                if one.type == found.type and may_share_address(alias, found.name, one.name)
            ]
            if len(owners) == 1:
                return Resolution(owners[0].id, "same address or handle")
    return None


def other_name_in_text(scope: Scope, found: FoundEntity) -> Resolution | None:
    """The only one known by another full name that the text gives this person: Mary Smith (née Dunn)."""
    full = [alias for alias in sorted(found.aliases) if "@" not in alias and not is_short(alias)]
    known = [one for alias in full for one in scope.known_as(alias) if scope.may_be(found, one)]
    return Resolution(known[0].id, "former or other name that this text gives") if scope.is_one(known) else None


def nickname(scope: Scope, found: FoundEntity) -> Resolution | None:
    """The only one with this family name and a nickname of the given name; if that is one of several names, if near."""
    fits, is_ruled_out = _known_by_nickname(scope, found)
    if is_ruled_out or not scope.is_one(fits):
        return None
    return Resolution(fits[0].id, "nickname with the same family name")


def cut_given_name(scope: Scope, found: FoundEntity) -> Resolution | None:
    """Who has this family name and a given name that begins this one, or the other way, if near; nicknames go first.

    Two names that lists know, Daniel and Daniela, are two people's.
    """
    if any(_known_by_nickname(scope, found)):
        return None
    own = scope.own_id(found)
    fits = [
        one
        for one in scope.known_as(f"{found.name[0]}. {found.name.split()[-1]}")
        if one.id not in {own, *scope.text.entities} and given_names_begin_alike(found.name, one.name)
        if not {given_name(found.name), given_name(one.name)} <= GIVEN_NAMES
        if scope.may_be(found, one) and not _has_rival(scope, found, one)
    ]
    nearest = scope.overlap.nearest(fits) if scope.is_one(fits) else None
    if nearest is None or scope.is_ruled_out(found, [nearest]):
        return None
    return Resolution(nearest.id, "cut given name with the same family name" + NEAREST)


def same_first_and_last_word(scope: Scope, found: FoundEntity) -> Resolution | None:
    """The only one whose name has the same first and last word, in either order; nicknames go first.

    Who has a middle name that this one has not, or the other way, must be near.
    """
    if any(_known_by_nickname(scope, found)):
        return None
    known = {one.id: one for form in initials_in_both_orders(found.name) for one in scope.known_as(form)}
    alike = [known[id_] for id_ in sorted(known) if _may_be_same_ends(found.name, known[id_])]
    fits = [one for one in alike if one.id not in scope.text.entities and scope.may_be(found, one)]
    if not scope.is_one(fits) or scope.is_ruled_out(found, fits[:1]):
        return None
    if differ_by_initials(found.name, fits[0].name):
        return Resolution(fits[0].id, "same words in another order, or with more initials")
    nearest = scope.overlap.nearest(fits)
    return None if nearest is None else Resolution(nearest.id, "same name but for the middle one" + NEAREST)


def _may_be_same_ends(name: str, one: Entity) -> bool:
    """Whether somebody's name has the ends of this one, and none of theirs has another middle name."""
    alike = [form for form in (one.name, *one.aliases) if same_ends(name, form)]
    return one.name in alike and not any(middle_names_conflict(name, form) for form in alike)


def known_by_short_form(scope: Scope, found: FoundEntity) -> Resolution | None:
    """Who is so far known by a short form of this name alone, if no other full name of the text fits the form.

    A mail box or handle that the name may give is such a form.
    """
    alike = {one.id: one for form in short_forms(found.name, found.type) for one in scope.known_as(form)}
    for form in sorted(derived_forms(found.name, found.type), key=lambda one: (len(one), one)):
        known = [one for one in scope.known_as(form) if one.type == found.type]
        known += [one for one in alike.values() if form in mailboxes(one.name)]
        if (
            len(known) == 1
            and matches_short_form(known[0].name, form)
            and known[0].id not in scope.text.entities
            and scope.may_be(found, known[0])
            and len(scope.full_names_of(form, found.type)) == 1
            and not scope.is_ruled_out(found, known)
        ):
            return Resolution(known[0].id, "full name that fits who was known by a short one alone")
    return None


def explained_short_name(scope: Scope, found: FoundEntity) -> Resolution | None:
    """The organisation so far known by a short name alone that the text explains: "Linden Boat Fund (LBF)"."""
    letters = [alias for alias in sorted(found.aliases) if alias.isupper() and " " not in alias]
    if found.type != "org" or " " not in found.name:
        return None
    for alias in letters:
        known = [one for one in scope.known_as(alias) if one.type == "org"]
        named = [one for one in known if normalise_name(one.name) == normalise_name(alias)]
        is_alone = len(known) == 1 and not any(" " in other for other in named[0].aliases) if named else False
        if is_alone and named[0].id not in scope.text.entities and not scope.is_ruled_out(found, named):
            return Resolution(named[0].id, "full name that this text gives for a short one")
    return None


def new_entity(scope: Scope, found: FoundEntity) -> Resolution:
    """A new entity; a namesake of another organisation or title, or of a fuller name, gets an id of its own."""
    project_id, own = scope.artifact.project_id, scope.own_id(found)
    owner = next((one for one in scope.known_as(found.name) if one.id == own), None)
    is_taken = owner is not None and normalise_name(owner.name) != normalise_name(found.name)
    if found.organization and (owner is not None or own in scope.text.entities):
        own = entity_id(project_id, found.type, f"{found.name} ({company(found.organization)})")
    elif owner is not None and not scope.agrees(found, owner):
        own = entity_id(project_id, found.type, f"{min(scope.titles_of(found))} {found.name}")
    elif is_taken or own in scope.text.entities:
        own = entity_id(project_id, found.type, f"{found.name} (alone)")
    return Resolution(own, "new name")


def _with_name(entities: Sequence[Entity], found: FoundEntity) -> list[Entity]:
    return [one for one in entities if normalise_name(one.name) == normalise_name(found.name)]


def _known_by_initial_elsewhere(scope: Scope, found: FoundEntity, named: Sequence[Entity]) -> list[Entity]:
    """Return who is known by the initial alone, and works elsewhere than all who are known by the full name."""
    known = [] if found.organization else scope.known_as(initials_in_both_orders(found.name)[0])
    short = [one for one in known if one.type == "person" and is_short(one.name)]
    return [one for one in short if all(are_different_companies(one.organization, full.organization) for full in named)]


def _known_by_nickname(scope: Scope, found: FoundEntity) -> tuple[list[Entity], bool]:
    """Return whose full name is this one but for a nickname, and whether a person said that it is another's."""
    likes = scope.people_known_as(found, with_nicknames(found.name), lambda one: same_given_name(found.name, one.name))
    fits = [one for one in likes if not _has_rival(scope, found, one)]
    is_ruled_out = scope.is_ruled_out(found, fits)
    if scope.is_one(fits) and any(is_ambiguous(given_name(name)) for name in (found.name, fits[0].name)):
        fits = [one for one in fits if scope.overlap.nearest([one])]
    return fits, is_ruled_out


def _has_rival(scope: Scope, found: FoundEntity, one: Entity) -> bool:
    """Whether the text has another full name too that may be somebody's: Samuel and Samantha, for Sam."""
    rivals = {name for form in initials_in_both_orders(found.name) for name in scope.full_names_of(form, "person")}
    others = rivals - {normalise_name(found.name), normalise_name(one.name)}
    return any(same_given_name(name, one.name) or given_names_begin_alike(name, one.name) for name in others)


class Shortlist(NamedTuple):
    """The people with full names whom a short name may mean, and why."""

    people: Sequence[Entity] = ()
    reason: str = ""
    #: Whether the only one is meant without anything in common with the text.
    is_certain: bool = False
    #: Least weight of what the nearest of them has in common with the text.
    least: int = 1


def by_known_form(scope: Scope, found: FoundEntity) -> Shortlist:
    """Who is known by this form of the full name, or may own the mail box or handle that it is."""
    reason, candidates = _with_known_form(scope, found)
    owners = _mailbox_owners(scope, found)
    full = [one for one in candidates if not is_short(one.name) and one not in owners]
    is_second = any(is_second_given_name(found.name, one.name) for one in [*full, *owners])
    return Shortlist([*full, *owners], reason if full else "mail box or handle", not is_second, MARGIN)


def by_nickname_or_family(scope: Scope, found: FoundEntity) -> Shortlist:
    """Who has a given name that this is a nickname of, or the family name that it is."""
    word = normalise_name(strip_title(found.name))
    is_titled_here = scope.is_titled(found)
    forms = set() if is_titled_here else with_nicknames(found.name)
    is_known = any(map(scope.known_as, forms))
    is_mailbox = any(normalise_name(alias).startswith(f"{normalise_name(found.name)}@") for alias in found.aliases)
    is_family = may_be_family(found.name) or is_mailbox or (not is_known and found.name[:1].isupper())
    if is_family or is_titled_here:
        forms |= family_forms(word)
    people = scope.people_known_as(found, forms, lambda one: not is_short(one.name))
    if people and given_name(people[0].name) in nicknames(normalise_name(found.name)):
        is_certain = is_titled_here or not is_ambiguous(normalise_name(found.name))
        return Shortlist(people, "nickname", is_certain)
    return Shortlist(people, "family name", is_titled_here, MARGIN)


def by_initials(scope: Scope, found: FoundEntity) -> Shortlist:
    """Who has these initials: KD, MvdW."""
    spelt = initials_alone(found.name)
    known = scope.known_as(spelt) if spelt else ()
    people = [one for one in known if not is_short(one.name) and scope.may_be(found, one)]
    return Shortlist(people, "initials", scope.is_titled(found))


def by_cut_given_name(scope: Scope, found: FoundEntity) -> Shortlist:
    """Who is not named here otherwise and has a given name that may be cut to this word: Daniela, "Dani"."""
    is_titled_here = scope.is_titled(found)
    forms = set() if is_titled_here else names_cut_to(normalise_name(found.name))

    def is_cut(one: Entity) -> bool:
        is_meant = given_name(unmarked(one.name)) in forms and not is_short(one.name)
        return is_meant and one.id not in scope.text.entities

    return Shortlist(scope.people_known_as(found, forms, is_cut), "cut given name", is_titled_here)


def by_given_name_of_handle(scope: Scope, found: FoundEntity) -> Shortlist:
    """Who has the given name that a handle in parts begins with: Hasan Korkmaz for hasan_lager."""
    part = given_name_of_handle(found.name)
    known = scope.known_as(part) if part else ()
    people = [
        one for one in known if given_name(one.name) == part and not is_short(one.name) and scope.may_be(found, one)
    ]
    return Shortlist(people, "handle that begins with the given name", scope.is_titled(found))


#: The first of these that lists anybody decides.
SHORTLISTS: Final[tuple[Callable[[Scope, FoundEntity], Shortlist], ...]] = (
    by_known_form,
    by_nickname_or_family,
    by_initials,
    by_cut_given_name,
    by_given_name_of_handle,
)


def shortlist(scope: Scope, found: FoundEntity) -> Shortlist:
    """Return whom a short name may mean: colleagues before others, and never whom a title of the name contradicts."""
    listed = next((each for rule in SHORTLISTS if (each := rule(scope, found)).people), Shortlist())
    people = [one for one in listed.people if scope.may_have_title(found, one)]
    people = [one for one in people if are_colleagues(found, one)] or not_of_other_company(found, people) or people
    return listed._replace(people=company_in_handle(found, people) or people)


def fitting_full_name(scope: Scope, found: FoundEntity) -> Resolution | None:
    """The only full name of the project that a short one fits, or the one with clearly most in common with the text.

    Nobody, if the text itself has several full names that the short one fits, unless it gives an organisation, and
    nobody of another group: the text and those about the full name then have nothing in common.
    """
    people, reason, is_certain, least = shortlist(scope, found)
    named = _with_short_name(scope, found)
    is_ruled_out = any(scope.merge_decisions.are_kept_apart(one.id, other.id) for one in named for other in people)
    if not people or is_ruled_out or (not found.organization and scope.full_names_of(found.name, "person")):
        return None
    if is_certain and scope.is_one(people):
        is_meant = not scope.overlap.is_of_other_group(people[0])
        return Resolution(people[0].id, f"{reason} of the only full name that fits") if is_meant else None
    nearest = scope.overlap.nearest(people, least=least)
    return None if nearest is None else Resolution(nearest.id, reason + NEAREST)


def unambiguous_address(scope: Scope, found: FoundEntity) -> Resolution | None:
    """Who has the address; what several may be called by their mail boxes is nobody's, whoever got it first."""
    owners = _mailbox_owners(scope, found)
    return None if len(owners) > 1 and not scope.is_one(owners) else shared_address(scope, found)


def same_short_name(scope: Scope, found: FoundEntity) -> Resolution | None:
    """Who is known by this short name alone."""
    named = _with_short_name(scope, found)
    return Resolution(named[0].id, SAME_NAME) if named else None


def same_word(scope: Scope, found: FoundEntity) -> Resolution | None:
    """Who is known by nothing but the same given name or, with one title or none, the same family name."""
    if shortlist(scope, found).people:
        return None
    word = normalise_name(strip_title(found.name))
    known = [
        one for one in scope.known_as(word) if one.type == "person" and normalise_name(strip_title(one.name)) == word
    ]
    if word not in GIVEN_NAMES:
        known = [one for one in known if not (is_titled(one.name) and is_titled(found.name))]
    known = [one for one in known if scope.agrees(found, one)]
    return Resolution(known[0].id, "same name but for a title") if scope.is_one(known) else None


def person_called_by_word(scope: Scope, found: FoundEntity) -> Resolution | None:
    """Who is near of those whose given or family name a text has alone, and takes for no person."""
    if found.type not in VAGUE or not may_be_family(found.name):
        return None
    known = list(scope.known_as(found.name))
    if any(one.type not in VAGUE | {"person"} for one in known):
        return None
    known += [one for form in sorted(family_forms(found.name)) for one in scope.known_as(form)]
    word = normalise_name(found.name)
    people = {one.id: one for one in known if one.type == "person" and has_name_part(one, word)}
    likely = [people[id_] for id_ in sorted(people)]
    if found.type == "other" and scope.is_one(likely):
        return Resolution(likely[0].id, "given or family name of the only full name that fits")
    nearest = scope.overlap.nearest(likely)
    return None if nearest is None else Resolution(nearest.id, "given or family name" + NEAREST)


def _with_known_form(scope: Scope, found: FoundEntity) -> tuple[str, list[Entity]]:
    """Return who is known by this name, or by one that it is a variant of, and what it is."""
    if (form := given_and_initial(found.name)) is not None:
        others = sorted(with_nicknames(form[0]) | names_cut_to(form[0]))
        known = [one for other in (form[0], *others) for one in scope.known_as(other)]
        fits = [one for one in known if has_family_initial(one, form[1]) and scope.may_be(found, one)]
        return "given name and initial", fits
    if candidates := scope.candidates(found):
        return "short form", candidates
    if (plain := initial_and_family(found.name)) is not None:
        candidates = [one for one in scope.known_as(plain) if scope.may_be(found, one)]
    if not candidates and (word := title_and_given_name(found.name)):
        known = [one for one in scope.known_as(word) if given_name(one.name) == word]
        return "title and given name", [one for one in known if scope.may_be(found, one)]
    return "initials and family name", candidates


def _mailbox_owners(scope: Scope, found: FoundEntity) -> list[Entity]:
    """Return those whose mail box or handle a single word in small letters may be."""
    if scope.is_titled(found):
        return []
    name = normalise_name(found.name)
    wanted = {plain_mailbox(name), plain_mailbox(name.partition("_")[0])}
    return scope.people_known_as(
        found, mailbox_owners(found.name), lambda one: any(may_own_mailbox(one, mailbox) for mailbox in wanted)
    )


def _with_short_name(scope: Scope, found: FoundEntity) -> list[Entity]:
    return [one for one in scope.candidates(found) if normalise_name(one.name) == normalise_name(found.name)]
