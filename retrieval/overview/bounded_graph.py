"""Bounded graph: the newest part of a project's graph, as far as its shape is computed."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from core.dates import now
from core.filters import Filters
from core.interface.neighbourhood import Node
from core.knowledge.findings import Event
from core.knowledge.ledger import shown_events
from core.records import ListCursor
from graph.store import Store
from retrieval.answers.walk import make_entity_node, make_event_node, make_item_node

#: Items that are read together, and events of each that are looked at.
_PAGE, _EVENTS = 50, 50
#: Edges for each node.
_DENSITY: Final = 4


@dataclass(slots=True)
class BoundedGraph:
    """Connected items, events and entities, newest items first, and which of them are connected with which."""

    limit: int
    nodes: dict[str, Node | None] = field(default_factory=dict)
    edges: set[tuple[str, str]] = field(default_factory=set)
    num_passed: int = 0

    @property
    def is_full(self) -> bool:
        """Whether no more items are taken in."""
        return len(self.nodes) >= self.limit or len(self.edges) >= self.limit * _DENSITY

    def connect(self, one: str, others: Iterable[str]) -> None:
        """Add edges from a node, as far as there is room for those at their other ends."""
        for other in others:
            if len(self.edges) >= self.limit * _DENSITY:
                return
            if other in self.nodes or len(self.nodes) < self.limit:
                self.nodes.setdefault(other, None)
                self.edges.add((one, other))


def load_bounded_graph(store: Store, project_id: str, limit: int) -> BoundedGraph:
    """Read the newest items with their events and entities until there are `limit` nodes, or four times as many
    edges."""
    graph = BoundedGraph(limit)
    filters, after = Filters(at=now()), None
    while not graph.is_full and (page := store.newest(project_id, filters, _PAGE, after=after)):
        after = _read(store, project_id, graph, [item.id for item in page], page[-1].cursor)
        for item in page:
            if item.id in graph.nodes:
                graph.nodes[item.id] = make_item_node(item)
    entities = [id_ for id_, node in graph.nodes.items() if node is None and id_.startswith("ent_")]
    for start in range(0, len(entities), 1_000):
        for id_, entity in store.entities(project_id, entities[start : start + 1_000]).items():
            graph.nodes[id_] = make_entity_node(entity)
    return graph


def _read(store: Store, project_id: str, graph: BoundedGraph, ids: list[str], last: ListCursor) -> ListCursor:
    mentioned = store.mentioned_entities(project_id, ids)
    events = store.events_of(project_id, ids, _EVENTS)
    for id_ in ids:
        if graph.is_full:
            break
        graph.num_passed += 1
        if id_ in mentioned or id_ in events:
            graph.nodes.setdefault(id_, None)
            graph.connect(id_, mentioned.get(id_, ()))
            for event in shown_events(events.get(id_, ())):
                graph.connect(id_, [event.id])
                _add_parts(graph, event)
    return last


def _add_parts(graph: BoundedGraph, event: Event) -> None:
    if event.id in graph.nodes and graph.nodes[event.id] is None:
        graph.nodes[event.id] = make_event_node(event)
        graph.connect(event.id, (actor.entity_id for actor in event.actors))
        graph.connect(event.id, (subject.entity_id for subject in event.subjects))
