"""Waiting: until the background work on items is done, has failed, or is put off for a service that is away."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from core.errors import Unavailable
from core.records import JobReport
from graph.store import Store
from ingest.worker import Worker

#: How often to look whether jobs are done, in seconds.
_POLL: Final = 0.02
#: Longest wait for jobs that only other processes do, in seconds: whether there are any is not known here.
_PATIENCE: Final = 30.0
#: What each kind of job is for, as an answer's `degraded` names it.
_NAMES: Final = {"embed": "vectors", "extract": "extractor"}


@dataclass(frozen=True, slots=True)
class Waiting:
    """Waits for jobs. Who does them is one of: this process's worker at work, other processes, or the caller itself."""

    store: Store
    worker: Worker
    is_at_work: bool
    is_left_to_others: bool

    def missing(self, project_id: str, artifact_ids: Sequence[str]) -> list[str]:
        """Wait for the jobs of these items; return what is missing of any of them then, vectors first.

        While the record does not answer nobody can tell: then all of it is said to follow later.
        """
        until = time.monotonic() + _PATIENCE
        late: set[str] = set()
        try:
            for artifact_id in artifact_ids:
                late |= self._missing(project_id, artifact_id, until)
        except Unavailable:
            late |= set(_NAMES.values())
        return sorted(late, reverse=True)

    def _missing(self, project_id: str, artifact_id: str, until: float) -> set[str]:
        drains = not (self.is_at_work or self.is_left_to_others)
        looked = False
        while (stuck := self._stuck(project_id, artifact_id, until)) is None:
            if looked or not drains:
                time.sleep(_POLL)
            if drains:
                self.worker.drain()
            looked = True
        return stuck

    def _stuck(self, project_id: str, artifact_id: str, until: float) -> set[str] | None:
        """Return what nobody gets any further with; None while something may still be done."""
        reports = [report for report in self.store.job_reports(project_id, artifact_id) if report.kind in _NAMES]
        late = self.is_left_to_others and time.monotonic() > until
        stuck = [report for report in reports if report.state != "done" and (late or self._is_stuck(report))]
        if all(report.state == "done" or report in stuck for report in reports):
            return {_NAMES[report.kind] for report in stuck}
        return None

    def _is_stuck(self, report: JobReport) -> bool:
        untouched = report.kind == "embed" and self.worker.no_vectors is not None
        return report.state == "failed" or (report.state == "pending" and (report.error is not None or untouched))
