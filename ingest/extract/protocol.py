"""Extraction: what an extractor promises, whoever makes it."""

from typing import Protocol

from core.knowledge import Extraction
from core.records import Artifact


class Extractor(Protocol):
    """Reads an artifact for entities and events. Safe to call from several threads."""

    #: Names the extractor in `status`, for example `local`.
    name: str

    def extract(self, artifact: Artifact) -> Extraction:
        """Return what the artifact's content and fields say; finding nothing is an empty `Extraction`.

        Quotes and mentions are claims: `ingest.extract.evidence.verify` checks them against the content.

        Raises:
            Unavailable: the service behind the extractor does not answer; the same call may work later.
        """
        ...
