"""Exported graph: nodes, then edges, one after the other, however large the project is."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

from core.interface.neighbourhood import MAX_BUDGET, Edge, Exploration, Neighbourhood, Node
from core.knowledge.ledger import shown_events
from graph.store import Store
from retrieval.answers.exploration import explore
from retrieval.answers.walk import (
    make_entity_node,
    make_event_edges,
    make_event_node,
    make_item_node,
    make_link_edge,
    make_possibly_same_edge,
)

#: Items, of which each may be long, and other nodes that are in memory at once.
_ITEMS, _PAGE = 20, 500
#: Merge candidates of a page of entities: all that there are.
_ALL: Final = 1_000_000


class ExportedGraph(Protocol):
    """Nodes and edges in a fixed order; all nodes are read before the first edge."""

    def nodes(self) -> Iterator[Node]:
        """Yield all nodes."""
        ...

    def edges(self) -> Iterator[Edge]:
        """Yield the edges between those, each with at most one quote as its evidence."""
        ...


@dataclass(slots=True)
class _Whole:
    """All of a project; of what was read, only ids are kept."""

    store: Store
    project_id: str
    _ids: set[str] = field(default_factory=set)

    def nodes(self) -> Iterator[Node]:
        for node in self._each_node():
            self._ids.add(node.id)
            yield node

    def edges(self) -> Iterator[Edge]:
        for edge in self._each_edge():
            if edge.source in self._ids and edge.target in self._ids:
                yield edge

    def _each_node(self) -> Iterator[Node]:
        for items in self.store.each(self.project_id, batch=_ITEMS):
            yield from map(make_item_node, items)
        for ids in self._pages("entity"):
            yield from map(make_entity_node, self.store.entities(self.project_id, ids).values())
        for ids in self._pages("event"):
            yield from map(make_event_node, shown_events(self.store.events(self.project_id, ids).values()))

    def _each_edge(self) -> Iterator[Edge]:
        for items in self.store.each(self.project_id, batch=_ITEMS):
            mentioned = self.store.mentioned_entities(self.project_id, [item.id for item in items])
            for item in items:
                yield from (Edge(item.id, entity, "MENTIONS") for entity in mentioned.get(item.id, ()))
                yield from (Edge(item.id, origin, "ECHOES") for origin in item.echoes)
        for ids in self._pages("entity"):
            found = self.store.merge_candidates(self.project_id, ids, _ALL)
            yield from (make_possibly_same_edge(candidate) for candidate in found if candidate.one in ids)
        for ids in self._pages("event"):
            for event in self.store.events(self.project_id, ids).values():
                yield from make_event_edges(event)
            for link in self.store.event_links(self.project_id, ids):
                if link.source in ids:
                    yield make_link_edge(link)

    def _pages(self, kind: Literal["entity", "event"]) -> Iterator[list[str]]:
        last = ""
        while ids := self.store.node_ids(self.project_id, kind, _PAGE, last):
            yield ids
            last = ids[-1]


@dataclass(frozen=True, slots=True)
class _Neighbourhood:
    found: Neighbourhood

    def nodes(self) -> Iterator[Node]:
        yield from self.found.nodes

    def edges(self) -> Iterator[Edge]:
        yield from self.found.edges


def export_whole_graph(store: Store, project_id: str) -> ExportedGraph:
    """Return all current items, entities and events of a project, and what connects them."""
    return _Whole(store, project_id)


def export_neighbourhood(store: Store, project_id: str, identity: str, depth: int) -> ExportedGraph:
    """Return what is up to `depth` steps around a thing, of up to 500 nodes.

    Raises:
        InvalidInput: the depth is not 1 to 3.
        NotFound: nothing is stored under the id.
    """
    asked = Exploration(id=identity, depth=depth, budget=MAX_BUDGET, detail="full")
    return _Neighbourhood(explore(store, project_id, asked))
