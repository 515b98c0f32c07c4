"""Unknown names: capitalised words that no list holds, told from teams, products and places by what they do."""

import re
from typing import Final

from ingest.english.lexicon import (
    BRANDS,
    COMMON_FIRST,
    COMMON_WORDS,
    COMPANY_WORDS,
    NOT_NAMES,
    PLACE_FIRST,
    PLACE_LAST,
    PLACES,
)
from ingest.english.name_patterns import ASIDE, OTHERS, PARTICLES, UPPER
from ingest.english.verbs import DEED, SPEECH

_ACTS: Final = re.compile(rf"{OTHERS}{ASIDE}(?:\s+(?:{SPEECH}|{DEED})|['’]ll\s+[a-z])")
_SPOKEN_TO: Final = re.compile(
    r"\b(?:(?:dear|hi|hello|hey|thanks|ask|asks|asked|told|tells?|reports? to|reported to),?|"
    r"(?:approved|decided|reviewed|written|prepared|suggested|"
    r"proposed|signed|requested|led|owned|said|chaired|hosted|minuted|presented|raised|seconded|drafted|authored|"
    r"represented|headed|succeeded|replaced|managed|handled|run|covered) by|interviewee:?|author:?|contact:?|"
    r"(?:escalated|assigned|reassigned|delegated|handed over|introduced|thanks) to|"
    r"(?:objections?|apologies|questions?|comments?) from|on behalf of|(?:standing in|covering|deputi[sz]ing) for|"
    r"owner:|attn[.:]?) \Z",
    re.I,
)
#: Before a name only if it is a thing's.
_DETERMINER: Final = re.compile(
    r"\b(?:the|an?|our|their|his|her|its|my|your|this|that|these|each|every|any|some|no|project|called|named) \Z", re.I
)
#: Before hardly anything but a person.
_TO_PERSON: Final = re.compile(
    r"(?:\b(?:dear|hi|hello|hey|me and|(?:recorded|minuted|noted|chaired|proposed|seconded|moderated) by|"
    r"(?:man|woman|guy|bloke|chap|lad|lady|girl|boy|fellow|student|colleague|someone|somebody|one|person|farmer|nurse|"
    r"doctor|driver|cousin) (?:is )?(?:called|named)),?|, one) \Z",
    re.I,
)
#: Between it and "she": no end of a sentence and no other name.
_INNER: Final = rf"(?:(?![.!?\n]| [{UPPER}][a-z]).)"
#: Behind one: what only people think and have, where one works, or whom "she" means.
_OF_PERSON: Final = re.compile(
    r" (?:reckons|remembers|laughed|smiled|wonders|joked|apologi[sz]ed|nodded|shrugged|"
    r"(?:is|was) (?:asleep|ill|sick|away|off|back|on (?:leave|holiday|vacation|call)))\b| and I\b|"
    r"['’]s (?:mum|mother|father|dad|wife|husband|son|daughter|sister|brother|birthday|desk|laptop|handover|leave)\b|"
    r" (?:from|in) (?:the )?[a-z][\w ]{1,20} (?:team|department|office|group|shift|desk)\b|"
    rf"{_INNER}{{0,80}}[ (](?:he|she|him|her|his|hers|himself|herself)\b|{_INNER}{{0,100}}[.!?] (?:He|She)\b"
)
#: Behind a word that begins a sentence and may be anything with a capital there.
_BEGUN: Final = re.compile(
    r"['’]s | (?:is|was|has|had|will|would|can|could|did|does|and I|from|reckons|remembers|wonders|\w+ed)\b"
)
_AT_WORK: Final = re.compile(rf" at (?:the )?[{UPPER}]")
_ASKED: Final = re.compile(r"\b(?:does|did|has|is|can|could|would|will|should) \Z", re.I)
_KNOWS: Final = re.compile(r" (?:know|think|remember|mind|feel|already know)\b")
#: Ends of family names that hardly any other capitalised word has.
_FAMILY_END: Final = re.compile(
    r"[^\W\d_]{2}(?:ss?on|ssen|sen|sk[iy]|ska|cki|cka|ovi[cć]h?|evi[cć]h?|ova|eva|enko|chuk|escu|eanu|poulos|[aá]kis|"
    r"idis|o[gğ]lu|[vn]yan|shvili|dze|d[oó]ttir|mann?s?|berg|stein|feld|baum|bauer|meier|meyer|quist|qvist|str[oö]m|"
    r"lund|gren|nen|[dgnrt]ez|zadeh|ullah|uddin|wal(?:la|a)|murthy|swamy|lingam)\Z"
)
#: What is read behind a name, in characters: a few more names and a verb.
_REACH: Final = 160


def acts(content: str, start: int, end: int) -> bool:
    """Whether the words around `content[start:end]` make a plausible name a person's: it speaks, feels or decides."""
    before = content[max(0, start - 20) : start]
    if _DETERMINER.search(before):
        return False
    return _ACTS.match(content, end, end + _REACH) is not None or _SPOKEN_TO.search(before) is not None


def ends_as_family(content: str, start: int, end: int) -> bool:
    """Whether a plausible name ends as family names of many languages do, and stands as a person's: Ines Halvorsen."""
    before = content[max(0, start - 16) : start]
    return _FAMILY_END.search(content, start, end) is not None and not _DETERMINER.search(before)


def is_person(content: str, start: int, end: int, *, begins: bool) -> bool:
    """Whether the words around `content[start:end]` make a word that no list knows a person's, not a firm's."""
    before = content[max(0, start - 32) : start]
    if _TO_PERSON.search(before):
        return content[end : end + 2] not in ("'s", "’s")
    if _DETERMINER.search(before):
        return False
    if (not begins and _AT_WORK.match(content, end)) or (_ASKED.search(before) and _KNOWS.match(content, end)):
        return True
    if begins and not _BEGUN.match(content, end):
        return False
    return _OF_PERSON.match(content, end, end + _REACH) is not None


def plausible(text: str) -> bool:
    """Whether two to four capitalised words, particles apart, may be a person's name for all that lists know."""
    words = [word for word in text.split() if word not in PARTICLES]
    folded = [word.casefold() for word in words]
    if not 1 < len(words) < 5 or any(len(word) < 2 or word.isupper() for word in words):
        return False
    if any(word in NOT_NAMES or word in PLACES or word in COMMON_WORDS for word in folded):
        return False
    first, last = folded[0], folded[-1]
    if (
        first in BRANDS
        or first in COMMON_FIRST
        or first in PLACE_FIRST
        or last in PLACE_LAST
        or text.casefold() in PLACES
    ):
        return False
    if last.strip(".") in COMPANY_WORDS:
        return False
    return not (last.endswith("s") and (last[:-1] in NOT_NAMES or last[:-1] in COMMON_WORDS))
