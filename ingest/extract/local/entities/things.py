"""Finding projects, places and, in sentences that matter, named things."""

import re
from typing import Final

from core.knowledge.findings import normalise_name
from core.regex import regex
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
    PLAIN_ACRONYMS,
    STARTERS,
)
from ingest.english.name_patterns import APART, CAPITALISED, RUN, until_everyday
from ingest.extract.local.entities.names import Names
from ingest.extract.local.entities.people import sequences

_RUNS: Final = regex(rf"{APART}{RUN}(?![\w@])")
_COMMON: Final = STARTERS | CALENDAR
#: What the other word of a place is not: a name, a product, a team or a word of every day; nor is it written so.
_EVERYDAY: Final = NOT_NAMES | GIVEN_NAMES | COMMON_FIRST | BRANDS
_ODD: Final = regex(r"\d|[a-z][A-Z]|\A[A-Z]{2}|['’]s\Z")
_NEAR: Final = regex(
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


_PROJECT_BEFORE: Final = regex(
    rf"\b(?:[Pp]roject|[Pp]rogramme?|[Ii]nitiative|code-?named?|codename) [\"“']?({CAPITALISED}(?: {CAPITALISED})?)"
)
#: Behind these a word has a capital anyway.
_BEGINS: Final = frozenset(".!?:-")


def scan_things(names: Names, content: str, passage: Passage, *, telling: bool) -> None:
    """Add the projects and places of a passage; `telling` adds other named things too."""
    if passage.kind in ("label", "header"):
        return
    start, end = passage.start, passage.end
    for match in _PROJECT_BEFORE.finditer(content, start, end):
        words = until_everyday(match[1])
        if words:
            project = names.thing(" ".join(words), "project")
            project.forms.add(f"Project {project.name}")
    scan_places(names, content, passage)
    if telling and passage.kind != "heading":
        _objects(names, content, passage)


def _objects(names: Names, content: str, passage: Passage) -> None:
    """Add capitalised names that stand inside the sentence, and words written LikeThis wherever they stand."""
    for start, words in sequences(names, content, passage):
        text = " ".join(words)
        folded = [word.casefold() for word in words]
        begins = content[start - 2 : start].strip(" \"'“(*[")[-1:] in _BEGINS
        odd = len(words) == 1 and re.search(r"[a-z][A-Z]|[A-Za-z]\d", text) is not None
        if (
            (not odd and (begins or start == passage.start))
            or folded[0] in GIVEN_NAMES
            or folded[-1] in CALENDAR
            or text in PLAIN_ACRONYMS
        ):
            continue
        if (
            folded[0] == "project"
            or any(len(word.strip(".")) == 1 for word in words)
            or all(word in NOT_NAMES for word in folded)
            or len(text) < 3
            or text.casefold() in PLACES
        ):
            continue
        if normalise_name(text) not in names.people and normalise_name(text) not in names.single_word_names:
            names.thing(text, "object")
