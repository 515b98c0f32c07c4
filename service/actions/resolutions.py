"""Resolutions: what a person says of an event, its status or what it bears on, or of an entity."""

from dataclasses import replace
from typing import Final

from core.dates import now
from core.errors import Conflict, InvalidInput, NotFound, match_choice, suggest_name
from core.filters import Filters
from core.interface.ledger_questions import ResolveRequest
from core.interface.ledger_results import LedgerItem
from core.knowledge.findings import UNLINKED, BearingRelation, Category, Event, EventStatus, Extraction, FoundEvent
from core.knowledge.ledger import RESOLVABLE, Resolution
from core.knowledge.runs import CallerAnnotations, RunTally
from graph.store import Store
from ingest.worker import Worker
from retrieval.answers.ledger import ledger_item
from service.actions.annotating import annotation_run, update_knowledge
from service.actions.entity_resolutions import resolve_entity

#: The category of the earlier event of each link, and those that the later one may have.
_LINKS: Final[dict[BearingRelation, tuple[Category, tuple[Category, ...]]]] = {
    "SUPERSEDES": ("Decision", ("Decision",)),
    "COMPLETES": ("Commitment", ("Execution", "Change", "Decision")),
}


def resolve(store: Store, worker: Worker, project_id: str, asked: ResolveRequest) -> LedgerItem:
    """Do what is asked and return the event or entity; asking the same again changes nothing.

    Raises:
        InvalidInput: the event has no such status or link.
        NotFound: nothing is stored under an id.
        Unavailable: the record does not answer.
    """
    if not asked.is_event:
        return resolve_entity(store, project_id, asked)
    event = store.events(project_id, [asked.id]).get(asked.id)
    if event is None:
        raise _unknown_id(asked.id)
    status = None if asked.status is None else _checked_status(event, asked.status)
    links = asked.links()
    for relation, target in links.items():
        _check_link(project_id, event, relation, target, store)
    if status is not None and not store.add_resolution(project_id, Resolution(event.id, status, now(), asked.note)):
        raise _unknown_id(asked.id)
    run_id = _link(project_id, event, links, store, worker) if links else None
    return replace(ledger_item(store, project_id, event.id, Filters(at=now())), run_id=run_id)


def _checked_status(event: Event, status: str) -> EventStatus:
    """Return the status that is meant of those that the event may have."""
    choices = RESOLVABLE.get(event.category)
    if choices is None:
        raise InvalidInput(f"{event.id} is a {event.category}: only a Decision or a Commitment has a status.")
    chosen = next((one for one in choices if one == match_choice(status, choices)), None)
    if chosen is None:
        raise InvalidInput(
            f"status {status[:80]!r} is not valid for a {event.category}: {suggest_name(status, choices)}"
            f"status must be one of {', '.join(choices)}."
        )
    return chosen


def _check_link(project_id: str, event: Event, relation: BearingRelation, target: str, store: Store) -> None:
    wanted, allowed = _LINKS[relation]
    field = relation.lower()
    if event.category not in allowed:
        raise InvalidInput(f"{event.id} is a {event.category}: {field} is only of {', '.join(allowed)}.")
    if target == UNLINKED:
        return
    found = store.events(project_id, [target]).get(target)
    if found is None:
        raise _unknown_id(target)
    if found.category != wanted or found.id == event.id:
        raise InvalidInput(f'{field} {target[:80]!r} is not the id of another {wanted}: give one, or "none".')


def _link(project_id: str, event: Event, links: dict[BearingRelation, str], store: Store, worker: Worker) -> str | None:
    """Keep the event as given with these links; return the run that takes it back, None if it was so already."""
    if all((relation, target) in event.bears_on for relation, target in links.items()):
        return None
    proof = event.evidence[0]
    found = FoundEvent(
        event.category,
        event.summary,
        proof.quote,
        proof.start_char,
        tuple((actor.name, actor.role) for actor in event.actors),
        tuple(subject.name for subject in event.subjects),
        event.event_time,
        event.due,
        1.0,
        origin="given",
        bears_on=(*(one for one in event.bears_on if one[0] not in links), *links.items()),
    )
    run = replace(annotation_run(project_id, [proof.artifact_id]), tally=RunTally(items=1, events_added=1))
    if not store.annotate(project_id, proof.artifact_id, CallerAnnotations(run, Extraction(events=(found,)))):
        raise Conflict(
            f"The item {proof.artifact_id!r} was replaced or forgotten: resolve an event of the current one."
        )
    update_knowledge(project_id, proof.artifact_id, worker)
    return run.id


def _unknown_id(event_id: str) -> NotFound:
    return NotFound(f"Nothing is stored under id {event_id[:80]!r}: use an evt_… id from decisions or commitments.")
