"""Organisations by the form of their names, bodies by what they are and whose they are, and well-known ones."""

import re
from bisect import bisect_left, insort
from collections.abc import Callable, Sequence, Set
from typing import Final

from core.knowledge.findings import normalise_name
from core.regex import regex
from ingest.document.structure import SPOKEN, Passage
from ingest.english.lexicon import (
    BODY_TASKS,
    BRANDS,
    COMMON_WORDS,
    FAMILY_WORDS,
    FIRST_NAMES,
    GIVEN_NAMES,
    LEGAL_FORMS,
    NOT_NAMES,
    ORGANISATION_KINDS,
    ORGANISATIONS,
    OTHER_WORDS,
    PLACES,
    STARTERS,
    TRADES,
)
from ingest.english.name_patterns import APART, CAPITALISED, POSSESSIVE, RUN, UPPER, until_everyday, without_starters
from ingest.extract.local.entities.names import Name, Names

#: Takes where a name stands, and the name.
Add = Callable[[int, str], None]

_EVERYDAY: Final = NOT_NAMES | COMMON_WORDS
#: A word of a name, perhaps with what a domain ends with: "Linden.js".
_WORD: Final = rf"{CAPITALISED}(?:\.[a-z]{{2,3}}\b)?"
#: A body by what it is, perhaps with its short name: "Linden.js Steering Committee (LSC)", "Release WG".
_BODIES: Final = regex(
    rf"{APART}(?P<name>{_WORD}(?:(?: of)? {CAPITALISED}){{0,4}} "
    r"(?P<kind>WG|Working Group|SIG|[Ss]ubgroup|Sub-?committee|Foundation|Council|Committee|Board|Commission|"
    r"Task Force|Consortium|Alliance|"
    r"[Tt]eam))\b(?: \((?P<short>[A-Z]{2,6})\))?"
)
#: Words before a body's name that are the record's or its heading's.
_BEFORE_BODY: Final = frozenset(
    "minutes meeting meetings notes agenda previous next new former current past approving approved electing elected "
    "picture report draft proposed welcome join joining starting inviting exiting outgoing incoming entire whole full "
    "old upcoming await awaiting ask asking abbreviated interim the".split()
)
#: Bodies that are others' parts, by the word that stands last.
_PARTS: Final = frozenset(("WG", "Group", "SIG", "Council", "Committee", "Board", "Force", "Team", "team"))
#: Which may be called by everyday words alone: "Release WG".
_GROUPS: Final = frozenset(("WG", "Group", "SIG", "Force"))
#: Who meets and decides under a short name, alone or beside another body: "LSC members", "LSC and Board meeting".
_SHORT_BODIES: Final = regex(
    rf"{APART}(?P<name>[A-Z][A-Z0-9]{{1,5}})(?: (?:and|&) (?:the )?(?:Board|Council|Committee|[A-Z]{{3,5}}))? "
    rf"(?:members?|meetings?|Meetings?|community|chairs?|staff|board|Board|agreed|decided|voted|approved|"
    rf"Executive Director|President|"
    rf"(?:and|&) (?:the )?(?:{CAPITALISED} ){{1,3}}(?:Board|Council|Committee|Foundation))\b"
)
_CAPITALS_BEFORE: Final = regex(rf"\b([{UPPER}]{{3,}}) \Z")
#: Short names of nobody.
_NO_BODY: Final = frozenset(
    "API CEO CTO CFO COO HR IT PR QA UX UI ALL ANY AGM EGM NEXT OUR THE PEP NEP RFC ADR UTC GMT CET EST EDT PST".split()
)
#: Who governs, without a name of its own: "Board meeting", "the Council approved".
_GOVERNS: Final = regex(
    rf"(?<![{UPPER}]\w )(?P<name>Board|Council|Committee)(?= (?:[Mm]eetings?|[Mm]embers?|of [DTG][a-z]+s|agreed|"
    r"decided|voted|approved|asked|will|has|wants)\b)"
)
_NAME_BEFORE: Final = regex(rf"\b(?!(?:The|Our|And) )[{UPPER}][\w.'’-]* \Z")
#: The same as repositories and chats write it: "wg-release", "release wg".
_SMALL_GROUPS: Final = regex(
    r"(?<![\w@#/.'’-])(?:(?:wg|sig)-[a-z][a-z0-9]{2,}(?:-[a-z0-9]+)*+|[a-z]{3,} (?:wg|sig))(?![\w/-])"
)
#: Before what has its name by itself, whatever its words are.
_NAMED_BEFORE: Final = regex(r"\b(?:the|our|with|by|from|to|for|of|and) \Z")
#: Whose meeting it is: "Linden Community Meeting".
_COMMUNITIES: Final = regex(rf"{APART}(?P<name>{_WORD}(?: {CAPITALISED})?) [Cc]ommunity (?:[Mm]eeting|[Cc]all)\b")
_RUNS: Final = regex(rf"{APART}{_WORD}(?: {CAPITALISED})*+")
#: Behind an organisation that is meant as such, whatever it makes: "met with GitHub", "GitHub staff".
_MEANT_BEFORE: Final = regex(
    r"\b(?:(?:met|meet|meeting|meetings|call|calls|spoke|talked|talks|contract|agreement|partnership|worked|works) "
    r"(?:with|by|for)|employed by|acquired by|sponsored by|funded by|hosted by)(?: the)? \Z"
)
_MEANT_BEHIND: Final = regex(r" (?:staff|employees?|engineers?|people|folks|representatives?|[Tt]eam)\b")
#: What a maker's product is, in small letters: "Google calendar".
_PRODUCT: Final = regex(
    r" (?:calendars?|docs?|documents?|forms?|drive|sheets?|maps?|search|accounts?|groups?|meet|analytics|translate|"
    r"cloud|cards?|phones?|laptops?|servers?|cars?|cameras?|office|excel|word|chips?|gpus?|cpus?|sdks?|apis?|\d)\b",
    re.I,
)


def scan_bodies(names: Names, content: str, passage: Passage, add: Add) -> None:
    """Add the bodies of a passage, and those whose parts they are."""
    start, end = passage.start, passage.end
    for match in _BODIES.finditer(content, start, end):
        _add_body(names, match, add)
    for match in _SMALL_GROUPS.finditer(content, start, end):
        if match[0].split()[0] not in STARTERS:
            add(match.start(), match[0])
    for match in _SHORT_BODIES.finditer(content, start, end):
        before = _CAPITALS_BEFORE.search(content, max(start, match.start() - 30), match.start())
        is_family = before is not None and before[1].casefold() in GIVEN_NAMES
        if match["name"] not in _NO_BODY and not is_family:
            add(match.start(), match["name"])
    for match in _COMMUNITIES.finditer(content, start, end):
        if _is_owner(match["name"].split(" ")):
            names.thing(match["name"], "org")
    for match in _GOVERNS.finditer(content, start, end):
        if not _NAME_BEFORE.search(content, max(start, match.start() - 40), match.start()):
            names.governing.add(match["name"])


def scan_known(content: str, passage: Passage, add: Add) -> None:
    """Add the organisations of a passage that everybody knows, and makers of what is called like them if meant."""
    for match in _RUNS.finditer(content, passage.start, passage.end):
        words = without_starters(match[0].split(" "), least=1)
        name = POSSESSIVE.sub("", " ".join(words))
        at = match.end() - len(" ".join(words))
        is_meant = name.casefold() in BRANDS and (
            _MEANT_BEFORE.search(content, max(passage.start, at - 40), at) or _MEANT_BEHIND.match(content, match.end())
        )
        if is_meant or (_is_known(name) and not _PRODUCT.match(content, match.end())):
            add(at, name)


def join_bodies(names: Names) -> None:
    """Join the bodies that a text calls by a part of their name, by its letters or the other way round.

    A generic body ("the Board") means the only body of that kind, else itself; None if there are several.
    """
    _drop_initials(names)
    things = [thing for thing in names.things.values() if thing.type == "org"]
    by_end: dict[str, list[Name]] = {}
    by_letters: dict[str, list[Name]] = {}
    by_words: dict[tuple[str, ...], Name] = {}
    for thing in things:
        words = thing.name.split(" ")
        for at in range(1, min(len(words), 6)):
            by_end.setdefault(" ".join(words[at:]), []).append(thing)
        for at in range(max(1, len(words) - 2)) if len(words) > 1 else ():
            by_letters.setdefault("".join(word[0] for word in words[at:] if word[0].isupper()), []).append(thing)
        if words[-1] in _GROUPS:
            by_words.setdefault(_words_of(thing.name), thing)
    for thing in sorted(things, key=lambda thing: len(thing.name)):
        short = [] if " " in thing.name else by_letters.get(thing.name, [])
        full = by_words.get(_words_of(thing.name)) if thing.name.islower() else None
        fits = short or ([full] if full is not None else by_end.get(thing.name, []))
        if len(fits) == 1 and fits[0] is not thing and names.things.get(normalise_name(thing.name)) is thing:
            fits[0].forms |= {thing.name, *thing.forms}
            del names.things[normalise_name(thing.name)]
    for kind in sorted(names.governing):
        fits = by_end.get(kind, [])
        if len(fits) == 1:
            fits[0].forms.add(kind)
        elif not fits:
            names.thing(kind, "org")


def _drop_initials(names: Names) -> None:
    """Drop bodies that are the initials of somebody who takes part: "JR agreed", beside "Jo Rask (JR)"."""
    spelled = {_capitals(thing.name) for thing in names.things.values() if " " in thing.name}
    people = {form for person in names.people.values() for form in person.forms if form.isupper()}
    present = (person.name for key, person in names.people.items() if key in names.present)
    people |= {letters for name in present if len(letters := _capitals(name)) > 1 and letters not in spelled}
    for key, thing in list(names.things.items()):
        if thing.type == "org" and thing.name in people:
            del names.things[key]


def _capitals(name: str) -> str:
    return "".join(word[0] for word in name.split() if word[0].isupper())


def _words_of(group: str) -> tuple[str, ...]:
    """Return the words of a group's name in any order: those of "wg-release" and "Release WG" are the same."""
    return tuple(sorted(group.casefold().replace("-", " ").split()))


def _is_known(name: str) -> bool:
    """Whether this is a well-known organisation, written as it writes itself: an acronym in capitals."""
    return name in ORGANISATIONS or (len(name) > 5 and name.casefold() in ORGANISATIONS)


def _add_body(names: Names, match: re.Match[str], add: Add) -> None:
    """Add a body without the words that begin its sentence, under its short name too, and whose it is."""
    words = without_starters(match["name"].split(" "))
    while len(words) > 1 and (words[0].casefold() in _BEFORE_BODY or words[0] in ("of", "The")):
        words.pop(0)
    whose = next((at for at, word in enumerate(words[:-1], 1) if POSSESSIVE.search(word)), 0)
    whole = " ".join(words)
    if whose < len(words) - len(match["kind"].split()):
        words = words[whose:]
    kind = words[-1] if words else ""
    told = words[: -len(match["kind"].split())]
    name = " ".join(words)
    at = match.start("name") + len(match["name"]) - len(name)
    if not told or (told[0].casefold() in BRANDS and len(told) == 1) or not _is_name(told, kind, match.string, at):
        return
    owner = _owner(told, kind) if kind in _PARTS else []
    add(at, name)
    if forms := set(filter(None, (whose and whole, match["short"]))):
        names.thing(name, "org").forms |= forms
    if owner:
        names.thing(name, "org").organization = names.thing(" ".join(owner), "org").name


def _is_name(told: list[str], kind: str, content: str, at: int) -> bool:
    """Whether the words before what a body is name one: not all of everyday, but for tasks inside a sentence."""
    folded = [word.casefold() for word in told]
    if kind.casefold() == "team" and POSSESSIVE.search(told[-1]):
        return False
    if kind in _GROUPS or any(word not in _EVERYDAY and word not in BODY_TASKS for word in folded):
        return True
    if kind == "team" or not BODY_TASKS.issuperset(folded):
        return not _EVERYDAY.issuperset(folded)
    return _NAMED_BEFORE.search(content, max(0, at - 6), at) is not None or not _EVERYDAY.issuperset(folded)


def _owner(words: list[str], kind: str) -> list[str]:
    """Return what of a body's name says whose it is: what stands before its task, or an acronym; empty if nothing.

    A team under an acronym is more often for that than of it.
    """
    owner = list(words)
    while owner and owner[-1].casefold() in BODY_TASKS:
        owner.pop()
    is_acronym = len(words) == 1 and words[0].isupper() and words[0] not in _NO_BODY
    is_told = len(owner) < len(words) or (is_acronym and kind in ("Board", "Council", "Committee"))
    return owner if is_told and _is_owner(owner) else []


def _is_owner(words: list[str]) -> bool:
    """Whether words may be an organisation's or a project's name: no everyday word, place or person."""
    folded = [word.casefold() for word in words]
    return (
        0 < len(words) < 3
        and " ".join(folded) not in PLACES
        and not any(word in _EVERYDAY or word in BODY_TASKS or word in GIVEN_NAMES for word in folded)
    )


#: What a name of several words ends with, if it is an organisation's: its legal form, what it is or what it deals in.
_KINDS: Final = LEGAL_FORMS | ORGANISATION_KINDS
_WITH_TRADES: Final = _KINDS | TRADES
_BY_KIND: Final = regex(
    rf"{APART}{CAPITALISED}(?:(?: &)? {CAPITALISED}){{0,4}}(?:,? (?:Inc|Ltd|LLC|Corp|GmbH|PLC|plc|eG|eV)\b)?"
)
_BY_BEGINNING: Final = regex(
    r"\b(?:(?:University|Town|Municipality|Borough|Diocese|Bank|Ministry|Institute|Department|Bureau|Friends|Society|Federation|Association|Chamber|"
    rf"Museum|College) (?:of|for)(?: the)? {CAPITALISED}|"
    rf"(?:Task Force|Working Group|Committee) (?:on|for)(?: the)? {CAPITALISED}|"
    rf"(?:Radio|Stadtwerke|Spedition|Verlag|Autohaus|Banco|Banca|"
    rf"Banque|Groupe|Grupo|Klinik|Gemeente|Gemeinde|Stichting|Stiftung|Waterschap|Kommune|Gmina|Landkreis|Fondation|"
    rf"Fundación|Fundação|Fondazione) {CAPITALISED}|(?:Ville de|Ayuntamiento de|Comune di|Câmara Municipal de|"
    rf"Université de|Universidad de|Università di) {CAPITALISED})(?: {CAPITALISED}){{0,2}}"
)
#: "Meyer & Sons", "Baker, Holt and Partners".
_AND_SONS: Final = regex(
    rf"{APART}{CAPITALISED}(?: {CAPITALISED})?(?:(?:,| &| and) {CAPITALISED}){{0,2}},? (?:&|and) "
    r"(?:Sons?|Daughters?|Brothers|Bros|Nephews?|Company|Co|Partners|Associates)\b\.?"
)
#: "Harlow & Finch": partners, or two people.
_PARTNERS: Final = regex(
    rf"{APART}(?<!, )({CAPITALISED})((?:, {CAPITALISED})?) & ({CAPITALISED})(?! (?:[A-Z]|&)|,? \(?(?:1[89]|20)\d\d)"
)
#: A school's or a hospital's saint: "St Brendan's", "St Brendan's Community School".
_SAINTS: Final = regex(
    rf"{APART}(?:St\.?|Saint) [{UPPER}]\w+['’]s(?! (?:Day|Eve|Church|Cathedral|Street|Road|Square|Park|day)\b)"
    rf"(?: {CAPITALISED}){{0,3}}"
)

#: Where somebody works.
_EMPLOYER: Final = regex(rf"\b(?:works?|working|worked|employed) (?:at|for|by) (?:the )?({RUN})")


def scan_firms(names: Names, content: str, passage: Passage, *, context: str, listed: Set[str]) -> None:
    """Add the organisations that the forms of a passage tell, and where they stand: no word there is a person's.

    `listed` are names of those who take part, full and given ones, normalised.
    """
    if passage.kind == "label":
        return
    start, end, taken = passage.start, passage.end, list[tuple[int, int]]()

    def add(at: int, text: str) -> None:
        text = text.rstrip(".")
        if not _overlaps(taken, at, at + len(text)):
            names.thing(text, "org")
            insort(taken, (at, at + len(text)))

    for pattern in (_BY_BEGINNING, _AND_SONS, _SAINTS):
        for match in pattern.finditer(content, start, end):
            add(match.start(), match[0])
    scan_bodies(names, content, passage, add)
    for match in _BY_KIND.finditer(content, start, end):
        if name := _kind(match[0]):
            add(match.start() + match[0].find(name), name)
    for match in _PARTNERS.finditer(content, start, end):
        if _are_partners(match, names.given_present | listed, context):
            add(match.start(), match[0])
    scan_known(content, passage, add)
    for match in _EMPLOYER.finditer(content, start, end):
        name = " ".join(until_everyday(match[1]))
        if name and name.split()[0].casefold() not in FIRST_NAMES and name.casefold() not in PLACES:
            add(match.start(1), name)
    names.organisation_spans += taken


def _overlaps(taken: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Whether one of the ranges, in order and apart from each other, has a place in common with this one."""
    at = bisect_left(taken, (start, start))
    return any(begin < end and start < to for begin, to in taken[max(0, at - 1) : at + 1])


def is_firm(name: str) -> bool:
    """Whether a name that stands by itself ends as organisations' do."""
    return _kind(name) == name or _AND_SONS.fullmatch(name) is not None


def _kind(run: str) -> str | None:
    """Return the part of a run of capitalised words that is an organisation's name, None if none is."""
    words = without_starters(run.split(" "))
    folded = [POSSESSIVE.sub("", word.strip(",.")).casefold() for word in words]
    if len(folded) == 2 and folded[0] in FIRST_NAMES and folded[1] in FAMILY_WORDS:
        return None
    kinds = _WITH_TRADES if folded[:1] and folded[0] in FIRST_NAMES else _KINDS
    ends = [
        at
        for at, word in enumerate(folded)
        if at and word in kinds and not (word == "group" and folded[at - 1].endswith("ing"))
    ]
    told = ends and any(word not in _EVERYDAY and word[:1].isalpha() for word in folded[: ends[-1]])
    return POSSESSIVE.sub("", " ".join(words[: ends[-1] + 1])) if told else None


def _are_partners(match: re.Match[str], present: Set[str], context: str) -> bool:
    """Whether "X & Y" is the name of a firm rather than two people, of whom some may be present, or two things."""
    folded = {word.casefold() for word in (match[1], *match[2].split(", "), match[3]) if word}
    if not (OTHER_WORDS.isdisjoint(folded) and present.isdisjoint(folded)) or min(map(len, folded)) < 3:
        return False
    return FIRST_NAMES.isdisjoint(folded) or (context not in SPOKEN and not FIRST_NAMES.issuperset(folded))
