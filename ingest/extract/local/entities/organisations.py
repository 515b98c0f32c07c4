"""Organisations by the form of their names: "Vandermoor Foods", "Harlow & Finch", "Meyer & Sons", "Friends of Eastgate
Library"."""

import re
from bisect import bisect_left, insort
from collections.abc import Sequence, Set
from typing import Final

from ingest.document.structure import SPOKEN, Passage
from ingest.english.lexicon import (
    COMMON_WORDS,
    FAMILY_WORDS,
    FIRST_NAMES,
    LEGAL_FORMS,
    NOT_NAMES,
    ORGANISATION_KINDS,
    OTHER_WORDS,
    PLACES,
    TRADES,
)
from ingest.english.name_patterns import (
    APART,
    CAPITALISED,
    POSSESSIVE,
    RUN,
    UPPER,
    until_everyday,
    without_starters,
)
from ingest.extract.local.entities.bodies import scan_bodies, scan_known
from ingest.extract.local.entities.names import Names

_EVERYDAY: Final = NOT_NAMES | COMMON_WORDS
#: What a name of several words ends with, if it is an organisation's: its legal form, what it is or what it deals in.
_KINDS: Final = LEGAL_FORMS | ORGANISATION_KINDS
_WITH_TRADES: Final = _KINDS | TRADES
_BY_KIND: Final = re.compile(
    rf"{APART}{CAPITALISED}(?:(?: &)? {CAPITALISED}){{0,4}}(?:,? (?:Inc|Ltd|LLC|Corp|GmbH|PLC|plc|eG|eV)\b)?"
)
_BY_BEGINNING: Final = re.compile(
    r"\b(?:(?:University|Town|Municipality|Borough|Diocese|Bank|Ministry|Institute|Department|Bureau|Friends|Society|Federation|Association|Chamber|"
    rf"Museum|College) (?:of|for)(?: the)? {CAPITALISED}|"
    rf"(?:Task Force|Working Group|Committee) (?:on|for)(?: the)? {CAPITALISED}|"
    rf"(?:Radio|Stadtwerke|Spedition|Verlag|Autohaus|Banco|Banca|"
    rf"Banque|Groupe|Grupo|Klinik|Gemeente|Gemeinde|Stichting|Stiftung|Waterschap|Kommune|Gmina|Landkreis|Fondation|"
    rf"Fundación|Fundação|Fondazione) {CAPITALISED}|(?:Ville de|Ayuntamiento de|Comune di|Câmara Municipal de|"
    rf"Université de|Universidad de|Università di) {CAPITALISED})(?: {CAPITALISED}){{0,2}}"
)
#: "Meyer & Sons", "Baker, Holt and Partners".
_AND_SONS: Final = re.compile(
    rf"{APART}{CAPITALISED}(?: {CAPITALISED})?(?:(?:,| &| and) {CAPITALISED}){{0,2}},? (?:&|and) "
    r"(?:Sons?|Daughters?|Brothers|Bros|Nephews?|Company|Co|Partners|Associates)\b\.?"
)
#: "Harlow & Finch": partners, or two people.
_PARTNERS: Final = re.compile(
    rf"{APART}(?<!, )({CAPITALISED})((?:, {CAPITALISED})?) & ({CAPITALISED})(?! (?:[A-Z]|&)|,? \(?(?:1[89]|20)\d\d)"
)
#: A school's or a hospital's saint: "St Brendan's", "St Brendan's Community School".
_SAINTS: Final = re.compile(
    rf"{APART}(?:St\.?|Saint) [{UPPER}]\w+['’]s(?! (?:Day|Eve|Church|Cathedral|Street|Road|Square|Park|day)\b)"
    rf"(?: {CAPITALISED}){{0,3}}"
)

#: Where somebody works.
_EMPLOYER: Final = re.compile(rf"\b(?:works?|working|worked|employed) (?:at|for|by) (?:the )?({RUN})")


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
