"""Ledger: what a person may declare of a decision or a commitment, checked and kept."""

from core.dates import now
from core.errors import InvalidInput, NotFound
from core.filters import Filters
from core.interface.ledger_results import LedgerItem
from core.interface.memory import check_text
from core.knowledge.ledger import RESOLVABLE, Resolution
from graph.store import Store
from retrieval.answers.ledger import ledger_item


def resolve(store: Store, project_id: str, event_id: str, status: str, note: str | None) -> LedgerItem:
    """Declare the status of an event and return it; declaring the same again changes nothing.

    Raises:
        InvalidInput: the event is neither a decision nor a commitment, or has no such status.
        NotFound: nothing is stored under the id.
        Unavailable: the record does not answer.
    """
    if note is not None:
        check_text("note", note)
    event = store.events(project_id, [event_id]).get(event_id)
    if event is None:
        raise _nothing_under(event_id)
    choices = RESOLVABLE.get(event.category)
    if choices is None:
        raise InvalidInput(
            f"{event_id} is of category {event.category}: only a Decision or a Commitment can be resolved."
        )
    declared = next((choice for choice in choices if choice == status), None)
    if declared is None:
        raise InvalidInput(
            f"status {status[:80]!r} is not valid for a {event.category}: status must be one of {', '.join(choices)}."
        )
    if not store.add_resolution(project_id, Resolution(event_id, declared, now(), note)):
        raise _nothing_under(event_id)
    return ledger_item(store, project_id, event_id, Filters(at=now()))


def _nothing_under(event_id: str) -> NotFound:
    return NotFound(
        f"Nothing is stored under id {event_id[:80]!r}: decisions and commitments list the evt_… ids there are."
    )
