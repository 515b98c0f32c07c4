"""Forms of names: nicknames, short forms, names of companies, and which names may be one person's or one company's."""

import re
from bisect import bisect_left
from functools import cache, lru_cache
from itertools import islice, takewhile
from pathlib import Path
from typing import Final

from core.knowledge.findings import EntityType, normalise_name
from core.regex import regex
from ingest.english.lexicon import (
    COMMON_FIRST,
    DEPARTMENTS,
    EASTERN_FAMILIES,
    FIRST_NAMES,
    GIVEN_NAMES,
    LEGAL_FORMS,
    NOT_NAMES,
    PLACE_FIRST,
    PLACES,
    unmarked,
)
from ingest.english.name_patterns import BEFORE_FAMILY, CAPITALISED, TITLED, family_name, is_family, is_role, is_title

#: Names whose forms are kept: the names of a project are compared with each other over and over.
_KEPT_NAMES: Final = 20_000
#: A given name and what it is shortened to, by line.
_GROUPS: Final = tuple(
    tuple(line.split())
    for line in Path(__file__).with_name("nicknames.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
)


def _others() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for full, *short in _GROUPS:
        for name in short:
            found.setdefault(name, set()).add(full)
            found.setdefault(full, set()).add(name)
    return {name: frozenset(others) for name, others in found.items()}


_OTHERS: Final = _others()
_FULL: Final = frozenset(group[0] for group in _GROUPS)
#: Letters of what a name is cut to, and the fewest that are cut off.
_SHORTEST, _LONGEST, _CUT = 3, 6, 2


def nicknames(given: str) -> frozenset[str]:
    """Return the names that this given name, in small letters, may be used for or by; none for most."""
    return _OTHERS.get(unmarked(given), frozenset())


def is_ambiguous(nickname: str) -> bool:
    """Whether a nickname, in small letters, is used for more than one name: Charlie for Charles and for Charlotte."""
    return nickname not in _FULL and len(_OTHERS.get(nickname, ())) > 1


def cut_forms(given: str) -> frozenset[str]:
    """Return what a given name, in small letters, may be cut to: "dan", "dani" and "danie" for Daniela."""
    plain = unmarked(given)
    return frozenset(plain[:length] for length in range(_SHORTEST, min(_LONGEST, len(plain) - _CUT) + 1))


@cache
def _given() -> tuple[str, ...]:
    """Return the given names that lists know without marks, in order; made when one is first looked for."""
    return tuple(sorted({unmarked(name) for name in FIRST_NAMES}))


def names_cut_to(short: str) -> frozenset[str]:
    """Return the given names that lists know and that may be cut to this, in small letters: Daniela for "dani"."""
    plain = unmarked(short)
    if not _SHORTEST <= len(plain) <= _LONGEST:
        return frozenset()
    from_here = islice(_given(), bisect_left(_given(), plain), None)
    like = takewhile(lambda name: name.startswith(plain), from_here)
    return frozenset(name for name in like if len(name) >= len(plain) + _CUT)


#: Where somebody works of whom a text says only that they are its writer's own.
OURS: Final = "ours"
#: No company's own name, though many begin with one: "Bank of …", "New …", "Global …".
_PLAIN_WORDS: Final = NOT_NAMES | COMMON_FIRST | PLACE_FIRST | PLACES
#: What follows a company's name without making it another company.
_ORG_SUFFIXES: Final = LEGAL_FORMS | {"corporation", "group", "holdings", "as", "sa"}
#: What the name of a site ends with.
_SITES: Final = frozenset(
    "house inn hotel lodge hall site campus branch office plant depot ward unit warehouse building yard".split()
)
#: What bodies of an organisation are, and foundations for a thing.
_BODIES: Final = frozenset(
    "board council committee subcommittee sub-committee commission team wg working sig subgroup task foundation "
    "community".split()
)
#: Words of a company's name that its acronym leaves out.
_SMALL_WORDS: Final = frozenset(
    "of for the and & in at on de del la le les des du der die das für und van voor e y".split()
)
#: Letters of what two companies' names have in common, written as one word, from which on they may be one.
_SHARED_LETTERS: Final = 6


def company(name: str) -> str:
    """Return a company's name, normalised, without what says only that it is one: "acme" for Acme, Inc."""
    return " ".join(
        word for word in normalise_name(name).replace(",", " ").split() if word.strip(".") not in _ORG_SUFFIXES
    )


def short_company_names(name: str) -> set[str]:
    """Return the first word of an organisation's name, if it tells which one that is: "Globex" for Globex Foods.

    Of a body it tells whose it is: "Globex Board", "Globex Working Group".
    """
    words = name.split()
    if not _BODIES.isdisjoint(word.casefold() for word in words[1:]):
        return set()
    first = words[0].casefold() if len(words) > 1 else ""
    return {words[0]} if len(first) > 2 and first not in _PLAIN_WORDS and first not in GIVEN_NAMES else set()


def same_company(name: str, other: str) -> bool:
    """Whether two names may be one company's: equal but for suffixes, or one begins with all words of the other.

    "Penguinarchive", as a mail domain has it, is Penguin Archive, and IAG (as a domain has it: Iag-graz) the
    Institute of Alpine Geosciences.
    """
    words, others = sorted((re.split("[ -]+", company(one)) for one in (name, other)), key=len)
    if words and (others[: len(words)] == words or words[0] in acronyms(others)):
        return True
    short, long = sorted((_as_one_word(words), _as_one_word(others)), key=len)
    begins = len(short) >= _SHARED_LETTERS and 1 in (len(words), len(others)) and long.startswith(short)
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
    return not (same_company(one, other) or (len(short) >= _SHARED_LETTERS and short in long))


def is_part(name: str) -> bool:
    """Whether a name is that of a site or a department, of which an organisation may have several: "Harbour House"."""
    words = company(name).split()
    return bool(words) and (words[-1] in _SITES or DEPARTMENTS.issuperset(words))


def acronyms(words: list[str]) -> set[str]:
    """Return the first letters of several words, with and without those of small words, and of the last ones alone.

    So "iag" and "ioag", and "tsc" for the Linden Technical Steering Committee.
    """
    telling = [word for word in words if word not in _SMALL_WORDS]
    return {"".join(word[0] for word in some[at:]) for some in (words, telling) for at in range(len(some) - 2)}


def _as_one_word(words: list[str]) -> str:
    return re.sub(r"[^a-z0-9]", "", unmarked("".join(words)))


_TITLED: Final = regex(
    rf"(?P<title>{TITLED}) {BEFORE_FAMILY}(?P<name>{CAPITALISED})|"
    r"\b(?P<small>dr|mr|mrs|ms|prof)\b\.? (?P<word>[^\W\d_]{3,})"
)
#: Letters of a given name from which on it may end another.
_LONG_ENOUGH: Final = 6
#: Initials of a name at most, and those of its particles between them.
_MOST_INITIALS: Final = 4
_VAN: Final = ("vd", "vdd", "v", "d", "dl", "dc", "ds", "da", "de", "di")
#: Between the parts of a handle.
_HANDLE_SIGNS: Final = regex(r"(?<=\w\w)[._-](?=\w\Z)")


def same_ends(name: str, other: str) -> bool:
    """Whether two full names begin and end with the same words, in either order: Wei Zhang, Zhang Wei.

    Of two given names the order tells which is the family's: James Thomas is not Thomas James.
    """
    words, others = (unmarked(normalise_name(one)).split() for one in (name, other))
    if min(len(words), len(others)) < 2 or is_short(name) or is_short(other):
        return False
    ends, theirs = {words[0], words[-1]}, {others[0], others[-1]}
    is_in_order = (words[0], words[-1]) == (others[0], others[-1])
    return is_in_order or (ends == theirs and (not ends <= GIVEN_NAMES or not ends.isdisjoint(EASTERN_FAMILIES)))


def differ_by_initials(name: str, other: str) -> bool:
    """Whether what is between the ends of one of two names is nothing, or but the initials of what the other has."""
    middle, others = ([word.strip(".") for word in normalise_name(one).split()[1:-1]] for one in (name, other))
    short, long = sorted((middle, others), key=lambda words: len("".join(words)))
    if short:
        return len(short) == len(long) and all(b.startswith(a) for a, b in zip(short, long, strict=True))
    return all(len(word) == 1 for word in long)


def middle_names_conflict(name: str, other: str) -> bool:
    """Whether each of two names has a middle name or initial that the other lacks: George H. and George W. Marsh."""
    middle, others = ([word.strip(".") for word in normalise_name(one).split()[1:-1]] for one in (name, other))
    short, long = sorted((middle, others), key=len)
    rest = iter(long)
    return not all(any(a.startswith(b) or b.startswith(a) for b in rest) for a in short)


def is_second_given_name(name: str, full: str) -> bool:
    """Whether a name is but the second given one of a full name: "Carlos" for Juan Carlos Ortega."""
    return normalise_name(name) in normalise_name(full).split()[1:-1]


def is_handle(alias: str, name: str, other: str) -> bool:
    """Whether one of two names is but the handle itself."""
    return alias.startswith("@") and normalise_name(alias[1:]) in (normalise_name(name), normalise_name(other))


@lru_cache(_KEPT_NAMES)
def strip_title(name: str) -> str:
    """Return a person's name without the titles before it: "Patel" for Dr Patel; a title alone stays.

    A family name alone is without its particles too: "Berg" for van den Berg.
    """
    words = name.split()
    while len(words) > 1 and is_title(words[0]):
        words.pop(0)
    return words[-1] if is_family(words) else " ".join(words)


def is_titled(name: str) -> bool:
    """Whether a name is a title and a family name."""
    words = strip_title(name).split()
    return len(words) == 1 < len(name.split())


@lru_cache(_KEPT_NAMES)
def given_and_initial(name: str) -> tuple[str, str] | None:
    """Return "alice" and "c" for Alice C. and for alice_c, normalised; None for any other name."""
    words = _HANDLE_SIGNS.sub(" ", normalise_name(strip_title(name))).split()
    return (words[0], words[1]) if len(words) == 2 and len(words[1]) == 1 < len(words[0].strip(".")) else None


def given_name_of_handle(name: str) -> str | None:
    """Return "hasan" for hasan_lager and hasan.lager; None for what is no handle that begins with a given name."""
    parts = re.split(r"[._-]", normalise_name(name))
    is_handle_of_two = len(parts) == 2 and name == name.casefold() and min(map(len, parts)) > 1
    return parts[0] if is_handle_of_two and parts[0] in FIRST_NAMES else None


def initial_and_family(name: str) -> str | None:
    """Return "J. Ortega" for J. C. Ortega; None for a name that has not several initials."""
    words = strip_title(name).split()
    return (
        f"{words[0]} {words[-1]}" if len(words) > 2 and all(len(word.strip(".")) == 1 for word in words[:-1]) else None
    )


def initials(name: str) -> str | None:
    """Return "K. D." for Katherine Doyle, KD, kd and K.D., "M. W." for Marijke van der Wal and MvdW.

    None for a single word that is not two to four letters, or has capitals and small ones but for particles.
    """
    words = re.split(r"[ -]", strip_title(name))
    if len(words) == 1:
        letters = words[0].replace(".", "")
        is_small = letters == letters.casefold() and letters not in GIVEN_NAMES
        is_mixed = letters[:1].isupper() and letters[-1:].isupper() and letters[1:-1] in _VAN
        is_told = letters.isalpha() and (letters.isupper() or is_small or is_mixed)
        if not is_told or not 2 <= len(letters) <= _MOST_INITIALS:
            return None
        words = list(filter(str.isupper, letters) if is_mixed else letters.upper())
    found = [unmarked(word)[0].upper() for word in words if word[:1].isupper()]
    return ". ".join(found) + "." if 1 < len(found) <= _MOST_INITIALS else None


def titled(content: str) -> dict[str, frozenset[str]]:
    """Return the words, normalised, that stand behind a title in a text, each with the titles before it."""
    found: dict[str, set[str]] = {}
    for match in _TITLED.finditer(content):
        name, title = match["name"] or match["word"], match["title"] or match["small"]
        found.setdefault(normalise_name(name), set()).add(title.split()[0])
    return {name: frozenset(titles) for name, titles in found.items()}


#: What tells people of one family and one given name apart.
_GENERATIONS: Final = frozenset("jr sr ii iii iv".split())


def title(name: str) -> str:
    """Return the word before a family name alone that is its title, an empty string without one."""
    return name.split()[0] if is_titled(name) else ""


def given_name(name: str) -> str:
    """Return the first word of a name or handle, normalised."""
    return re.split(r"[\s._]", normalise_name(name).strip("@._"))[0]


def family(name: str) -> str:
    """Return the last word of a person's name, normalised, but for the "Jr." behind it."""
    return normalise_name(without_generation(name)).split()[-1]


def without_generation(name: str) -> str:
    """Return a person's name without what tells a father from his son: "Sam Holt" for Sam Holt Jr."""
    words = name.split()
    last = 2 if name.casefold().endswith((" the elder", " the younger")) else 1
    is_told = len(words) > 1 + last and (last == 2 or words[-1].strip(".").casefold() in _GENERATIONS)
    return " ".join(words[:-last]).rstrip(",") if is_told else name


@lru_cache(_KEPT_NAMES)
def is_short(name: str) -> bool:
    """Whether a person's name is a first name, has an initial for one of two words, or is a title and a family name."""
    words = strip_title(name).split()
    return given_and_initial(name) is not None or len(words) == 1 or len(words[0].strip(".")) == 1


def short_forms(name: str, type_: EntityType = "person") -> set[str]:
    """Return "Alice" and "A. Chen" for Alice Chen, "Globex" for Globex Foods, nothing for a role or a single word.

    Of a name with two family names, Juan Carlos Ortega Ruiz, they are "Juan Carlos", "Juan Ortega", "J. Ortega" and
    "Ortega Ruiz" too, of one with a second given name that one, and of an Eastern one, Zhang Wei, the word behind the
    family name. Where they have marks, they are returned without them too.
    """
    words = name.split()
    if type_ == "org":
        return short_company_names(name)
    if type_ == "person" and (whole := without_generation(name)) != name:
        return short_forms(whole) | {whole}
    if type_ != "person" or len(words) < 2 or is_role(name):
        return set()
    if is_short(name):
        return {plain} if (plain := initial_and_family(name)) else set()
    short = {words[0], f"{words[0][0]}. {words[-1]}", f"{words[0][0]}. {family_name(name)}"}
    short |= {letters} if (letters := initials(name)) else set()
    if "-" in words[0]:
        first, _, second = words[0].partition("-")
        short |= {words[0].replace("-", ""), f"{first[0]}.-{second[:1].upper()}. {words[-1]}"} if second else set()
    if unmarked(words[0]).casefold() in EASTERN_FAMILIES:
        short |= {words[-1], " ".join(words[1:])}
    elif unmarked(words[-1]).casefold() in EASTERN_FAMILIES and len(words) == 3:
        short |= {words[1], f"{words[1]} {words[2]}"}
    if len(words) > 2 and words[1][:1].isupper() and words[1].strip(".")[1:]:
        short |= {" ".join(words[:2]), f"{words[0][0]}. {' '.join(words[1:])}"}
        short.add(words[1] if words[1].casefold() in GIVEN_NAMES else f"{words[0][0]}. {words[1]}")
    if len(words) > 3 and not any(word.islower() for word in words):
        given, family = " ".join(words[:2]), words[-2]
        short |= {given, f"{family} {words[-1]}", f"{words[0]} {family}", f"{given[0]}. {family}"}
    return short | set(map(unmarked, short))


def may_be_family(name: str) -> bool:
    """Whether a single word may be a family name: with a title, or if it is nobody's given name."""
    return is_titled(name) or (
        name == name.strip("@") and normalise_name(name) not in GIVEN_NAMES and name[:1].isupper()
    )


def with_nicknames(name: str) -> set[str]:
    """Return the names, normalised, with what the given name is used for or by in its place."""
    words = normalise_name(name).split()
    return {" ".join([other, *words[1:]]) for other in nicknames(words[0])} if words else set()


def same_given_name(name: str, other: str) -> bool:
    """Whether two full names have one given name, or a nickname for it."""
    given, others = (normalise_name(one).split() for one in (name, other))
    if min(len(given), len(others)) < 2 or is_short(name) or is_short(other):
        return False
    return given[0] == others[0] or given[0] in nicknames(others[0])


def given_names_begin_alike(name: str, other: str) -> bool:
    """Whether two full names have one family name, and one given name begins or, if long, ends the other."""
    words, others = normalise_name(name).split(), normalise_name(other).split()
    if len(words) != len(others) or words[1:] != others[1:] or is_short(name) or is_short(other):
        return False
    short, long = sorted((words[0], others[0]), key=len)
    return short != long and (long.startswith(short) or (len(short) >= _LONG_ENOUGH and long.endswith(short)))


def compatible(name: str, other: str) -> bool:
    """Whether two names may be one person's: equal, or one is a short form of the other."""
    forms = [{normalise_name(one)} | set(map(normalise_name, short_forms(one))) for one in (name, other)]
    return normalise_name(name) in forms[1] or normalise_name(other) in forms[0]


def title_and_given_name(name: str) -> str | None:
    """Return "grace" for Sister Grace, Sr Grace and sr_grace; None for what is no title with a given name."""
    words = normalise_name(name.replace("_", " ")).split()
    return words[-1] if len(words) == 2 and is_title(words[0]) and words[-1] in FIRST_NAMES else None


def initials_alone(name: str) -> str | None:
    """Return "K. D." for KD and kd; None unless the text consists of initials."""
    is_name = " " in name.strip() or ("-" in name and any(len(part.strip(".")) > 1 for part in name.split("-")))
    return None if is_name else initials(name)


def initials_in_both_orders(name: str) -> tuple[str, ...]:
    """Return the short forms with one initial of a full name and of the same turned round: "A. Chen", "C. Alice"."""
    words = unmarked(name).split()
    return (f"{words[0][0]}. {words[-1]}", f"{words[-1][0]}. {words[0]}") if len(words) > 1 else ()
