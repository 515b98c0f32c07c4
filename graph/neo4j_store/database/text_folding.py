"""How text is prepared for the indexes, the same when written and when asked for.

The full-text index splits at blanks and does nothing else: what a word is, and its stem, is decided by
`graph.text.stems`, so that none is too common to be found.
"""

from string import ascii_lowercase, ascii_uppercase
from typing import Final

from graph.text.stems import stems

_SMALL: Final = str.maketrans(ascii_uppercase, ascii_lowercase)


def phrase(term: str) -> str | None:
    """Return `term` as a phrase of Lucene's query language; None if it has no word to look for."""
    found = stems(term)
    return f'"{" ".join(found)}"' if found else None


def fuzzy(project_id: str, word: str) -> str:
    """Return a query of Lucene's for the words of a project that `word`, without blanks, is one typing error from."""
    escaped = "".join(sign if sign.isalnum() else "\\" + sign for sign in word)
    return f'+project_id:"{project_id}" +word:{escaped}~1'


def speaker(author: str) -> str:
    """Return an author as the index of speakers has it: capital letters of the Latin alphabet made small."""
    return author.translate(_SMALL)
