"""Names of companies and of their parts, and which of them may be one company's."""

import re
from typing import Final

from core.knowledge.findings import normalise_name
from ingest.english.lexicon import (
    COMMON_FIRST,
    DEPARTMENTS,
    GIVEN_NAMES,
    LEGAL_FORMS,
    NOT_NAMES,
    PLACE_FIRST,
    PLACES,
    unmarked,
)

#: Where somebody works of whom a text says only that they are its writer's own.
OURS: Final = "ours"
#: No company's own name, though many begin with one: "Bank of …", "New …", "Global …".
_PLAIN_WORDS: Final = NOT_NAMES | COMMON_FIRST | PLACE_FIRST | PLACES | GIVEN_NAMES
#: What follows a company's name without making it another company.
_ORG_SUFFIXES: Final = LEGAL_FORMS | {"corporation", "group", "holdings", "as", "sa"}
#: What the name of a site ends with.
_SITES: Final = frozenset(
    "house inn hotel lodge hall site campus branch office plant depot ward unit warehouse building yard".split()
)
#: Words of a company's name that its acronym leaves out.
_SMALL_WORDS: Final = frozenset(
    "of for the and & in at on de del la le les des du der die das für und van voor e y".split()
)
#: Letters of what two companies' names have in common, written as one word, from which on they may be one.
_LONG_ENOUGH: Final = 6


def company(name: str) -> str:
    """Return a company's name, normalised, without what says only that it is one: "acme" for Acme, Inc."""
    return " ".join(
        word for word in normalise_name(name).replace(",", " ").split() if word.strip(".") not in _ORG_SUFFIXES
    )


def short_company_names(name: str) -> set[str]:
    """Return the first word of an organisation's name, if it tells which one that is: "Globex" for Globex Foods."""
    words = name.split()
    is_telling = len(words) > 1 and len(words[0]) > 2 and words[0].casefold() not in _PLAIN_WORDS
    return {words[0]} if is_telling else set()


def same_company(name: str, other: str) -> bool:
    """Whether two names may be one company's: equal but for suffixes, or one begins with all words of the other.

    "Penguinarchive", as a mail domain has it, is Penguin Archive, and IAG (as a domain has it: Iag-graz) the
    Institute of Alpine Geosciences.
    """
    words, others = sorted((re.split("[ -]+", company(one)) for one in (name, other)), key=len)
    if words and (others[: len(words)] == words or words[0] in _acronyms(others)):
        return True
    short, long = sorted((_as_one_word(words), _as_one_word(others)), key=len)
    begins = len(short) >= _LONG_ENOUGH and 1 in (len(words), len(others)) and long.startswith(short)
    return begins or short == long


def are_different_companies(one: str | None, other: str | None) -> bool:
    """Whether somebody of one organisation is hardly the namesake who is of the other; what is not known is no other.

    A part of a company is not a company either; "ours" names none.
    """
    if not one or not other or one == other or is_part(one) or is_part(other):
        return False
    if OURS in (one, other):
        return True
    short, long = sorted((_as_one_word(re.split("[ -]+", company(name))) for name in (one, other)), key=len)
    return not (same_company(one, other) or (len(short) >= _LONG_ENOUGH and short in long))


def is_part(name: str) -> bool:
    """Whether a name is that of a site or a department, of which an organisation may have several: "Harbour House"."""
    words = company(name).split()
    return bool(words) and (words[-1] in _SITES or DEPARTMENTS.issuperset(words))


def _acronyms(words: list[str]) -> set[str]:
    """Return the first letters of several words, with and without those of small words: "iag", "ioag"."""
    telling = [word for word in words if word not in _SMALL_WORDS]
    return {"".join(word[0] for word in some) for some in (words, telling) if len(some) > 2}


def _as_one_word(words: list[str]) -> str:
    return re.sub(r"[^a-z0-9]", "", unmarked("".join(words)))
