"""Term vectors: which words and signs a chunk has and how often, packed, to rank without reading the text again.

A term is the CRC-32 of a stem or sign: of 100,000 different ones about one pair shares a number, and counts as one.
"""

import re
from collections import Counter
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from typing import Any, Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from graph.text.signs import sign_parts, signs
from graph.text.stems import count_stems, distinctive_stems, strip_accents

#: One entry a distinct term; low byte first, as it is stored.
ENTRY: Final = np.dtype([("term", "<u4"), ("count", "<u2")])
_MOST: Final = np.iinfo(np.uint16).max
#: Who speaks, and when, in front of what is said: "Ana: ", "[09:02] Ana Silva: ", "**Ana** (09:02): ".
LABEL: Final = re.compile(r"^((?:[^\n:]|(?<=\d):(?=\d)){1,80}):(?:[ \t]|$)", re.MULTILINE)


def term(stem: str) -> int:
    """Return the number of a stem."""
    return crc32(stem.encode())


def terms(text: str) -> list[int]:
    """Return the terms of `text`: of its words in order, without stop words, then of its signs."""
    return [term(word) for word in index_terms(text)]


def index_terms(text: str) -> list[str]:
    """Return the texts behind the terms of `text`: stems, signs as they are written, stems of the parts of names."""
    return [*distinctive_stems(text), *exact_tokens(text), *distinctive_stems(sign_parts(text))]


def words_of(terms: Container[int], counts: Iterable[Iterable[str]]) -> dict[int, str]:
    """Return the words and signs of some of the terms of texts, out of what `word_counts` returned for the texts."""
    return {number: word for words in counts for word in words if (number := term(word)) in terms}


def lost_words(kept: Mapping[int, str | None], known: Collection[int]) -> set[int]:
    """Return the terms that are kept without their word, though it is `known`, or with another's."""
    return {number for number, word in kept.items() if (number in known if word is None else term(word) != number)}


def exact_tokens(text: str) -> list[str]:
    """Return the signs of `text`, case and accents folded, each as often as it is there."""
    return signs(strip_accents(text))


def sign_words(text: str) -> str:
    """Return the words by which the full-text index of every engine finds the signs of `text`, and parts of names."""
    return " ".join((*map(sign_word, exact_tokens(text)), *distinctive_stems(sign_parts(text))))


def sign_word(sign: str) -> str:
    """Return the single word by which a full-text index knows a sign, case and accents folded."""
    return f"zq{term(strip_accents(sign.casefold()))}"


def forms(words: str, phrase: str, num_with: Mapping[int, int]) -> list[str]:
    """Return what a full-text index is asked for: the phrase, or the word of a sign."""
    sign = strip_accents(words.casefold())
    if sign.isalpha() or term(sign) not in num_with:
        return [phrase]
    return [phrase, f'"{sign_word(sign)}"'] if sign.isalnum() else [f'"{sign_word(sign)}"']


def word_counts(text: str) -> Counter[str]:
    """Return how often `text` has what `index_terms` returns of it.

    Where half of the lines begin with a label, as in a transcript, the words of all labels count once: how often
    someone speaks does not say what about, and would make a chunk of short lines long.
    """
    labels = LABEL.findall(text) if ":" in text else []
    if len(labels) > 1 and 2 * len(labels) > text.count("\n"):
        counts = _counted(LABEL.sub("", text))
        counts.update(_counted("\n".join(labels)).keys())
        return counts
    return _counted(text)


def _counted(text: str) -> Counter[str]:
    counts = count_stems(text)
    counts.update(exact_tokens(text))
    counts.update(distinctive_stems(sign_parts(text)))
    return counts


def packed_counts(counts: Mapping[str, int]) -> bytes:
    """Return the term vector of a text with these `word_counts`: `ENTRY`s in the order of their terms."""
    counted = Counter[int]()
    for word, count in counts.items():
        counted[term(word)] += count
    entries = [(number, min(count, _MOST)) for number, count in sorted(counted.items())]
    return np.array(entries, dtype=ENTRY).tobytes()


def pack_counts(text: str) -> bytes:
    """Return the term vector of `text`."""
    return packed_counts(word_counts(text))


def unpack_counts(vectors: Sequence[bytes]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the entries of all vectors one after another, and where each vector begins and the last one ends."""
    entries = np.frombuffer(b"".join(vectors), dtype=ENTRY)
    sizes = [len(vector) // ENTRY.itemsize for vector in vectors]
    return entries, np.concatenate(([0], np.cumsum(sizes, dtype=np.intp)))


def tally(vectors: Iterable[bytes]) -> tuple[dict[int, int], int]:
    """Return in how many of the vectors each term is, and how many terms they have in all, repetitions counted."""
    entries, _ = unpack_counts(list(vectors))
    found, num_with = np.unique(entries["term"], return_counts=True)
    return dict(zip(found.tolist(), num_with.tolist(), strict=True)), int(entries["count"].sum())
