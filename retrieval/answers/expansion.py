"""Expand: from the events of the first results, over the people and things in them, to other events."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import fsum, log2
from operator import itemgetter
from typing import Final, NamedTuple, get_args

from core.filters import Filters
from core.knowledge.findings import CATEGORIES, Category, EntityType, Event, Link
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
class Related:
    """An event that the graph reached, how, and with what score (higher is nearer)."""

    event: Event
    reason: str
    hops: int
    score: float


class _Reached(NamedTuple):
    """The best way to an event so far: over which entity, in which role, and after which event."""

    score: float
    hops: int
    category: str
    entity_id: str
    relation: str
    via: str


def expand(
    store: Store,
    project_id: str,
    seeds: Mapping[str, float],
    *,
    shown: frozenset[str],
    categories: Sequence[Category],
    depth: int,
    budget: int,
    filters: Filters,
) -> list[Related]:
    """Return up to `budget` events of these categories within `depth` hops of the seed events, best first.

    `seeds` maps event ids to their weight. Left out are the seeds, events that rest only on `shown` artifacts, and
    those that rest on nothing that passes `filters`. A hop leads from an event over one of its actors or subjects to
    another event of theirs; a person or thing in everything connects little.
    """
    if not seeds or not budget or not categories:
        return []
    reached = _walk(store, project_id, seeds, categories, depth, filters)
    ranked = _ranked({identity: way for identity, way in reached.items() if way.category in categories})
    kept: list[Event] = []
    for event in _verified(store, project_id, ranked, filters, batch=2 * budget):
        if any(evidence.artifact_id not in shown for evidence in event.evidence):
            kept.append(event)
        if len(kept) == budget:
            break
    return _explained(store, project_id, [(event, reached[event.id]) for event in kept], filters)


def _ranked(ways: Mapping[str, _Reached]) -> list[str]:
    return sorted(ways, key=lambda identity: (-ways[identity].score, identity))


def _verified(store: Store, project_id: str, ids: Sequence[str], filters: Filters, *, batch: int) -> Iterator[Event]:
    """Yield the events, in the order given, that rest on something that passes, with that evidence alone.

    They are read `batch` at a time: of the many that a hub leads to only the first are ever asked for.
    """
    for first in range(0, len(ids), batch):
        some = ids[first : first + batch]
        met = store.events(project_id, some, as_of=filters.as_of)
        artifacts = {evidence.artifact_id for event in met.values() for evidence in event.evidence}
        visible = store.passing(project_id, list(artifacts), filters)
        for event in (met[identity] for identity in some if identity in met):
            if evidence := tuple(proof for proof in event.evidence if proof.artifact_id in visible):
                yield replace(event, evidence=evidence)


def _walk(
    store: Store,
    project_id: str,
    seeds: Mapping[str, float],
    categories: Sequence[Category],
    depth: int,
    filters: Filters,
) -> dict[str, _Reached]:
    """Return the best way to each event within `depth` hops, seeds left out.

    No way leads over an event that rests on nothing that passes; the events reached may themselves be such.
    """
    reached: dict[str, _Reached] = {}
    frontier = dict(seeds)
    for hop in range(1, depth + 1):
        kinds = categories if hop == depth else CATEGORIES
        found = _hop(store, project_id, frontier, kinds, hop, filters)
        fresh = {identity: way for identity, way in found.items() if identity not in reached and identity not in seeds}
        reached |= fresh
        if hop < depth:
            passed = islice(_verified(store, project_id, _ranked(fresh), filters, batch=_BEAM), _BEAM)
            frontier = {event.id: fresh[event.id].score for event in passed}
    return reached


def _hop(
    store: Store, project_id: str, frontier: Mapping[str, float], kinds: Sequence[str], hop: int, filters: Filters
) -> dict[str, _Reached]:
    to_entities = store.links(project_id, list(frontier), _ENTITY_TYPES, _ENTITIES_PER_EVENT, as_of=filters.as_of)
    entities: dict[str, tuple[float, str]] = {}
    for link in to_entities:
        score = frontier[link.source] * _RELATION_WEIGHT[link.relation]
        if score > entities.get(link.target, (0.0, ""))[0]:
            entities[link.target] = (score, link.source)
    by_entity: dict[str, list[Link]] = defaultdict(list)
    for link in store.links(project_id, list(entities), kinds, _EVENTS_PER_ENTITY, as_of=filters.as_of):
        by_entity[link.source].append(link)
    ways: dict[str, list[tuple[float, str, Link]]] = defaultdict(list)
    for entity_id, links in by_entity.items():
        share = entities[entity_id][0] * _DECAY / log2(2 + len(links))
        for link in links:
            ways[link.target].append((share * _RELATION_WEIGHT[link.relation], entity_id, link))
    reached = {}
    for target, several in ways.items():
        score, entity_id, link = several[0]
        if len(several) > 1:
            score, entity_id, link = max(several, key=itemgetter(0, 1))
            # The best way, and half of what the others are worth; the order in which a store gives equal links must
            # not show in the last digit.
            score = (score + fsum(way[0] for way in several)) / 2
        reached[target] = _Reached(score, hop, link.kind, entity_id, link.relation, entities[entity_id][1])
    return reached


def _explained(
    store: Store, project_id: str, ways: Sequence[tuple[Event, _Reached]], filters: Filters
) -> list[Related]:
    """Put the reasons in words: `same_actor:NAME`, `same_subject:NAME` or `N_hop_via:CATEGORY`.

    An event whose reason was forgotten meanwhile is left out.
    """
    names = store.entities(project_id, list({way.entity_id for _, way in ways}), as_of=filters.as_of)
    via = store.events(project_id, list({way.via for _, way in ways if way.hops > 1}))

    def reason(way: _Reached) -> str | None:
        if way.hops > 1:
            return f"{way.hops}_hop_via:{via[way.via].category}" if way.via in via else None
        relation = "same_actor" if way.relation == "ACTED_IN" else "same_subject"
        return f"{relation}:{names[way.entity_id].name}" if way.entity_id in names else None

    reasons = ((event, way, reason(way)) for event, way in ways)
    return [Related(event, said, way.hops, way.score) for event, way, said in reasons if said is not None]
