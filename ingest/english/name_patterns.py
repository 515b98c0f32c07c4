"""What names are made of, where entries of a list of people end, and which words name somebody's employer."""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise
from typing import Final, NamedTuple

from core.knowledge.findings import EntityType
from core.regex import regex
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
    OFFICES,
    PLACES,
    ROLE_WORDS,
    SHARED_BOXES,
    STARTERS,
    THING_WORDS,
    WOMEN,
)

#: Words of mail boxes that are nobody's beside other words.
#: Offices that are nobody's family name.
_OFFICES: Final = OFFICES - FAMILY_WORDS
_GROUPS: Final = GROUP_WORDS | THING_WORDS | DEPARTMENTS
#: Domains of mailing lists and of groups.
_LIST_DOMAIN: Final = regex(
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
_ARTICLE: Final = regex(r"\A(?:a[lnrstz]|ash|el|ul)-(?=\w)")
#: Two or three initials with dots, or one.
INITIALS: Final = rf"[{UPPER}]\.(?: ?[{UPPER}]\.){{0,2}} ?"
#: One to three capitalised words.
RUN: Final = rf"{CAPITALISED}(?: {CAPITALISED}){{0,2}}"
#: What a name may not begin behind: the middle of a word, an address or a path.
APART: Final = r"(?<![\w@#/.'’-])"
POSSESSIVE: Final = regex(r"['’]s\Z")
#: What may be a person's name, of one word or more: "Alice", "J. R. Smith", "Ana-Maria de la Cruz".
NAME: Final = rf"(?:{INITIALS})?{CAPITALISED}(?:(?: [{UPPER}]\.)?{LATER}){{0,3}}"
#: Text allowed between a name and its verb: "Mara Lind, our designer, …", "Mara Lind (design) …".
ASIDE: Final = r"(?: \([^()\n]{1,40}\)|, [a-z][^,;:.\n]{1,50},| and (?:her|his|their) [\w-]+)?"
#: The names behind the first of several. ", and I" begins a clause of its own.
OTHERS: Final = rf"(?:(?:, {NAME}){{0,6}}(?:,? (?:and|&) (?!I\b){NAME}| (?:and|&) I\b))?"
_INITIAL_ALONE: Final = regex(r"(?:[^\W\d_]\.)+")
#: What a person does, after the name: tells "Will said" from "will say".
PERSON_VERB: Final = regex(
    r"\s+(?:said|says|asked|asks|told|thinks|thought|wants|wanted|agreed|agrees|will|has|had|promised|volunteered|"
    r"mentioned|suggested|suggests|proposed|proposes|raised|reported|reports|confirmed|confirms|noted|replied|"
    r"explained|"
    r"presented|decided|committed|offered|joined|owns|leads|is going to|to (?:send|write|prepare|review|check|follow|"
    r"draft|share|schedule|update|fix|confirm|set|own|investigate|talk|ask|contact|create|finish|look|deliver))\b"
)
#: A blank and a verb form that can't follow the auxiliary "will": before it, Will is a name.
_PAST: Final = (
    r"\s+(?:is|was|does|did|sent|brought|bought|wrote|made|took|gave|went|came|found|got|left|met|built|paid|spoke|kept|"
    r"held|began|chose|saw|knew|(?!embed|shr?ed\b)[a-z]*[a-df-z]ed)\b"
)
_WILL_DID: Final = regex(rf"Will(?:{_PAST})")
#: Somebody called Will, inside a sentence or before such a verb.
_CALLED_WILL: Final = regex(rf"(?<=[a-z] )Will\b|\bWill(?=(?: {CAPITALISED})?(?:{PERSON_VERB.pattern}|{_PAST}))")
#: What follows the given name of somebody whom the text knows, no plain word: a verb, an address, the end of a line.
_NAMED_BEFORE: Final = regex(
    r"['’]s [a-z]|,? (?:and|&|or) [A-Z]|, (?:please|can|could|would|will|you|thank|I|we|what|how|do|did|are|let)\b|"
    r"[,:]?[ \t]*(?:\n|\Z)| (?!(?:is|was|has|does|us|plus|less|this|always|perhaps|yes|across|as)\b)[a-z]{3,}(?:s|ed) "
)
#: What somebody is or does, behind a name that is a verb or an adjective otherwise.
_FINITE: Final = regex(
    r" (?:(?:is|was|would|did|does|could|should|must|might|knows|had|has)\b|"
    r"[a-z]{3,}s (?:the|a|an|it|that|to|us|me|him|her|them|you|[a-z]+ing)\b)"
)
_AFTER_PERSON_WORD: Final = regex(r"\b(?:with|from|ask|asked|told|and|by|thanks|hi|hello|dear|hey|cc)[ ,]+\Z", re.I)


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


@lru_cache(20_000)
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
    if box.casefold() in SHARED_BOXES | _OFFICES or is_list_domain(domain):
        return True
    parts = [part for part in re.split(r"[._+-]", box.casefold()) if part]
    is_named = len(parts) == 2 and "." in box and parts[0] in FIRST_NAMES
    return not is_named and any(part in (_GROUPS if len(parts) > 1 else GROUP_WORDS) for part in parts)


def names_shared_address(name: str, box: str, domain: str) -> bool:
    """Whether a name is that of a shared address: "Pier Crew <pier-crew@lists.pier.example>", "Treasurer <…>"."""
    words = re.findall(r"\w+", name.casefold())
    if words and (words[-1] == "bot" or _OFFICES.issuperset(words)):
        return True
    if not words or not is_shared_address(box, domain):
        return False
    is_of_box = words[-1] in re.findall(r"[^\W_]+", box.casefold()) or name.split()[-1].islower()
    in_address = set(re.findall(r"[^\W_]+", f"{box}@{domain}".casefold()))
    return set(words) <= in_address or (is_of_box and words[0] not in FIRST_NAMES)


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
        PERSON_VERB.match(content, end, end + 40)
        or _WILL_DID.match(content, start, end + 40)
        or _AFTER_PERSON_WORD.search(content, max(0, start - 12), start)
    )


def without_will(text: str) -> str:
    """Return the text with "Walt", which is as long, for the name Will; the auxiliary verb stays."""
    return _CALLED_WILL.sub("Walt", text)


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


_INITIALS: Final = rf"[{UPPER}]\.(?:[ -]?[{UPPER}]\.){{0,2}}"
_FAMILY: Final = rf"(?:(?:{'|'.join(PARTICLES)}) ){{0,2}}{CAPITALISED}(?:{LATER})?"
#: "Okafor, J. R.", "van der Berg, Pieter".
_TURNED: Final = regex(
    rf"(?P<family>{_FAMILY}), (?:{TITLED} )?(?P<given>{_INITIALS}|{CAPITALISED}(?: {CAPITALISED}| {_INITIALS})?)"
)
#: A quoted name with a comma, initials after a family name, or text between two commas, where a bracket counts as one.
_ENTRY: Final = regex(
    rf'[ \t]*"[^"\n,;]+, [^"\n;]+"[^,;\n]*|[ \t]*{_FAMILY}, {_INITIALS}(?=[ \t]*(?:[,;\n(<]|$|and |& ))[^,;\n]*|'
    r"[^,;\n]+?(?:\([^)\n]*\)[^,;\n]*)?(?=[,;\n]|$)"
)
#: A given name of two syllables: "Min-jun".
SYLLABLES: Final = regex(r"[A-Z][a-z]{1,5}-[a-z]{1,5}")
#: What a letter is closed with, before a comma and its writer.
_CLOSINGS: Final = frozenset(
    "greetings regards cheers thanks best love sincerely yours warmly cordially groeten groetjes grüße gruß saludos "
    "saluti cordialement".split()
)
#: Who writes a list: "Ann Lee and me (Tiago Reis)".
_WRITER: Final = regex(r"\b(?:me|myself|I) \(([^()\n]+)\)")
#: What ends a list and no abbreviation.
_FULL_STOP: Final = regex(r"(?<=[^\W\d_]{3})\.\Z")
_BY_SEMICOLONS: Final = regex(r"[^;\n]+")
#: Between two of them, outside of brackets.
_TOGETHER: Final = regex(r" (?:and|&) (?![^()]*\))")
#: A line of a list that is headed by whatever it is a list of: "Distribution: …", "Witnesses: …".
_LIST: Final = regex(r"[^\W\d_][\w ,'’/-]{2,40}(?: \([^()\n]{1,30}\))?:[ \t]+(?P<said>[^\n]+?)(?:(?<!\W\w)\.)?")
#: What somebody is, in a few words, behind the name: ", clerk", " - chair of the board"; no clause to one spoken to.
_ROLE_NOTE: Final = r"[,–—-] ?(?!(?:I|you|we|it|that|this|what|how|let|see)\b)(?:[\w.&/'’-]+ ?){1,4}(?:[|,;(\n]|\Z)"
#: The one who is named at the beginning of a line or cell: "Harper, Dawn ....... 21".
_LINE: Final = regex(rf'"?{_TURNED.pattern}"?(?=[ \t]*(?:\.\.|[|(:]|{_ROLE_NOTE}|\n|\Z))')


def entries(text: str) -> list[str]:
    """Return the entries of a list of people as they are written, a name turned round being one."""
    text = _WRITER.sub(r"\1", text.strip("* \t"))
    if ";" in text:
        parts = [part for match in _BY_SEMICOLONS.finditer(text) for part in _of_one(match[0])]
    else:
        parts = _apart(text)
    return [_FULL_STOP.sub("", entry) for part in parts for entry in _TOGETHER.split(part)]


def _of_one(part: str) -> list[str]:
    return [part] if unturned(part.split("<")[0].split("(")[0].strip()) else _apart(part)


def _apart(text: str) -> list[str]:
    return [match[0] for match in _ENTRY.finditer(text)]


def unturned(name: str) -> str | None:
    """Return "J. Okafor" for "Okafor, J."; None if a comma does not seem to stand between two parts of a name."""
    match = _TURNED.fullmatch(name.strip(" \t\"“”'*_"))
    if match is None or not _is_turned(match, quoted=name.strip()[:1] in ('"', "“")):
        return None
    return f"{match['given']} {match['family']}"


def turned_name(content: str, start: int, end: int) -> str | None:
    """Return the name that a line begins with, as it is written, if it is turned round; None if none is."""
    match = _LINE.match(content, start, end)
    return match[0].strip('"') if match and _is_turned(match, quoted=content[start] == '"') else None


def _is_turned(match: re.Match[str], *, quoted: bool) -> bool:
    given, family = match["given"].split()[0].casefold(), match["family"].split()[0].casefold()
    if SYLLABLES.fullmatch(match["family"]) and not quoted:
        return False
    if family in NOT_NAMES | _CLOSINGS or match["family"].casefold() in PLACES:
        return False
    known = given in GIVEN_NAMES or given in AMBIGUOUS_NAMES
    return quoted or given[1:2] == "." or (known and family not in GIVEN_NAMES)


def list_behind(line: str) -> str | None:
    """Return what a line such as "Distribution: A. Lind, Bob Kahn" lists; None if it is no such line."""
    match = _LIST.fullmatch(line.strip())
    return match["said"] if match and ("," in match["said"] or ";" in match["said"]) else None


#: Between somebody and the organisation that is theirs: "Mara Lind of …", "Mara Lind, head of design at …".
_IS_OF: Final = regex(
    r"(?P<here>,? here)?,? \(?(?:of|from|at|for|with) (?:the )?|"
    r"(?:, (?!.*\b(?:that|who|which|when|after|before|because|while|waiting|tired|bought|heard|back)\b)"
    r"(?:the |our |an? )?|"
    r" the |: (?:the )?)[a-z][a-z -]{2,40} (?:of|from|at|for) (?:the )?|"
    r"(?:,? who)? (?:now )?(?:works?|worked|is|are)(?: both)? (?:at|for|with|from) (?:the )?"
)
#: The same where the organisation ends what is said of them: "Mara Lind, Tidewell Freight", "Mara Lind (Tidewell)".
_ASIDE_OF: Final = regex(
    r" ?[(/] ?(?:[A-Za-z][\w& ]{1,20}, )?|, (?:(?:[A-Z]{2,3}|[A-Za-z][a-z]+(?: [a-z]+)?), )?| [-–—] "
)
_ENDS_ASIDE: Final = regex(r"[,;.:)|\"”]| *(?:\Z|  )")
#: The second alone tells it of a given name.
_IN_BRACKETS: Final = regex(r" \(")
_BRACKET_ENDS: Final = regex(r"\)")
#: Between an organisation and its people: "Tidewell's account manager Mara Lind", "our contact at Tidewell is …".
_HAS: Final = regex(r"['’]s (?:[a-z-]+ ){0,4}|,? (?:is|was) represented by ")
_AT: Final = regex(r"(?:, | is |: )")
#: Between an organisation and its people in brackets, and between these: "Tidewell (Ms Lind, Jo Park)".
_WITH: Final = regex(r" \((?:(?:Mr|Mrs|Ms|Dr)\.? )?")
_AND: Final = regex(r"(?:,|;|,? and) (?:(?:Mr|Mrs|Ms|Dr)\.? )?")
#: Before an organisation that heads a line, behind it, behind a name in that line, and behind the last one.
_LINE_BEGINS: Final = regex(r"(?:\A|\n)[ \t]*(?:[-*•|>#]+[ \t]*)?(?:For )?[*_]*\Z", re.I)
_HEADS: Final = regex(r"[*_]*:[*_]*[ \t]+")
_NOTE: Final = regex(r" \([^()\n]{1,40}\)")
_LINE_ENDS: Final = regex(r"(?: \([^()\n]{1,40}\))?[*_.]*[ \t]*(?:\n|\Z)")
#: Between two people of whom one thing is said.
_BOTH: Final = regex(r" and ")
#: People of one organisation in one list at most.
_MOST: Final = 20
#: Line breaks inside a sentence are blanks to every pattern; no place moves.
FLAT: Final = str.maketrans("\n\r\t", "   ")


class Mentioned(NamedTuple):
    """Where a text names something; `which` says what."""

    start: int
    end: int
    which: int
    type: EntityType


def employed(content: str, mentioned: Sequence[Mentioned]) -> Iterator[tuple[Mentioned, Mentioned]]:
    """Yield each mention of somebody, by the full name or plainly meant so, with that of the organisation they are of.

    `mentioned` is everything that the text names, in order.
    """
    flat = content.translate(FLAT)
    for at, (first, second) in enumerate(pairwise(mentioned)):
        kinds = (first.type, second.type)
        if kinds == ("person", "org") and (told := _is_of(flat, first, second)):
            yield first, second
            before = mentioned[at - 1] if at else first
            if before.type == "person" and told == "both" and _BOTH.fullmatch(flat, before.end, first.start):
                yield before, second
        elif kinds == ("org", "person") and _has(flat, first, second):
            yield second, first
        elif kinds == ("org", "person") and _heads(content, first, second):
            yield from ((person, first) for person in _listed(content, mentioned, at + 1))
        elif kinds == ("org", "person") and _WITH.fullmatch(flat, first.end, second.start):
            yield from ((person, first) for person in _in_brackets(flat, mentioned, at + 1))


def _is_of(flat: str, person: Mentioned, employer: Mentioned) -> str | None:
    """Return "one" or "both" if somebody, by the full name, works where the next name is, and one before as well."""
    is_of = _IS_OF.fullmatch(flat, person.end, employer.start)
    if " " not in flat[person.start : person.end]:
        told = is_of is not None and (is_of["here"] is not None or flat.startswith((" from ", " at "), person.end))
        in_brackets = _IN_BRACKETS.fullmatch(flat, person.end, employer.start)
        return "one" if told or (in_brackets and _BRACKET_ENDS.match(flat, employer.end)) else None
    if is_of:
        return "both" if flat.startswith(" are ", person.end) else "one"
    aside = _ASIDE_OF.fullmatch(flat, person.end, employer.start)
    return "one" if aside is not None and _ENDS_ASIDE.match(flat, employer.end) is not None else None


def _has(flat: str, employer: Mentioned, person: Mentioned) -> bool:
    """Whether who is named next, by the full name, works at an organisation."""
    if " " not in flat[person.start : person.end]:
        return False
    if _HAS.fullmatch(flat, employer.end, person.start):
        return True
    is_at = flat.endswith(" at ", 0, employer.start)
    return is_at and _AT.fullmatch(flat, employer.end, person.start) is not None


def _heads(content: str, employer: Mentioned, person: Mentioned) -> bool:
    """Whether a line begins with an organisation and goes on with who is there for it: "Tidewell: Mara Lind"."""
    is_full = " " in content[person.start : person.end]
    begins = _LINE_BEGINS.search(content, max(0, employer.start - 12), employer.start) is not None
    return is_full and begins and _HEADS.fullmatch(content, employer.end, person.start) is not None


def _listed(content: str, mentioned: Sequence[Mentioned], at: int) -> list[Mentioned]:
    """Return the people, from one on, with whom a line is filled; none if a sentence stands there."""
    found = [mentioned[at]]
    for next_ in islice(mentioned, at + 1, at + _MOST):
        if next_.type != "person" or not _AND.fullmatch(_NOTE.sub("", content[found[-1].end : next_.start])):
            break
        found.append(next_)
    return found if _LINE_ENDS.match(content, found[-1].end) else []


def _in_brackets(flat: str, mentioned: Sequence[Mentioned], at: int) -> list[Mentioned]:
    """Return the people, from one on, with whom brackets are filled; none if anything else is in them."""
    found = [mentioned[at]]
    for next_ in islice(mentioned, at + 1, at + _MOST):
        if next_.type != "person" or not _AND.fullmatch(flat, found[-1].end, next_.start):
            break
        found.append(next_)
    return found if flat.startswith(")", found[-1].end) else []
