"""What the service answers, field by field the shapes of docs/interface.md.

A field that is None is left out if None is its default; one without a default is always there, null if need be.
"""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from datetime import datetime
from typing import Any, Literal

from core.dates import to_text
from core.knowledge.findings import Actor, Entity, Evidence
from core.records import Cascade, Counts

MatchType = Literal["id", "conversation", "exact", "hybrid", "list"]
ServiceStatus = Literal["healthy", "error", "disabled"]


def to_json(value: object) -> Any:  # noqa: ANN401 - JSON has no narrower type
    """Return `value` as plain JSON values: dataclasses as objects without optional None fields, moments as ISO text."""
    if is_dataclass(value):
        shown = ((item, getattr(value, item.name)) for item in fields(value))
        return {item.name: to_json(v) for item, v in shown if v is not None or item.default is MISSING}
    if isinstance(value, Mapping):
        return {str(name): to_json(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_json(inner) for inner in value]
    return to_text(value) if isinstance(value, datetime) else value


@dataclass(frozen=True, slots=True)
class Receipt:
    """What `remember` answers; `events_queued` says whether extraction will still run."""

    id: str
    status: Literal["stored", "duplicate", "updated"]
    context: str
    project_id: str
    is_chunked: bool
    num_chunks: int
    token_count: int
    events_queued: bool
    key: str | None = None
    conversation_id: str | None = None
    turn_index: int | None = None
    degraded: list[str] | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why one of several items was not remembered; `index` is its place among them, from 0."""

    error: str
    code: str
    index: int


@dataclass(frozen=True, slots=True)
class Receipts:
    """What `remember_many` answers: a receipt or a refusal an item, in their order, and how many there are of each."""

    results: list[Receipt | Refusal]
    stored: int
    updated: int
    duplicates: int
    failed: int
    degraded: list[str] | None = None


@dataclass(frozen=True, slots=True)
class EventView:
    """An event beside the result it was found in."""

    id: str
    category: str
    summary: str
    actors: list[Actor]
    subjects: list[str]
    confidence: float
    evidence: list[Evidence]
    event_time: str | None = None
    due: str | None = None
    status: str | None = None


@dataclass(frozen=True, slots=True)
class ChunkView:
    """Where a slice lies in its artifact; `content` is given for chunks that stand alone."""

    index: int
    start_char: int
    end_char: int
    content: str | None = None


@dataclass(frozen=True, slots=True)
class Neighbor:
    """What stands beside a result: the chunk before or after, or the turn before or after."""

    id: str
    content: str
    index: int
    start_char: int | None = None
    end_char: int | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """One item. `content` is the whole item, or its best chunk when `chunk` says where that lies.

    An event or entity asked for by id is a result too, with its category or type as `context`.
    """

    id: str
    content: str
    context: str
    score: float
    metadata: dict[str, Any]
    stashed: bool = False
    title: str | None = None
    chunk: ChunkView | None = None
    chunks: list[ChunkView] | None = None
    neighbors: list[Neighbor] | None = None
    events: list[EventView] | None = None
    revisions: list[str] | None = None


@dataclass(frozen=True, slots=True)
class RelatedEvent:
    """An event that the graph connects with the results, why, over how many hops, and the words it rests on."""

    id: str
    category: str
    summary: str
    reason: str
    hops: int
    score: float
    artifact_id: str
    evidence: list[Evidence]
    event_time: str | None = None
    due: str | None = None
    status: str | None = None


@dataclass(frozen=True, slots=True)
class TurnView:
    """One turn of a conversation."""

    turn_index: int
    ts: str
    content: str
    id: str
    role: str | None = None
    author: str | None = None


@dataclass(frozen=True, slots=True)
class Recall:
    """What `recall` answers. `degraded` names what was not available; the rest comes from what was.

    `answer_likelihood` is the chance, from 0 to 1, that a search found an answer, whatever page of it is shown; None if
    nothing was searched, or the record did not answer.
    """

    results: list[Result] = field(default_factory=list)
    related: list[RelatedEvent] = field(default_factory=list)
    entities: list[Entity] = field(default_factory=list)
    total_count: int = 0
    match_type: MatchType = "hybrid"
    degraded: list[str] = field(default_factory=list)
    answer_likelihood: float | None = None
    hint: str | None = None
    turns: list[TurnView] | None = None
    total_turns: int | None = None
    conversation_id: str | None = None


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What `forget` answers; `error` says why nothing was deleted."""

    deleted: bool
    id: str | None = None
    cascade: Cascade | None = None
    dry_run: bool | None = None
    error: str | None = None
    source_artifact_id: str | None = None
    conversation_id: str | None = None
    items: int | None = None
    degraded: list[str] | None = None


@dataclass(frozen=True, slots=True)
class ServiceView:
    """How one part of the service is."""

    status: ServiceStatus
    detail: str
    latency_ms: float


@dataclass(frozen=True, slots=True)
class JobView:
    """Where one job of an artifact stands."""

    state: str
    attempts: int
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Status:
    """What `status` answers; `job_status` maps each kind of job of the item asked for to where it stands.

    Counts are None while the record does not answer.
    """

    version: str
    healthy: bool
    services: dict[str, ServiceView]
    counts: Counts | None
    pending_jobs: int | None
    failed_jobs: int | None
    project_id: str
    job_status: dict[str, JobView] | None = None
