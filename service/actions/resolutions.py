"""Resolutions: the status that a person sets for a decision or a commitment."""

from core.dates import now
from core.errors import InvalidInput, NotFound, choice, suggestion
from core.filters import Filters
from core.interface.ledger_results import LedgerItem
from core.interface.memory import check_text
from core.knowledge.ledger import RESOLVABLE, Resolution
from graph.store import Store
from retrieval.answers.ledger import ledger_item


def resolve(store: Store, project_id: str, event_id: str, status: str, note: str | None) -> LedgerItem:
    """Set the status of an event and return it; setting the same status again changes nothing.

    Raises:
        InvalidInput: the event is neither a decision nor a commitment, or has no such status.
        NotFound: nothing is stored under the id.
        Unavailable: the record does not answer.
    """
    if note is not None:
        check_text("note", note)
    event = store.events(project_id, [event_id]).get(event_id)
    if event is None:
        raise _unknown_id(event_id)
    choices = RESOLVABLE.get(event.category)
    if choices is None:
        raise InvalidInput(f"{event_id} is a {event.category}: only a Decision or a Commitment can be resolved.")
    chosen = next((one for one in choices if one == choice(status, choices)), None)
    if chosen is None:
        raise InvalidInput(
            f"status {status[:80]!r} is not valid for a {event.category}: {suggestion(status, choices)}"
            f"status must be one of {', '.join(choices)}."
        )
    if not store.add_resolution(project_id, Resolution(event_id, chosen, now(), note)):
        raise _unknown_id(event_id)
    return ledger_item(store, project_id, event_id, Filters(at=now()))


def _unknown_id(event_id: str) -> NotFound:
    return NotFound(f"Nothing is stored under id {event_id[:80]!r}: use an evt_… id from decisions or commitments.")
