"""Signs: what a question names exactly and hardly anything holds, which outweighs any likeness of vectors."""

import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from core.candidates import TermStatistics
from graph.text.term_vectors import Column, term, terms
from graph.text.tokens import stems, words
from retrieval.scoring.candidate_pool import Pool
from retrieval.scoring.query_analysis import Analysis

#: What a sign counts that is held whole, and one of which only the words are held: both above what other steps come to.
WHOLE, PARTS = 40.0, 20.0
#: What one counts that may have been meant.
_NEAR: Final = 10.0
#: What more chunks than this hold is a word like others; so is what may be a name, as "Node.js" or "docs-and-tools",
#: in more than the fewer: the topic of a whole folder is named in some of its texts only.
_MOST, _MOST_NAMES = 64, 4
_NAME: Final = re.compile(r"[^\W\d_]+(?:[.-][^\W\d_]+)+")
_DIGIT: Final = re.compile(r"\d")
#: Small numbers and years date and count.
_COUNTING: Final = re.compile(r"\d{1,2}|(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th)", re.IGNORECASE)


def sign_scores(pool: Pool, analysis: Analysis, statistics: TermStatistics) -> Column:
    """Return `WHOLE` for each sign and quoted phrase that a row holds, `PARTS` for each that it only has the words of.

    The only word of a question is a sign, too. A sign counts only if few chunks of the project hold it.
    """
    scores = np.zeros(len(pool))
    for sign, (worth, most) in dict(_signs(analysis)).items():
        if min(statistics.num_with.get(one, 0) for one in sign) <= most:
            scores += worth * _holds(pool, sign)
    for word in analysis.near:
        if len(analysis.words) == 1 or not word.isalpha():
            scores += _NEAR * _holds(pool, frozenset([term(word)]))
    for phrase in analysis.phrases:
        scores += _phrase_scores(pool, phrase)
    return scores


def _signs(analysis: Analysis) -> Iterator[tuple[frozenset[int], tuple[float, int]]]:
    """Yield the terms of each sign, all of which a row must have, what that counts, and in how many chunks at most."""
    is_bare = len(analysis.words) == 1
    if is_bare:
        only = analysis.words[0]
        yield frozenset(terms(only)) or frozenset([term(only.casefold())]), (WHOLE, _MOST)
    for word in analysis.words:
        if _DIGIT.search(word) and not _COUNTING.fullmatch(word) and len(found := terms(word)) == 1:
            yield frozenset(found), (PARTS, _MOST)
    for sign in analysis.signs:
        number, most = term(sign), _MOST if is_bare or not _NAME.fullmatch(sign) else _MOST_NAMES
        yield frozenset([number]), (WHOLE, most)
        if own := frozenset(terms(sign)) - {number}:
            yield own, (PARTS, most)


def _holds(pool: Pool, sign: frozenset[int]) -> Column:
    found, _ = pool.matches(np.array(sorted(sign), dtype=np.uint32))
    return np.asarray(np.bincount(pool.rows[found], minlength=len(pool)) == len(sign), dtype=np.float64)


def _phrase_scores(pool: Pool, phrase: str) -> Column:
    own, scores = frozenset(terms(phrase)), np.zeros(len(pool))
    exact, stemmed = _spaced(words(phrase)), _spaced(stems(phrase))
    for row in np.flatnonzero(_holds(pool, own)).tolist() if own else range(len(pool)):
        text = pool.candidates[row].text
        if exact in _spaced(words(text)):
            scores[row] = WHOLE
        elif stemmed in _spaced(stems(text)):
            scores[row] = PARTS
    return scores


def _spaced(parts: list[str]) -> str:
    return f" {' '.join(parts)} "
