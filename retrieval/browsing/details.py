"""Details: one node of the graph with the words it rests on and its history, and pairs that may be the same."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from core.dates import is_after, now, to_local_text, to_zone_text
from core.errors import NotFound
from core.filters import Filters
from core.interface.ledger import Declaration
from core.interface.question import NameReason, Node
from core.knowledge.findings import Actor, Event, Evidence, Subject
from core.knowledge.ledger import is_overdue, is_shown
from core.records import ALWAYS, Artifact
from graph.store import Store
from retrieval.answers.exploration import (
    Walk,
    current_entity_id,
    explain_merge,
    find_latest_mention,
    group_ids_by_kind,
    make_entity_node,
    make_event_node,
    make_item_node,
)


def not_found_error(identity: str) -> NotFound:
    """Return the error for an id that nothing has, or that nothing had at the moment asked about."""
    return NotFound(
        f"Nothing is stored under id {identity[:80]!r}, or was then: it may have been forgotten; search for what you "
        "look for."
    )


#: Newest items listed that mention an entity.
_ITEMS: Final = 50
#: Chunks of them that are looked at: a long item has many.
_CHUNKS: Final = 400


@dataclass(frozen=True, slots=True)
class PlacedQuote:
    """A quote and its item: `quote` is its text from `start_char` to before `end_char`."""

    quote: str
    artifact_id: str
    date: str
    start_char: int
    end_char: int
    title: str | None = None


@dataclass(frozen=True, slots=True)
class LinkedEvent:
    """An event that changes what holds of another, or whose status another changes."""

    id: str
    summary: str
    relation: str
    event_time: str | None = None


@dataclass(frozen=True, slots=True)
class ListedItem:
    """An item by its id, its title, key or first words, and its date."""

    id: str
    title: str
    date: str


@dataclass(frozen=True, slots=True)
class Details:
    """All that is shown of a node. What does not apply to its kind is empty.

    `items` are the newest that mention an entity, and those that an event rests on. `overdue` is as in `LedgerItem`.
    """

    node: Node
    evidence: list[PlacedQuote] = field(default_factory=list, metadata=ALWAYS)
    supersedes: list[LinkedEvent] = field(default_factory=list, metadata=ALWAYS)
    superseded_by: list[LinkedEvent] = field(default_factory=list, metadata=ALWAYS)
    completes: list[LinkedEvent] = field(default_factory=list, metadata=ALWAYS)
    completed_by: list[LinkedEvent] = field(default_factory=list, metadata=ALWAYS)
    history: list[Declaration] = field(default_factory=list, metadata=ALWAYS)
    actors: list[Actor] = field(default_factory=list, metadata=ALWAYS)
    subjects: list[Subject] = field(default_factory=list, metadata=ALWAYS)
    aliases: list[str] = field(default_factory=list, metadata=ALWAYS)
    reasons: list[NameReason] = field(default_factory=list, metadata=ALWAYS)
    items: list[ListedItem] = field(default_factory=list, metadata=ALWAYS)
    hint: str | None = None
    overdue: bool | None = None


def load_details(store: Store, project_id: str, id_: str, as_of: datetime | None) -> Details:
    """Return all about one node.

    Raises:
        NotFound: nothing has this id, or `as_of` nothing had it then.
    """
    filters = Filters(at=now(), as_of=as_of)
    found: Details | None = None
    if id_.startswith("ent_"):
        found = _of_entity(store, project_id, id_, filters)
    elif id_.startswith("evt_"):
        found = _of_event(store, project_id, id_, filters)
    elif (artifact := store.get(project_id, [id_]).get(id_)) is not None:
        found = (
            Details(make_item_node(artifact)) if as_of is None or not is_after(artifact.happened_at, as_of) else None
        )
    if found is None:
        raise not_found_error(id_)
    return found


def load_nodes(store: Store, project_id: str, ids: Sequence[str]) -> list[Node]:
    """Return the nodes with these ids, in their order, without those of nothing and of events that are not shown."""
    kinds = group_ids_by_kind(ids)
    nodes = {id_: make_entity_node(one) for id_, one in store.entities(project_id, kinds["ent"]).items()}
    events = store.events(project_id, kinds["evt"])
    nodes |= {id_: make_event_node(one) for id_, one in events.items() if is_shown(one)}
    nodes |= {id_: make_item_node(one) for id_, one in store.get(project_id, kinds["art"]).items()}
    return [nodes[id_] for id_ in ids if id_ in nodes]


def _of_entity(store: Store, project_id: str, id_: str, filters: Filters) -> Details | None:
    onward = current_entity_id(store, project_id, id_)
    entity = store.entities(project_id, [onward], as_of=filters.as_of).get(onward)
    if entity is None:
        return None
    walk = Walk(store, project_id, 1)
    walk.enter([onward])
    walk.explain([onward])
    hits = store.mentions(project_id, [onward], filters, _CHUNKS)
    ids = list(dict.fromkeys(hit.artifact_id for hit in hits))[:_ITEMS]
    items = store.get(project_id, ids)
    evidence = find_latest_mention(store, project_id, entity, filters)
    return Details(
        node=make_entity_node(entity),
        evidence=locate_quotes(evidence, items | store.get(project_id, [one.artifact_id for one in evidence])),
        aliases=list(entity.aliases),
        reasons=[reason for node in walk.nodes.values() for reason in node.reasons or ()],
        items=_listed(items[one] for one in ids if one in items),
        hint=None if onward == id_ else explain_merge(id_, onward),
    )


def _of_event(store: Store, project_id: str, id_: str, filters: Filters) -> Details | None:
    event = store.events(project_id, [id_], as_of=filters.as_of).get(id_)
    if event is None:
        return None
    items = store.get(project_id, list(dict.fromkeys(proof.artifact_id for proof in event.evidence)))
    until = filters.as_of or filters.at
    declared = [one for one in store.resolutions(project_id, [id_]).get(id_, ()) if one.at <= until]
    links = _Links(store, project_id, event, filters)
    return Details(
        node=make_event_node(event),
        evidence=locate_quotes(event.evidence, items),
        supersedes=links.to("SUPERSEDES"),
        superseded_by=links.by("SUPERSEDES"),
        completes=links.to("COMPLETES", "CANCELS"),
        completed_by=links.by("COMPLETES", "CANCELS"),
        history=[Declaration(one.status, to_zone_text(one.at), one.note) for one in declared],
        actors=list(event.actors),
        subjects=list(event.subjects),
        items=_listed(items.values()),
        overdue=is_overdue(event.due, event.status, until),
    )


class _Links:
    """The links of one event, with the events at their other ends."""

    def __init__(self, store: Store, project_id: str, event: Event, filters: Filters) -> None:
        self._id = event.id
        self._links = store.event_links(project_id, [event.id])
        ends = {end for link in self._links for end in (link.source, link.target)} - {event.id}
        self._events = store.events(project_id, sorted(ends), as_of=filters.as_of)

    def to(self, *relations: str) -> list[LinkedEvent]:
        """Return the events whose status this one changes."""
        pairs = ((link.target, link.relation) for link in self._links if link.source == self._id)
        return self._linked(pairs, relations)

    def by(self, *relations: str) -> list[LinkedEvent]:
        """Return the events that change the status of this one."""
        pairs = ((link.source, link.relation) for link in self._links if link.target == self._id)
        return self._linked(pairs, relations)

    def _linked(self, pairs: Iterable[tuple[str, str]], relations: Sequence[str]) -> list[LinkedEvent]:
        return [
            LinkedEvent(
                end, other.summary, relation, None if other.event_time is None else to_local_text(other.event_time)
            )
            for end, relation in pairs
            if relation in relations and (other := self._events.get(end)) is not None
        ]


def locate_quotes(evidence: Iterable[Evidence], items: dict[str, Artifact]) -> list[PlacedQuote]:
    """Return evidence with the name and the date of its item; evidence in other items is left out."""
    return [
        PlacedQuote(
            proof.quote,
            proof.artifact_id,
            to_local_text(item.happened_at),
            proof.start_char,
            proof.end_char,
            make_item_node(item).name,
        )
        for proof in evidence
        if (item := items.get(proof.artifact_id)) is not None
    ]


def _listed(items: Iterable[Artifact]) -> list[ListedItem]:
    return [ListedItem(item.id, make_item_node(item).name, to_local_text(item.happened_at)) for item in items]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entities that may be the same: confidence from 0 to 1, reason, and the latest mention of each."""

    a: Node
    b: Node
    confidence: float
    reason: str
    evidence: list[PlacedQuote] = field(default_factory=list, metadata=ALWAYS)


@dataclass(frozen=True, slots=True)
class Pairs:
    """A page of the pairs that wait for a merge decision, most confident first, and their total number."""

    pairs: list[Pair] = field(default_factory=list, metadata=ALWAYS)
    total_count: int = field(default=0, metadata=ALWAYS)


def list_open_pairs(store: Store, project_id: str, limit: int, offset: int) -> Pairs:
    """Return a page of the pairs without a merge decision."""
    merge_candidates, total = store.open_merge_candidates(project_id, limit, offset)
    ids = list(dict.fromkeys(id_ for one in merge_candidates for id_ in (one.one, one.other)))
    entities = store.entities(project_id, ids)
    filters = Filters(at=now())
    proofs = {id_: find_latest_mention(store, project_id, entity, filters) for id_, entity in entities.items()}
    items = store.get(project_id, list({proof.artifact_id for several in proofs.values() for proof in several}))
    return Pairs(
        [
            Pair(
                make_entity_node(entities[one.one]),
                make_entity_node(entities[one.other]),
                one.confidence,
                one.reason,
                locate_quotes([*proofs[one.one], *proofs[one.other]], items),
            )
            for one in merge_candidates
            if one.one in entities and one.other in entities
        ],
        total,
    )
