"""Pairs: entities that may be the same, with a quote that names each."""

from dataclasses import dataclass, field

from core.dates import now
from core.filters import Filters
from core.interface.neighbourhood import Node
from core.records import ALWAYS
from graph.store import Store
from retrieval.answers.exploration import find_latest_mention
from retrieval.answers.walk import make_entity_node
from retrieval.browsing.details import PlacedQuote, locate_quotes


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
