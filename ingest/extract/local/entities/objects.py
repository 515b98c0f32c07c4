"""Finding projects, places and, in sentences that matter, named things."""

import re
from typing import Final

from core.knowledge.findings import normalise_name
from ingest.document.structure import Passage
from ingest.english.lexicon import CALENDAR, GIVEN_NAMES, NOT_NAMES, PLACES, PLAIN_ACRONYMS
from ingest.english.name_patterns import CAPITALISED, until_everyday
from ingest.extract.local.entities.names import Names
from ingest.extract.local.entities.people import sequences
from ingest.extract.local.entities.places import scan_places

_PROJECT_BEFORE: Final = re.compile(
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
