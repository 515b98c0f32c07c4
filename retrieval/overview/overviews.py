"""Overviews: the shapes of the newest parts of graphs, computed in another process and kept until a graph changes."""

import json
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from core.dates import now, to_zone_text
from core.errors import Unavailable
from core.filters import Filters
from core.interface.question import Node
from core.interface.results import CentralNode, Community, Component, Shape
from core.knowledge.findings import Event
from core.knowledge.ledger import shown_events
from core.records import ListCursor
from core.timing import hold
from graph.store import Store
from retrieval.answers.exploration import make_entity_node, make_event_node, make_item_node

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


#: Import from the folders of this process, never from the working folder: anybody may have written its files.
_PROGRAM: Final = f"import sys; sys.path[:] = sys.argv[1:]; from {__package__}.structure import serve; serve()"
#: How long the computation may take, in seconds: a full graph takes one to three, more on a busy machine.
_SECONDS: Final = 180.0
#: Shapes that are kept; people and things that are named as central; names that a community's name is made of.
_KEPT, _CENTRAL, _NAMES = 8, 50, 3
#: Callers that may wait for shapes at a time: others keep the threads for what takes no seconds.
_WAITING: Final = 4
#: How long one of them waits for the shape that is being computed, in seconds.
_LOCK_SECONDS: Final = 30.0
_BUSY: Final = "Several shapes are being computed: ask again in a few seconds."
#: Characters of a name that a community's name takes.
_NAME_LENGTH: Final = 60


@dataclass(slots=True)
class Overviews:
    """Shapes by project and size. One is computed at a time, a few wait for it. Safe to use from several threads."""

    _kept: OrderedDict[tuple[str, int], tuple[str, Shape]] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _room: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(_WAITING))

    def shape(self, store: Store, project_id: str, limit: int) -> Shape:
        """Return the shape of the newest part of a project's graph, of up to `limit` nodes.

        Raises:
            Unavailable: the record does not answer, too many wait already, or the computation failed.
        """
        if not self._room.acquire(blocking=False):
            raise Unavailable(_BUSY)
        try:
            with hold(self._lock, _LOCK_SECONDS, _BUSY):
                return self._known(store, project_id, limit)
        finally:
            self._room.release()

    def _known(self, store: Store, project_id: str, limit: int) -> Shape:
        mark = store.graph_version(project_id)
        before = self._kept.get((project_id, limit))
        if before is None or before[0] != mark:
            before = mark, _shape(store, project_id, limit)
            self._kept[project_id, limit] = before
        self._kept.move_to_end((project_id, limit))
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return before[1]


def _shape(store: Store, project_id: str, limit: int) -> Shape:
    graph = load_bounded_graph(store, project_id, limit)
    # What was forgotten while it was read has no node.
    nodes = [node for node in graph.nodes.values() if node is not None]
    found = _structure(nodes, graph)
    scores: list[float] = found["centrality"]
    counts = store.counts(project_id)
    taken = graph.num_passed + sum(node.kind != "item" for node in nodes)

    def ranked(group: Sequence[int]) -> list[int]:
        """People and things first, whose names say more than what was said of them."""
        return sorted(group, key=lambda at: (nodes[at].kind != "entity", -scores[at], nodes[at].id))

    central = ranked([at for at, node in enumerate(nodes) if node.kind == "entity"])[:_CENTRAL]
    return Shape(
        [
            Community(number, _name([nodes[at] for at in ranked(group)]), len(group), [nodes[at].id for at in group])
            for number, group in enumerate(found["communities"])
        ],
        [CentralNode(nodes[at].id, nodes[at].name, nodes[at].type, scores[at]) for at in central],
        [
            Component(nodes[first].id, nodes[first].name, len(group))
            for group in found["components"]
            for first in ranked(group)[:1]
        ],
        num_nodes=len(nodes),
        num_edges=len(graph.edges),
        left_out=max(0, counts.artifacts + counts.entities + counts.events - taken),
        computed_at=to_zone_text(now()),
    )


def _name(nodes: Sequence[Node]) -> str:
    named = [node for node in nodes if node.kind == "entity"] or nodes[:1]
    return ", ".join(node.name[:_NAME_LENGTH] for node in named[:_NAMES])


def _structure(nodes: Sequence[Node], graph: BoundedGraph) -> Any:  # noqa: ANN401 - a `structure.Structure` as JSON
    """Compute in a separate process, so that no answer waits for it."""
    number = {node.id: at for at, node in enumerate(nodes)}
    edges = sorted((number[a], number[b]) for a, b in graph.edges if a in number and b in number)
    command = [sys.executable, "-P", "-c", _PROGRAM, *sys.path]
    body = json.dumps([len(nodes), edges])
    try:
        done = subprocess.run(  # noqa: S603 - our own program
            command, input=body, capture_output=True, text=True, timeout=_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise Unavailable(
            f"The shape could not be computed ({type(error).__name__}): ask again, or for less."
        ) from error
    return json.loads(done.stdout)
