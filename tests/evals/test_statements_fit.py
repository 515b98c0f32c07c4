"""Fitting: what is fitted is what is run."""

import numpy as np
import pytest

from core.knowledge.findings import CATEGORIES
from ingest.extract.local.ledger_features import WIDTH
from ingest.extract.local.sentence_classifier import sigmoid, wording
from retrieval.models.local_embedder import LocalEmbedder

pytest.importorskip("torch", reason="fitting alone needs torch")
pytest.importorskip("onnx", reason="fitting alone needs onnx")


def test_what_is_fitted_tells_apart_what_it_was_fitted_to(embedder: LocalEmbedder) -> None:
    """The net that is run, in the runtime, judges as the one that was fitted, in torch, did."""
    fit = pytest.importorskip("evals.statements_fit")
    chance = np.random.default_rng(0)
    words = [chance.normal(size=(5, 384)).astype(np.float32) for _ in range(16)]
    nothing, tells = np.zeros((16, 384), np.float32), np.zeros((16, len(CATEGORIES)), np.float32)
    tells[::2, 0] = 1
    texts, settings = ["The gate.", "A pump."] * 8, np.zeros((16, WIDTH), np.float32)
    examples = fit.Examples(words, nothing, nothing, wording(texts), settings, tells, np.ones_like(tells))
    weights = fit.fitted(examples, fit.Plan((1, 2), 40)).rounded()
    likely = sigmoid(
        weights.scores(words[:1], wording(texts[:1]), settings[:1], through=embedder.through(weights.layers))
    )
    assert likely.shape == (1, len(CATEGORIES))
    assert likely[0, 0] > likely[0, 1:].max()
