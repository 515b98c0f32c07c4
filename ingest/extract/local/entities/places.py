"""Finding places: those that lists know, and those that their own words or the words around them tell."""

import re
from typing import Final

from core.knowledge.findings import normalise_name
from ingest.document.structure import Passage
from ingest.english.lexicon import (
    BRANDS,
    CALENDAR,
    COMMON_FIRST,
    GIVEN_NAMES,
    NOT_NAMES,
    PLACE_FIRST,
    PLACE_LAST,
    PLACES,
    STARTERS,
)
from ingest.english.name_patterns import APART, RUN
from ingest.extract.local.entities.names import Names

_RUNS: Final = re.compile(rf"{APART}{RUN}(?![\w@])")
_COMMON: Final = STARTERS | CALENDAR
#: What the other word of a place is not: a name, a product, a team or a word of every day; nor is it written so.
_EVERYDAY: Final = NOT_NAMES | GIVEN_NAMES | COMMON_FIRST | BRANDS
_ODD: Final = re.compile(r"\d|[a-z][A-Z]|\A[A-Z]{2}|['’]s\Z")
_NEAR: Final = re.compile(
    r"\b(?:at|in|into|from|near|outside|around|via|to|towards|of|for|between|and|or)(?: the)? \Z|[,:] \Z", re.I
)


def scan_places(names: Names, content: str, passage: Passage) -> None:
    """Add the places of a passage, and what may be one by the form of its name."""
    for match in _RUNS.finditer(content, passage.start, passage.end):
        if text := _place(content, match):
            if text.casefold() in PLACES:
                names.thing(text, "place")
            else:
                names.place_guesses.setdefault(normalise_name(text), text)


def _place(content: str, match: re.Match[str]) -> str | None:
    """Return the words of a capitalised run that are a place, or None."""
    words = match[0].split(" ")
    while len(words) > 1 and words[0].casefold() in _COMMON and words[0].casefold() not in PLACE_FIRST:
        words.pop(0)
    text = " ".join(words)
    start, folded = match.end() - len(text), [word.casefold() for word in words]
    if text.casefold() in PLACES:
        return text
    before = content[max(0, start - 24) : start]
    if len(words) == 2 and (folded[0] in PLACE_FIRST or folded[1] in PLACE_LAST) and _NEAR.search(before):
        own = words[folded[0] in PLACE_FIRST]
        return None if own.casefold() in _EVERYDAY or _ODD.search(own) else text
    return None
