"""The stash: the arguments of its tools and of `pop`, checked when they are made, and their results."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Annotated, Any, Final, Literal

from core.dates import now, parse_filter, to_local_text
from core.errors import TooLarge, check_all
from core.filters import Filters
from core.interface.memory import Context, check_entries, check_text
from core.interface.parameters import Description, Range, value_checks
from core.interface.question import (
    MAX_QUERY,
    DetailParameter,
    LimitParameter,
    MaxTokensParameter,
    OffsetParameter,
)
from core.interface.results import NULLABLE, Result
from core.records import ALWAYS, Artifact

#: Maximum number of segments per call.
MAX_SEGMENTS: Final = 1_000
#: Maximum number of stashes that `pop` returns.
MAX_POPPED: Final = 100


def check_segment_ids(ids: Sequence[str]) -> list[str]:
    """Return the ids, each once, in the order given.

    Raises:
        TooLarge: there are more than `MAX_SEGMENTS`.
        InvalidInput: one is empty or no valid text.
    """
    if len(ids) > MAX_SEGMENTS:
        raise TooLarge(f"segment_ids has {len(ids):,} entries: at most {MAX_SEGMENTS:,} are allowed per call.")
    return [check_text("an entry of segment_ids", id_) for id_ in dict.fromkeys(ids)]


_SegmentIds = Annotated[tuple[str, ...], Description("Up to 1,000 art_… ids.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class StashRequest:
    """One call of `context_stash`."""

    segment_ids: _SegmentIds


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieveRequest:
    """One call of `context_retrieve_stashed`.

    Raises:
        InvalidInput: `detail` or `max_tokens` is not valid.
    """

    segment_ids: _SegmentIds
    move_to_active: Annotated[bool, Description("Make them active.")] = False
    detail: DetailParameter = "brief"
    max_tokens: MaxTokensParameter = None

    def __post_init__(self) -> None:
        check_all(*value_checks(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class StashFilters:
    """Filters on stashed items; all must match. Dates are dates of the items, inclusive.

    Raises:
        InvalidInput: a field is not among its choices, or no date.
        TooLarge: a text is over its limit.
    """

    file_path: str | None = None
    task_id: str | None = None
    tags: tuple[str, ...] = ()
    type: Context | None = None
    created_after: str | None = None
    created_before: str | None = None

    def __post_init__(self) -> None:
        check_all(
            lambda: None if self.file_path is None else check_text("file_path", self.file_path),
            lambda: None if self.task_id is None else check_text("task_id", self.task_id),
            lambda: check_entries("tags", self.tags),
            *value_checks(self),
            lambda: self.filters(now()),
        )

    def filters(self, at: datetime) -> Filters:
        """Return the conditions on items; relative dates count back from `at`."""
        after, before = self.created_after, self.created_before
        return Filters(
            at=at,
            file_path=self.file_path,
            task_id=self.task_id,
            tags=self.tags,
            context=self.type,
            date_from=None if after is None else parse_filter(after, field="created_after", at=at),
            date_to=None if before is None else parse_filter(before, field="created_before", end_of_day=True, at=at),
        )

    def given(self) -> dict[str, Any]:
        """Return the filters that were given."""
        given = {item.name: value for item in fields(self) if (value := getattr(self, item.name)) not in (None, ())}
        return given | ({"tags": list(self.tags)} if self.tags else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class StashQuestion:
    """One call of `context_search_stashed`: every item contains every word of the query; empty matches all.

    Raises:
        InvalidInput: a field is out of range, or the query no valid text.
        TooLarge: the query is over its limit.
    """

    query: Annotated[str, Description("Parts of words; empty lists all.")] = ""
    filters: Annotated[StashFilters, Description("file_path, task_id, tags, type, created_after, created_before.")] = (
        StashFilters()
    )
    limit: LimitParameter = 50
    offset: OffsetParameter = 0
    detail: DetailParameter = "brief"
    max_tokens: MaxTokensParameter = None

    def __post_init__(self) -> None:
        is_asked = bool(self.query.strip()) or len(self.query) > MAX_QUERY
        check_all(
            lambda: check_text("query", self.query, MAX_QUERY) if is_asked else None,
            *value_checks(self),
        )


@dataclass(frozen=True, slots=True)
class Segment:
    """An item as the stash tools return it, whole. `created_at` is its own date, else when it was stored."""

    id: str
    text: str
    type: str
    tokens: int
    tier: Literal["active", "stashed"]
    created_at: str
    metadata: dict[str, Any]
    file_path: str | None = field(default=None, metadata=NULLABLE)
    task_id: str | None = field(default=None, metadata=NULLABLE)
    tags: list[str] = field(default_factory=list)
    key: str | None = None
    title: str | None = None

    @classmethod
    def of(cls, artifact: Artifact) -> "Segment":
        """Return an item as a segment; `metadata` is only what the caller passed as `metadata`."""
        memory = artifact.memory
        return cls(
            id=artifact.id,
            text=memory.content,
            type=memory.context,
            file_path=memory.file_path,
            task_id=memory.task_id,
            tags=list(memory.tags),
            tokens=artifact.token_count,
            tier="stashed" if artifact.stashed else "active",
            created_at=to_local_text(artifact.happened_at),
            metadata=memory.metadata or {},
            key=memory.key,
            title=memory.title,
        )


@dataclass(frozen=True, slots=True)
class Stashed:
    """The result of `context_stash`: the given items that are stashed now, and their tokens.

    Each error is a sentence that names its id.
    """

    stashed_segments: list[str]
    tokens_stashed: int
    errors: list[str]


@dataclass(frozen=True, slots=True)
class StashMatches:
    """The result of `context_search_stashed`; `total_matches` counts all matches, whatever page is shown."""

    segments: list[Segment]
    total_matches: int
    query: str
    filters_applied: dict[str, Any]
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Unstashed:
    """The result of `context_retrieve_stashed`, in the order asked for; `tier` shows which are stashed.

    `moved_to_active` lists those that were made active, by this call or before.
    """

    retrieved_segments: list[Segment]
    moved_to_active: list[str]
    errors: list[str]
    hint: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PopQuestion:
    """One call of `pop`. A name may have one character.

    Raises:
        InvalidInput: a field is out of range, or the name is blank.
        TooLarge: the name is over the limit of a query.
    """

    name: Annotated[str, Description("Its name, or words in it.")]
    limit: Annotated[int, Description("1 to 100."), Range(1, MAX_POPPED)] = 5
    detail: DetailParameter = "brief"
    max_tokens: MaxTokensParameter = None

    def __post_init__(self) -> None:
        check_text("name", self.name, MAX_QUERY)
        check_all(*value_checks(self))


@dataclass(frozen=True, slots=True)
class Popped:
    """The result of `pop`. `degraded` names unavailable components; `message` says what to try or what was left out.

    `answer_likelihood` is as in `Recall`; None where the name was exact.
    """

    results: list[Result] = field(default_factory=list, metadata=ALWAYS)
    match_type: Literal["exact", "hybrid"] = field(default="hybrid", metadata=ALWAYS)
    degraded: list[str] = field(default_factory=list, metadata=ALWAYS)
    message: str | None = None
    answer_likelihood: float | None = None
