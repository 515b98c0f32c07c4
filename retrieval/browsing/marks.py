"""Marks: where the words of a query occur in a text, in any of their forms."""

import re
from dataclasses import dataclass
from typing import Final

from graph.text.tokens import stems
from retrieval.scoring.query_analysis import analyse_query

_WORD: Final = re.compile(r"[^\W_]+")
#: Most marks of one text.
_MOST: Final = 500


@dataclass(frozen=True, slots=True)
class Mark:
    """A half-open range of characters."""

    start: int
    end: int


def find_marks(query: str | None, text: str) -> list[Mark]:
    """Return the positions of words that share a stem with the query's, in order, the first 500."""
    asked = {stem for word in analyse_query(query).words for stem in stems(word)} if query else set[str]()
    found: list[Mark] = []
    for word in _WORD.finditer(text) if asked else ():
        if not asked.isdisjoint(stems(word[0])):
            found.append(Mark(word.start(), word.end()))
            if len(found) == _MOST:
                break
    return found
