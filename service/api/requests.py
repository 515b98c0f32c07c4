"""Requests: what each path of the API is asked, with the limits that the description of the API shows."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, make_dataclass
from functools import reduce
from operator import or_
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, ClassVar, Final, Literal, Union, get_args, get_origin

from pydantic import ConfigDict, Field

from core.interface.ledger import OF_ENTITIES, OF_EVENTS
from core.interface.operations import OPERATION, Operation
from core.interface.question import MAX_OFFSET, NodeKind
from core.interface.results import MAX_SHAPE_NODES
from core.knowledge.findings import Category

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
Moment = Annotated[
    str,
    Field(
        min_length=1,
        max_length=40,
        description="A day, or another date of ISO 8601, or a time ago such as 7d.",
        json_schema_extra={"format": "date"},
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing:
    """Nothing is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfProject:
    """What concerns one project."""

    project: Project = "default"


#: The form of texts that paths and operations share, by name; numbers have the ranges of the operation's parameters.
_FORMS: Final[Mapping[str, Any]] = {
    **dict.fromkeys(("date_from", "date_to", "as_of", "due_before"), Moment),
    **dict.fromkeys(("source", "tags", "note", "name", "same_as", "different_from"), Name),
}
#: Parameters that no path has: its answers are full, and its project is `project`.
_NOT_ASKED: Final = frozenset({"detail", "max_tokens", "project_id"})


def request_like(
    operation: Operation,
    base: type[OfProject] = OfProject,
    *,
    without: Collection[str] = (),
    limits: Mapping[str, Any] = MappingProxyType({}),
    defaults: Mapping[str, object] = MappingProxyType({}),
    renamed: Mapping[str, str] = MappingProxyType({}),
) -> type[OfProject]:
    """Return the request of a path that answers as an operation does: its parameters, and the fields of `base`."""
    declared, limited = list[tuple[str, Any, Any]](), {**_FORMS, **limits}
    for one in operation.parameters:
        if one.name not in _NOT_ASKED and one.name not in without:
            default = defaults.get(one.name, one.default)
            named = renamed.get(one.name, one.name)
            within = Words if one.range is None else Annotated[one.hint, Field(ge=one.range.low, le=one.range.high)]
            hint = _limited(one.hint, limited.get(one.name, within))
            declared.append((named, hint, field(default_factory=list) if default == () else field(default=default)))
    made = make_dataclass(operation.title, declared, bases=(base,), frozen=True, slots=True, kw_only=True)
    made.__doc__ = operation.description.partition("\n")[0]
    return made


def _limited(hint: Any, limited: Any) -> Any:  # noqa: ANN401 - type expressions
    """Return the type of a parameter with its texts and numbers limited; choices and truth values need no limit."""
    options = get_args(hint)
    if get_origin(hint) in {Union, UnionType}:
        return reduce(or_, (None if option is NoneType else _limited(option, limited) for option in options))
    if get_origin(hint) is tuple:
        return list[_limited(options[0], limited)]  # type: ignore[misc] # built from a value
    return limited if hint in {str, int, float} else hint


def arguments_of(
    operation: Operation, asked: OfProject, renamed: Mapping[str, str] = MappingProxyType({})
) -> dict[str, Any]:
    """Return what a request that `request_like` made asks of the operation."""
    names = {one.name: renamed.get(one.name, one.name) for one in operation.parameters}
    given = {name: getattr(asked, known) for name, known in names.items() if hasattr(asked, known)}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}


#: How a search calls parameters of `recall`.
SEARCHED: Final = MappingProxyType({"query": "q", "tags": "tag"})


@dataclass(frozen=True, slots=True, kw_only=True)
class OfPerson(OfProject):
    """What may concern one person only: by name, alias, address or id."""

    person: Name | None = None


#: A search; without `q` the newest items that pass. `person` is a name, alias, address or id.
Search: Final = request_like(
    OPERATION["recall"],
    OfPerson,
    without=("id", "conversation_id", "text_offset"),
    limits={
        "query": Annotated[str, _text(_QUERY, 2)],
        "limit": Annotated[int, Field(ge=1, le=100)],
        "offset": Annotated[int, Field(ge=0, le=1_000)],
    },
    renamed=SEARCHED,
)


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
class SomeNodes(OfProject):
    """The nodes with these ids."""

    id: Annotated[list[Id], Field(min_length=1, max_length=100)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours(OfProject):
    """What a node is connected with; with `fold`, the entities that its items mention in place of these items."""

    id: Id
    kind: list[NodeKind] = field(default_factory=list)
    category: list[Category] = field(default_factory=list)
    person: Name | None = None
    tag: list[Name] = field(default_factory=list)
    date_from: Moment | None = None
    date_to: Moment | None = None
    as_of: Moment | None = None
    limit: Annotated[int, Field(ge=1, le=500)] = 200
    fold: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets(OfProject):
    """How many items there are of each type, month and tag, of those that pass the filters of a search."""

    context: Name | None = None
    tag: list[Name] = field(default_factory=list)
    date_from: Moment | None = None
    date_to: Moment | None = None
    as_of: Moment | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Names(OfProject):
    """Names of which a word begins with `q`; with none the most mentioned."""

    q: Annotated[str, _text(_NAME, 0)] = ""
    limit: Annotated[int, Field(ge=1, le=100)] = 10


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
_DECLARED: Final = tuple(dict.fromkeys((*OF_EVENTS, *OF_ENTITIES)))


def _given(name: str) -> dict[str, Any]:
    return {"required": [name], "properties": {name: {"type": "string"}}}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Declaring(OfProject):
    __pydantic_config__: ClassVar = ConfigDict(json_schema_extra={"anyOf": [_given(name) for name in _DECLARED]})

    def __post_init__(self) -> None:
        if all(getattr(self, name) is None for name in _DECLARED):
            raise ValueError(f"This resolves nothing: it needs one of {', '.join(_DECLARED)}.")


_Linked = Annotated[str, Field(pattern=r"^(?:evt_[0-9a-f]{12}|none)$")]
Resolve: Final = request_like(
    OPERATION["resolve"],
    _Declaring,
    limits={
        "id": Annotated[str, Field(pattern=r"^(?:evt|ent)_[0-9a-f]{12}$")],
        "status": Literal["open", "done", "cancelled", "current", "withdrawn", "dismissed"],
        "supersedes": _Linked,
        "completes": _Linked,
    },
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Review(OfProject):
    """Pairs that may be the same, the surest first."""

    limit: Annotated[int, Field(ge=1, le=100)] = 10
    offset: Annotated[int, Field(ge=0, le=MAX_OFFSET)] = 0


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
