"""Short names: whom a first name, an initial, a nickname or a handle means by the full names of the project."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from core.knowledge.findings import Entity, FoundEntity, normalise_name
from ingest.english.lexicon import GIVEN_NAMES, unmarked
from ingest.identity.compatibility import (
    VAGUE,
    are_colleagues,
    company_in_handle,
    has_family_initial,
    has_name_part,
    may_own_mailbox,
    not_of_other_company,
)
from ingest.identity.context_overlap import MARGIN
from ingest.identity.forms.lookup_forms import family_forms
from ingest.identity.forms.mailboxes import mailbox_owners, plain_mailbox
from ingest.identity.forms.name_forms import (
    given_and_initial,
    given_name,
    given_name_of_handle,
    initial_and_family,
    initials_alone,
    is_second_given_name,
    is_short,
    is_titled,
    may_be_family,
    title_and_given_name,
    untitled,
    with_nicknames,
)
from ingest.identity.forms.nicknames import is_ambiguous, names_cut_to, nicknames
from ingest.identity.scope import Resolution, Scope
from ingest.identity.strategies.full_names import NEAREST, SAME_NAME, shared_address


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
    word = normalise_name(untitled(found.name))
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

    Nobody, if the text itself has several full names that the short one fits, unless it gives an organisation.
    """
    people, reason, is_certain, least = shortlist(scope, found)
    named = _with_short_name(scope, found)
    is_ruled_out = any(scope.merge_decisions.are_kept_apart(one.id, other.id) for one in named for other in people)
    if not people or is_ruled_out or (not found.organization and scope.full_names_of(found.name, "person")):
        return None
    if is_certain and scope.is_one(people):
        return Resolution(people[0].id, f"{reason} of the only full name that fits")
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
    word = normalise_name(untitled(found.name))
    known = [one for one in scope.known_as(word) if one.type == "person" and normalise_name(untitled(one.name)) == word]
    if word not in GIVEN_NAMES:
        known = [one for one in known if not (is_titled(one.name) and is_titled(found.name))]
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
