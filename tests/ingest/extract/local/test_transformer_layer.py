"""The layers by which sentences are read, and what is summed over their rows."""

import numpy as np
import pytest

from core.search import Quantised
from ingest.extract.local.sentence_classifier import gelu, layer_from_arrays, layer_to_arrays, load_weights
from retrieval.models.local_embedder import LocalEmbedder


def test_a_text_is_read_alike_alone_and_among_longer_ones(embedder: LocalEmbedder) -> None:
    """Padding is masked, whatever it holds."""
    chance, layers = np.random.default_rng(0), load_weights().layers
    read = embedder.through(layers)
    words = chance.normal(size=(2, 7, len(layers[0].output_norm))).astype(np.float32)
    padding = np.zeros((2, 7), np.bool_)
    padding[0, 4:] = True
    among = read(words, padding)[0, :4].ravel()
    alone = read(words[:1, :4], padding[:1, :4])[0].ravel()
    assert among @ alone > 0.999 * np.linalg.norm(among) * np.linalg.norm(alone)


def test_a_layer_is_kept_in_a_file_as_it_is() -> None:
    """What is read is what was written, to the last step."""
    layer = load_weights().layers[0]
    found = layer_from_arrays(dict(layer_to_arrays(layer, 0)), 0)
    assert found is not None
    assert np.array_equal(found.qkv.values, layer.qkv.values)
    assert np.array_equal(found.qkv.steps, layer.qkv.steps)
    assert np.array_equal(found.output_norm, layer.output_norm)
    assert layer_from_arrays({}, 0) is None


def test_a_matrix_is_rounded_by_columns() -> None:
    """Half a step is the most that a number may be off; a column of zeros stays one."""
    matrix = np.array([[1, 100, 0], [-0.5, 3, 0]], np.float32)
    rounded = Quantised.of(matrix, 24)
    assert (np.abs(rounded.matrix() - matrix) <= rounded.steps * 0.51).all()
    assert np.abs(rounded.values).max() == 24


def test_gelu_keeps_large_values_and_drops_those_far_below_zero() -> None:
    """The tanh approximation is near the exact values."""
    assert gelu(np.array([-10, 0, 10], np.float32)) == pytest.approx([0, 0, 10], abs=1e-4)
    assert gelu(np.array([1], np.float32)) == pytest.approx([0.8413], abs=1e-3)
