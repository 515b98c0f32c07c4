"""Metrics: what `/metrics` counts."""

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_REGISTRY: Final = CollectorRegistry()

#: Calls of each tool, by outcome: `ok`, or the code of the error.
TOOL_CALLS: Final = Counter("remembrancer_tool_calls", "Tool calls", ["tool", "outcome"], registry=_REGISTRY)
#: Seconds each tool takes.
TOOL_SECONDS: Final = Histogram("remembrancer_tool_seconds", "Duration of tool calls", ["tool"], registry=_REGISTRY)
_JOBS: Final = Gauge("remembrancer_jobs", "Jobs in the ledger of all projects", ["state"], registry=_REGISTRY)


def exposition(pending_jobs: int, failed_jobs: int) -> bytes:
    """Return all metrics as Prometheus text."""
    _JOBS.labels("pending").set(pending_jobs)
    _JOBS.labels("failed").set(failed_jobs)
    return generate_latest(_REGISTRY)
