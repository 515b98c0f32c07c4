"""Explore: the bounded neighbourhood of an entity, an event or an item, by steps of bounded cost.

The pairs that wait for a merge decision come with it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, zip_longest
from typing import Final, TypeVar

from core.dates import now, to_local_text
from core.errors import NotFound
from core.filters import Filters
from core.interface.question import Edge, Exploration, NameReason, Neighbourhood, Node
from core.knowledge.findings import CATEGORIES, Entity, Event, EventLink, Evidence
from core.knowledge.identities import MergeCandidate, MergeDecisions, identifying_names
from core.knowledge.ledger import num_held_back, shown_events
from core.records import Artifact
from graph.store import Store
from retrieval.answers.views import format_due
from retrieval.shapes.exploration_shape import shape_neighbourhood

T = TypeVar("T")

#: Neighbours of one node and kind that are looked at: a hub costs no more than this.
CAP: Final = 25
#: Items whose mentions among the nodes are looked up in the end, though no step led on from them.
_LAST_ITEMS: Final = 50
#: Characters of an item's text that name it if it has neither title nor key.
_FIRST_WORDS: Final = 80
#: The reason for the names of an entity that was merged into another, or split off.
_DECIDED: Final = "decided in a review"


@dataclass(slots=True)
class Walk:
    """Nodes and edges so far. What is met but not stored any more is left out."""

    store: Store
    project_id: str
    budget: int
    nodes: dict[str, Node] = field(default_factory=dict)
    edges: dict[tuple[str, str, str], Edge] = field(default_factory=dict)
    events: dict[str, Event] = field(default_factory=dict)
    truncated: bool = False
    #: Events that are met and not sure enough to be shown.
    held_back: set[str] = field(default_factory=set)
    filters: Filters = field(default_factory=lambda: Filters(at=now()))
    _mentions: dict[str, list[str]] = field(default_factory=dict)

    def enter(self, ids: Iterable[str], *, first: bool = False) -> list[str]:
        """Add those that are stored and not there yet, in this order, as far as the budget goes; return them."""
        waiting = [id_ for id_ in dict.fromkeys(ids) if id_ not in self.nodes]
        entered: list[str] = []
        while waiting and len(self.nodes) < self.budget:
            some, waiting = waiting[: self.budget - len(self.nodes)], waiting[self.budget - len(self.nodes) :]
            loaded = self._loaded(some, all_items=first)
            for id_ in some:
                if id_ in loaded:
                    self.nodes[id_] = loaded[id_]
                    entered.append(id_)
        self.truncated |= bool(waiting)
        if first and not entered:
            asked = next(iter(ids))
            raise NotFound(
                f"Nothing is stored under id {asked[:80]!r}: ids look like art_0123456789ab, evt_… or ent_…; "
                "recall with a query to find one."
            )
        return entered

    def explain(self, entity_ids: Iterable[str]) -> None:
        """Add to these entities why names in the newest items that mention them were resolved to them."""
        decisions = MergeDecisions(self.store.merge_decisions(self.project_id))
        for id_ in (one for one in entity_ids if one in self.nodes and self.nodes[one].kind == "entity"):
            items = list(dict.fromkeys(self._newest_mentions(id_)[:CAP]))
            knowledge = self.store.artifact_knowledge(self.project_id, items)
            found: dict[tuple[str, str], NameReason] = {}
            for item in (item for item in items if item in knowledge):
                for one in knowledge[item].entities:
                    if decisions.assigned_id(one.id, item, identifying_names(one.name, one.aliases)) != id_:
                        continue
                    for name, reason in one.reasons or ():
                        why = reason if one.id == id_ else _DECIDED
                        found.setdefault((name, why), NameReason(name, why, item))
            self.nodes[id_] = replace(self.nodes[id_], reasons=list(found.values()) or None)

    def step(self, frontier: Sequence[str]) -> list[str]:
        """Enter what is next to these nodes, each in its turn; return what was entered."""
        if len(self.nodes) >= self.budget:
            self.truncated |= any(neighbour not in self.nodes for neighbour in self._around(frontier))
            return []
        return self.enter(self._around(frontier))

    def name_together(self, artifact_ids: Sequence[str], entity_ids: Sequence[str]) -> None:
        """Enter items, each of which names all of these entities, and the events that rest on them."""
        self.enter(artifact_ids)
        for item in artifact_ids:
            for id_ in entity_ids:
                self._note(Edge(item, id_, "MENTIONS"))
        self.enter(chain.from_iterable(self._evidenced(item) for item in artifact_ids))

    def connect(self) -> None:
        """Add edges between nodes that no step has led over."""
        truncated = self.truncated
        for event in self.events.values():
            self._parts(event)
        kinds = group_ids_by_kind(self.nodes)
        list(self._event_links(kinds["evt"]))
        for candidate in self.store.merge_candidates(self.project_id, kinds["ent"], CAP * max(1, len(kinds["ent"]))):
            self._note(make_possibly_same_edge(candidate))
        for id_ in kinds["art"][:_LAST_ITEMS]:
            self._mentioned(id_)
        self.truncated = truncated

    def _loaded(self, ids: Sequence[str], *, all_items: bool) -> dict[str, Node]:
        """Return the nodes of what is stored; of items those that are current, or with `all_items` any."""
        kinds = group_ids_by_kind(ids)
        loaded = {id_: make_entity_node(one) for id_, one in self.store.entities(self.project_id, kinds["ent"]).items()}
        events = self.store.events(self.project_id, kinds["evt"])
        witnesses = list({proof.artifact_id for event in events.values() for proof in event.evidence})
        seen = self.store.matching_ids(self.project_id, [*witnesses, *kinds["art"]], self.filters)
        for id_, event in events.items():
            is_seen = any(proof.artifact_id in seen for proof in event.evidence)
            if all_items or (is_seen and self._shown([event])):
                self.events[id_] = event
                loaded[id_] = make_event_node(event)
        items = self.store.get(self.project_id, [id_ for id_ in kinds["art"] if all_items or id_ in seen])
        return loaded | {id_: make_item_node(artifact) for id_, artifact in items.items()}

    def _around(self, frontier: Sequence[str]) -> list[str]:
        """Return the neighbours of nodes, noting the edges: the nearest of each node first, then the next of each."""
        if not frontier:
            return []
        kinds = group_ids_by_kind(frontier)
        found = {id_: [self._mentioned(id_), self._evidenced(id_)] for id_ in kinds["art"]}
        found |= {id_: [self._parts(self.events[id_])] for id_ in kinds["evt"]}
        found |= self._entities_around(kinds["ent"])
        for source, target in self._event_links(kinds["evt"]):
            found[source].append([target])
        each = [list(interleave(found[id_])) for id_ in frontier]
        return list(dict.fromkeys(interleave(each)))

    def _entities_around(self, ids: Sequence[str]) -> dict[str, list[list[str]]]:
        events: dict[str, list[tuple[float, str]]] = {id_: [] for id_ in ids}
        number: Counter[tuple[str, str]] = Counter()
        for link in self.store.links(self.project_id, ids, CATEGORIES, CAP + 1):
            number[link.source, link.kind] += 1
            if number[link.source, link.kind] <= CAP:
                events[link.source].append((-link.weight, link.target))
        self.truncated |= any(count > CAP for count in number.values())
        found = {id_: [[target for _, target in sorted(reached)]] for id_, reached in events.items()}
        for id_ in ids:
            found[id_].append(self._mentioning(id_))
        for candidate in self.store.merge_candidates(self.project_id, ids, CAP * max(1, len(ids))):
            self._note(make_possibly_same_edge(candidate))
            for one, other in ((candidate.one, candidate.other), (candidate.other, candidate.one)):
                if one in found:
                    found[one].insert(0, [other])
        return found

    def _mentioning(self, entity_id: str) -> list[str]:
        items = self._capped(list(dict.fromkeys(self._newest_mentions(entity_id))))
        for item in items:
            self._note(Edge(item, entity_id, "MENTIONS"))
        return items

    def _newest_mentions(self, entity_id: str) -> list[str]:
        """Return the items of the newest chunks that mention an entity, which the store is asked for once."""
        if entity_id not in self._mentions:
            hits = self.store.mentions(self.project_id, [entity_id], self.filters, CAP + 1)
            self._mentions[entity_id] = [hit.artifact_id for hit in hits]
        return self._mentions[entity_id]

    def _mentioned(self, artifact_id: str) -> list[str]:
        entities = self.store.entities_of(self.project_id, [artifact_id], CAP + 1)
        ids = self._capped([entity.id for entity in entities])
        for id_ in ids:
            self._note(Edge(artifact_id, id_, "MENTIONS"))
        return ids

    def _evidenced(self, artifact_id: str) -> list[str]:
        events = self.store.events_of(self.project_id, [artifact_id], CAP + 1).get(artifact_id, [])
        return self._capped([event.id for event in self._shown(events)])

    def _shown(self, events: Sequence[Event]) -> list[Event]:
        """Return the events that answers show, and count the others that are not sure enough."""
        self.held_back |= {event.id for event in events if num_held_back([event])}
        return shown_events(events)

    def _parts(self, event: Event) -> list[str]:
        """Return who and what an event is about, and what it rests on."""
        for edge in make_event_edges(event):
            self._note(edge)
        return self._capped(linked_ids(event))

    def _event_links(self, ids: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield which event leads to which others that bear on it, or that it bears on."""
        asked = set(ids)
        for link in self.store.event_links(self.project_id, ids) if ids else ():
            self._note(make_link_edge(link))
            for one, other in ((link.source, link.target), (link.target, link.source)):
                if one in asked:
                    yield one, other

    def _capped(self, ids: list[str]) -> list[str]:
        self.truncated |= len(ids) > CAP
        return ids[:CAP]

    def _note(self, edge: Edge) -> None:
        self.edges.setdefault((edge.source, edge.target, edge.type), edge)


def interleave(lists: Sequence[Sequence[T]]) -> Iterator[T]:
    """Yield the first of each list, then the second of each, and so on."""
    missing = object()
    for row in zip_longest(*lists, fillvalue=missing):
        yield from (one for one in row if one is not missing)  # type: ignore[misc] # all others are T


def group_ids_by_kind(ids: Iterable[str]) -> dict[str, list[str]]:
    """Return the ids of entities (`ent`), events (`evt`) and items (`art`), each in their order."""
    kinds: dict[str, list[str]] = {"ent": [], "evt": [], "art": []}
    for id_ in ids:
        kinds.setdefault(id_[:3], []).append(id_)
    return kinds


def make_entity_node(entity: Entity) -> Node:
    """Return the node of an entity."""
    return Node(
        entity.id,
        "entity",
        entity.name,
        entity.type,
        aliases=list(entity.aliases),
        role=entity.role,
        organization=entity.organization,
        mention_count=entity.mention_count,
    )


def make_event_node(event: Event) -> Node:
    """Return the node of an event."""
    return Node(
        event.id,
        "event",
        event.summary,
        event.category,
        status=event.status,
        event_time=None if event.event_time is None else to_local_text(event.event_time),
        due=None if event.due is None else format_due(event.due),
        confidence=event.confidence,
    )


def make_item_node(artifact: Artifact) -> Node:
    """Return the node of an item."""
    memory = artifact.memory
    name = memory.title or memory.key or " ".join(memory.content[: 2 * _FIRST_WORDS].split())[:_FIRST_WORDS]
    return Node(
        artifact.id, "item", name, memory.context, date=to_local_text(artifact.happened_at), author=memory.author
    )


def make_event_edges(event: Event) -> Iterator[Edge]:
    """Yield the edges between an event and who and what it is about, and the items that it rests on."""
    for actor in event.actors:
        yield Edge(actor.entity_id, event.id, "ACTED_IN", role=actor.role)
    for subject in event.subjects:
        yield Edge(event.id, subject.entity_id, "ABOUT")
    for proof in event.evidence:
        yield Edge(event.id, proof.artifact_id, "EVIDENCED_BY", evidence=[proof])


def linked_ids(event: Event) -> list[str]:
    """Return the items that an event rests on, and who and what it is about, each once."""
    actors = (actor.entity_id for actor in event.actors)
    subjects = (subject.entity_id for subject in event.subjects)
    proofs = (proof.artifact_id for proof in event.evidence)
    return list(dict.fromkeys(chain(proofs, actors, subjects)))


def make_link_edge(link: EventLink) -> Edge:
    """Return the edge between an event and one that it bears on."""
    return Edge(link.source, link.target, link.relation, confidence=link.confidence)


def make_possibly_same_edge(candidate: MergeCandidate, evidence: list[Evidence] | None = None) -> Edge:
    """Return the edge between two that may be the same."""
    return Edge(
        candidate.one,
        candidate.other,
        "POSSIBLY_SAME",
        confidence=candidate.confidence,
        reason=candidate.reason,
        evidence=evidence,
    )


#: Characters shown on either side of a name.
_AROUND: Final = 60


def explore(store: Store, project_id: str, asked: Exploration) -> Neighbourhood:
    """Return what is up to `depth` steps around one thing, nearest first, in up to `budget` nodes.

    Of several entities with the name asked for the most mentioned is explored; the others are further nodes. Only
    events with evidence in current items are neighbours.

    Raises:
        NotFound: nothing has this id or name.
    """
    if asked.review:
        return shape_neighbourhood(_review(store, project_id, asked.budget), asked)
    walk = Walk(store, project_id, asked.budget)
    start, namesakes, hint = _start(store, project_id, asked)
    frontier = walk.enter([start], first=True)
    walk.enter(namesakes)
    walk.explain([start, *namesakes])
    for _ in range(asked.depth):
        frontier = walk.step(frontier)
    walk.connect()
    ends = walk.nodes.keys()
    edges = [edge for edge in walk.edges.values() if edge.source in ends and edge.target in ends]
    held_back = len(walk.held_back) or None
    found = Neighbourhood(list(walk.nodes.values()), edges, walk.truncated, held_back=held_back, hint=hint)
    return shape_neighbourhood(found, asked)


def current_entity_id(store: Store, project_id: str, identity: str) -> str:
    """Return the id of the entity that this one was merged into; its own id if it was not merged."""
    return MergeDecisions(store.merge_decisions(project_id)).current_id(identity)


def explain_merge(identity: str, onward: str) -> str:
    """Explain that the entity asked for was merged into another."""
    return (
        f"{identity} was merged into {onward}, which is shown; `remembrancer review --history` says when and by whom."
    )


#: What joins the words of a name in addresses, files and graphs: "tide_table".
_JOINED: Final = re.compile(r"(?<=[^\W_])[-_]+(?=[^\W_])")


def find_entities_by_name(store: Store, project_id: str, name: str) -> list[Entity]:
    """Return the entities of this name, the most mentioned first.

    Raises:
        NotFound: there is none.
    """
    found: list[Entity] = []
    for form in dict.fromkeys((name, _JOINED.sub(" ", name))):
        found = found or [one for named in store.entities_by_name(project_id, [form]).values() for one in named]
    if not found:
        raise NotFound(f"Nothing is called {name[:80]!r}: recall with a query to find names and ids.")
    return found


def _start(store: Store, project_id: str, asked: Exploration) -> tuple[str, list[str], str | None]:
    """Return the id to begin with, the ids of its namesakes, and a hint about them."""
    if asked.id is not None:
        onward = current_entity_id(store, project_id, asked.id) if asked.id.startswith("ent_") else asked.id
        return onward, [], None if onward == asked.id else explain_merge(asked.id, onward)
    first, *others = (entity.id for entity in find_entities_by_name(store, project_id, asked.name or ""))
    number = len(others) + 1
    hint = f"{number} are called that: the most mentioned is explored, the others are nodes." if others else None
    return first, others, hint


def _review(store: Store, project_id: str, budget: int) -> Neighbourhood:
    """Return the surest pairs that wait for a merge decision, both with where they are named last."""
    merge_candidates, total = store.open_merge_candidates(project_id, max(1, budget // 2))
    ids = list(dict.fromkeys(chain.from_iterable((candidate.one, candidate.other) for candidate in merge_candidates)))
    entities = store.entities(project_id, ids)
    seen = {id_: find_latest_mention(store, project_id, entity, Filters(at=now())) for id_, entity in entities.items()}
    edges = [
        make_possibly_same_edge(candidate, [*seen[candidate.one], *seen[candidate.other]])
        for candidate in merge_candidates
        if candidate.one in entities and candidate.other in entities
    ]
    hint = (
        "Nothing waits for a decision." if not total else "Decide with `remembrancer review --accept A B` or --reject."
    )
    nodes = [make_entity_node(entities[id_]) for id_ in ids if id_ in entities]
    return Neighbourhood(nodes, edges, total > len(edges), total_count=total, hint=hint)


def find_latest_mention(store: Store, project_id: str, entity: Entity, filters: Filters) -> list[Evidence]:
    """Return the words around the last occurrence of an entity's name; none if the text itself does not name it."""
    for hit in store.mentions(project_id, [entity.id], filters, 1):
        place = (hit.artifact_id, hit.index)
        chunk = store.chunks_at(project_id, [place]).get(place)
        if chunk is not None and (found := _around_name(chunk.text, (entity.name, *entity.aliases))):
            start, end = found
            quote, shift = chunk.text[start:end], chunk.start_char
            return [Evidence(hit.artifact_id, quote, shift + start, shift + end)]
    return []


def _around_name(text: str, names: Sequence[str]) -> tuple[int, int] | None:
    found = find_name(text, names)
    return found and (max(0, found[0] - _AROUND), min(len(text), found[0] + 2 * _AROUND))


def find_name(text: str, names: Sequence[str]) -> tuple[int, int] | None:
    """Return the first occurrence of one of the names, in any case; None if there is none."""
    folded = text.casefold() if len(text.casefold()) == len(text) else text
    wanted = sorted({name.casefold() for name in names if name}, key=len, reverse=True)
    either = "|".join(map(re.escape, wanted)) or r"(?!)"
    # Not within another word, unless nothing is between words, as in Chinese.
    found = re.search(rf"(?<!\w)(?:{either})(?!\w)", folded) or re.search(either, folded)
    return found and found.span()
