"""How text is prepared for the indexes, the same when written and when asked for.

The full-text index splits at blanks and does nothing else: what a word is, and its stem, is decided by
`graph.text.tokens`, so that none is too common to be found.
"""

from string import ascii_lowercase, ascii_uppercase
from typing import Final

from graph.text.tokens import stems

#: Longest word that is asked for whole, in characters: Lucene cuts longer ones at 255.
_CUT: Final = 200
_SMALL: Final = str.maketrans(ascii_uppercase, ascii_lowercase)


def phrase(term: str) -> str | None:
    """Return `term` as a phrase of Lucene's query language; None if it has no word to look for."""
    found = stems(term)
    return f'"{" ".join(found)}"' if found else None


def fuzzy(project_id: str, word: str) -> str:
    """Return a query of Lucene's for the words of a project that `word`, without blanks, is one typing error from."""
    return f'+project_id:"{project_id}" +word:{_escaped(word)}~1'


def completed(project_id: str, name: str) -> str:
    """Return a query of Lucene's for the names of a project with the words of a normalised `name`, the last begun."""
    *whole, last = name.split(" ")
    words = [
        *(_escaped(word) if len(word) <= _CUT else f"{_escaped(word[:_CUT])}*" for word in whole),
        _escaped(last[:_CUT]) + "*",
    ]
    return " ".join([f'+project_id:"{project_id}"', *(f"+name:{word}" for word in words)])


def _escaped(word: str) -> str:
    return "".join(sign if sign.isalnum() else "\\" + sign for sign in word)


def speaker(author: str) -> str:
    """Return an author as the index of speakers has it: capital letters of the Latin alphabet made small."""
    return author.translate(_SMALL)
