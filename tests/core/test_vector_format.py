"""Embeddings at half precision, beside those of float32 that earlier releases kept."""

import numpy as np
import pytest

from core.vector_format import is_half, pack_vector, unpack_vectors, vector_dimension

UNITS = np.random.default_rng(5).standard_normal((40, 96)).astype(np.float32)
UNITS /= np.linalg.norm(UNITS, axis=1, keepdims=True)


def test_a_unit_vector_takes_half_the_room_and_keeps_its_cosines() -> None:
    """The order of texts by meaning is the same down to differences that mean nothing."""
    packed = [pack_vector(each) for each in UNITS]
    assert {len(each) for each in packed} == {2 * 96 + 1}
    assert all(is_half(each) and vector_dimension(each) == 96 for each in packed)
    read = unpack_vectors(packed)
    assert read.dtype == np.float32
    assert read.flags.writeable
    assert np.abs(read @ UNITS.T - UNITS @ UNITS.T).max() < 3e-4


def test_rows_of_both_precisions_are_read_together() -> None:
    """A memory of an earlier release has rows of float32 until it is vacuumed."""
    packed = [each.astype("<f4").tobytes() if row % 3 else pack_vector(each) for row, each in enumerate(UNITS)]
    read = unpack_vectors(packed)
    assert read.shape == UNITS.shape
    assert np.allclose(read, UNITS, atol=1e-3)
    assert np.array_equal(read[1], UNITS[1])
    assert vector_dimension(packed[1]) == 96
    assert np.array_equal(unpack_vectors(packed[1:3]), UNITS[1:3])


@pytest.mark.parametrize("scale", [1e6, 1e-7, np.nan, np.inf])
def test_numbers_that_half_precision_would_lose_are_kept_whole(scale: float) -> None:
    """An embedder of a plug-in may give any numbers."""
    vector = UNITS[0] * np.float32(scale)
    packed = pack_vector(vector)
    assert not is_half(packed)
    assert np.array_equal(unpack_vectors([packed])[0], vector, equal_nan=True)


def test_nothing_has_no_rows() -> None:
    """The shape is the one that says that nothing is known."""
    assert unpack_vectors([]).shape == (0, 0)
