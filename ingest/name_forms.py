"""Forms of names: what short ones a name has, and which names may be one person's or one company's."""

import re
import string
import unicodedata
from typing import Final

from core.knowledge import EntityType, normalised
from ingest.extract.local.lexicon import COMMON_FIRST, GIVEN_NAMES, NOT_NAMES, PLACE_FIRST, PLACES
from ingest.extract.local.names import CAPITALISED, TITLES, is_role
from ingest.nicknames import nicknames

#: No company's own name, though many begin with one: "Bank of …", "New …", "Global …".
_PLAIN_WORDS: Final = NOT_NAMES | COMMON_FIRST | PLACE_FIRST | PLACES | GIVEN_NAMES
#: What follows a company's name without making it another company.
_ORG_SUFFIXES: Final = frozenset("inc ltd gmbh corp llc ag plc corporation limited group holdings".split())
_TITLED: Final = re.compile(
    rf"\b(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Professor|Cllr|Councillor|Herr|Frau|Sir|Dame)\.? ({CAPITALISED})"
)
#: Letters that given names begin with in languages written in Latin letters.
_INITIALS: Final = string.ascii_lowercase + "áàâäåãçćčéèêëíîïłñńóöøõśšşúüýžźż"
#: Letters that are others with a mark by custom alone, which Unicode does not take apart.
_MARKED: Final = str.maketrans(
    {
        "ı": "i",
        "ø": "o",
        "Ø": "O",
        "ł": "l",
        "Ł": "L",
        "đ": "d",
        "Đ": "D",
        "ß": "ss",
        "æ": "ae",
        "œ": "oe",
        "ð": "d",
        "þ": "th",
    }
)
#: Letters of what two companies' names have in common, written as one word, from which on they may be one.
_LONG_ENOUGH: Final = 6
#: Between the parts of a handle.
_HANDLE_SIGNS: Final = re.compile(r"(?<=\w\w)[._-](?=\w\Z)")
_NOT_LETTERS: Final = re.compile(r"[._\d-]+")
#: Letters of a mail box or handle from which on it tells whose it is.
_SHORTEST_BOX: Final = 4


def company(name: str) -> str:
    """Return a company's name, normalised, without what says only that it is one: "acme" for Acme, Inc."""
    return " ".join(word for word in normalised(name).replace(",", " ").split() if word.strip(".") not in _ORG_SUFFIXES)


def same_company(name: str, other: str) -> bool:
    """Whether two names may be one company's: equal but for suffixes, or one begins with all words of the other.

    "Penguinarchive", as a mail domain has it, is Penguin Archive.
    """
    words, others = sorted((company(name).split(), company(other).split()), key=len)
    if words and others[: len(words)] == words:
        return True
    short, long = sorted((_as_one_word(words), _as_one_word(others)), key=len)
    return len(short) >= _LONG_ENOUGH and 1 in (len(words), len(others)) and long.startswith(short)


def _as_one_word(words: list[str]) -> str:
    return re.sub(r"[^a-z0-9]", "", unmarked("".join(words)))


def unmarked(name: str) -> str:
    """Return a name in plain Latin letters where it has marks: Elif Yildiz for Elif Yıldız."""
    parts = unicodedata.normalize("NFKD", name.translate(_MARKED))
    return "".join(sign for sign in parts if not unicodedata.combining(sign))


def is_handle(alias: str, name: str, other: str) -> bool:
    """Whether one of two names is but the handle itself."""
    return alias.startswith("@") and normalised(alias[1:]) in (normalised(name), normalised(other))


def untitled(name: str) -> str:
    """Return a person's name without the titles before it: "Patel" for Dr Patel; a title alone stays."""
    words = name.split()
    while len(words) > 1 and words[0].strip(".").casefold() in TITLES:
        words.pop(0)
    return " ".join(words)


def is_titled(name: str) -> bool:
    """Whether a name is a title and a family name."""
    words = untitled(name).split()
    return len(words) == 1 < len(name.split())


def given_and_initial(name: str) -> tuple[str, str] | None:
    """Return "alice" and "c" for Alice C. and for alice_c, normalised; None for any other name."""
    words = _HANDLE_SIGNS.sub(" ", normalised(untitled(name))).split()
    return (words[0], words[1]) if len(words) == 2 and len(words[1]) == 1 < len(words[0].strip(".")) else None


def initial_and_family(name: str) -> str | None:
    """Return "j. ortega" for J. C. Ortega, normalised; None for a name that has not several initials."""
    words = normalised(untitled(name)).split()
    return (
        f"{words[0]} {words[-1]}" if len(words) > 2 and all(len(word.strip(".")) == 1 for word in words[:-1]) else None
    )


def titled(content: str) -> frozenset[str]:
    """Return the words, normalised, that stand behind a title in a text."""
    return frozenset(normalised(match[1]) for match in _TITLED.finditer(content))


def family(name: str) -> str:
    """Return the last word of a person's name, normalised."""
    return normalised(name).split()[-1]


def is_short(name: str) -> bool:
    """Whether a person's name is a first name, has an initial for one of two words, or is a title and a family name."""
    words = untitled(name).split()
    return given_and_initial(name) is not None or len(words) == 1 or len(words[0].strip(".")) == 1


def short_forms(name: str, type_: EntityType = "person") -> set[str]:
    """Return "Alice" and "A. Chen" for Alice Chen, "Globex" for Globex Foods, nothing for a role or a single word.

    Where they have marks, they are returned without them too.
    """
    words = name.split()
    if type_ == "org":
        telling = len(words) > 1 and len(words[0]) > 2 and words[0].casefold() not in _PLAIN_WORDS
        return {words[0]} if telling else set()
    if type_ != "person":
        return set()
    if len(words) < 2 or is_role(name) or is_short(name):
        return set()
    short = {words[0], f"{words[0][0]}. {words[-1]}"}
    return short | set(map(unmarked, short))


def boxes(name: str) -> set[str]:
    """Return the mail boxes and handles that a person's full name may give: alicechen, achen, alicec, chena, …"""
    words = unmarked(normalised(name)).split()
    if len(words) < 2 or is_role(name) or is_short(name):
        return set()
    given, family = words[0], words[-1]
    return {one + other for one, other in _box_parts(given, family)}


def plain_box(box: str) -> str:
    """Return a mail box or handle without the dots, strokes and digits in it."""
    return _NOT_LETTERS.sub("", box)


def box_owners(box: str) -> set[str]:
    """Return names, as short forms have them, under which the person whose mail box or handle this is may be known.

    None for what is too short to tell anybody, or written as a name.
    """
    box = plain_box(box)
    if len(box) < _SHORTEST_BOX or not box.isalpha() or box != box.casefold():
        return set()
    given = {box[:at] for at in range(2, len(box))}
    return given | {f"{box[0]}. {box[1:]}", f"{box[-1]}. {box[:-1]}"} | {box[at:] for at in range(2, len(box) - 1)}


def family_forms(name: str) -> set[str]:
    """Return the short forms of everybody who has the family name that this single word, titled or not, may be."""
    words = untitled(name).split()
    return {f"{letter}. {words[0]}" for letter in _INITIALS} if len(words) == 1 else set()


def may_be_family(name: str) -> bool:
    """Whether a single word may be a family name: with a title, or if it is nobody's given name."""
    return is_titled(name) or (name == name.strip("@") and normalised(name) not in GIVEN_NAMES and name[:1].isupper())


def used_names(name: str) -> set[str]:
    """Return the names, normalised, with what the given name is used for or by in its place."""
    words = normalised(name).split()
    return {" ".join([other, *words[1:]]) for other in nicknames(words[0])} if words else set()


def meant_by(name: str) -> set[str]:
    """Return the names under which somebody of this full name may be known, or that may mean them."""
    words = normalised(name).split()
    if len(words) < 2:
        return {name}
    first, last = words[0], words[-1]
    spelt = {f"{one}{sign}{other}" for sign in "._-" for one, other in _box_parts(first, last)}
    titled = {f"{title} {last}" for title in ("dr", "mr", "mrs", "ms", "prof", "professor")}
    titled |= {f"{title}. {last}" for title in ("dr", "mr", "mrs", "ms", "prof")}
    forms = {
        name,
        unmarked(name),
        last,
        f"{first} {last[0]}",
        *short_forms(name),
        *boxes(name),
        *used_names(name),
        *used_names(first),
    }
    return forms | spelt | titled


def may_mean(name: str) -> set[str]:
    """Return the names under which those may be known whom a short name may mean."""
    given = (given_and_initial(name) or (name,))[:1]
    return {name, *given, *used_names(name), *family_forms(name), *box_owners(name)}


def _box_parts(given: str, family: str) -> set[tuple[str, str]]:
    return {(given, family), (given[0], family), (given, family[0]), (family, given[0]), (family, given)}


def is_renamed(name: str, other: str) -> bool:
    """Whether two full names have one given name, or a nickname for it."""
    given, others = (normalised(one).split() for one in (name, other))
    if min(len(given), len(others)) < 2 or is_short(name) or is_short(other):
        return False
    return given[0] == others[0] or given[0] in nicknames(others[0])


def begin_alike(name: str, other: str) -> bool:
    """Whether two full names have one family name, and one given name is the beginning of the other, but not equal."""
    words, others = normalised(name).split(), normalised(other).split()
    if len(words) != len(others) or words[1:] != others[1:] or is_short(name) or is_short(other):
        return False
    short, long = sorted((words[0], others[0]), key=len)
    return short != long and long.startswith(short)


def compatible(name: str, other: str) -> bool:
    """Whether two names may be one person's: equal, or one is a short form of the other."""
    forms = [{normalised(one)} | set(map(normalised, short_forms(one))) for one in (name, other)]
    return not forms[0].isdisjoint(forms[1])
