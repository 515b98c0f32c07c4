"""Requests: what each path of the API is asked, with the limits that the description of the API shows."""

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import ConfigDict, Field

from core.interface.ledger_questions import CommitmentStatus, DecisionStatus
from core.interface.memory import Context
from core.interface.neighbourhood import NodeKind
from core.interface.question import MAX_LIMIT, MAX_OFFSET
from core.knowledge.findings import Category
from core.knowledge.shape import MAX_SHAPE_NODES

#: Characters of a query, and of a name or an id.
_QUERY, _NAME = 5_000, 500
#: No text of a request holds control characters.
_PLAIN: Final = r"^[^\x00-\x1f\x7f-\x9f]*$"


def _text(longest: int, shortest: int = 1) -> Any:  # noqa: ANN401 - what Annotated takes
    return Field(min_length=shortest, max_length=longest, pattern=_PLAIN)


Project = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,64}$", description="The memory asked.")]
Id = Annotated[str, Field(pattern=r"^(art|evt|ent)_[0-9a-f]{12}$", description="art_…, evt_… or ent_…")]
EntityId = Annotated[str, Field(pattern=r"^ent_[0-9a-f]{12}$")]
Name = Annotated[str, _text(_NAME)]
Words = Annotated[str, _text(_QUERY)]
Tag = Annotated[str, _text(_NAME)]
Moment = Annotated[
    str,
    Field(
        min_length=1,
        max_length=40,
        description="A day, or another date of ISO 8601, or a time ago such as 7d.",
        json_schema_extra={"format": "date"},
    ),
]
Page = Annotated[int, Field(ge=1, le=MAX_LIMIT)]
Offset = Annotated[int, Field(ge=0, le=MAX_OFFSET)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing:
    """Nothing is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfProject:
    """What concerns one project."""

    project: Project = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Search(OfProject):
    """A search; without `q` the newest items that pass. `person` is a name, alias, address or id."""

    q: Annotated[str, _text(_QUERY, 2)] | None = None
    limit: Annotated[int, Field(ge=1, le=100)] = 10
    offset: Annotated[int, Field(ge=0, le=1_000)] = 0
    context: Context | None = None
    tag: list[Tag] = field(default_factory=list)
    person: Name | None = None
    date_from: Moment | None = None
    date_to: Moment | None = None
    as_of: Moment | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemText(OfProject):
    """A part of an item's text."""

    id: Id
    text_offset: Annotated[int, Field(ge=0, le=10_000_000)] = 0
    as_of: Moment | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OneNode(OfProject):
    """All about a node."""

    id: Id
    as_of: Moment | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours(OfProject):
    """What a node is connected with."""

    id: Id
    kind: list[NodeKind] = field(default_factory=list)
    category: list[Category] = field(default_factory=list)
    person: Name | None = None
    tag: list[Tag] = field(default_factory=list)
    date_from: Moment | None = None
    date_to: Moment | None = None
    as_of: Moment | None = None
    limit: Annotated[int, Field(ge=1, le=500)] = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Names(OfProject):
    """Names of which a word begins with `q`; with none the most mentioned."""

    q: Annotated[str, _text(_NAME, 0)] = ""
    limit: Annotated[int, Field(ge=1, le=100)] = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions(OfProject):
    """Decisions, as the tool lists them."""

    topic: Words | None = None
    person: Words | None = None
    status: DecisionStatus = "all"
    date_from: Moment | None = None
    date_to: Moment | None = None
    as_of: Moment | None = None
    limit: Page = 20
    offset: Offset = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Commitments(OfProject):
    """Commitments, as the tool lists them."""

    topic: Words | None = None
    owner: Words | None = None
    status: CommitmentStatus | None = None
    due_before: Moment | None = None
    as_of: Moment | None = None
    limit: Page = 20
    offset: Offset = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths(OfProject):
    """The best paths between two things, each given by its id or an unambiguous name."""

    from_: Annotated[str, Field(alias="from", min_length=1, max_length=_NAME, pattern=_PLAIN)]
    to: Name
    limit: Annotated[int, Field(ge=1, le=3)] = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeOf(OfProject):
    """The shape of the newest part of a memory, of so many nodes."""

    limit: Annotated[int, Field(ge=1, le=MAX_SHAPE_NODES)] = MAX_SHAPE_NODES


#: What `resolve` declares: at least one of these.
_DECLARED: Final = ("status", "supersedes", "completes", "name", "same_as", "different_from")


def _given(name: str) -> dict[str, Any]:
    return {"required": [name], "properties": {name: {"type": "string"}}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolve(OfProject):
    """The status that a person sets for a decision or a commitment, what an event supersedes or completes, or what an
    entity is called, the same as, or different from."""

    id: Annotated[str, Field(pattern=r"^(?:evt|ent)_[0-9a-f]{12}$")]
    status: Literal["open", "done", "cancelled", "current", "withdrawn", "dismissed"] | None = None
    supersedes: Annotated[str, Field(pattern=r"^(?:evt_[0-9a-f]{12}|none)$")] | None = None
    completes: Annotated[str, Field(pattern=r"^(?:evt_[0-9a-f]{12}|none)$")] | None = None
    name: Name | None = None
    same_as: Name | None = None
    different_from: Name | None = None
    note: Name | None = None
    __pydantic_config__: ClassVar = ConfigDict(json_schema_extra={"anyOf": [_given(name) for name in _DECLARED]})

    def __post_init__(self) -> None:
        if all(getattr(self, name) is None for name in _DECLARED):
            raise ValueError(f"One of {', '.join(_DECLARED)} is required.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Review(OfProject):
    """Pairs that may be the same, the surest first."""

    limit: Annotated[int, Field(ge=1, le=100)] = 10
    offset: Offset = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge(OfProject):
    """What a person says of a pair of entities, or that what was said last of it is taken back."""

    a: EntityId
    b: EntityId
    verdict: Literal["same", "different", "undo"]
    note: Name | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry(OfProject):
    """An item whose background work gave up."""

    id: Annotated[str, Field(pattern=r"^art_[0-9a-f]{12}$")]
