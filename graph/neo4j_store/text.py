"""How text is prepared for the full-text index, the same when written and when asked for.

The index splits at blanks and does nothing else. What a word is, and its stem, is decided here: none is too common
to be found, and all are those of the embedded engine: letters and digits, case and accents folded, stems by Porter.
"""

import re
import threading
import unicodedata
from functools import lru_cache
from typing import Final

import snowballstemmer

from graph.unspaced import separated

_WORD: Final = re.compile(r"[^\W_]+")
_STEMMER: Final = snowballstemmer.stemmer("porter")
_STEMMING: Final = threading.Lock()


def words(text: str) -> list[str]:
    """Return the stems of the words of `text`, in order."""
    folded = text.casefold()
    if not folded.isascii():
        decomposed = unicodedata.normalize("NFD", folded)
        folded = unicodedata.normalize("NFC", "".join(s for s in decomposed if not unicodedata.combining(s)))
        folded = separated(folded)
    return [_stem(word) for word in _WORD.findall(folded)]


def phrase(term: str) -> str | None:
    """Return `term` as a phrase of Lucene's query language; None if it has no word to look for."""
    stems = words(term)
    return f'"{" ".join(stems)}"' if stems else None


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    if not (word.isascii() and word.isalpha()):
        return word
    with _STEMMING:  # it keeps its state in itself
        return str(_STEMMER.stemWord(word))
