"""What names are made of: their letters, titles, particles and initials, and the words that tell a name from others."""

import re
from collections.abc import Collection, Sequence
from typing import Final

from ingest.english.lexicon import (
    AMBIGUOUS_NAMES,
    BRANDS,
    DEPARTMENTS,
    EASTERN_FAMILIES,
    FAMILY_WORDS,
    FINITE_NAMES,
    FIRST_NAMES,
    GIVEN_NAMES,
    GROUP_WORDS,
    MEN,
    NOT_NAMES,
    ROLE_WORDS,
    SHARED_BOXES,
    STARTERS,
    THING_WORDS,
    WOMEN,
)

#: Words of mail boxes that are nobody's beside other words.
_GROUPS: Final = GROUP_WORDS | THING_WORDS | DEPARTMENTS
#: Domains of mailing lists and of groups.
_LIST_DOMAIN: Final = re.compile(
    r"(?:mail)?lists?\d{0,2}\.|(?:[\w-]+\.)?(?:googlegroups\.com|groups\.io|freelists\.org|yahoogroups\.\w+)$", re.I
)
#: Latin with its marks, Greek, Cyrillic and Armenian.
_ALPHABETS: Final = (*range(0x41, 0x530), *range(0x1E00, 0x1F00))
UPPER: Final = "".join(chr(code) for code in _ALPHABETS if chr(code).isupper())
#: A capitalised word, its accents one sign with their letter or not. Apostrophes and hyphens only between letters.
CAPITALISED: Final = rf"[{UPPER}][\w\u0300-\u036f]*+(?:[-'’](?!ll\b)[\w\u0300-\u036f]+)*+"
PARTICLES: Final = tuple(
    "van von de der den del della da di la le las los bin ibn bint al el ten ter dos das du vom zu zum zur af av mac "
    "nic ní ó".split()
)
#: Those that lists have for given names, as they are in few languages.
_NO_GIVEN: Final = frozenset({"van", "de", "da", "di"})
#: A blank and a word in small letters inside a family name.
PARTICLE: Final = rf"(?: (?:{'|'.join(PARTICLES)})\b)"
#: Words before a family name that are not part of the name, in lower case.
TITLES: Final = frozenset(
    """mr mrs ms miss mx dr doctor prof professor hon sir dame lord lady rev reverend senator judge cllr councillor
    messrs fr sr herr frau captain capt lieutenant sergeant sgt inspector nurse sister father pastor vicar deacon rabbi
    imam monsieur madame mme mlle signor signora señor señora dott sri shri smt auditor treasurer chancellor
    commissioner colonel col major maj general commander detective constable bishop archbishop cardinal mayor ambassador
    superintendent headmaster headmistress maestro senhor senhora dona monsignor brigadier admiral commodore uncle aunt
    auntie alderman alderwoman dott.ssa prof.ssa sig.ra ing ir drs mgr mudr judr phdr rndr""".split()
)
#: Titles that are everyday words as well: the word after one is a name only if it acts or is known as one.
LOOSE_TITLES: Final = frozenset({"general", "major"})
#: Parts of a doctor's title behind its beginning.
_DEGREES: Final = frozenset("med. vet. phil. jur. rer. nat. habil. ing. h.c.".split())
#: Titles of women, and of men; the others are of both.
_WOMENS_TITLES: Final = frozenset(
    "mrs ms miss dame lady frau madame mme mlle signora señora senhora dona sister sr smt aunt auntie "
    "dott.ssa prof.ssa sig.ra alderwoman".split()
)
_MENS_TITLES: Final = frozenset("mr sir lord herr monsieur signor señor senhor father fr shri uncle".split())
#: A title with its family name behind it, or with the full one.
TITLED: Final = (
    rf"\b(?:{'|'.join(sorted(title.capitalize() for title in TITLES))})\b\.?(?:-Ing\.)?"
    rf"(?: (?:(?:Dr|Prof)\.?|{'|'.join(map(re.escape, sorted(_DEGREES)))})){{0,4}}"
)
#: The same before it, at the beginning of the name.
BEFORE_FAMILY: Final = rf"(?:(?:{'|'.join(PARTICLES)}) ){{0,2}}"
#: A word of a name behind the first: "Kahn", "van der Berg", "al-Rahman".
ARTICLED: Final = rf" (?:a[lnrstz]|ash|el|ul)-{CAPITALISED}"
LATER: Final = rf"(?:{PARTICLE}{{0,2}} {CAPITALISED}|{ARTICLED})"
_ARTICLE: Final = re.compile(r"\A(?:a[lnrstz]|ash|el|ul)-(?=\w)")
#: Two or three initials with dots, or one.
INITIALS: Final = rf"[{UPPER}]\.(?: ?[{UPPER}]\.){{0,2}} ?"
#: One to three capitalised words.
RUN: Final = rf"{CAPITALISED}(?: {CAPITALISED}){{0,2}}"
#: What a name may not begin behind: the middle of a word, an address or a path.
APART: Final = r"(?<![\w@#/.'’-])"
POSSESSIVE: Final = re.compile(r"['’]s\Z")
#: What may be a person's name, of one word or more: "Alice", "J. R. Smith", "Ana-Maria de la Cruz".
NAME: Final = rf"(?:{INITIALS})?{CAPITALISED}(?:(?: [{UPPER}]\.)?{LATER}){{0,3}}"
#: Text allowed between a name and its verb: "Mara Lind, our designer, …", "Mara Lind (design) …".
ASIDE: Final = r"(?: \([^()\n]{1,40}\)|, [a-z][^,;:.\n]{1,50},| and (?:her|his|their) [\w-]+)?"
#: The names behind the first of several. ", and I" begins a clause of its own.
OTHERS: Final = rf"(?:(?:, {NAME}){{0,6}}(?:,? (?:and|&) (?!I\b){NAME}| (?:and|&) I\b))?"
_INITIAL_ALONE: Final = re.compile(r"(?:[^\W\d_]\.)+")
#: What a person does, after the name: tells "Will said" from "will say".
PERSON_VERB: Final = re.compile(
    r"\s+(?:said|says|asked|asks|told|thinks|thought|wants|wanted|agreed|agrees|will|has|had|promised|volunteered|"
    r"mentioned|suggested|suggests|proposed|proposes|raised|reported|reports|confirmed|confirms|noted|replied|"
    r"explained|"
    r"presented|decided|committed|offered|joined|owns|leads|is going to|to (?:send|write|prepare|review|check|follow|"
    r"draft|share|schedule|update|fix|confirm|set|own|investigate|talk|ask|contact|create|finish|look|deliver))\b"
)
#: What follows the given name of somebody whom the text knows, no plain word: a verb, an address, the end of a line.
_NAMED_BEFORE: Final = re.compile(
    r"['’]s [a-z]|,? (?:and|&|or) [A-Z]|, (?:please|can|could|would|will|you|thank|I|we|what|how|do|did|are|let)\b|"
    r"[,:]?[ \t]*(?:\n|\Z)| (?!(?:is|was|has|does|us|plus|less|this|always|perhaps|yes|across|as)\b)[a-z]{3,}(?:s|ed) "
)
#: What somebody is or does, behind a name that is a verb or an adjective otherwise.
_FINITE: Final = re.compile(
    r" (?:(?:is|was|would|did|does|could|should|must|might|knows|had|has)\b|"
    r"[a-z]{3,}s (?:the|a|an|it|that|to|us|me|him|her|them|you|[a-z]+ing)\b)"
)
_AFTER_PERSON_WORD: Final = re.compile(
    r"\b(?:with|from|ask|asked|told|and|by|thanks|hi|hello|dear|hey|cc)[ ,]+\Z", re.I
)


def family_name(name: str) -> str:
    """Return the last word of a full name with the particles before it: "van der Berg"."""
    words = name.split()
    at = len(words) - 1
    while at > 1 and words[at - 1].rpartition("-")[2].casefold() in PARTICLES:
        at -= 1
    return " ".join(words[at:])


def is_family(words: Sequence[str]) -> bool:
    """Whether a run of words is a family name with its particles, the first of them perhaps beginning a sentence."""
    at = 0
    while at < len(words) - 1 and words[at].casefold() in PARTICLES:
        at += 1
    first = words[0].casefold()
    is_given = first in GIVEN_NAMES and first not in _NO_GIVEN
    return at == len(words) - 1 and at > 0 and (at > 1 or words[0].islower() or not is_given)


def is_title(word: str) -> bool:
    """Whether a word before a name is a title, or part of one: "Dr.", "med."."""
    return word.strip(".").casefold() in TITLES or word in _DEGREES


def may_have_title(title: str, name: str) -> bool:
    """Whether a title is not one of women before a man's name, or the other way."""
    title, given = title.strip(".").casefold(), name.split()[0].casefold().partition("-")[0]
    if not EASTERN_FAMILIES.isdisjoint((given, name.split()[-1].casefold())):
        return True
    return not ((title in _MENS_TITLES and given in WOMEN) or (title in _WOMENS_TITLES and given in MEN))


def is_gendered(title: str) -> bool:
    """Whether a title is one of women, or one of men."""
    return title.strip(".").casefold() in _WOMENS_TITLES | _MENS_TITLES


def titles_conflict(titles: Collection[str]) -> bool:
    """Whether titles before one family name are a woman's and a man's."""
    folded = {title.strip(".").casefold() for title in titles}
    return not (_WOMENS_TITLES.isdisjoint(folded) or _MENS_TITLES.isdisjoint(folded))


def is_role(name: str) -> bool:
    """Whether a name is a role or a numbered speaker rather than someone's own name."""
    words = [word.strip(".").casefold() for word in name.split()]
    if given_and_letter(name) or _is_given_and_family(words):
        return False
    return any(word in ROLE_WORDS for word in words) or (len(words) > 1 and len(words[-1]) == 1)


def _is_given_and_family(words: Sequence[str]) -> bool:
    return len(words) == 2 and words[0] in FIRST_NAMES and (words[1] in FAMILY_WORDS or words[1] in EASTERN_FAMILIES)


def given_and_letter(name: str) -> bool:
    """Whether a name is a given one that lists know and a letter: "Grace A", "Lan N."."""
    words = name.split()
    known = words[0].casefold() in GIVEN_NAMES or words[0].casefold() in AMBIGUOUS_NAMES
    return len(words) == 2 and len(words[1].strip(".")) == 1 and words[1][0].isupper() and known


def is_shared_address(box: str, domain: str) -> bool:
    """Whether a mail address is one of a role, team, room, mailing list or program."""
    if box.casefold() in SHARED_BOXES or is_list_domain(domain):
        return True
    parts = [part for part in re.split(r"[._+-]", box.casefold()) if part]
    is_named = len(parts) == 2 and "." in box and parts[0] in FIRST_NAMES
    return not is_named and any(part in (_GROUPS if len(parts) > 1 else GROUP_WORDS) for part in parts)


def is_list_domain(domain: str) -> bool:
    """Whether the addresses of a domain are those of mailing lists and groups."""
    return _LIST_DOMAIN.match(domain) is not None


def is_group(name: str) -> bool:
    """Whether a name in a list of people is one of a role, team, room, mailing list or program."""
    words = [word.strip(".,").casefold() for word in name.split()]
    if not words or (words[0] in FIRST_NAMES and len(words) > 1):
        return False
    is_brand = len(words) == 1 and words[0] in BRANDS and words[0] not in FIRST_NAMES
    return is_brand or words[0] in {"room", "the"} or words[-1] in GROUP_WORDS


def looks_like_name(text: str) -> bool:
    """Whether an unknown word or two may be someone's name: capitalised, no role, team, date or sentence starter."""
    words = [word for word in text.split() if word not in PARTICLES and not _INITIAL_ALONE.fullmatch(word)]
    words = [_ARTICLE.sub("", word) for word in words]
    return 0 < len(words) <= 4 and all(
        re.fullmatch(CAPITALISED, word) is not None
        and word.casefold() not in NOT_NAMES
        and not (word.isupper() and len(word) > 1)
        and not word.endswith(("'s", "’s"))
        for word in words
    )


def is_person_by_context(content: str, end: int) -> bool:
    """Whether what follows `content[:end]` makes the given name of somebody the text knows hers, not a plain word."""
    return _NAMED_BEFORE.match(content, end, end + 40) is not None


def acts_like_person(content: str, start: int, end: int) -> bool:
    """Whether the words around `content[start:end]` treat it as a person."""
    if _FINITE.match(content, end, end + 40) and content[start:end].casefold() in FINITE_NAMES:
        return True
    return bool(
        PERSON_VERB.match(content, end, end + 40) or _AFTER_PERSON_WORD.search(content, max(0, start - 12), start)
    )


def capitals(name: str) -> str:
    """Return the capitals that the words of a name begin with, titles apart: "JB" for Nurse Joanna Blake."""
    return "".join(word[0] for word in re.split(r"[ -]", name) if word[:1].isupper() and not is_title(word))


def without_starters(words: Sequence[str], starters: Collection[str] = STARTERS, *, least: int = 0) -> list[str]:
    """Return words without those that begin a sentence and no name; the last `least` of them stay in any case."""
    first = next((at for at, word in enumerate(words) if word.casefold() not in starters), len(words))
    return list(words[max(0, min(first, len(words) - least)) :])


def until_everyday(text: str) -> list[str]:
    """Return the leading words that are no everyday word, team, role or date."""
    words: list[str] = []
    for word in text.split():
        if word.casefold() in NOT_NAMES or word.endswith(("'s", "’s")):
            break
        words.append(word)
    return words
