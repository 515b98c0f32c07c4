"""Metrics of `/metrics`."""

from collections.abc import Iterator, Mapping
from typing import Final, get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

from core.openai.spending import Usage
from core.records import JobCounts, JobKind

_REGISTRY: Final = CollectorRegistry()

#: Calls of each tool, by outcome: `ok`, or the code of the error.
TOOL_CALLS: Final = Counter("remembrancer_tool_calls", "Tool calls", ["tool", "outcome"], registry=_REGISTRY)
#: Seconds each tool takes.
TOOL_SECONDS: Final = Histogram("remembrancer_tool_seconds", "Duration of tool calls", ["tool"], registry=_REGISTRY)
#: HTTP requests and connections that were not served: why not.
HTTP_REFUSALS: Final = Counter(
    "remembrancer_http_refusals", "HTTP requests and connections that were refused", ["reason"], registry=_REGISTRY
)
_JOBS: Final = Gauge("remembrancer_jobs", "Jobs of all projects", ["state"], registry=_REGISTRY)
_PARKED: Final = Gauge("remembrancer_parked_jobs", "Jobs of all projects that gave up", ["kind"], registry=_REGISTRY)
_UP: Final = Gauge("remembrancer_service_up", "Whether a store answers (1) or not (0)", ["service"], registry=_REGISTRY)


class _Usage(Collector):
    """Counts stored in the record, because workers produce them and can't be scraped."""

    def __init__(self, part: str) -> None:
        self.usage: Usage | None = None
        self._part = part

    def collect(self) -> Iterator[CounterMetricFamily]:
        if self.usage is None:
            return
        yield CounterMetricFamily(
            f"remembrancer_{self._part}_requests", f"Requests to the {self._part} service", value=self.usage.requests
        )
        tokens = CounterMetricFamily(
            f"remembrancer_{self._part}_tokens", "Tokens of these requests and their answers", labels=["kind"]
        )
        tokens.add_metric(["prompt"], self.usage.prompt_tokens)
        tokens.add_metric(["completion"], self.usage.completion_tokens)
        yield tokens


_EXTRACTION: Final = _Usage("extraction")
_EMBEDDING: Final = _Usage("embedding")
_REGISTRY.register(_EXTRACTION)
_REGISTRY.register(_EMBEDDING)


def render_metrics(
    up: Mapping[str, bool],
    jobs: JobCounts | None,
    usage: Usage | None = None,
    parked: Mapping[JobKind, int] | None = None,
    embedding: Usage | None = None,
) -> bytes:
    """Return all metrics as Prometheus text; unknown values are omitted, not zero.

    `usage` is what extraction has used and `embedding` what embeddings have, None for a local extractor or embedder.
    """
    _EXTRACTION.usage, _EMBEDDING.usage = usage, embedding
    _set(up)
    _JOBS.clear()
    if jobs is not None:
        _JOBS.labels("pending").set(jobs.pending)
        _JOBS.labels("failed").set(jobs.failed)
    _PARKED.clear()
    if parked is not None:
        for kind in get_args(JobKind):
            _PARKED.labels(kind).set(parked.get(kind, 0))
    return generate_latest(_REGISTRY)


def render_store_health(up: Mapping[str, bool]) -> bytes:
    """Return only whether each store answers."""
    _set(up)
    return generate_latest(_UP)


def _set(up: Mapping[str, bool]) -> None:
    for service, answers in up.items():
        _UP.labels(service).set(answers)
