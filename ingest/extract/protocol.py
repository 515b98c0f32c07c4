"""Extraction: what an extractor promises, whoever makes it."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from core.knowledge.findings import Extraction
from core.records import Artifact


class Extractor(Protocol):
    """Reads an artifact for entities and events. Safe to call from several threads."""

    #: Names the extractor in `status`, for example `local`.
    name: str

    def extract(self, artifact: Artifact) -> Extraction:
        """Return what the artifact's content and fields say; finding nothing is an empty `Extraction`.

        Quotes and mentions are claims: `ingest.document.evidence.verify` checks them against the content.

        Raises:
            Unavailable: the service behind the extractor does not answer; the same call may work later.
            Conflict: this artifact can't be read by the extractor, and won't be by trying again.
        """
        ...


@dataclass(frozen=True, slots=True)
class Usage:
    """What a service was asked for: requests that it answered, and their tokens."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def tokens(self) -> int:
        """Tokens in both directions."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.requests + other.requests,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )


@runtime_checkable
class RemoteExtractor(Extractor, Protocol):
    """An extractor that asks a service, which may be away, wants to be paid, and takes its time."""

    @property
    def still_seconds(self) -> float:
        """For how long no answer has come from the service; large while nothing is asked."""
        ...

    def check(self) -> str:
        """Return one line for `status`: the model and what it has cost. Nothing is paid for this.

        Raises:
            Unavailable: extraction waits, for the service, its key or its budget; or the record does not answer.
        """
        ...

    def usage(self) -> Usage:
        """Return what all processes on this record have asked for so far.

        Raises:
            Unavailable: the record does not answer.
        """
        ...

    def close(self) -> None:
        """Release connections; calling it twice is no error."""
        ...
