"""Stems: what a word is and its stem, for every engine: letters and digits, case and accents folded, by Porter."""

import re
import threading
import unicodedata
from collections import Counter
from functools import lru_cache
from typing import Final

import snowballstemmer

from graph.text.unspaced import separate_unspaced

_WORD: Final = re.compile(r"[^\W_]+")
#: Signs among which are all marks: none comes before them in Unicode.
_MAY_BE_MARKS: Final = re.compile("[\u0300-\U0010ffff]+")
_STEMMER: Final = snowballstemmer.stemmer("porter")
_STEMMING: Final = threading.Lock()

#: Words that any text holds, and the words questions are put with: dropping them lifted recall@10 by 6 points on
#: conversations (docs/decisions/ranking.md).
STOP_WORDS: Final = frozenset(
    """
    a about above after again against all am an and any are aren't as at be because been before being below between
    both but by can can't could couldn't did didn't do does doesn't doing don't down during each few for from
    further had hadn't has hasn't have haven't having he her here hers herself him himself his how i if in into is
    isn't it its itself just let's me more most my myself no nor not now of off on once only or other our ours
    ourselves out over own same she should shouldn't so some such than that the their theirs them themselves then
    there these they this those through to too under until up very was wasn't we were weren't what what's when where
    which while who whom whose why will with won't would wouldn't you your yours yourself yourselves tell know done
    many much um uh uhm umm hmm mhm
    """.split()
)
#: What is left of stop words where a word ends at an apostrophe, and is no word of its own.
_STOPPED: Final = STOP_WORDS | frozenset("s t d m ll re ve".split())


def words(text: str) -> list[str]:
    """Return the words of `text` in order, case and accents folded; an apostrophe or a hyphen ends a word."""
    return _WORD.findall(separate_unspaced(strip_accents(text.casefold())))


def strip_accents(text: str) -> str:
    """Return `text` without the marks on its letters."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _MAY_BE_MARKS.sub(_unmarked, unicodedata.normalize("NFD", text)))


def _unmarked(signs: re.Match[str]) -> str:
    return "".join(sign for sign in signs[0] if not unicodedata.combining(sign))


def stems(text: str) -> list[str]:
    """Return the stems of the words of `text`, in order."""
    return [_stem(word) for word in words(text)]


def distinctive_stems(text: str) -> list[str]:
    """Return the stems of the words of `text` that are no stop words, in order."""
    return [_stem(word) for word in words(text) if word not in _STOPPED]


def count_stems(text: str) -> Counter[str]:
    """Return how often `text` has each of its telling stems."""
    counts = Counter[str]()
    for word, number in Counter(words(text)).items():
        if word not in _STOPPED:
            counts[_stem(word)] += number
    return counts


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    if not (word.isascii() and word.isalpha()):
        return word
    with _STEMMING:  # it keeps its state in itself
        return str(_STEMMER.stemWord(word))
