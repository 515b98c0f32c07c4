"""Signs: what a question names exactly and hardly anything holds, which outweighs any likeness of vectors."""

import re
from collections.abc import Callable, Collection, Sequence
from typing import Final

import numpy as np

from core.candidates import TermStatistics
from graph.text.term_vectors import terms
from graph.text.word_scores import Column
from retrieval.scoring.candidate_pool import Pool

#: What a sign counts, above whatever other steps come to.
SIGN: Final = 20.0
#: What more chunks than this hold is a word like others.
_MOST: Final = 64
_DIGIT: Final = re.compile(r"\d")
_NUMBER: Final = re.compile(r"\d{1,2}|(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th)", re.IGNORECASE)


def signs_of(words: Sequence[str]) -> list[frozenset[int]]:
    """Return the terms of each sign among the words of a question; the only word of a question is one, too.

    Small numbers and years are none: they date and count.
    """
    found = [word for word in words if _DIGIT.search(word) and not _NUMBER.fullmatch(word)]
    named = (frozenset(terms(word)) for word in (words if len(words) == 1 else found))
    return [sign for sign in named if sign]


def sign_scores(
    pool: Pool, signs: Sequence[frozenset[int]], statistics: Callable[[Collection[int]], TermStatistics]
) -> Column:
    """Return `SIGN` for each sign that a row holds, if few chunks of the project do."""
    scores = np.zeros(len(pool))
    num_with = statistics({term for sign in signs for term in sign}).num_with if signs else {}
    for sign in signs:
        if min(num_with.get(term, 0) for term in sign) > _MOST:
            continue
        found, _ = pool.matches(np.array(sorted(sign), dtype=np.uint32))
        scores += SIGN * (np.bincount(pool.rows[found], minlength=len(pool)) == len(sign))
    return scores
