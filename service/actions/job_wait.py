"""JobWait: waiting until the background jobs of items are done, have failed, or are postponed."""

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
#: Longest wait for jobs of external workers, in seconds: this process can't know whether any run.
_EXTERNAL_TIMEOUT: Final = 30.0
#: Each kind of job, as an answer's `degraded` names it.
_NAMES: Final = {"embed": "vectors", "extract": "extractor"}


@dataclass(frozen=True, slots=True)
class JobWait:
    """Waits for jobs, which are done by this process's worker, by external workers, or by the caller itself."""

    store: Store
    worker: Worker
    worker_running: bool
    has_external_workers: bool

    def missing(self, project_id: str, artifact_ids: Sequence[str]) -> list[str]:
        """Wait for the jobs of these items; return what is still missing for any of them, vectors first.

        While the record is unavailable, everything counts as missing.
        """
        until = time.monotonic() + _EXTERNAL_TIMEOUT
        late: set[str] = set()
        try:
            for artifact_id in artifact_ids:
                late |= self._missing(project_id, artifact_id, until)
        except Unavailable:
            late |= set(_NAMES.values())
        return sorted(late, reverse=True)

    def _missing(self, project_id: str, artifact_id: str, until: float) -> set[str]:
        drains = not (self.worker_running or self.has_external_workers)
        looked = False
        while (stuck := self._stuck(project_id, artifact_id, until)) is None:
            if looked or not drains:
                time.sleep(_POLL)
            if drains:
                self.worker.drain()
            looked = True
        return stuck

    def _stuck(self, project_id: str, artifact_id: str, until: float) -> set[str] | None:
        """Return what will not be done soon; None while jobs are making progress."""
        reports = [report for report in self.store.job_reports(project_id, artifact_id) if report.kind in _NAMES]
        late = self.has_external_workers and time.monotonic() > until
        stuck = [report for report in reports if report.state != "done" and (late or self._is_stuck(report))]
        if all(report.state == "done" or report in stuck for report in reports):
            return {_NAMES[report.kind] for report in stuck}
        return None

    def _is_stuck(self, report: JobReport) -> bool:
        untouched = report.kind == "embed" and self.worker.no_vectors is not None
        return report.state == "failed" or (report.state == "pending" and (report.error is not None or untouched))
