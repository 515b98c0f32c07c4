"""The layer by which sentences are read."""

import numpy as np
import pytest

from ingest.extract.local.classifier.sentence_classifier import kept_weights
from ingest.extract.local.classifier.transformer_layer import gelu, layer_norm


def test_a_text_is_read_alike_alone_and_among_longer_ones() -> None:
    """Padding is masked, whatever it holds."""
    chance, layer = np.random.default_rng(0), kept_weights().layers[0]
    words = chance.normal(size=(2, 7, layer.attention_output.shape[0])).astype(np.float32)
    padding = np.zeros((2, 7), np.bool_)
    padding[0, 4:] = True
    among = layer.read(words, padding)
    alone = layer.read(words[:1, :4], padding[:1, :4])
    assert among[0, :4] == pytest.approx(alone[0], abs=1e-4)


def test_layer_norm_gives_mean_zero_and_standard_deviation_one() -> None:
    """Then they are scaled and shifted."""
    vectors = np.array([[1, 2, 3, 6]], np.float32)
    plain = layer_norm(vectors, np.ones(4, np.float32), np.zeros(4, np.float32))
    assert plain.mean() == pytest.approx(0, abs=1e-6)
    assert plain.std() == pytest.approx(1, abs=1e-4)
    assert layer_norm(vectors, np.full(4, 2, np.float32), np.ones(4, np.float32)) == pytest.approx(2 * plain + 1)


def test_gelu_keeps_large_values_and_drops_those_far_below_zero() -> None:
    """The tanh approximation is near the exact values."""
    assert gelu(np.array([-10, 0, 10], np.float32)) == pytest.approx([0, 0, 10], abs=1e-4)
    assert gelu(np.array([1], np.float32)) == pytest.approx([0.8413], abs=1e-3)
