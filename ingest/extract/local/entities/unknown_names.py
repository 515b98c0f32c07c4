"""Unknown names: capitalised words that no list holds, told from teams, products and places by what they do."""

import re
from typing import Final

from ingest.english.lexicon import (
    BRANDS,
    COMMON_FIRST,
    COMMON_WORDS,
    COMPANY_WORDS,
    FAMILY_WORDS,
    NOT_NAMES,
    OFFICES,
    PLACE_FIRST,
    PLACE_LAST,
    PLACES,
)
from ingest.english.name_patterns import ASIDE, OTHERS, PARTICLES
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
#: What is read behind a name, in characters: a few more names and a verb.
_REACH: Final = 160


def acts(content: str, start: int, end: int) -> bool:
    """Whether the words around `content[start:end]` make a plausible name a person's: it speaks, feels or decides."""
    before = content[max(0, start - 20) : start]
    if _DETERMINER.search(before):
        return False
    return _ACTS.match(content, end, end + _REACH) is not None or _SPOKEN_TO.search(before) is not None


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
    if last.strip(".") in COMPANY_WORDS or (last in OFFICES and last not in FAMILY_WORDS):
        return False
    return not (last.endswith("s") and (last[:-1] in NOT_NAMES or last[:-1] in COMMON_WORDS))
