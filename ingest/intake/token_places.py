"""Where the tokens of a content begin, and at which of them it may be cut."""

from functools import cached_property, lru_cache
from typing import Final
from unicodedata import category

import numpy as np
from numpy.typing import NDArray

from core.embedding import TokenBounds

#: White space longer than this counts as tokens of this many characters, so that no chunk grows without bound.
_MAX_GAP: Final = 100
#: First and last letters of scripts that put no blanks between words: each may begin a chunk.
_UNSPACED: Final = (("\u3040", "\u30ff"), ("\u3400", "\u9fff"), ("\uf900", "\ufaff"), ("\U00020000", "\U0003ffff"))
_JOINER: Final = "\u200d"
#: What a character is, as bits: part of a word, a mark on the one before, tied to both of its neighbours.
_IN_WORD, _IS_MARK, _JOINS = 1, 2, 4


class TokenPlaces:
    """The tokens of a content, and pieces of each stretch of white space that is too long to come along free."""

    def __init__(self, content: str, bounds: TokenBounds) -> None:
        self._content = content
        self._bounds = _with_gaps(bounds, len(content))

    def __len__(self) -> int:
        return len(self._bounds)

    @property
    def starts(self) -> NDArray[np.int32]:
        """Where each begins, in order."""
        return self._bounds[:, 0]

    def is_between_words(self, index: int) -> bool:
        """Whether no word runs over the beginning of this token, which is not the first."""
        return self._between[index] == 1

    def first_between_words(self, begin: int, stop: int) -> int | None:
        """Return the first such token from `begin` on and before `stop`, if there is one."""
        return _found(self._between.find(1, begin, stop))

    def last_between_words(self, begin: int, stop: int) -> int | None:
        """Return the last one."""
        return _found(self._between.rfind(1, begin, stop))

    def first_apart(self, begin: int, stop: int) -> int | None:
        """Return the first token of the range that shares no character with the one before, if there is one."""
        return _found(self._apart.find(1, begin, stop))

    def last_apart(self, begin: int, stop: int) -> int | None:
        """Return the last one."""
        return _found(self._apart.rfind(1, begin, stop))

    @cached_property
    def _apart(self) -> bytes:
        """Of each token 1 if it shares no character with the one before, else 0."""
        return (self._bounds[:, 0] < self._bounds[:, 1]).tobytes()

    @cached_property
    def _between(self) -> bytes:
        """Of each token 1 if no word runs over its beginning, else 0."""
        starts, ends = self._bounds.T
        between = np.append(True, ends[:-1] < starts[1:])
        touching = np.flatnonzero(~between & (starts < ends))
        codes = np.frombuffer(self._content.encode("utf-32-le"), np.uint32)
        kinds = _kinds(self._content)
        left, right = kinds[codes[ends[touching - 1] - 1]], kinds[codes[starts[touching]]]
        between[touching] = (right & (_IS_MARK | _JOINS) | left & (right & _IN_WORD | _JOINS)) == 0
        return between.tobytes()


def _with_gaps(bounds: TokenBounds, length: int) -> TokenBounds:
    before, after = np.append(0, bounds[:, 1]), np.append(bounds[:, 0], length)
    pieces = np.maximum(after - before - 1, 0) // _MAX_GAP
    if not pieces.any():
        return bounds
    at = np.repeat(np.arange(len(pieces)), pieces)
    begins = before[at] + (np.arange(len(at)) - np.repeat(np.cumsum(pieces) - pieces, pieces)) * _MAX_GAP
    return np.insert(bounds, at, np.stack([begins, begins + _MAX_GAP], axis=1), axis=0)


def _found(index: int) -> int | None:
    return None if index < 0 else index


def _kinds(content: str) -> NDArray[np.uint8]:
    """Return what each character of a content is, by its code point."""
    signs = set(content)
    kinds = np.zeros(ord(max(signs)) + 1, np.uint8)
    for sign in signs:
        kinds[ord(sign)] = _kind(sign)
    return kinds


@lru_cache(1 << 12)
def _kind(sign: str) -> int:
    general = category(sign)[0]
    is_unspaced = any(first <= sign <= last for first, last in _UNSPACED)
    in_word = _IN_WORD if general in "LMN" and not is_unspaced else 0
    return in_word | (_IS_MARK if general == "M" else 0) | (_JOINS if sign == _JOINER else 0)
