"""Forms of names: what short ones a name has, and which names may be one person's or one company's."""

from typing import Final

from core.knowledge import EntityType, normalised
from ingest.extract.local.lexicon import COMMON_FIRST, GIVEN_NAMES, NOT_NAMES, PLACE_FIRST, PLACES
from ingest.extract.local.names import is_role

#: No company's own name, though many begin with one: "Bank of …", "New …", "Global …".
_PLAIN_WORDS: Final = NOT_NAMES | COMMON_FIRST | PLACE_FIRST | PLACES | GIVEN_NAMES
#: What follows a company's name without making it another company.
_ORG_SUFFIXES: Final = frozenset("inc ltd gmbh corp llc ag plc corporation limited group holdings".split())
#: Letters of a mail box or handle from which on it tells whose it is.
_SHORTEST_BOX: Final = 4


def company(name: str) -> str:
    """Return a company's name, normalised, without what says only that it is one: "acme" for Acme, Inc."""
    return " ".join(word for word in normalised(name).replace(",", " ").split() if word.strip(".") not in _ORG_SUFFIXES)


def same_company(name: str, other: str) -> bool:
    """Whether two names may be one company's: equal but for suffixes, or one begins with all words of the other."""
    words, others = sorted((company(name).split(), company(other).split()), key=len)
    return bool(words) and others[: len(words)] == words


def is_handle(alias: str, name: str, other: str) -> bool:
    """Whether one of two names is but the handle itself."""
    return alias.startswith("@") and normalised(alias[1:]) in (normalised(name), normalised(other))


def is_short(name: str) -> bool:
    """Whether a person's name is a first name or begins with an initial."""
    words = name.split()
    return len(words) == 1 or len(words[0].strip(".")) == 1


def short_forms(name: str, type_: EntityType = "person") -> set[str]:
    """Return "Alice" and "A. Chen" for Alice Chen, "Globex" for Globex Foods, nothing for a role or a single word."""
    words = name.split()
    if type_ == "org":
        telling = len(words) > 1 and len(words[0]) > 2 and words[0].casefold() not in _PLAIN_WORDS
        return {words[0]} if telling else set()
    if type_ != "person":
        return set()
    if len(words) < 2 or is_role(name) or len(words[0].strip(".")) < 2:
        return set()
    return {words[0], f"{words[0][0]}. {words[-1]}"}


def boxes(name: str) -> set[str]:
    """Return the mail boxes and handles that a person's full name may give: alicechen, achen, alicec, chena, …"""
    words = normalised(name).split()
    if len(words) < 2 or is_role(name) or is_short(name):
        return set()
    given, family = words[0], words[-1]
    return {given + family, given[0] + family, given + family[0], family + given[0], family + given}


def box_owners(box: str) -> set[str]:
    """Return names, as short forms have them, under which the person whose mail box or handle this is may be known.

    None for what is too short to tell anybody, or written as a name.
    """
    if len(box) < _SHORTEST_BOX or not box.isalpha() or box != box.casefold():
        return set()
    given = {box[:at] for at in range(2, len(box))}
    return given | {f"{box[0]}. {box[1:]}", f"{box[-1]}. {box[:-1]}"} | {box[at:] for at in range(2, len(box) - 1)}


def compatible(name: str, other: str) -> bool:
    """Whether two names may be one person's: equal, or one is a short form of the other."""
    forms = [{normalised(one)} | set(map(normalised, short_forms(one))) for one in (name, other)]
    return not forms[0].isdisjoint(forms[1])
