"""Questions: pairs of events of which the later may change the status of the earlier, which somebody has to decide."""

from collections.abc import Iterator, Sequence
from typing import Final

from core.dates import now
from core.filters import Filters
from core.interface.learning.review import LinkQuestion
from core.knowledge.findings import Category, Event
from core.knowledge.ledger import EventSearch
from graph.store import Store
from ingest.ledger.completion import may_complete
from ingest.ledger.links import is_later, statements_of
from ingest.ledger.statements import Statement
from ingest.ledger.supersession import may_supersede

#: The newest decisions and commitments that are looked at, and the events that each is compared with.
_EVENTS: Final = 150
_CANDIDATES: Final = 12
#: The categories of events that may bear on one of a category.
_OTHERS: Final[dict[Category, tuple[Category, ...]]] = {
    "Decision": ("Decision",),
    "Commitment": ("Execution", "Change"),
}


def link_questions(project_id: str, store: Store) -> list[LinkQuestion]:
    """Return which of the newest open commitments may be done, and which current decisions superseded.

    A pair is asked about until it is answered with `resolve`: by a link, by "none", or by a status of the earlier one.

    Raises:
        Unavailable: the record does not answer.
    """
    seen = Filters(at=now())
    events = store.list_events(project_id, list(_OTHERS), seen, _EVENTS)
    open_ones = [event for event in events if event.status in ("open", "current")]
    declared = store.resolutions(project_id, [event.id for event in open_ones])
    asked = [event for event in open_ones if event.id not in declared]
    likes = store.similar_events(project_id, [_search(event) for event in asked], _CANDIDATES)
    ids = {*(event.id for event in asked), *(id_ for found in likes for id_ in found)}
    statements = statements_of(project_id, ids, store)
    pairs = zip(asked, likes, strict=True)
    return [one for event, found in pairs for one in _about(event, found, statements)]


def _about(event: Event, found: Sequence[str], statements: dict[str, Statement]) -> Iterator[LinkQuestion]:
    """Yield the likeliest later event that may bear on this one, if there is any."""
    earlier = statements.get(event.id)
    if earlier is None or not earlier.is_sure:
        return
    said = [
        (likely, later)
        for id_ in found
        if (later := statements.get(id_)) is not None and is_later(later, earlier) and later.is_sure
        if (likely := _likelihood(later, earlier)) is not None
    ]
    if said:
        likely, later = max(said, key=lambda one: (one[0], one[1].event.id))
        is_decision = event.category == "Decision"
        yield LinkQuestion("supersedes" if is_decision else "completes", later.event, event, likely)


def _likelihood(later: Statement, earlier: Statement) -> float | None:
    relation = "SUPERSEDES" if earlier.event.category == "Decision" else "COMPLETES"
    if any(said == relation for said, _ in later.event.bears_on) or later.event.status == "superseded":
        return None
    return (may_supersede if relation == "SUPERSEDES" else may_complete)(later, earlier)


def _search(event: Event) -> EventSearch:
    return EventSearch(event.id, _OTHERS[event.category], f"{event.summary}\n{event.evidence[0].quote}")
