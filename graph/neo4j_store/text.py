"""How text is prepared for the full-text index, the same when written and when asked for.

The index splits at blanks and does nothing else: what a word is, and its stem, is decided by `graph.stems`, so that
none is too common to be found.
"""

from graph.stems import stems


def phrase(term: str) -> str | None:
    """Return `term` as a phrase of Lucene's query language; None if it has no word to look for."""
    found = stems(term)
    return f'"{" ".join(found)}"' if found else None
