"""Exploration: the arguments of `explore`, checked when they are made, and its result."""

from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, Final, Literal

from core.errors import InvalidInput, check_all
from core.interface.memory import check_text
from core.interface.parameters import Description
from core.interface.question import DetailParameter, MaxTokensParameter, check_detail, check_range
from core.knowledge.findings import Evidence
from core.records import ALWAYS

#: Maximum steps from the first node, and maximum number of nodes.
MAX_DEPTH, MAX_BUDGET = 3, 500
#: Longest id or name that is looked up, in characters.
_MAX_NAME: Final = 500

NodeKind = Literal["entity", "event", "item"]
EdgeType = Literal[
    "MENTIONS", "ACTED_IN", "ABOUT", "EVIDENCED_BY", "SUPERSEDES", "COMPLETES", "CANCELS", "POSSIBLY_SAME", "ECHOES"
]


#: What ids begin with: of items, events and entities.
ID_PREFIXES: Final = ("art_", "evt_", "ent_")


def as_id_or_name(what: str) -> dict[str, Any]:
    """Return the argument of `Exploration` for an id or a name."""
    return {"id" if what.startswith(ID_PREFIXES) else "name": what}


@dataclass(frozen=True, slots=True, kw_only=True)
class Exploration:
    """One call of `explore`. Values are validated when it is made.

    Raises:
        InvalidInput: a field is out of range, or not exactly one of id, name and review is given, or `to` is given
            with review.
    """

    id: Annotated[str | None, Description("ent_…, evt_… or art_… id.")] = None
    name: Annotated[str | None, Description("Name, alias or address.")] = None
    to: Annotated[str | None, Description("Id or name: find the paths there.")] = None
    depth: Annotated[int, Description("Steps from it, 1 to 3.")] = 1
    budget: Annotated[int, Description("Most nodes, 1 to 500.", "maximum number of nodes, 1 to 500")] = 50
    review: Annotated[bool, Description("List duplicates.")] = False
    detail: DetailParameter = "brief"
    max_tokens: MaxTokensParameter = None

    def __post_init__(self) -> None:
        named = {"id": self.id, "name": self.name, "to": self.to}
        check_all(
            *(partial(check_text, name, value, _MAX_NAME) for name, value in named.items() if value is not None),
            lambda: check_range("depth", self.depth, 1, MAX_DEPTH),
            lambda: check_range("budget", self.budget, 1, MAX_BUDGET),
            lambda: check_detail(self.detail, self.max_tokens),
            self._check_start,
        )

    def _check_start(self) -> None:
        if sum((self.id is not None, self.name is not None, self.review)) != 1:
            raise InvalidInput("explore needs exactly one of id, name and review=true.")
        if self.review and self.to is not None:
            raise InvalidInput("explore finds paths from an id or a name, not with review=true: leave one of them out.")


@dataclass(frozen=True, slots=True)
class NameReason:
    """Why a name in an item was resolved to an entity, in a fixed phrase that holds no name itself."""

    name: str
    reason: str
    artifact_id: str


@dataclass(frozen=True, slots=True)
class Node:
    """A person or thing, an event, or an item. `type` is an entity's type, an event's category, an item's context.

    `name` is an entity's name, an event's summary, an item's title, key or first words. `reasons` are given for the
    entity asked for, from the newest items that mention it.
    """

    id: str
    kind: NodeKind
    name: str
    type: str
    aliases: list[str] | None = None
    role: str | None = None
    organization: str | None = None
    mention_count: int | None = None
    reasons: list[NameReason] | None = None
    status: str | None = None
    event_time: str | None = None
    due: str | None = None
    confidence: float | None = None
    date: str | None = None
    author: str | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation of the graph with its direction; POSSIBLY_SAME has none, its evidence shows where each is named."""

    source: str
    target: str
    type: EdgeType
    role: str | None = None
    confidence: float | None = None
    reason: str | None = None
    evidence: list[Evidence] | None = None


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The result of `explore`; the first node is the one asked for. `total_count` counts all pairs to review.

    `paths`, if they were asked for, are the best ways from the first node to the second, best first: each the edges in
    the order in which one walks, whatever their direction, with the sentences that they rest on. `held_back` counts the
    events left out because they are less sure than those that `decisions` and `commitments` list.
    """

    nodes: list[Node] = field(default_factory=list, metadata=ALWAYS)
    edges: list[Edge] = field(default_factory=list, metadata=ALWAYS)
    truncated: bool = field(default=False, metadata=ALWAYS)
    total_count: int | None = None
    paths: list[list[Edge]] | None = None
    held_back: int | None = None
    hint: str | None = None
