"""The protocols of extractors."""

from typing import Protocol, runtime_checkable

from core.knowledge.findings import Extraction
from core.openai.spending import Usage
from core.records import Artifact


class Extractor(Protocol):
    """Finds entities and events in an artifact. Safe to call from several threads."""

    #: Names the extractor in `status`, for example `local`.
    name: str

    def extract(self, artifact: Artifact) -> Extraction:
        """Return the entities and events of the artifact's content and fields; none is an empty `Extraction`.

        Quotes and mentions are claims: `ingest.document.evidence.verify_evidence` checks them against the content.

        Raises:
            Unavailable: the service behind the extractor does not answer; the same call may work later.
            Conflict: the extractor refuses this artifact; trying again does not help.
        """
        ...


@runtime_checkable
class RemoteExtractor(Extractor, Protocol):
    """An extractor behind a service, which may be unavailable, slow and paid for."""

    @property
    def seconds_since_response(self) -> float:
        """Seconds since the service last answered; large while nothing is asked."""
        ...

    def check(self) -> str:
        """Return one line for `status`: the model and its usage. This costs nothing.

        Raises:
            Unavailable: extraction waits, for the service, its key or its budget; or the record does not answer.
        """
        ...

    def usage(self) -> Usage:
        """Return the usage of all processes on this record so far.

        Raises:
            Unavailable: the record does not answer.
        """
        ...

    def close(self) -> None:
        """Release connections; calling it twice is no error."""
        ...


@runtime_checkable
class ConcurrentExtractor(RemoteExtractor, Protocol):
    """A service that background work asks about several items at a time."""

    @property
    def concurrency(self) -> int:
        """The number of items to ask about at a time."""
        ...
