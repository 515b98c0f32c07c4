"""Finding places: those that lists know, and those that their own words or the words around them tell."""

import re
from typing import Final

from core.knowledge.findings import normalised
from ingest.document.structure import Passage
from ingest.english.lexicon import (
    BRANDS,
    CALENDAR,
    COMMON_FIRST,
    COMMON_WORDS,
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
_LIST: Final = re.compile(rf"{APART}{RUN}(?:, {RUN}){{0,12}},? (?:and|or) {RUN}(?![\w@])")
_SITE: Final = re.compile(
    r" (?:depots?|warehouses?|plants?|airport|harbou?r|shipyard|quarry|farm|mill|port|(?:railway |train )station)\b"
)
_NEAR: Final = re.compile(
    r"\b(?:at|in|into|from|near|outside|around|via|to|towards|of|for|between|and|or)(?: the)? \Z|[,:] \Z", re.I
)
_AT: Final = re.compile(r"\bat \Z")
#: Who is "at" something works there.
_EMPLOYED: Final = re.compile(
    r"\b(?:works?|working|worked|employed|jobs?|roles?|positions?|leads?|managers?|engineers?|directors?|head|"
    r"analysts?|"
    r"colleagues?|teams?|people|folks|staff|contacts?|friends?|partners?|one|somebody|anybody|everybody|who|designers?|"
    r"developers?|officers?|interns?|founders?|customers?|offers?|accounts?|[A-Z]\w+) at \Z"
)


def scan_places(names: Names, content: str, passage: Passage, *, telling: bool) -> None:
    """Add the places of a passage; `telling` counts "at X" too, where X is nothing else."""
    found = set()
    for match in _RUNS.finditer(content, passage.start, passage.end):
        if text := _place(content, match, telling=telling and passage.kind != "heading"):
            found.add(text)
            if text.casefold() in PLACES:
                names.thing(text, "place")
            else:
                names.place_guesses.setdefault(normalised(text), text)
    if found:
        _companions(names, content, passage, found)


def _place(content: str, match: re.Match[str], *, telling: bool) -> str | None:
    """Return the words of a capitalised run that are a place, None if it is none."""
    words = match[0].split(" ")
    while len(words) > 1 and words[0].casefold() in STARTERS | CALENDAR and words[0].casefold() not in PLACE_FIRST:
        words.pop(0)
    text = " ".join(words)
    start, folded = match.end() - len(text), [word.casefold() for word in words]
    if text.casefold() in PLACES:
        return text
    before = content[max(0, start - 24) : start]
    if _SITE.match(content, match.end()) and _unknown(words):
        return text
    if len(words) == 2 and (folded[0] in PLACE_FIRST or folded[1] in PLACE_LAST) and _NEAR.search(before):
        return text if _unknown([words[1] if folded[0] in PLACE_FIRST else words[0]]) else None
    if telling and _AT.search(before) and not _EMPLOYED.search(before) and len(words) < 3 and _unknown(words):
        return text
    return None


def _companions(names: Names, content: str, passage: Passage, found: set[str]) -> None:
    """Add what is listed beside a place: "Hollin Cross, Stavely and Upper Denby"."""
    for match in _LIST.finditer(content, passage.start, passage.end):
        members = [member for member in re.split(r",? (?:and|or) |, ", match[0]) if member]
        if found.isdisjoint(members):
            continue
        for member in members:
            words = member.split(" ")
            shaped = len(words) == 2 and words[1].casefold() in PLACE_LAST
            if _unknown(words[:1] if shaped else words):
                names.place_guesses.setdefault(normalised(member), member)


def _unknown(words: list[str]) -> bool:
    """Whether no list knows any of the words as a name, a product, a team or an everyday word."""
    folded = [word.casefold() for word in words]
    if folded[0] in PLACE_FIRST and len(folded) > 1:
        folded = folded[1:]
    return not any(
        word in NOT_NAMES
        or word in GIVEN_NAMES
        or word in COMMON_WORDS
        or word in COMMON_FIRST
        or word in BRANDS
        or word in CALENDAR
        for word in folded
    ) and not any(re.search(r"\d|[a-z][A-Z]|\A[A-Z]{2}|['’]s\Z", word) for word in words)
