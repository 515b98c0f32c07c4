"""Candidates: chunks as ranking sees them, and what it needs to know of the project they are in."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple


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
