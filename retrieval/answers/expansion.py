"""Expansion: from the events of the first results, over the people and things in them, to other events."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from math import fsum, log2
from operator import itemgetter
from typing import Any, Final, get_args

from core.filters import Filters
from core.knowledge.findings import CATEGORIES, Category, EntityType, Event, Link
from core.knowledge.ledger import SURE, shown_events
from graph.store import Store

#: Entities followed from one event, and events of one category from one entity: the cost is bounded by these whatever
#: the size of a hub.
_ENTITIES_PER_EVENT: Final = 12
_EVENTS_PER_ENTITY: Final = 40
#: Events followed further after each hop, best first.
_BEAM: Final = 60
#: How much less each further hop is worth.
_DECAY: Final = 0.5
#: How much acting together says, against being about the same thing.
_RELATION_WEIGHT: Final = {"ACTED_IN": 1.0, "ABOUT": 1.2}
_ENTITY_TYPES: Final[tuple[str, ...]] = get_args(EntityType)


@dataclass(frozen=True, slots=True)
class Reach:
    """Which events expansion returns: of these categories and so sure, within `depth` hops, up to `budget`."""

    categories: Sequence[Category]
    depth: int
    budget: int
    min_confidence: float = SURE


@dataclass(frozen=True, slots=True)
class Related:
    """An event that the graph reached, how, and with what score (higher is nearer)."""

    event: Event
    reason: str
    hops: int
    score: float


@dataclass(slots=True)
class _Subgraph:
    """Seeds, entities and events within reach, by id.

    Each node has its `score` and the node it was reached from in the best way (`via`); an event that was reached has
    its `hops` and `category`, too.
    """

    nodes: dict[str, dict[str, Any]]
    #: By target and source, the weight of each relation between them.
    into: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)

    def add(self, links: Sequence[Link]) -> dict[str, Link]:
        """Add links; return the new nodes, each with the first link to it."""
        new: dict[str, Link] = {}
        for link in links:
            if link.target not in self.nodes:
                self.nodes[link.target] = {}
                new[link.target] = link
            relations = self.into.setdefault(link.target, {}).setdefault(link.source, {})
            relations[link.relation] = _RELATION_WEIGHT[link.relation]
        return new


def expand(
    store: Store,
    project_id: str,
    seeds: Mapping[str, float],
    *,
    shown: frozenset[str],
    reach: Reach,
    filters: Filters,
) -> list[Related]:
    """Return the events within reach of the seed events, best first.

    `seeds` maps event ids to their weight. Left out are the seeds, events that rest only on `shown` artifacts, and
    those that rest on nothing that passes `filters`. A hop leads from an event over one of its actors or subjects to
    another event of theirs; a person or thing in everything connects little.
    """
    if not seeds or not reach.budget or not reach.categories:
        return []
    graph = _subgraph(store, project_id, seeds, reach, filters)
    ranked = _ranked(graph, (id_ for id_, node in graph.nodes.items() if node.get("category") in reach.categories))
    kept: list[Event] = []
    for event in _verified(store, project_id, ranked, reach, filters, batch=2 * reach.budget):
        if any(evidence.artifact_id not in shown for evidence in event.evidence):
            kept.append(event)
        if len(kept) == reach.budget:
            break
    return _explained(store, project_id, kept, graph, filters)


def _ranked(graph: _Subgraph, events: Iterable[str]) -> list[str]:
    return sorted(events, key=lambda event: (-graph.nodes[event]["score"], event))


def _verified(
    store: Store, project_id: str, ids: Sequence[str], reach: Reach, filters: Filters, *, batch: int
) -> Iterator[Event]:
    """Yield the events, in the order given, that rest on something that passes, with that evidence alone.

    They are read `batch` at a time: of the many that a hub leads to only the first are ever asked for.
    """
    for first in range(0, len(ids), batch):
        some = ids[first : first + batch]
        met = store.events(project_id, some, as_of=filters.as_of)
        artifacts = {evidence.artifact_id for event in met.values() for evidence in event.evidence}
        visible = store.matching_ids(project_id, list(artifacts), filters)
        for event in shown_events((met[identity] for identity in some if identity in met), reach.min_confidence):
            if evidence := tuple(proof for proof in event.evidence if proof.artifact_id in visible):
                yield replace(event, evidence=evidence)


def _subgraph(
    store: Store,
    project_id: str,
    seeds: Mapping[str, float],
    reach: Reach,
    filters: Filters,
) -> _Subgraph:
    """Return the seeds with the entities and events within reach, and the links between them by relation.

    No way leads over an event that rests on nothing that passes; the events reached may themselves be such.
    """
    graph = _Subgraph({event: {"score": weight} for event, weight in seeds.items()})
    frontier = list(seeds)
    for hop in range(1, reach.depth + 1):
        kinds = reach.categories if hop == reach.depth else CATEGORIES
        links = store.links(project_id, frontier, _ENTITY_TYPES, _ENTITIES_PER_EVENT, as_of=filters.as_of)
        entities = graph.add(links)
        links = store.links(project_id, list(entities), kinds, _EVENTS_PER_ENTITY, as_of=filters.as_of)
        events = graph.add(links)
        steps = Counter(link.source for link in links)
        for entity in entities:
            _score_entity(graph, entity, steps[entity])
        for event, link in events.items():
            graph.nodes[event].update(hops=hop, category=link.kind)
            _score_event(graph, event)
        if hop < reach.depth:
            passed = _verified(store, project_id, _ranked(graph, events), reach, filters, batch=_BEAM)
            frontier = [event.id for event in islice(passed, _BEAM)]
    return graph


def _score_entity(graph: _Subgraph, entity: str, steps: int) -> None:
    """Score an entity by the best of the events that lead to it; its `share` is what each event it leads to gets.

    One that is in everything connects little.
    """
    nodes = graph.nodes
    ways = (
        (nodes[event]["score"] * weight, event)
        for event, relations in graph.into[entity].items()
        for weight in relations.values()
    )
    score, via = max(ways, key=itemgetter(0))
    nodes[entity].update(score=score, via=via, share=score * _DECAY / log2(2 + steps))


def _score_event(graph: _Subgraph, event: str) -> None:
    """Score an event by the best of the entities that lead to it, and half of what the others are worth.

    The order in which a store gives equal links must not show in the last digit.
    """
    nodes = graph.nodes
    ways = [
        (nodes[entity]["share"] * weight, entity, relation)
        for entity, relations in graph.into[event].items()
        for relation, weight in relations.items()
    ]
    best, via, relation = max(ways)
    score = best if len(ways) == 1 else (best + fsum(way[0] for way in ways)) / 2
    nodes[event].update(score=score, via=via, relation=relation)


def _explained(
    store: Store, project_id: str, events: Sequence[Event], graph: _Subgraph, filters: Filters
) -> list[Related]:
    """Put the reasons in words: `same_actor:NAME`, `same_subject:NAME` or `N_hop_via:CATEGORY`.

    An event whose reason was forgotten meanwhile is left out.
    """
    nodes = graph.nodes
    entities = {event.id: nodes[event.id]["via"] for event in events}
    names = store.entities(project_id, list({*entities.values()}), as_of=filters.as_of, counted=False)
    before = {event.id: nodes[entities[event.id]]["via"] for event in events if nodes[event.id]["hops"] > 1}
    met = store.events(project_id, list({*before.values()}))
    related = []
    for event in events:
        node, entity = nodes[event.id], names.get(entities[event.id])
        if (passed := before.get(event.id)) is not None:
            reason = f"{node['hops']}_hop_via:{met[passed].category}" if passed in met else None
        else:
            relation = "same_actor" if node["relation"] == "ACTED_IN" else "same_subject"
            reason = f"{relation}:{entity.name}" if entity is not None else None
        if reason is not None:
            related.append(Related(event, reason, node["hops"], node["score"]))
    return related
