"""Run turn: one run at a time goes through a project, or is rolled back, whichever process is at it."""

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
class Turn:
    """The turn of one process at a project."""

    _lease: Lease

    def check(self) -> None:
        """Make sure that this is still the turn of the caller.

        Raises:
            Unavailable: it was not renewed in time, and another took over.
        """
        if self._lease.is_lost:
            raise Unavailable(
                f"Run {self._lease.about} was not heard of for {LEASE.total_seconds():.0f} seconds, and another "
                "process has the turn now: what it has done stands, and can be resumed or rolled back."
            )

    def give_up(self) -> None:
        """Let others have the turn; if the record does not answer they have it when the lease runs out."""
        with suppress(Unavailable):
            self._lease.leave(_FREE)


@contextmanager
def turn(store: Store, project_id: str, run_id: str) -> Iterator[Turn]:
    """Have the turn at a project while the block runs.

    Raises:
        Conflict: a run is under way in the project; the message names it.
        Unavailable: the record does not answer.
    """
    marker = _marker(project_id)
    kept = store.marker(marker)
    lease = None if holder(kept) else take(store, marker, run_id, instead_of=kept)
    if lease is None:
        other = holder(kept) or under_way(store, project_id) or "of another process"
        raise Conflict(f"Run {other} is under way in project {project_id!r}: wait until it has ended.")
    held = Turn(lease)
    try:
        with lease.renewed(f"run {run_id}", _log):
            yield held
    finally:
        held.give_up()


def under_way(store: Store, project_id: str) -> str | None:
    """Return the id of the run that a process is at in the project now; None if there is none."""
    return holder(store.marker(_marker(project_id)))


def _marker(project_id: str) -> str:
    return f"run of {project_id}"
