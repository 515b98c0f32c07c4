"""What the writers of all parts of the record have in common."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from core.interface.audit import AuditEntry
from core.records import JobKind


class ProjectWriter(Protocol):
    """One transaction that writes to one project."""

    project_id: str

    def put_jobs(self, num_chunks: Mapping[str, int], kinds: Sequence[JobKind]) -> None:
        """Set jobs of items, given with their number of chunks, to pending with no attempts, whatever they were."""

    def drop_jobs(self, artifact_ids: Sequence[str], kinds: Sequence[JobKind]) -> None:
        """Remove jobs of items; those that there are not are no error."""

    def awaits_extraction(self, artifact_id: str) -> bool:
        """Whether an item has an `extract` job that is not done."""

    def write_entries(self, entries: Sequence[AuditEntry]) -> None:
        """Add entries to the audit trail."""
