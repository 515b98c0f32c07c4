"""Spelling: which known words an unknown one may be, but for one letter wrong, more, less, or two swapped.

Each word is kept under numbers of itself and of what is left without each of its letters, so that an unknown one is
looked up under a few numbers, whatever others there are.
"""

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from itertools import pairwise
from typing import Final

#: Shortest word of letters alone, and other word, that is taken for a typing error or what was meant; and the longest.
_SHORTEST, _SHORTEST_SIGN, _LONGEST = 5, 4, 64
#: What more chunks have is no rare word.
MOST_CHUNKS: Final = 64
#: Most words that one unknown word is taken for.
MOST_WORDS: Final = 3


def is_spelt(word: str) -> bool:
    """Whether a word is long enough to tell a typing error from another word, and short enough to be typed."""
    return (_SHORTEST if word.isalpha() else _SHORTEST_SIGN) <= len(word) <= _LONGEST


def variants(word: str) -> list[int]:
    """Return the numbers, 64 bits with a sign, under which a known word is kept; none if it is not spelt."""
    if not is_spelt(word):
        return []
    return [_number(word), *(_number(short, place) for place, short in _shortened(word))]


def query_ngrams(word: str) -> list[frozenset[int]]:
    """Return the numbers under which an unknown word is looked up: a word is near that has all of one set."""
    if not is_spelt(word):
        return []
    shortened = list(_shortened(word))
    wrong = [{_number(short, place)} for place, short in shortened]
    more = [{_number(short)} for _, short in shortened]
    less = [{_number(word, place)} for place in range(len(word) + 1)]
    swapped = [{_number(one, place + 1), _number(other, place)} for (place, one), (_, other) in pairwise(shortened)]
    return [*map(frozenset, (*wrong, *more, *less, *swapped))]


def choose_variants(unknown: str, found: Mapping[str, int]) -> list[str]:
    """Return the words to take an unknown one for, given in how many chunks each is: rare ones, the commonest first."""
    rare = [one for one, number in found.items() if number <= MOST_CHUNKS and is_spelt(one) and one != unknown]
    return sorted(rare, key=lambda word: (-found[word], word))[:MOST_WORDS]


def _shortened(word: str) -> Iterator[tuple[int, str]]:
    return ((place, word[:place] + word[place + 1 :]) for place in range(len(word)))


def _number(text: str, place: int | None = None) -> int:
    digest = blake2b(f"{'' if place is None else place} {text}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
