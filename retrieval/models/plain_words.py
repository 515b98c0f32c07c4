"""Word pieces of plain text, found in NumPy: many times as fast as the tokenizer, with the same ranges.

Plain are letters, digits and signs of ASCII, blanks, and Chinese characters; a word with anything else in it is left to
the tokenizer, which knows how Unicode is normalised.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from core.knowledge.findings import Span

#: Letters and digits, in the order of the columns of `PlainWords.table`.
_WORD: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_PUNCTUATION: Final = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_CONTINUES: Final = "##"
#: Class of a character: other, blank, a token by itself, or (from here on) the column of a letter plus this.
_OTHER, _BLANK, _ALONE, _LETTER = 0, 1, 2, 3


def _kinds() -> NDArray[np.uint8]:
    kinds = np.zeros(0xA001, np.uint8)
    kinds[[ord(sign) for sign in " \t\r\n"]] = _BLANK
    kinds[[ord(sign) for sign in _PUNCTUATION]] = _ALONE
    kinds[0x3400:0x4DC0] = kinds[0x4E00:0xA000] = _ALONE
    for column, sign in enumerate(_WORD):
        kinds[[ord(sign), ord(sign.upper())]] = _LETTER + column
    return kinds


_KINDS: Final = _kinds()


@dataclass(frozen=True, slots=True)
class PlainWords:
    """The vocabulary as a tree of letters: the next node of each by column, 0 for none."""

    table: NDArray[np.uint16]
    #: Whether a node is the end of a piece.
    ends: NDArray[np.bool_]
    #: Where pieces that begin a word begin, and those that continue one.
    first: int
    further: int
    #: Longest word that is read in one; a longer one is read in parts of this length.
    longest: int

    @classmethod
    def of(cls, vocabulary: Iterable[str], longest: int) -> "PlainWords":
        """Build the tree; every letter and digit must be a piece by itself, both at the start and inside of a word."""
        columns = {sign: column for column, sign in enumerate(_WORD)}
        nodes, edges, is_end = {"": 1, _CONTINUES: 2}, [], []
        for piece in vocabulary:
            begin = piece.startswith(_CONTINUES) * len(_CONTINUES)
            if begin == len(piece) or not columns.keys() >= set(piece[begin:]):
                continue
            for size in range(begin, len(piece)):
                if (longer := piece[: size + 1]) not in nodes:
                    nodes[longer] = len(nodes) + 1
                    edges.append((nodes[piece[:size]], columns[piece[size]], nodes[longer]))
            is_end.append(nodes[piece])
        parents, letters, children = np.array(edges).T
        table, ends = np.zeros((len(nodes) + 1, len(_WORD)), np.uint16), np.zeros(len(nodes) + 1, np.bool_)
        table[parents, letters], ends[is_end] = children, True
        return cls(table, ends, nodes[""], nodes[_CONTINUES], longest)

    def bounds(self, codes: NDArray[np.uint32], cuts: NDArray[np.intp]) -> tuple[NDArray[np.int32], Sequence[Span]]:
        """Return the range of each token of the plain words, and the range of each word that is not plain.

        `codes` are the code points of the text. Ranges are rows of start and end; words end at blanks, and at `cuts`.
        """
        kinds = _KINDS[np.minimum(codes, len(_KINDS) - 1)]
        left = _words_with_others(kinds, cuts)
        for word in left:
            kinds[word.start_char : word.end_char] = _BLANK
        parts = _parts(kinds >= _LETTER, cuts, self.longest)
        lengths = self._lengths(kinds, parts)
        is_start = kinds == _ALONE
        at, ends = parts.T
        while len(at):
            is_start[at] = True
            at = at + lengths[at]
            at, ends = at[at < ends], ends[at < ends]
        starts = np.flatnonzero(is_start).astype(np.int32)
        return np.stack([starts, starts + lengths[starts]], axis=1), left

    def _lengths(self, kinds: NDArray[np.uint8], parts: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return how long a token that begins at each place would be; 1 for what is in no word."""
        starts, ends = parts.T
        lengths = np.ones(len(kinds), np.int32)
        places = np.flatnonzero(kinds >= _LETTER).astype(np.int32)
        ends = np.repeat(ends, ends - starts)
        nodes = np.full(len(places), self.further, np.uint16)
        nodes[np.searchsorted(places, starts)] = self.first
        depth = 0
        while len(places):
            nodes = self.table[nodes, kinds[places + depth] - _LETTER]
            depth += 1
            lengths[places[self.ends[nodes]]] = depth
            alive = (nodes > 0) & (places + depth < ends)
            places, nodes, ends = places[alive], nodes[alive], ends[alive]
        return lengths


def _parts(in_word: NDArray[np.bool_], cuts: NDArray[np.intp], longest: int) -> NDArray[np.int32]:
    """Return the ranges of the words, in parts of at most `longest` characters, as rows."""
    goes_on = in_word[1:] & in_word[:-1]
    goes_on[cuts - 1] = False
    begins = np.flatnonzero(in_word & np.append(True, ~goes_on))
    ends = np.flatnonzero(in_word & np.append(~goes_on, True)) + 1
    pieces = -(-(ends - begins) // longest)
    owner = np.repeat(np.arange(len(begins)), pieces)
    starts = begins[owner] + (np.arange(len(owner)) - np.repeat(np.cumsum(pieces) - pieces, pieces)) * longest
    return np.stack([starts, np.minimum(starts + longest, ends[owner])], axis=1).astype(np.int32)


def _words_with_others(kinds: NDArray[np.uint8], cuts: NDArray[np.intp]) -> list[Span]:
    """Return the ranges between blanks and cuts that hold a character that is not plain."""
    others = np.flatnonzero(kinds == _OTHER)
    if not len(others):
        return []
    blanks = np.flatnonzero(kinds == _BLANK)
    # A word begins behind a blank, and at a cut.
    begins = np.unique(np.concatenate([[0], blanks + 1, cuts]))
    ends = np.unique(np.concatenate([blanks, cuts, [len(kinds)]]))
    begins = begins[np.unique(np.searchsorted(begins, others, side="right")) - 1]
    ends = ends[np.searchsorted(ends, begins, side="right")]
    return [Span(start, end) for start, end in zip(begins.tolist(), ends.tolist(), strict=True)]
