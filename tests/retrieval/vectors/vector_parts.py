"""Vectors and entries for the tests of the vector index."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.search import IndexEntry, UnitKind, Vectors
from retrieval.vectors import ChromaIndex

DIMENSION = 16


@dataclass(slots=True)
class Model:
    """The name of an embedder; the index needs no more of it."""

    model: str = "model-a"
    dimension: int = DIMENSION

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return vectors that only depend on the text."""
        return np.concatenate([units(1, seed=len(text)) for text in texts])

    def close(self) -> None:
        """Do nothing."""


def units(count: int, *, seed: int = 0) -> Vectors:
    """Return random unit vectors."""
    values = np.random.default_rng(seed).standard_normal((count, DIMENSION)).astype(np.float32)
    made: Vectors = values / np.linalg.norm(values, axis=1, keepdims=True)
    return made


def entries(count: int, *, first: int = 0) -> list[IndexEntry]:
    """Return entries `art_0:0`, `art_1:0` and so on."""
    return [
        IndexEntry(f"art_{number}:0", f"text {number}", {"artifact_id": f"art_{number}", "index": 0})
        for number in range(first, first + count)
    ]


def fill(index: ChromaIndex, count: int, *, project: str = "p", kind: UnitKind = "chunks", first: int = 0) -> Vectors:
    """Write `count` entries and return their vectors."""
    made = units(count, seed=first)
    index.upsert(project, kind, entries(count, first=first), made)
    return made
