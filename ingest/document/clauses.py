"""Clauses of a sentence that are judged apart from each other."""

import re
from collections.abc import Iterator
from typing import Final

from core.knowledge.findings import Span
from core.regex import regex

#: What stands before a clause that says by itself who will do something, or what was decided.
_OWN_CLAUSE: Final = regex(
    r"(?:;|,(?=\s+(?:and|but)\b))\s+(?:(?:and|but)\s+)?(?=(?:(?:[A-Z][\w.'’-]{1,30}\s+){1,3}|(?:I|[Ww]e)\s+)"
    r"(?:will|shall)\b|(?:I|[Ww]e)['’]ll\b|[Ww]e\s+(?:have\s+)?(?:decided|agreed)\b)"
)
#: What makes all of a sentence depend on something.
_CONDITION: Final = regex(
    r"\W*(?:if|when|whenever|unless|once|should|until|in case|assuming|provided|as soon as)\b", re.I
)


def own_clauses(content: str, sentence: Span) -> Iterator[Span]:
    """Yield a sentence of a text in parts, one for each clause in which somebody else goes on; most have one part."""
    start, end = sentence.start_char, sentence.end_char
    if not _CONDITION.match(content, start, end):
        for clause in _OWN_CLAUSE.finditer(content, start, end):
            if before := content[start : clause.start()].rstrip():
                yield Span(start, start + len(before))
            start = clause.end()
    yield Span(start, end)
