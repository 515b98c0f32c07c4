"""Metrics: what `/metrics` counts."""

from collections.abc import Mapping
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from core.records import JobCounts

_REGISTRY: Final = CollectorRegistry()

#: Calls of each tool, by outcome: `ok`, or the code of the error.
TOOL_CALLS: Final = Counter("remembrancer_tool_calls", "Tool calls", ["tool", "outcome"], registry=_REGISTRY)
#: Seconds each tool takes.
TOOL_SECONDS: Final = Histogram("remembrancer_tool_seconds", "Duration of tool calls", ["tool"], registry=_REGISTRY)
_JOBS: Final = Gauge("remembrancer_jobs", "Jobs in the ledger of all projects", ["state"], registry=_REGISTRY)
_UP: Final = Gauge("remembrancer_service_up", "Whether a store answers (1) or not (0)", ["service"], registry=_REGISTRY)


def exposition(up: Mapping[str, bool], jobs: JobCounts | None) -> bytes:
    """Return all metrics as Prometheus text; the number of jobs is left out, not zero, when it is not known."""
    for service, answers in up.items():
        _UP.labels(service).set(answers)
    _JOBS.clear()
    if jobs is not None:
        _JOBS.labels("pending").set(jobs.pending)
        _JOBS.labels("failed").set(jobs.failed)
    return generate_latest(_REGISTRY)
