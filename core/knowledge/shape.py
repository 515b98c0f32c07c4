"""The shape of a memory: what belongs together in its graph, and who matters in it."""

from dataclasses import dataclass, field
from typing import Final

from core.records import ALWAYS

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
