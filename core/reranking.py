"""Reranking: the protocol of a reranker."""

from collections.abc import Sequence
from typing import Protocol


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
