"""The layer by which sentences are read."""

import numpy as np
import pytest

from ingest.extract.local.classifier.sentence_classifier import kept_weights
from ingest.extract.local.classifier.transformer_layer import bent, normed


def test_a_text_is_read_alike_alone_and_among_longer_ones() -> None:
    """Places that hold no word are not looked at, whatever they hold."""
    chance, layer = np.random.default_rng(0), kept_weights().layers[0]
    words = chance.normal(size=(2, 7, layer.says.shape[0])).astype(np.float32)
    empty = np.zeros((2, 7), np.bool_)
    empty[0, 4:] = True
    among = layer.read(words, empty)
    alone = layer.read(words[:1, :4], empty[:1, :4])
    assert among[0, :4] == pytest.approx(alone[0], abs=1e-4)


def test_normed_vectors_have_mean_nothing_and_spread_one() -> None:
    """Then they are scaled and shifted."""
    vectors = np.array([[1, 2, 3, 6]], np.float32)
    plain = normed(vectors, np.ones(4, np.float32), np.zeros(4, np.float32))
    assert plain.mean() == pytest.approx(0, abs=1e-6)
    assert plain.std() == pytest.approx(1, abs=1e-4)
    assert normed(vectors, np.full(4, 2, np.float32), np.ones(4, np.float32)) == pytest.approx(2 * plain + 1)


def test_the_bend_keeps_what_is_large_and_drops_what_is_far_below_nothing() -> None:
    """It is a smooth way to be nothing below zero."""
    assert bent(np.array([-10, 0, 10], np.float32)) == pytest.approx([0, 0, 10], abs=1e-4)
    assert bent(np.array([1], np.float32)) == pytest.approx([0.8413], abs=1e-3)
