"""What search needs: protocols of an embedder, a vector index and a reranker, and chunks as candidates."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from core.openai_usage import Spending, Usage

#: float32, one row a text, each row of length 1.
Vectors = NDArray[np.float32]
Matrix = NDArray[np.float32]
#: A row a token: where it begins and ends in its text, in characters.
TokenBounds = NDArray[np.int32]
#: Turns of conversations are indexed separately from chunks of content.
UnitKind = Literal["chunks", "turns"]

#: Of each layer of an encoder (https://arxiv.org/abs/1706.03762), as the local embedding model has them.
HEADS: Final = 12
NORM_EPSILON: Final = 1e-12

#: Numbers of a projected state of a token, and bytes of their signs.
STATE_NUMBERS: Final = 128
STATE_BYTES: Final = STATE_NUMBERS // 8
#: Most tokens of a text whose states are kept: 2.4 kB.
MOST_STATES: Final = 150

#: Makes of the rows of words of a batch of texts (text, word, number) what layers make of them; the second array marks
#: places without a word.
ReadLayers = Callable[[Matrix, NDArray[np.bool_]], Matrix]


@dataclass(frozen=True, slots=True)
class Quantised:
    """A matrix of whole numbers, each column with the size of its steps."""

    values: NDArray[np.int8]
    steps: Matrix

    @classmethod
    def of(cls, matrix: Matrix, most: int) -> "Quantised":
        """Return the matrix in steps such that no number is over `most`, which is at most 127."""
        steps = np.maximum(np.abs(matrix).max(axis=0), np.finfo(np.float32).tiny) / np.float32(most)
        return cls(np.rint(matrix / steps).astype(np.int8), steps)

    def matrix(self) -> Matrix:
        """Return the matrix in plain numbers."""
        return self.values * self.steps


@dataclass(frozen=True, slots=True)
class EncoderLayer:
    """The weights of a layer of an encoder.

    `qkv` has the columns of query, key and value, each split into heads.
    """

    qkv: Quantised
    qkv_bias: Matrix
    attention_output: Quantised
    attention_output_bias: Matrix
    attention_norm: Matrix
    attention_norm_bias: Matrix
    feed_forward_in: Quantised
    feed_forward_in_bias: Matrix
    feed_forward_out: Quantised
    feed_forward_out_bias: Matrix
    output_norm: Matrix
    output_norm_bias: Matrix


class Tokenizer(Protocol):
    """Tokenizes text as an embedding model does. Safe to call from several threads."""

    #: Most tokens of text that one chunk may have, prefix included, so that nothing is truncated.
    window_tokens: int
    #: Most bytes of UTF-8 that one chunk may have, prefix included; it matters where one token can cover many bytes.
    window_bytes: int

    def token_bounds(self, text: str) -> TokenBounds:
        """Return the character range of each token in order; white space between tokens belongs to none.

        Ranges do not overlap and leave no other character out. One is empty when its token shares a character with
        the token before.
        """
        ...

    def counts(self, texts: Sequence[str]) -> Sequence[int]:
        """Return how many tokens each text has, in the order given."""
        ...


class Embedder(Protocol):
    """Turns text into unit vectors. Safe to call from several threads."""

    #: Names the model and its build: vectors of two models are never mixed. For example `all-MiniLM-L6-v2-int8`.
    model: str

    @property
    def dimension(self) -> int:
        """How many numbers a vector has; asking may reach the service once, and then raises as `embed` does."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text, in the order given; an empty sequence gives shape (0, dimension).

        Raises:
            Unavailable: the model or its service does not answer; nothing was embedded.
            InvalidInput: a text is longer than the model's window: it is never cut silently.
        """
        ...

    def close(self) -> None:
        """Release connections, if it has any; calling it twice is no error."""
        ...


@dataclass(frozen=True, slots=True)
class TextStates:
    """What a model makes of each token of a text on its way to the text's one vector, projected.

    `states` has a row a token, each of length 1; `words` has the word of the text that each token belongs to.
    Tokens that the model adds, and punctuation, are left out.
    """

    words: Sequence[str]
    states: Matrix


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder that keeps the states of tokens, for late interaction (docs/decisions/late-interaction.md)."""

    #: Names what made the states: `model`, a slash and the projection. States of two projections are never compared.
    states_model: str

    def embed_with_states(self, texts: Sequence[str]) -> tuple[Vectors, list[bytes]]:
        """Return what `embed` returns, and for each text the states to keep, from the same pass.

        Those are the signs of each content token's state, in bits, `STATE_BYTES` a token; no more than `MOST_STATES`.
        """
        ...

    def embed_question(self, texts: Sequence[str]) -> tuple[Vectors, list[TextStates]]:
        """Return what `embed` returns, and the states of each text, from the same pass."""
        ...


@runtime_checkable
class MonolingualEmbedder(Embedder, Protocol):
    """An embedder that knows one language: what it makes of texts in others says little."""

    #: The ISO 639 code of that language.
    language: str


@runtime_checkable
class QueryEmbedder(Embedder, Protocol):
    """An embedder to which a question is something else than a text that may answer it."""

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a question, in the order given. Raises as `embed` does."""
        ...


@dataclass(frozen=True, slots=True)
class Background:
    """The cosines of a question with texts that have nothing to do with it: their mean and standard deviation."""

    mean: float
    deviation: float


#: That of all-MiniLM-L6-v2.
USUAL_BACKGROUND: Final = Background(0.12, 0.12)


@runtime_checkable
class ScaledEmbedder(Embedder, Protocol):
    """An embedder whose cosines are on another scale than those of most."""

    background: Background


@runtime_checkable
class MeteredEmbedder(Embedder, Protocol):
    """An embedder behind a service that is paid for."""

    def count_in(self, spending: Spending) -> None:
        """Count requests and tokens there from now on, within its budget."""
        ...

    def usage_line(self) -> str:
        """Return one line for `status`: the usage of today and in all.

        Raises:
            Unavailable: the budget is used up, or the record does not answer.
        """
        ...

    def usage(self) -> Usage:
        """Return the usage of all processes on this record so far.

        Raises:
            Unavailable: the record does not answer.
        """
        ...


class InnerEmbedder(Protocol):
    """Returns an inner layer's vector of each word, where wording counts more than subject.

    Safe to call from several threads.
    """

    def inner(self, texts: Sequence[str]) -> list[Vectors]:
        """Return one array per text, in the order given: one row per token, including the tokens that the model adds.

        The rows have no length of 1. Raises as `Embedder.embed` does.
        """
        ...

    def through(self, layers: Sequence[EncoderLayer]) -> ReadLayers:
        """Return a function that runs such rows through further layers, in the same runtime.

        Raises:
            Unavailable: the runtime refuses the layers; so may what is returned.
        """
        ...


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A chunk as the vector index keeps it; `metadata` holds plain strings, numbers and booleans."""

    chunk_id: str
    text: str
    metadata: Mapping[str, str | int | float | bool]


class VectorIndex(Protocol):
    """Nearest neighbours by cosine, one pair of collections (chunks, turns) a project and model.

    Derived: it may be empty, stale or gone, and is rebuilt from the record. Safe to call from several threads.
    Every method raises `Unavailable` when the index can't be reached or another process holds it.
    """

    def upsert(self, project_id: str, kind: UnitKind, entries: Sequence[IndexEntry], vectors: Vectors) -> None:
        """Write entries with their vectors (same order), replacing those with the same chunk id."""
        ...

    def delete(self, project_id: str, chunk_ids: Sequence[str]) -> None:
        """Remove chunks from every collection of the project, of every model; unknown ids are no error."""
        ...

    def search(self, project_id: str, vector: Vectors, limit: int) -> list[tuple[str, float]]:
        """Return up to `limit` (chunk id, cosine) pairs of chunks and turns together, best first."""
        ...

    def entries(self, project_id: str, chunk_ids: Sequence[str], *, texts: bool = True) -> dict[str, IndexEntry]:
        """Return the entries of these chunks and turns as last written under the current model, by id.

        Those that are not indexed are left out; order and repeated ids do not matter. Without `texts` their text is
        empty, which spares reading it.
        """
        ...

    def ids(self, project_id: str) -> set[str]:
        """Return the ids of all chunks and turns indexed under the current model."""
        ...

    def holds(self, project_id: str) -> bool:
        """Whether anything of the project is indexed under the current model."""
        ...

    def held(self) -> Mapping[tuple[str, str], int]:
        """Return how many chunks and turns are indexed, by project and model, of every project and model."""
        ...

    def discard(self, project_id: str, model: str) -> None:
        """Remove what is indexed of the project under this model, which need not be the current one."""
        ...

    def drop(self, project_id: str) -> None:
        """Remove the project's collections, of every model."""
        ...

    def reset(self) -> str | None:
        """Empty the index, for every project and model, even if it can't be read.

        If it can't be read, it is moved aside; return the new path, else None.

        Raises:
            Unavailable: another process holds the index, or the disk refuses; nothing was moved.
        """
        ...

    def ping(self) -> str:
        """Return one line about the index: where it is, nothing about what other projects keep in it."""
        ...

    def close(self) -> None:
        """Release files, locks and connections; calling it twice is no error."""
        ...


class Candidate(NamedTuple):
    """A chunk that may answer. A named tuple because a question makes hundreds."""

    artifact_id: str
    #: Which chunk of the artifact; it has `num_chunks`.
    index: int  # type: ignore[assignment]  # as everywhere; nobody asks a candidate for `tuple.index`
    num_chunks: int
    text: str
    author: str | None
    #: Both are there for a turn of a conversation, and only for that.
    conversation_id: str | None
    turn_index: int | None
    happened_at: datetime
    #: Its words without stop words, as `graph.text.term_vectors` packs them.
    terms: bytes
    #: Its embedding as `core.vector_format` packs it; None if there is none yet.
    vector: bytes | None
    #: The signs of its tokens' states (`TokenEmbedder`); None if there are none yet.
    states: bytes | None = None
    #: The `turn_index` of the turn before it in its conversation; None if there is none, or if it is not known.
    turn_before: int | None = None


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """How common terms are in a project; chunks of expired items count until they are forgotten."""

    num_chunks: int
    #: How many terms a chunk has on average, each occurrence counted; 0 in an empty project.
    mean_terms: float
    #: How many chunks have each of the terms asked for; those that none has are left out.
    num_with: Mapping[int, int]


class Reranker(Protocol):
    """Judges passages against a question, as a cross-encoder or a language model does. Safe to call from threads."""

    @property
    def name(self) -> str:
        """What messages call it, such as the model's name."""
        ...

    def scores(self, query: str, passages: Sequence[str]) -> Sequence[float]:
        """Return one finite number a passage, in the order given; higher is better, the scale is its own.

        A passage is a chunk with its title, date or speaker in front; there is at least one.

        Raises:
            Unavailable: the model or its service does not answer; the ranking then stays as it was.
        """
        ...
