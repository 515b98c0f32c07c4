"""What ranking needs: chunks as candidates with the statistics of their project, and the protocol of a reranker."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol


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
    #: Its embedding as float32 of low byte first; None if there is none yet.
    vector: bytes | None


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
