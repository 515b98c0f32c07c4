"""The protocol of jobs: background work that survives a crash."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

from core.records import Job, JobCounts, JobKind, JobReport, ParkedJob


class Jobs(Protocol):
    """The durable ledger of background work: at most one job a kind and artifact."""

    def queue(self, project_id: str, artifact_ids: Sequence[str], kind: JobKind) -> int:
        """Set this job of each current artifact to pending with no attempts, whatever it was; return how many."""
        ...

    def claim(self, kinds: Sequence[JobKind], limit: int, lease: timedelta, owner: str) -> list[Job]:
        """Take up to `limit` jobs of one kind that are due, kinds in the order given, the oldest of a project first.

        A job is due when it is pending and past its not-before, or running with its lease run out, or either is farther
        away than `core.records.FARTHEST_DUE`, since then the clock was set back. Claimed jobs are
        running, and no one else gets them until the lease ends. All jobs of one answer have one kind and one project.
        Claims of one store go round the projects, in the order of their ids.

        Each claim counts as an attempt. A job that was lost with its worker more than once is claimed alone, and one
        that was lost at its attempt `core.backoff.MAX_ATTEMPTS` is parked instead.
        """
        ...

    def claim_of(
        self, project_id: str, artifact_ids: Sequence[str], kind: JobKind, lease: timedelta, owner: str
    ) -> list[Job]:
        """Take the jobs of this kind and of these artifacts that are due, as `claim` does, before all others."""
        ...

    def put_first(self, project_id: str, artifact_ids: Sequence[str]) -> None:
        """Have the pending jobs of these artifacts claimed before those that the project queued earlier.

        They keep the order that they have among themselves, and come after those that were put first before.
        """
        ...

    def release(self, jobs: Sequence[Job], not_before: datetime | None = None) -> None:
        """Put jobs still held back as if they had not been claimed, due at once if no time is given."""
        ...

    def extend(self, jobs: Sequence[Job], lease: timedelta) -> None:
        """Push the end of the lease to `lease` from now, for those jobs still held by their `lease_owner`."""
        ...

    def complete(self, jobs: Sequence[Job]) -> None:
        """Mark jobs done, those still held by their `lease_owner`; a finished `erase` or `reembed` disappears."""
        ...

    def retry(self, jobs: Sequence[Job], error: str, not_before: datetime) -> None:
        """Put jobs still held back to pending, not to be claimed before `not_before`, with the reason."""
        ...

    def fail(self, jobs: Sequence[Job], error: str) -> None:
        """Park jobs still held as failed, with the reason."""
        ...

    def queue_failed(self, project_id: str | None = None, kind: JobKind | None = None) -> int:
        """Set all parked jobs, of one project or kind if given, to pending with no attempts; return how many."""
        ...

    def parked_jobs(self, project_id: str | None, limit: int) -> list[ParkedJob]:
        """Return parked jobs, oldest first, of all projects with None."""
        ...

    def parked_counts(self) -> dict[JobKind, int]:
        """Return how many jobs of each kind are parked, in all projects; kinds without any are left out."""
        ...

    def job_counts(self, project_id: str | None = None) -> JobCounts:
        """Return how many jobs wait or run, and how many failed; of all projects with None."""
        ...

    def job_reports(self, project_id: str, artifact_id: str) -> list[JobReport]:
        """Return the state of each job of one artifact, sorted by kind; empty if it has none."""
        ...
