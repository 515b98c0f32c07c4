"""Surroundings: what one node of the graph is directly connected with, filtered, bounded, saying what is left out."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from typing import Final

from core.dates import is_after
from core.filters import Filters
from core.interface.question import Edge, Node, NodeKind
from core.interface.results import fields_for_subclass
from core.knowledge.findings import CATEGORIES, Category, Event
from core.knowledge.ledger import is_shown, shown_events
from core.records import ALWAYS
from graph.store import Store
from retrieval.answers.exploration import (
    current_entity_id,
    group_ids_by_kind,
    interleave,
    linked_ids,
    make_entity_node,
    make_event_edges,
    make_event_node,
    make_item_node,
    make_link_edge,
    make_possibly_same_edge,
)
from retrieval.browsing.details import not_found_error

#: Neighbours of each kind that are looked at.
_LOOKED_AT: Final = 1_000
#: Neighbours that are read at a time while filters choose among them.
_BATCH: Final = 250
#: Most of them that are read in all.
_MOST_READ: Final = 1_500
#: A node with so many neighbours that are not shown is a hub.
_HUB: Final = 10
#: Pairs that may be the same, of each entity.
_MERGE_CANDIDATES: Final = 25
_KINDS: Final[Mapping[str, NodeKind]] = {"ent": "entity", "evt": "event", "art": "item"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What to show around a node: only these kinds of nodes and categories of events, all with none.

    `filters` choose items, and events by the items that they rest on. With `people`, ids of one or more entities, only
    events in which one of them has a part and items that mention one are shown. `limit` counts the node itself. With
    `fold`, the neighbours of an entity are the entities that its items mention, and not these items.
    """

    id: str
    filters: Filters
    kinds: tuple[NodeKind, ...] = ()
    categories: tuple[Category, ...] = ()
    people: tuple[str, ...] | None = None
    limit: int = 200
    fold: bool = False

    @property
    def chooses(self) -> bool:
        """Whether neighbours have to be read to tell whether they are shown."""
        narrowed = self.filters != Filters(at=self.filters.at, as_of=self.filters.as_of)
        return narrowed or self.people is not None


@dataclass(frozen=True, slots=True)
class PlacedNode(Node):
    """A node of the canvas. `degree` is at least the edges shown; an entity's counts mentions, an event's its parts."""

    degree: int = 0


@dataclass(frozen=True, slots=True)
class PlacedEdge(Edge):
    """An edge of the canvas; its id is the same in every answer."""

    id: str = ""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How many neighbours the limit cut, in all and of each kind; `at_least` if there may be more."""

    total: int
    by_kind: dict[str, int]
    at_least: bool = False


@dataclass(frozen=True, slots=True)
class Hub:
    """A node with `folded` neighbours that are not shown."""

    id: str
    folded: int


@dataclass(frozen=True, slots=True)
class Together:
    """Two entities that the same items mention, and in how many of those of the first node."""

    one: str
    other: str
    items: int


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A node, which is the first, and its neighbours, with all edges among them; `together` where items are folded."""

    left_out: LeftOut
    nodes: list[PlacedNode] = field(default_factory=list, metadata=ALWAYS)
    edges: list[PlacedEdge] = field(default_factory=list, metadata=ALWAYS)
    hubs: list[Hub] = field(default_factory=list, metadata=ALWAYS)
    together: list[Together] = field(default_factory=list, metadata=ALWAYS)
    hint: str | None = None


def load_surroundings(store: Store, project_id: str, asked: Around) -> Surroundings:
    """Return what a node is connected with: nearest first, kinds in turn.

    Raises:
        NotFound: nothing has this id, or nothing had it then.
    """
    view = _View(store, project_id, asked)
    left_out = view.fill()
    view.connect()
    edges = [edge for edge in view.edges.values() if edge.source in view.nodes and edge.target in view.nodes]
    drawn = Counter(chain.from_iterable((edge.source, edge.target) for edge in edges))
    nodes = [_placed(node, max(drawn[node.id], view.known_degree(node))) for node in view.nodes.values()]
    return Surroundings(left_out, nodes, edges, _hubs(nodes, drawn, left_out.total), view.together())


def _placed(node: Node, degree: int) -> PlacedNode:
    return PlacedNode(**fields_for_subclass(Node, node), degree=degree)


def _hubs(nodes: Sequence[PlacedNode], drawn: Mapping[str, int], left_out: int) -> list[Hub]:
    first, *others = nodes
    folded = [Hub(node.id, node.degree - drawn[node.id]) for node in others]
    return [*([Hub(first.id, left_out)] if left_out else []), *(hub for hub in folded if hub.folded >= _HUB)]


@dataclass(slots=True)
class _View:
    """Nodes and edges so far, by id; and the events among them."""

    store: Store
    project_id: str
    asked: Around
    nodes: dict[str, Node] = field(default_factory=dict)
    edges: dict[str, PlacedEdge] = field(default_factory=dict)
    events: dict[str, Event] = field(default_factory=dict)
    #: The entities that each folded item mentions.
    folded: dict[str, list[str]] = field(default_factory=dict)
    capped: bool = False

    def fill(self) -> LeftOut:
        """Read the node and as many of its neighbours as are asked for; return what is left out."""
        id_ = self.asked.id
        first = current_entity_id(self.store, self.project_id, id_) if id_.startswith("ent_") else id_
        self.nodes |= self._read([first], first=True)
        if first not in self.nodes:
            raise not_found_error(id_)
        waiting = self._wanted(self._around(first))
        left_out: Counter[str] = Counter()
        read = 0
        while waiting and read < _MOST_READ and (self.asked.chooses or len(self.nodes) < self.asked.limit):
            size = _BATCH if self.asked.chooses else self.asked.limit - len(self.nodes)
            some, waiting = waiting[:size], waiting[size:]
            read += len(some)
            for neighbour, node in self._read(some).items():
                if len(self.nodes) < self.asked.limit:
                    self.nodes[neighbour] = node
                else:
                    left_out[node.kind] += 1
        if self.asked.chooses:
            self.capped |= bool(waiting)
        else:
            left_out.update(_KINDS[neighbour[:3]] for neighbour in waiting)
        return LeftOut(left_out.total(), dict(left_out), self.capped)

    def connect(self) -> None:
        """Add the edges among the nodes that are shown."""
        events = {id_: event for id_, event in self.events.items() if id_ in self.nodes}
        for edge in chain.from_iterable(map(make_event_edges, events.values())):
            self._note(edge)
        for link in self.store.event_links(self.project_id, list(events)) if events else ():
            self._note(make_link_edge(link))
        entities = [id_ for id_ in self.nodes if id_.startswith("ent_")]
        for one in (
            self.store.merge_candidates(self.project_id, entities, _MERGE_CANDIDATES * len(entities))
            if entities
            else ()
        ):
            self._note(make_possibly_same_edge(one))
        if self.asked.id.startswith("evt_"):
            for item in [id_ for id_ in self.nodes if id_.startswith("art_")][:_MERGE_CANDIDATES]:
                self._mentioned(item)

    def together(self) -> list[Together]:
        """Return the pairs of shown entities that folded items mention, those of most items first."""
        shown = [[id_ for id_ in mentioned if id_ in self.nodes] for mentioned in self.folded.values()]
        counted = Counter(chain.from_iterable(combinations(sorted(ids), 2) for ids in shown))
        return [Together(one, other, items) for (one, other), items in counted.most_common()]

    def known_degree(self, node: Node) -> int:
        """Return how many neighbours a node has, as far as that is known without reading them."""
        event = self.events.get(node.id)
        return (node.mention_count or 0) if event is None else len(linked_ids(event))

    def _wanted(self, ids: Iterable[str]) -> list[str]:
        kinds = self.asked.kinds
        return [id_ for id_ in dict.fromkeys(ids) if id_ not in self.nodes and (not kinds or _KINDS[id_[:3]] in kinds)]

    def _around(self, id_: str) -> list[str]:
        if id_.startswith("ent_"):
            return self._around_entity(id_)
        if id_.startswith("evt_"):
            links = self.store.event_links(self.project_id, [id_])
            linked = [end for link in links for end in (link.source, link.target) if end != id_]
            return list(interleave([linked_ids(self.events[id_]), linked]))
        return self._around_item(id_)

    def _around_entity(self, id_: str) -> list[str]:
        filters, most = self.asked.filters, _LOOKED_AT
        categories = self.asked.categories or CATEGORIES
        links = self.store.links(self.project_id, [id_], categories, most + 1, as_of=filters.as_of)
        events = [link.target for link in sorted(links, key=lambda link: (-link.weight, link.target))]
        mentions = self.store.mentions(self.project_id, [id_], filters, most + 1)
        items = list(dict.fromkeys(hit.artifact_id for hit in mentions))
        per_category = Counter(link.kind for link in links)
        self.capped |= len(mentions) > most or any(count > most for count in per_category.values())
        if self.asked.fold:
            self.folded = self.store.mentioned_entities(self.project_id, items)
            counted = Counter(chain.from_iterable(self.folded.values()))
            beside = [other for other, _ in counted.most_common() if other != id_]
        else:
            beside = items
            for item in items:
                self._note(Edge(item, id_, "MENTIONS"))
        merge_candidates = self.store.merge_candidates(self.project_id, [id_], _MERGE_CANDIDATES)
        alike = [one.other if one.one == id_ else one.one for one in merge_candidates]
        return [*alike, *interleave([list(dict.fromkeys(events)), beside])]

    def _around_item(self, id_: str) -> list[str]:
        as_of = self.asked.filters.as_of
        events = shown_events(self.store.events_of(self.project_id, [id_], _LOOKED_AT + 1, as_of=as_of).get(id_, []))
        categories = self.asked.categories or CATEGORIES
        chosen = [event.id for event in events if event.category in categories]
        entities = self._mentioned(id_)
        self.capped |= max(len(events), len(entities)) > _LOOKED_AT
        return list(interleave([chosen, entities]))

    def _mentioned(self, item: str) -> list[str]:
        as_of = self.asked.filters.as_of
        entities = self.store.entities_of(self.project_id, [item], _LOOKED_AT + 1, as_of=as_of)
        for entity in entities:
            self._note(Edge(item, entity.id, "MENTIONS"))
        return [entity.id for entity in entities]

    def _read(self, ids: Sequence[str], *, first: bool = False) -> dict[str, Node]:
        """Return the nodes of what is stored and passes, in the order of the ids; the `first` passes as it is."""
        as_of, kinds = self.asked.filters.as_of, group_ids_by_kind(ids)
        entities = self.store.entities(self.project_id, kinds["ent"], as_of=as_of)
        events = self._passing(self.store.events(self.project_id, kinds["evt"], as_of=as_of), first=first)
        self.events |= events
        items = self.store.get(self.project_id, self._passing_items(kinds["art"], first=first))
        nodes = {one.id: make_entity_node(one) for one in entities.values()}
        nodes |= {one.id: make_event_node(one) for one in events.values()}
        nodes |= {
            one.id: make_item_node(one)
            for one in items.values()
            if not first or as_of is None or not is_after(one.happened_at, as_of)
        }
        return {id_: nodes[id_] for id_ in ids if id_ in nodes}

    def _passing(self, events: Mapping[str, Event], *, first: bool) -> dict[str, Event]:
        categories, people = self.asked.categories or CATEGORIES, self.asked.people
        if first:
            return dict(events)
        witnesses = {proof.artifact_id for event in events.values() for proof in event.evidence}
        seen = self.store.matching_ids(self.project_id, sorted(witnesses), self.asked.filters)
        return {
            id_: event
            for id_, event in events.items()
            if is_shown(event)
            and event.category in categories
            and any(proof.artifact_id in seen for proof in event.evidence)
            and (people is None or not {actor.entity_id for actor in event.actors}.isdisjoint(people))
        }

    def _passing_items(self, ids: Sequence[str], *, first: bool) -> list[str]:
        if first or not ids:
            return list(ids)
        seen = self.store.matching_ids(self.project_id, ids, self.asked.filters)
        if self.asked.people is not None:
            hits = self.store.mentions(self.project_id, self.asked.people, self.asked.filters, _LOOKED_AT)
            seen &= {hit.artifact_id for hit in hits}
        return [id_ for id_ in ids if id_ in seen]

    def _note(self, edge: Edge) -> None:
        id_ = f"{edge.source}-{edge.type}-{edge.target}"
        if id_ not in self.edges:
            self.edges[id_] = PlacedEdge(**fields_for_subclass(Edge, edge), id=id_)
