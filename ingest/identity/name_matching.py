"""Whether an entity may be a known one, by type, name, mailbox and employer, and under which names to look it up."""

import re
import string
from collections.abc import Sequence
from typing import Final

from core.knowledge.findings import Entity, EntityType, FoundEntity, normalise_name
from core.regex import regex
from ingest.english.lexicon import GIVEN_NAMES, unmarked
from ingest.english.name_patterns import is_role
from ingest.identity.name_forms import (
    OURS,
    are_different_companies,
    company,
    compatible,
    cut_forms,
    family,
    given_and_initial,
    given_name,
    given_name_of_handle,
    initial_and_family,
    initials,
    initials_alone,
    initials_in_both_orders,
    is_handle,
    is_part,
    is_short,
    may_be_family,
    middle_names_conflict,
    names_cut_to,
    nicknames,
    same_company,
    same_given_name,
    short_forms,
    strip_title,
    title_and_given_name,
    with_nicknames,
)

_NOT_LETTERS: Final = regex(r"[._\d-]+")
#: Letters of a mail box or handle from which on it tells whose it is.
_SHORTEST_MAILBOX: Final = 4


def mailboxes(name: str) -> set[str]:
    """Return the mail boxes and handles that a person's full name may give: alicechen, achen, alicec, chena, …"""
    words = unmarked(normalise_name(name)).split()
    if len(words) < 2 or is_role(name) or is_short(name):
        return set()
    given_names = {words[0], *nicknames(words[0])}
    found = {one + other for given in given_names for one, other in mailbox_parts(given, words[-1])}
    if "-" in words[0].strip("-"):
        parts = [part for part in words[0].split("-") if part]
        plain = "".join(parts)
        found |= {"".join(part[0] for part in parts) + words[-1], plain, plain + words[-1], plain + words[-1][0]}
    if len(words) > 2:
        found |= {"".join(word[0] for word in words[:at]) + words[at] for at in range(2, len(words))}
    return found


def plain_mailbox(box: str) -> str:
    """Return a mail box or handle without the dots, strokes and digits in it."""
    return _NOT_LETTERS.sub("", box)


def mailbox_owners(box: str) -> set[str]:
    """Return names, as short forms have them, under which the person whose mail box or handle this is may be known.

    None for what is too short to tell anybody, or written as a name.
    """
    if (begun := box.partition("_")[0]) != box and len(begun) >= _SHORTEST_MAILBOX and begun not in GIVEN_NAMES:
        return mailbox_owners(begun) | mailbox_owners(plain_mailbox(box))
    box = plain_mailbox(box)
    if len(box) < _SHORTEST_MAILBOX or not box.isalpha() or box != box.casefold():
        return set()
    given = {box[:at] for at in range(2, len(box))}
    initials = {f"{box[0]}. {box[1:]}", f"{box[0]}. {box[2:]}", f"{box[-1]}. {box[:-1]}"}
    return given | initials | {box[at:] for at in range(2, len(box) - 1)}


def mailbox_parts(given: str, family: str) -> set[tuple[str, str]]:
    """Return the (first, last) name pairs that mailboxes and handles are built from, in order."""
    return {(given, family), (given[0], family), (given, family[0]), (family, given[0]), (family, given)}


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
    """Whether who has this address or handle may be called by both names.

    Two family names are one person's only where the address is nobody else's: it has one of them in it.
    """
    if compatible(name, other) or is_handle(alias, name, other):
        return True
    if not same_given_name(name, other) or middle_names_conflict(name, other):
        return False
    families = {unmarked(family(each)) for each in (name, other)}
    box = unmarked(plain_mailbox(normalise_name(alias.strip("@").partition("@")[0])))
    return len(families) == 1 or any(len(each) >= _SHORTEST_MAILBOX and each in box for each in families)


def sort_by_preference(found: FoundEntity, candidates: Sequence[Entity]) -> list[Entity]:
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


#: Letters that given names begin with in languages written in Latin letters.
_INITIALS: Final = string.ascii_lowercase + "áàâäåãçćčéèêëíîïłñńóöøõśšşúüýžźż"


def family_forms(name: str) -> set[str]:
    """Return the short forms of everybody who has the family name that this single word, titled or not, may be."""
    words = strip_title(name).split()
    return {f"{letter}. {words[0]}" for letter in _INITIALS} if len(words) == 1 else set()


def known_forms(name: str) -> set[str]:
    """Return the names under which somebody of this full name may be known, or that may mean them."""
    words = normalise_name(name).split()
    if len(words) < 2:
        return {name}
    first, last = words[0], words[-1]
    spelt = {f"{one}{sign}{other}" for sign in "._-" for one, other in mailbox_parts(first, last)}
    turned = {f"{last} {first}", f"{last[0]}. {first}"}
    forms = {
        name,
        unmarked(name),
        last,
        f"{first} {last[0]}",
        *short_forms(name),
        *mailboxes(name),
        *with_nicknames(name),
        *with_nicknames(first),
        *cut_forms(first),
        "".join(word[0] for word in re.split(r"[ -]", name) if word[:1].isupper()),
    }
    return forms | spelt | turned


def candidate_forms(name: str) -> set[str]:
    """Return the names under which those may be known whom a short name may mean."""
    given = (given_and_initial(name) or (name,))[:1]
    letters = set(filter(None, [initials(name)])) if " " not in name else set()
    used = with_nicknames(name) | names_cut_to(name)
    return {name, *given, *letters, *used, *family_forms(name), *mailbox_owners(name)}


def derived_forms(name: str, type_: EntityType) -> set[str]:
    """Return the short forms of a full name, and the mail boxes and handles that it may give."""
    return short_forms(name, type_) | (mailboxes(name) if type_ == "person" else set())


def lookup_forms(found: FoundEntity) -> set[str]:
    """Return the names under which an entity found in a text may be known."""
    forms = {found.name, *found.aliases} | derived_forms(found.name, found.type)
    if found.type in VAGUE and may_be_family(found.name):
        return forms | family_forms(found.name)
    return forms | _forms_of_person(found.name) if found.type == "person" else forms


def _forms_of_person(name: str) -> set[str]:
    """Return what else a person may be known by: a nickname, the initial of any given name, the mail box of a word."""
    given = (given_and_initial(name) or ())[:1]
    given = (*given, *(other for one in given for other in with_nicknames(one) | names_cut_to(one)))
    variants = (initials_alone, given_name_of_handle, title_and_given_name, initial_and_family)
    forms = {
        unmarked(name),
        *given,
        *initials_in_both_orders(name),
        *filter(None, (variant(name) for variant in variants)),
    }
    return forms | with_nicknames(name) | names_cut_to(normalise_name(name)) | family_forms(name) | mailbox_owners(name)
