"""Term vectors: which words a chunk has and how often, packed, for ranking without reading the text again.

A term is the CRC-32 of a stem: of 100,000 different stems about one pair shares a number, which then count as one word.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from graph.text.stems import telling_stems

#: One entry a distinct term; low byte first, as it is stored.
ENTRY: Final = np.dtype([("term", "<u4"), ("count", "<u2")])
_MOST: Final = np.iinfo(np.uint16).max
#: Who speaks, and when, in front of what is said: "Ana: ", "[09:02] Ana Silva: ", "**Ana** (09:02): ".
LABEL: Final = re.compile(r"^((?:[^\n:]|(?<=\d):(?=\d)){1,80}):(?:[ \t]|$)", re.MULTILINE)


def term(stem: str) -> int:
    """Return the number that stands for a stem."""
    return crc32(stem.encode())


def terms(text: str) -> list[int]:
    """Return the terms of `text` in order, stop words left out."""
    return [term(stem) for stem in telling_stems(text)]


def packed(text: str) -> bytes:
    """Return the term vector of `text`: `ENTRY`s in the order of their terms.

    Where half of the lines begin with a label, as in a transcript, the words of all labels count once: how often
    someone speaks does not say what about, and would make a chunk of short lines long.
    """
    labels = LABEL.findall(text)
    if len(labels) > 1 and 2 * len(labels) > text.count("\n"):
        counted = Counter(terms(LABEL.sub("", text)))
        counted.update(set(terms("\n".join(labels))))
    else:
        counted = Counter(terms(text))
    entries = [(number, min(count, _MOST)) for number, count in sorted(counted.items())]
    return np.array(entries, dtype=ENTRY).tobytes()


def unpacked(vectors: Sequence[bytes]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the entries of all vectors one after another, and where each vector begins and the last one ends."""
    entries = np.frombuffer(b"".join(vectors), dtype=ENTRY)
    sizes = [len(vector) // ENTRY.itemsize for vector in vectors]
    return entries, np.concatenate(([0], np.cumsum(sizes, dtype=np.intp)))


def tally(vectors: Iterable[bytes]) -> tuple[dict[int, int], int]:
    """Return in how many of the vectors each term is, and how many terms they have in all, repetitions counted."""
    entries, _ = unpacked(list(vectors))
    found, num_with = np.unique(entries["term"], return_counts=True)
    return dict(zip(found.tolist(), num_with.tolist(), strict=True)), int(entries["count"].sum())
