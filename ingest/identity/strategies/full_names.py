"""Full names, and names of things: whom one means by the names that the project knows."""

from collections.abc import Sequence
from typing import Final

from core.knowledge.findings import Entity, FoundEntity, entity_id, normalise_name
from ingest.identity.compatibility import (
    company_in_handle,
    matches_short_form,
    may_share_address,
    not_of_other_company,
    preferred,
)
from ingest.identity.forms.company_names import OURS, are_different_companies, company
from ingest.identity.forms.lookup_forms import derived_forms
from ingest.identity.forms.mailboxes import mailboxes
from ingest.identity.forms.name_forms import (
    differ_by_initials,
    given_name,
    given_names_begin_alike,
    initials_in_both_orders,
    is_short,
    same_ends,
    same_given_name,
    short_forms,
    with_nicknames,
)
from ingest.identity.forms.nicknames import is_ambiguous
from ingest.identity.scope import Resolution, Scope

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
    several = preferred(found, [*(named or candidates), *_known_by_initial_elsewhere(scope, found, named)])
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
    # A note that is called so besides its own name goes before a name that only links give.
    notes = [one for one in candidates if one not in named] if found.type == "object" else []
    best = notes if len(notes) == 1 and notes[0].type == "object" else preferred(found, named or candidates)
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
    """Who has this family name and a given name that begins this one, or the other way, if near; nicknames go first."""
    if any(_known_by_nickname(scope, found)):
        return None
    own = scope.own_id(found)
    fits = [
        one
        for one in scope.known_as(f"{found.name[0]}. {found.name.split()[-1]}")
        if one.id not in {own, *scope.text.entities} and given_names_begin_alike(found.name, one.name)
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
    alike = [known[id_] for id_ in sorted(known) if same_ends(found.name, known[id_].name)]
    fits = [one for one in alike if one.id not in scope.text.entities and scope.may_be(found, one)]
    if not scope.is_one(fits) or scope.is_ruled_out(found, fits[:1]):
        return None
    if differ_by_initials(found.name, fits[0].name):
        return Resolution(fits[0].id, "same words in another order, or with more initials")
    nearest = scope.overlap.nearest(fits)
    return None if nearest is None else Resolution(nearest.id, "same name but for the middle one" + NEAREST)


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


def new_entity(scope: Scope, found: FoundEntity) -> Resolution:
    """A new entity; a namesake of another organisation, or of a fuller name, gets an id of its own."""
    project_id, own = scope.artifact.project_id, scope.own_id(found)
    owner = next((one for one in scope.known_as(found.name) if one.id == own), None)
    is_taken = owner is not None and normalise_name(owner.name) != normalise_name(found.name)
    if found.organization and (owner is not None or own in scope.text.entities):
        own = entity_id(project_id, found.type, f"{found.name} ({company(found.organization)})")
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
