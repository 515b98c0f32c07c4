"""A process that ends in the middle of a rebuild."""

from collections.abc import Sequence

from core.records import Artifact, Chunk
from ingest.indexing.indexer import Indexer


class Interrupted(Exception):
    """The process ends here."""


class InterruptedIndexer(Indexer):
    """An indexer whose process ends in front of the third item that is cut."""

    left = 2

    def rechunk(self, artifact: Artifact, chunks: Sequence[Chunk]) -> None:
        if self.left == 0:
            raise Interrupted
        self.left -= 1
        super().rechunk(artifact, chunks)
