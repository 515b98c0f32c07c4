"""JobWait: waiting until the background jobs of items are done, have failed, or are postponed."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from core.errors import InvalidInput, Unavailable
from core.interface.learning.annotation_requests import MAX_WAIT_SECONDS, WAIT_SECONDS
from core.records import JobReport
from graph.store import Store
from ingest.worker import Worker
from service.actions.threads import is_cancelled

#: How often to look whether jobs are done, in seconds.
_POLL: Final = 0.02
#: Each kind of job, as an answer's `degraded` names it.
_NAMES: Final = {"embed": "vectors", "extract": "extractor"}


@dataclass(frozen=True, slots=True)
class WaitResult:
    """What is missing when a wait ends, vectors first: all of it, and what is still being worked on."""

    missing: list[str]
    pending: list[str]

    @property
    def hint(self) -> str | None:
        """What the caller should know of what is pending; None if nothing is."""
        if not self.pending:
            return None
        return (
            f"Stored, and found by its words; still pending in the background: {', '.join(self.pending)}. "
            "`status` shows when that is done."
        )


#: The result of a call that does not wait.
NO_WAIT: Final = WaitResult([], [])


def check_seconds(seconds: float | None) -> float:
    """Return the time to wait; None is the usual one.

    Raises:
        InvalidInput: it is out of range.
    """
    if seconds is None:
        return WAIT_SECONDS
    if not 0 <= seconds <= MAX_WAIT_SECONDS:
        raise InvalidInput(f"wait_seconds is {seconds:g}: use 0 to {MAX_WAIT_SECONDS:g}.")
    return seconds


@dataclass(frozen=True, slots=True)
class JobWait:
    """Waits for jobs, which this process's worker does before all others, or which are put first for external workers.

    A wait ends after a number of seconds, and as soon as its call is cancelled; the jobs go on.
    """

    store: Store
    worker: Worker
    has_external_workers: bool

    def wait(self, project_id: str, artifact_ids: Sequence[str], seconds: float) -> WaitResult:
        """Wait for the jobs of these items and of no others.

        While the record is unavailable, everything counts as missing.
        """
        until = time.monotonic() + seconds
        missing, pending = set[str](), set[str]()
        try:
            if self.has_external_workers:
                self.store.put_first(project_id, artifact_ids)
            else:
                self.worker.do_first(project_id, artifact_ids)
            for artifact_id in artifact_ids:
                stuck, late = self._missing(project_id, artifact_id, until)
                missing |= stuck | late
                pending |= late
        except Unavailable:
            missing |= set(_NAMES.values())
        return WaitResult(sorted(missing, reverse=True), sorted(pending, reverse=True))

    def _missing(self, project_id: str, artifact_id: str, until: float) -> tuple[set[str], set[str]]:
        """Wait for one item; return what will not be done soon, and what time was too short for."""
        while True:
            reports = [one for one in self.store.job_reports(project_id, artifact_id) if one.kind in _NAMES]
            stuck = {_NAMES[one.kind] for one in reports if self._is_stuck(one)}
            active = {_NAMES[one.kind] for one in reports if one.state != "done" and not self._is_stuck(one)}
            if not active or time.monotonic() >= until or is_cancelled():
                return stuck, active
            time.sleep(_POLL)

    def _is_stuck(self, report: JobReport) -> bool:
        untouched = report.kind == "embed" and self.worker.no_vectors is not None
        return report.state == "failed" or (report.state == "pending" and (report.error is not None or untouched))
