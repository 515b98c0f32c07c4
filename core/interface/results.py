"""Results of the tools, as described in docs/interface.md.

In full a field that is None is omitted if None is its default; a field without a default is always present, null if
need be. Brief answers omit every field that has its default, unless it is marked to be always there.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from core.dates import to_local_text
from core.knowledge.findings import Actor, Entity, Evidence
from core.knowledge.secrets import Redaction
from core.records import ALWAYS, Counts, DeletionCounts

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

MatchType = Literal["id", "conversation", "exact", "hybrid", "list"]
#: *brief* is made for a model's context: few fields, none of them empty. *full* is every field, complete.
Detail = Literal["brief", "full"]

#: What JSON has as it is.
_SCALARS: Final = frozenset({str, int, float, bool})
#: Metadata of a field that only brief answers omit where it has its default.
NULLABLE = {"shown": "in full"}
#: Below the one `answer_likelihood` nine in ten questions have no answer in memory, from the other one on nine in ten
#: have (docs/decisions/not-in-memory.md).
UNLIKELY: Final = 0.1
VERY_LIKELY: Final = 0.9

ServiceStatus = Literal["healthy", "error", "disabled"]


def fields_for_subclass(kind: "type[DataclassInstance]", value: object) -> dict[str, Any]:
    """Return the fields of `kind` in `value`, by name, to make an instance of a subclass."""
    return {item.name: getattr(value, item.name) for item in fields(kind)}


def to_json(value: object, detail: Detail = "full") -> Any:  # noqa: ANN401 - JSON has no narrower type
    """Return `value` as plain JSON values: dataclasses as objects of the fields shown, moments as text."""
    kind = type(value)
    if value is None or kind in _SCALARS:
        return value
    if is_dataclass(kind):
        return {name: to_json(inner, detail) for name, inner in shown_fields(value, detail)}
    if isinstance(value, Mapping):
        return {str(name): to_json(inner, detail) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_json(inner, detail) for inner in value]
    return to_local_text(value) if isinstance(value, datetime) else value


def shown_fields(value: Any, detail: Detail) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - any dataclass
    """Yield the fields of a dataclass that are sent, by name."""
    omits = _omits_default if detail == "brief" else _omits_none
    kind: Any = type(value)
    for item in _fields_of(kind):
        if not omits(item, inner := getattr(value, item.name)):
            yield item.name, inner


class _FieldFacts(NamedTuple):
    name: str
    default: Any
    has_factory: bool
    is_always: bool
    is_null_shown: bool


@cache
def _fields_of(kind: type[Any]) -> Sequence[_FieldFacts]:
    return [
        _FieldFacts(
            item.name,
            item.default,
            item.default_factory is not MISSING,
            item.metadata == ALWAYS,
            "shown" in item.metadata,
        )
        for item in fields(kind)
    ]


def _omits_none(item: _FieldFacts, value: object) -> bool:
    return value is None and item.default is not MISSING and not item.is_null_shown


def _omits_default(item: _FieldFacts, value: object) -> bool:
    if item.is_always:
        return False
    return not value if item.has_factory else bool(item.default is not MISSING and value == item.default)


def describe_unread_languages(languages: Mapping[str, int]) -> str:
    """Return a sentence about texts in other languages, counted by code; empty if there are none."""
    most_first = sorted(languages.items(), key=lambda counted: (-counted[1], counted[0]))
    listed = ", ".join(f"{number} {code}" for code, number in most_first)
    if not listed:
        return ""
    return (
        f"Read for events by structure alone, since in another language than English: {listed}. "
        "Give their other decisions and promises with `learn`, or use an extractor that calls an LLM."
    )


@dataclass(frozen=True, slots=True)
class Receipt:
    """The result of `remember`; `events_queued` says whether extraction is still to run.

    `run_id` is the run of the events and entities given with it. `changed` names the fields in which the item differs
    from what was stored of it, or from the one that it replaced; `hint` has their values, and what to know of the
    events given. `redacted` lists the secrets that are not stored. A brief one, of several items, has only id, status,
    what changed and that.
    """

    id: str
    status: Literal["stored", "duplicate", "updated"]
    context: str = ""
    project_id: str = ""
    is_chunked: bool = False
    num_chunks: int = 0
    token_count: int = 0
    events_queued: bool = False
    key: str | None = None
    conversation_id: str | None = None
    turn_index: int | None = None
    degraded: list[str] | None = None
    run_id: str | None = None
    changed: list[str] | None = None
    hint: str | None = None
    pending: list[str] | None = None
    redacted: list[Redaction] | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why one of several items was not stored; `index` is its position, from 0."""

    error: str
    code: str
    index: int


@dataclass(frozen=True, slots=True)
class Receipts:
    """The result of `remember_many`: a receipt or a refusal per item, in order, and the number of each."""

    results: list[Receipt | Refusal]
    stored: int
    updated: int
    duplicates: int
    failed: int
    degraded: list[str] | None = None
    hint: str | None = None
    pending: list[str] | None = None


@dataclass(frozen=True, slots=True)
class EventView:
    """An event of a result. A brief one has neither actors, subjects, confidence nor evidence.

    Its evidence is `quote`, unless the passage has it.
    """

    id: str
    category: str
    summary: str
    actors: list[Actor] = field(default_factory=list)
    subjects: list[str] = field(default_factory=list)
    confidence: float | None = None
    evidence: list[Evidence] = field(default_factory=list)
    event_time: str | None = None
    due: str | None = None
    status: str | None = None
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class ChunkView:
    """Where a chunk is in its artifact and file; `content` is set where chunks are listed."""

    index: int
    start_char: int
    end_char: int
    content: str | None = None
    place: str | None = None


@dataclass(frozen=True, slots=True)
class Neighbor:
    """The chunk or turn before or after a result."""

    id: str
    content: str
    index: int
    start_char: int | None = None
    end_char: int | None = None


@dataclass(frozen=True, slots=True)
class TurnView:
    """One turn of a conversation; within a result it has `date` for `ts`."""

    turn_index: int
    content: str
    id: str
    ts: str | None = None
    role: str | None = None
    author: str | None = None
    date: str | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """One item. `content` is the whole item, or its best passage if `chunk` is set.

    An event or entity asked for by id is a result too, with its category or type as `context`. A brief one has date and
    author as fields, and in `metadata` only given values that appear nowhere else. `content` is the text of all `turns`
    if there are any.
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
    #: The ids of further items of the same text, and their number where not all are listed.
    also: list[str] | None = None
    also_count: int | None = None
    date: str | None = None
    author: str | None = None
    turns: list[TurnView] | None = None
    #: Marks the last of mentions in order of time; false if a result further down, which scores less, is later.
    newest: bool | None = None


@dataclass(frozen=True, slots=True)
class RelatedEvent:
    """An event that the graph connects with the results: the reason, the number of hops, and the evidence.

    A brief one has the reason and one `quote`, from `artifact_id`.
    """

    id: str
    category: str
    summary: str
    reason: str
    artifact_id: str
    hops: int | None = None
    score: float | None = None
    evidence: list[Evidence] = field(default_factory=list)
    event_time: str | None = None
    due: str | None = None
    status: str | None = None
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class Recall:
    """The result of `recall`. `degraded` names components that were unavailable.

    `answer_likelihood` is the chance that the search found an answer. `next_text_offset` is where the text of the item
    asked for goes on.
    """

    #: The same on every page; None if nothing was searched, or the record was unavailable.
    answer_likelihood: float | None = None
    results: list[Result] = field(default_factory=list, metadata=ALWAYS)
    related: list[RelatedEvent] = field(default_factory=list, metadata=ALWAYS)
    entities: list[Entity] = field(default_factory=list, metadata=ALWAYS)
    total_count: int = field(default=0, metadata=ALWAYS)
    match_type: MatchType = field(default="hybrid", metadata=ALWAYS)
    degraded: list[str] = field(default_factory=list, metadata=ALWAYS)
    hint: str | None = None
    turns: list[TurnView] | None = None
    total_turns: int | None = None
    conversation_id: str | None = None
    #: In characters; None at the end of the text.
    next_text_offset: int | None = None
    #: How many events are less sure than `min_confidence`.
    held_back: int | None = None


@dataclass(frozen=True, slots=True)
class Quoted:
    """Words of an item that say something about a question; `place` is where they are in it: characters, page or turn.

    `kind` is decision, commitment or passage; the first two have an `event_id`, and in `people` their owners, a passage
    its author.
    """

    kind: str
    quote: str
    artifact_id: str
    place: str | None = None
    event_id: str | None = None
    date: str | None = None
    due: str | None = None
    status: str | None = None
    people: list[str] = field(default_factory=list)
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What is known about a question: the quotes, and the same as Markdown in `text`, which is empty if there are none.

    `left_out` counts quotes that did not fit.
    """

    text: str
    quotes: list[Quoted]
    left_out: int
    answer_likelihood: float | None = None


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The result of `forget`; `error` says why nothing was deleted."""

    deleted: bool
    id: str | None = None
    cascade: DeletionCounts | None = None
    dry_run: bool | None = None
    error: str | None = None
    source_artifact_id: str | None = None
    conversation_id: str | None = None
    items: int | None = None
    degraded: list[str] | None = None


@dataclass(frozen=True, slots=True)
class ServiceView:
    """The health of one component."""

    status: ServiceStatus
    detail: str
    latency_ms: float


@dataclass(frozen=True, slots=True)
class JobView:
    """The state of one job of an artifact."""

    state: str
    attempts: int
    error: str | None = None


@dataclass(frozen=True, slots=True)
class ParkedItem:
    """An item whose background work of one kind gave up, and why; its text is stored and found all the same."""

    id: str
    kind: str
    error: str
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Status:
    """The result of `status`; `job_status` maps each kind of job of the given item to its state.

    `storage` has the bytes on disk of each embedded part: `record`, `vectors`, and `files`, the table of the files that
    were read in.
    `parked` has the first of the failed jobs; all of them are counted in `failed_jobs`. Counts are None while the
    record is unavailable. `notice` says which settings of the client's environment do not hold, since the process that
    serves it has the settings of the home. `tools` is the set of tools that the client is served.
    """

    version: str
    healthy: bool
    services: dict[str, ServiceView]
    counts: Counts | None
    pending_jobs: int | None
    failed_jobs: int | None
    project_id: str
    job_status: dict[str, JobView] | None = None
    parked: list[ParkedItem] | None = None
    storage: dict[str, int] | None = None
    tools: str | None = None
    notice: str | None = None
    hint: str | None = None


#: Most nodes that the shape is computed of; of edges four times as many.
MAX_SHAPE_NODES: Final = 5_000


@dataclass(frozen=True, slots=True)
class Community:
    """Nodes that are connected with each other more than with the rest; `name` is made of the most central ones."""

    id: int
    name: str
    size: int
    node_ids: list[str]


@dataclass(frozen=True, slots=True)
class CentralNode:
    """A person or thing that much leads to; `score` is 1 for the most central one and falls towards 0."""

    id: str
    name: str
    type: str
    score: float


@dataclass(frozen=True, slots=True)
class Component:
    """A connected component; `id` and `name` are the id and name of its most central node."""

    id: str
    name: str
    size: int


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of a project's graph: largest communities and components first, most central people and things first.

    `num_nodes` and `num_edges` are what it was computed of, `left_out` how many older nodes were not looked at.
    """

    communities: list[Community] = field(default_factory=list, metadata=ALWAYS)
    central: list[CentralNode] = field(default_factory=list, metadata=ALWAYS)
    components: list[Component] = field(default_factory=list, metadata=ALWAYS)
    num_nodes: int = field(default=0, metadata=ALWAYS)
    num_edges: int = field(default=0, metadata=ALWAYS)
    left_out: int = field(default=0, metadata=ALWAYS)
    computed_at: str = field(default="", metadata=ALWAYS)
