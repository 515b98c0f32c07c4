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
    GIVEN_NAMES,
    LEGAL_FORMS,
    LISTED,
    NOT_NAMES,
    PLACES,
    WOMEN,
)
from ingest.english.name_patterns import (
    APART,
    CAPITALISED,
    POSSESSIVE,
    RUN,
    TITLED,
    UPPER,
    acts_like_person,
    is_title,
    until_everyday,
    without_starters,
)
from ingest.extract.local.entities.bodies import scan_bodies, scan_known
from ingest.extract.local.entities.names import Names
from ingest.extract.local.entities.unknown_names import plausible

#: What a name of several words ends with, if it is an organisation's: its legal form, what it is or what it deals in.
_KINDS: Final = LEGAL_FORMS | frozenset(
    """
    as sa eg ev corporation holdings group
    university institute foundation lab labs laboratory laboratories bank hospital hospice clinic clinics surgery
    pharmacy vets dental council ministry authority agency federation association society union trust mutual charity
    chamber chambers co-operative cooperative club rovers wanderers rangers orchestra choir museum library academy
    college school consulting consultants consultancy partners associates advisers advisors architects solicitors
    accountants surveyors contractors contracting builders construction engineering scaffolding roofing plumbing
    joinery carpentry glazing flooring engineers groundworks landscapes lettings estates properties interiors printers
    printing publishers publishing broadcasting productions pictures foods bakery bakers brewery brewing brewers
    distillery distillers creamery dairy dairies butchers fisheries seafood roasters catering farm farms orchards
    vineyards nursery nurseries hotel hotels systems technologies software robotics analytics electronics automation
    controls hydraulics pneumatics avionics aerospace aviation optics instruments diagnostics therapeutics
    biosciences pharma pharmaceuticals chemicals plastics polymers textiles fabrics ceramics metals steels alloys
    castings foundry forge fabrications bearings gears valves pumps turbines boilers motors cycles bikes coaches
    taxis trailers trucks cranes lifts elevators airlines airways railway railways rail ferries shipping shipyard
    marine offshore towage salvage freight haulage logistics transport couriers removals packaging cartons services
    energy solar insurance securities ventures payments recycling timber sawmill mill mills maltings grain brothers
    bros telecom networks heating cleaning electrical trading fitness tours holidays cruises travel furniture lighting
    security films studios bouw bau bouwbedrijf logistik logistiek spedition techniek technik
    """.split()
)
#: The same behind a given name alone: elsewhere it is more often no name at all ("Python Training").
_TRADES: Final = frozenset(
    """
    agricultural baking boating canning capital casing casting clothing coaching coating commercial cooling
    diving dyeing environmental farming filing financial fishing fixing gaming hiring
    horticultural hosting housing industrial international knitting labels leasing lending lines living marketing
    mechanical medical mining moulding moving packing paving piling piping plating press racing records recruiting
    riding rowing sailing seeds sewing staffing storage structural tailoring testing tiles tiling tooling towing
    training tubing tuning weaving welding wiring
    """.split()
)
_WITH_TRADES: Final = _KINDS | _TRADES
_WORKS: Final = re.compile(r"\w{3,}works")
_BY_KIND: Final = re.compile(
    rf"{APART}{CAPITALISED}(?:(?: &)? {CAPITALISED}){{0,4}}(?:,? (?:Inc|Ltd|LLC|Corp|GmbH|PLC|plc|eG|eV)\b)?"
)
_BY_BEGINNING: Final = re.compile(
    r"\b(?:(?:University|Town|Municipality|Borough|Diocese|Bank|Ministry|Institute|Department|Bureau|Friends|Society|Federation|Association|Chamber|"
    rf"Museum|College) (?:of|for)(?: the)? {CAPITALISED}|(?:Radio|Stadtwerke|Spedition|Verlag|Autohaus|Banco|Banca|"
    rf"Banque|Groupe|Grupo|Klinik|Gemeente|Gemeinde|Stichting|Stiftung|Waterschap|Kommune|Gmina|Landkreis|Fondation|"
    rf"Fundación|Fundação|Fondazione) {CAPITALISED}|(?:Ville de|Ayuntamiento de|Comune di|Câmara Municipal de|"
    rf"Université de|Universidad de|Università di) {CAPITALISED})(?: {CAPITALISED}){{0,2}}"
)
_BY_CUE: Final = re.compile(
    r"\b(?i:customers?|clients?|vendors?|suppliers?|compan(?:y|ies)|partners?|start-?up|competitors?|agency|employer|"
    r"works? (?:at|for)|working (?:at|for)|worked (?:at|for)|employed (?:at|by)|acquired(?: by)?|"
    r"(?:quot(?:e|es|ation)|invoices?|bought|ordered|hired) from|contract with|made by|supplied by) (?:called |named )?"
    rf"({RUN})"
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
#: Where somebody works, in brackets behind the name: "Priya Raman (of Martin Hale)".
_WORKED_AT: Final = re.compile(
    rf"(?P<who>{CAPITALISED} {CAPITALISED}) \((?P<of>(?:of|from|at|for|with) (?:the )?)?(?P<firm>{RUN})\)"
)
#: Their people in brackets behind an organisation: "Kestrel (Anna Weber)", "Kestrel (Mr Holm, Jo Park)".
_WITH_PEOPLE: Final = re.compile(
    rf"{APART}(?P<firm>{RUN}) \((?P<who>(?:{TITLED} )?{CAPITALISED}(?: {CAPITALISED})*)"
    r"(?:(?:,|,? and|;) [^()]{1,60})?\)"
)
#: Before what somebody is of.
_AT_FIRM: Final = re.compile(r"\b(?:at|from|of|with|by) \Z")
#: Somebody's, by the given name: "Martin's Bakery".
_SHOP: Final = re.compile(
    rf"{APART}{CAPITALISED}['’]s (?:Bakery|Caf[eé]|Restaurant|Bar|Pub|Kitchen|Shop|Store|Pizza|Coffee|Books|Garage|"
    r"Diner|Deli|Market|Farm|Brewery|Pharmacy|Hardware|Yard)\b"
)
#: A school's or a hospital's saint: "St Brendan's", "St Brendan's Community School".
_SAINTS: Final = re.compile(
    rf"{APART}(?:St\.?|Saint) [{UPPER}]\w+['’]s(?! (?:Day|Eve|Church|Cathedral|Street|Road|Square|Park|day)\b)"
    rf"(?: {CAPITALISED}){{0,3}}"
)
_EVERYDAY: Final = NOT_NAMES | COMMON_WORDS
#: Many words of things or doings: "Health & Safety".
_NO_PARTNER: Final = re.compile(r"(?:ing|ion|ment|ness|ity|ance|ence|ware|ics|ety|al|ship)s?\Z")


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

    for pattern in (_BY_BEGINNING, _AND_SONS, _SHOP, _SAINTS):
        for match in pattern.finditer(content, start, end):
            add(match.start(), match[0])
    scan_bodies(names, content, passage, add)
    for match in _BY_KIND.finditer(content, start, end):
        if name := _kind(match[0]):
            add(match.start() + match[0].find(name), name)
    for match in _WORKED_AT.finditer(content, start, end):
        if _is_worked_at(match):
            add(match.start("firm"), match["firm"])
    for match in _WITH_PEOPLE.finditer(content, start, end):
        if _has_people(match):
            add(match.start(), match["firm"])
    for match in _PARTNERS.finditer(content, start, end):
        if _are_partners(names, content, match, context, listed):
            add(match.start(), match[0])
    scan_known(content, passage, add)
    for match in _BY_CUE.finditer(content, start, end):
        words = until_everyday(match[1])
        if _overlaps(taken, *match.span(1)):
            continue
        if words and words[0].casefold() not in GIVEN_NAMES and " ".join(words).casefold() not in PLACES:
            names.thing(" ".join(words), "org")
    names.apart += taken


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
    is_given = folded[:1] != [] and folded[0] in FIRST_NAMES
    if len(folded) == 2 and is_given and folded[1] in FAMILY_WORDS:
        return None
    kinds = _WITH_TRADES if is_given else _KINDS
    ends = [
        at
        for at, word in enumerate(folded)
        if at and (word in kinds or _WORKS.fullmatch(word)) and not (word == "group" and folded[at - 1].endswith("ing"))
    ]
    told = ends and any(word not in _EVERYDAY and word[:1].isalpha() for word in folded[: ends[-1]])
    return POSSESSIVE.sub("", " ".join(words[: ends[-1] + 1])) if told else None


def _is_worked_at(match: re.Match[str]) -> bool:
    """Whether what stands in brackets behind a full name is where that one works, if only by a name like a person's."""
    words = match["firm"].casefold().split()
    if match["firm"].casefold() in PLACES or words[0] in NOT_NAMES:
        return False
    is_told = match["of"] is not None
    is_other = set(words).isdisjoint(match["who"].casefold().split()) and (
        plausible(match["firm"]) if len(words) > 1 else words[0] not in LISTED | FIRST_NAMES and len(words[0]) > 3
    )
    return (is_told or is_other) and match["who"].split()[0].casefold() in FIRST_NAMES


def _has_people(match: re.Match[str]) -> bool:
    """Whether what stands before somebody in brackets is where that one works: words that no list knows."""
    words, who = match["firm"].casefold().split(), match["who"].split()
    if match.string[max(0, match.start() - 4) : match.start()].casefold() == "the ":
        return False
    is_somebody = len(who) > 1 and (is_title(who[0]) or (who[0].casefold() in FIRST_NAMES and plausible(match["who"])))
    return is_somebody and LISTED.isdisjoint(words) and FIRST_NAMES.isdisjoint(words) and len(words[0]) > 2


def _are_partners(names: Names, content: str, match: re.Match[str], context: str, listed: Set[str]) -> bool:
    """Whether "X & Y" is the name of a firm rather than two people or two things."""
    words = [word for word in (match[1], *match[2].split(", "), match[3]) if word]
    folded = [word.casefold() for word in words]
    if any(word in _EVERYDAY or len(word) < 3 or _NO_PARTNER.search(word) or word in PLACES for word in folded):
        return False
    if any(word.isupper() for word in words) or not (names.given_present | listed).isdisjoint(folded):
        return False
    given = [word for word in folded if word in FIRST_NAMES]
    if any(key.split()[0] in folded or key.split()[-1] in folded for key in names.people):
        return False
    if len(given) < len(folded):
        is_at = _AT_FIRM.search(content, max(0, match.start() - 6), match.start()) is not None
        return folded[0] not in GIVEN_NAMES or context not in SPOKEN or is_at
    called = any(word in WOMEN for word in folded) or acts_like_person(content, match.start(), match.end())
    return not called and context not in SPOKEN
