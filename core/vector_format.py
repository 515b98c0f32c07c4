"""How the record keeps embeddings: at half precision, as IEEE 754 binary16, where that changes no number by much.

Such a row ends with a byte of its own, so that its length is odd; rows of float32, of which earlier releases have only
these, have none.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from core.search import Vectors

_MARK: Final = b"h"
#: How far a number may move, as a share of the largest in the vector.
_TOLERANCE: Final = 1e-3


def pack_vector(vector: Vectors) -> bytes:
    """Return an embedding as the record keeps it: float32 where half precision would overflow or lose digits."""
    exact = np.asarray(vector, dtype="<f4")
    with np.errstate(over="ignore", invalid="ignore"):
        half = exact.astype("<f2")
        moved = np.abs(half.astype(np.float32) - exact)
    # False for what is no number, too.
    is_close = np.all(moved <= _TOLERANCE * np.abs(exact).max(initial=0))
    return half.tobytes() + _MARK if is_close else exact.tobytes()


def vector_dimension(packed: bytes) -> int:
    """Return how many numbers an embedding has."""
    return len(packed) // (2 if is_half(packed) else 4)


def is_half(packed: bytes) -> bool:
    """Whether an embedding is at half precision."""
    return len(packed) % 2 == 1


def unpack_vectors(packed: Sequence[bytes]) -> Vectors:
    """Return embeddings of one dimension row by row; of shape (0, 0) if there are none."""
    if not packed:
        return np.empty((0, 0), dtype=np.float32)
    lengths = np.array([len(each) for each in packed])
    if lengths.min() < lengths.max():
        unpacked = np.empty((len(packed), vector_dimension(packed[0])), dtype=np.float32)
        for length in np.unique(lengths):
            unpacked[lengths == length] = unpack_vectors([each for each in packed if len(each) == length])
        return unpacked
    # A bytearray, because arrays over `bytes` can't be written to.
    rows = np.frombuffer(bytearray(b"").join(packed), np.uint8).reshape(len(packed), -1)
    if is_half(packed[0]):
        return np.ascontiguousarray(rows[:, :-1]).view("<f2").astype(np.float32)
    return rows.view("<f4")
