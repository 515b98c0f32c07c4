"""The project lock: one run at a time is executed or rolled back in a project, in whatever process."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final

from core.errors import Conflict, Unavailable
from graph.lease import LEASE, Lease, holder, take
from graph.store import Store

_log = logging.getLogger("remembrancer.runs")

_FREE: Final = ""


@dataclass(frozen=True, slots=True)
class ProjectLock:
    """One process's lock on a project."""

    _lease: Lease

    def check(self) -> None:
        """Make sure that the caller still holds the lock.

        Raises:
            Unavailable: its lease was not renewed in time, and another process took over.
        """
        if self._lease.is_lost:
            raise Unavailable(
                f"Run {self._lease.about} did not renew its lease for {LEASE.total_seconds():.0f} seconds, and another "
                "process holds the lock now: what it has done is kept, and can be resumed or rolled back."
            )

    def release(self) -> None:
        """Release the lock; if the record does not answer it is free when the lease runs out."""
        with suppress(Unavailable):
            self._lease.leave(_FREE)


@contextmanager
def project_lock(store: Store, project_id: str, run_id: str) -> Iterator[ProjectLock]:
    """Hold a project's lock while the block runs.

    Raises:
        Conflict: a run is under way in the project; the message names it.
        Unavailable: the record does not answer.
    """
    marker = _marker(project_id)
    kept = store.metadata_value(marker)
    lease = None if holder(kept) else take(store, marker, run_id, instead_of=kept)
    if lease is None:
        other = holder(kept) or active_run(store, project_id) or "of another process"
        raise Conflict(f"Run {other} is in progress in project {project_id!r}: wait until it has ended.")
    lock = ProjectLock(lease)
    try:
        with lease.renewed(f"run {run_id}", _log):
            yield lock
    finally:
        lock.release()


def active_run(store: Store, project_id: str) -> str | None:
    """Return the id of the run that a process is executing in the project now; None if there is none."""
    return holder(store.metadata_value(_marker(project_id)))


def _marker(project_id: str) -> str:
    return f"run of {project_id}"
