"""Rolls: the parts of a text that list who was there or what follows, and say nothing of it.

They have the names and topics of a whole document, so that they match questions which other passages answer.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from core.knowledge.findings import Span
from graph.text.term_vectors import terms

_ROLL: Final = (
    r"(?:meeting |core |voting |also |other )?(?:attendees?|attendance|attending|in attendance|participants?|present"
    r"|participating|(?:members|people) (?:present|in attendance|attending)|absent|absentees?|apologies|regrets"
    r"|roll[ -]?call|invitees?|invited(?: guests)?|guests|observers|teilnehmer(?:innen)?|anwesend|asistentes"
    r"|participantes|présents?|(?:table of )?contents|toc|on this page|inhalt(?:sverzeichnis)?)"
    r"(?: (?:of attendees|list|present|and (?:regrets|apologies|guests|observers)))?"
)
#: A heading of a roll, in any markup, and a line that is one: "Present: Ana, Ben".
_HEAD: Final = re.compile(rf"[#*_\s>-]*(?:\d+[.)]\s*)?{_ROLL}\s*(?:\(\d+\))?\s*[*_]*\s*:?\s*[*_]*$", re.IGNORECASE)
_LINE: Final = re.compile(rf"[*_\s>-]*{_ROLL}\s*[*_]*:[*_]*\s+\S", re.IGNORECASE)
#: Any other heading ends a roll, and so does a line of prose, which is longer than a name with a role and a company.
_OTHER_HEAD: Final = re.compile(r"\s*(?:#{1,6}\s|(?:\*\*|__)[^*_\n]{1,80}(?:\*\*|__):?\s*$|[^\n.:]{1,60}:\s*$)")
_NAME_LENGTH: Final = 110
#: What a question has that asks for a roll itself.
_ASKED: Final = frozenset(
    terms(
        "attend attended attending attendees attendance present participants participated absent apologies regrets "
        "invited guests quorum roll contents chapters sections"
    )
)


def asks_for_roll(worth: Mapping[int, float]) -> bool:
    """Whether a question with these terms may be answered by a roll."""
    return not _ASKED.isdisjoint(worth)


def find_rolls(text: str, start: int = 0, end: int | None = None) -> Iterator[Span]:
    """Yield the lines of `text[start:end]` that belong to a roll, its heading included."""
    at, end, inside = start, len(text) if end is None else end, False
    while at < end:
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop
        line = text[at : min(stop, at + 2 * _NAME_LENGTH)]
        if _HEAD.match(line):
            inside = True
        elif _OTHER_HEAD.match(line) or len(line.strip()) > _NAME_LENGTH:
            inside = False
        if line.strip() and (inside or _LINE.match(line)):
            yield Span(at, stop)
        at = stop + 1


#: The part of a passage from which it says little else.
MOSTLY: Final = 0.4


def roll_share(text: str) -> float:
    """Return what part of a text is rolls."""
    return sum(span.end_char - span.start_char for span in find_rolls(text)) / (len(text) or 1)
