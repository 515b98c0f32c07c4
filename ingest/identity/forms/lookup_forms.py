"""Forms to look up: the names under which those may be known whom a name may mean."""

import re
import string
from typing import Final

from core.knowledge.findings import EntityType, FoundEntity, normalise_name
from ingest.english.lexicon import unmarked
from ingest.identity.compatibility import VAGUE
from ingest.identity.forms.mailboxes import mailbox_owners, mailbox_parts, mailboxes
from ingest.identity.forms.name_forms import (
    given_and_initial,
    given_name_of_handle,
    initial_and_family,
    initials,
    initials_alone,
    initials_in_both_orders,
    may_be_family,
    short_forms,
    title_and_given_name,
    untitled,
    with_nicknames,
)
from ingest.identity.forms.nicknames import cut_forms, names_cut_to

#: Letters that given names begin with in languages written in Latin letters.
_INITIALS: Final = string.ascii_lowercase + "áàâäåãçćčéèêëíîïłñńóöøõśšşúüýžźż"


def family_forms(name: str) -> set[str]:
    """Return the short forms of everybody who has the family name that this single word, titled or not, may be."""
    words = untitled(name).split()
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
