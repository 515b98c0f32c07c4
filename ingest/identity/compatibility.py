"""Compatibility: whether an entity found in a text may be a known one, by type, name and employer."""

from collections.abc import Sequence
from typing import Final

from core.knowledge.findings import Entity, FoundEntity, normalise_name
from ingest.identity.forms.company_names import OURS, are_different_companies, company, is_part, same_company
from ingest.identity.forms.mailboxes import mailboxes
from ingest.identity.forms.name_forms import (
    compatible,
    family,
    given_name,
    initial_and_family,
    is_handle,
    is_short,
    same_given_name,
)

#: Types that say little: such a thing is the project, organisation, place or object, or the person of two names or
#: more, that already has its name.
VAGUE: Final = frozenset({"object", "other"})


def has_name_part(one: Entity, word: str) -> bool:
    """Whether somebody known by a full name has this given or family name, or this nickname by the word of an item."""
    names = {given_name(one.name), family(one.name), *map(normalise_name, one.aliases)}
    return not is_short(one.name) and word in names


def matches_short_form(name: str, form: str) -> bool:
    """Whether a name is but this short form, or has one initial more: "J. R. Smith", "J. Smith"."""
    return normalise_name(form) in map(normalise_name, (name, initial_and_family(name) or name))


def may_own_mailbox(entity: Entity, box: str) -> bool:
    """Whether one of somebody's full names may give a mail box."""
    return any(box in mailboxes(name) for name in (entity.name, *entity.aliases) if "@" not in name)


def may_be_one(found: FoundEntity, entity: Entity) -> bool:
    """Whether the types allow that both are one, and where they work, if they are people."""
    if found.type in VAGUE and entity.type == "person":
        return " " in found.name.strip() and normalise_name(found.name) == normalise_name(entity.name)
    if found.type in VAGUE or entity.type in VAGUE:
        return found.type != "person"
    if found.type == "place" and entity.type == "org":
        return normalise_name(found.name) == normalise_name(entity.name)
    if found.type != entity.type:
        return False
    return found.type != "person" or not work_elsewhere(found, entity)


def work_elsewhere(found: FoundEntity, entity: Entity) -> bool:
    """Whether both are of organisations, not of parts of one, and these differ."""
    return are_different_companies(found.organization, entity.organization)


def are_colleagues(found: FoundEntity, entity: Entity) -> bool:
    """Whether both are known to be of one organisation."""
    return bool(found.organization and entity.organization) and not work_elsewhere(found, entity)


def company_in_handle(found: FoundEntity, entities: Sequence[Entity]) -> list[Entity]:
    """Return those whose organisation the handle or mail box of the one found spells: "creid_calder"."""
    spelt = [_letters(form) for form in (found.name, *found.aliases) if " " not in form.strip()]
    companies = {one.id: _letters(company(one.organization or "").partition(" ")[0]) for one in entities}
    return [one for one in entities if len(companies[one.id]) > 3 and any(companies[one.id] in form for form in spelt)]


def not_of_other_company(found: FoundEntity, entities: Sequence[Entity]) -> list[Entity]:
    """Return those of no other company, if the one found is said to be of a department alone."""
    is_of_department = bool(found.role) and not found.organization and is_part(found.role or "")
    return [one for one in entities if one.organization in (None, OURS)] if is_of_department else []


def _letters(name: str) -> str:
    return "".join(sign for sign in normalise_name(name) if sign.isalnum())


def may_share_address(alias: str, name: str, other: str) -> bool:
    """Whether who has this address or handle may be called by both names."""
    return compatible(name, other) or is_handle(alias, name, other) or same_given_name(name, other)


def preferred(found: FoundEntity, candidates: Sequence[Entity]) -> list[Entity]:
    """Order candidates: a person for a thing called by a full name, then the same type, then organisation."""

    def rank(entity: Entity) -> tuple[bool, bool, bool, str]:
        person = found.type in VAGUE and entity.type == "person"
        other = bool(found.organization) and not same_company(found.organization or "", entity.organization or "")
        return not person, entity.type != found.type, other, entity.id

    return sorted(candidates, key=rank)


def has_family_initial(entity: Entity, initial: str) -> bool:
    """Whether somebody's full name, or another one by the word of an item, has a family name of this initial."""
    full = [name for name in (entity.name, *entity.aliases) if not is_short(name) and "@" not in name]
    return any(family(name).startswith(initial) for name in full)
