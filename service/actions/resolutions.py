"""Resolutions: what a person says of an event, its status or what it bears on, or of an entity."""

from dataclasses import replace
from typing import Final

from core.dates import now
from core.errors import Conflict, InvalidInput, NotFound, match_choice, suggest_name
from core.filters import Filters
from core.interface.learning import MergeRequest
from core.interface.ledger import LedgerItem, ResolveRequest
from core.knowledge.findings import (
    UNLINKED,
    BearingRelation,
    Category,
    Entity,
    Event,
    EventStatus,
    Extraction,
    FoundEvent,
)
from core.knowledge.ledger import RESOLVABLE, Resolution
from core.knowledge.runs import CallerAnnotations, RunTally
from graph.store import Store
from ingest.identity.merge_requests import apply_merge_requests, find_entity
from ingest.worker import Worker
from retrieval.answers.ledger import ledger_item
from service.actions.annotating import annotation_run, update_knowledge


def resolve_entity(store: Store, project_id: str, asked: ResolveRequest) -> LedgerItem:
    """Do what is asked and return the entity as it is then; asking the same again changes nothing.

    All that is asked is one run, which `rollback` takes back.

    Raises:
        InvalidInput: the status is not "dismissed", or a name is that of several entities.
        NotFound: an entity is not stored.
        Conflict: both are one entity, or it is to be the same as and different from another.
        Unavailable: the record does not answer.
    """
    id_ = find_entity(project_id, asked.id, store)
    requests, entity = _requests(id_, asked, project_id, store), store.entities(project_id, [id_])[id_]
    artifact_id = next((one.artifact_id for one in store.mentions(project_id, [entity.id], Filters(at=now()), 1)), "")
    done = apply_merge_requests(project_id, requests, store)
    shown_now = {one.id: one for one in done.entities}
    entity = shown_now.get(asked.id) or shown_now.get(id_) or next(iter(done.entities), entity)
    status = None if asked.status is None else "dismissed"
    shown = _summary(entity, is_dismissed=status is not None)
    return LedgerItem(entity.id, entity.type, shown, artifact_id, 1.0, status, origin="given", run_id=done.run_id)


def _requests(id_: str, asked: ResolveRequest, project_id: str, store: Store) -> list[MergeRequest]:
    """Return what is asked about an entity, all of it checked: what is done first comes first."""
    if asked.status is not None:
        if asked.status.strip().casefold() != "dismissed":
            raise InvalidInput(f"status {asked.status[:80]!r} is not valid for an entity: it may be dismissed.")
        if asked.name or asked.same_as or asked.different_from:
            raise InvalidInput("An entity that is dismissed has no name and no other one: give the status alone.")
        return [MergeRequest(kind="dismiss", one=id_, other=id_, note=asked.note)]
    others = {name: find_entity(project_id, given, store) for name, given in _others(asked).items()}
    if len(others) == 2 and len(set(others.values())) == 1:
        raise Conflict("same_as and different_from name one entity: give one of them.")
    requests = []
    if "different_from" in others:
        # As it was asked: the id of an entity that was merged says which merge is meant.
        requests.append(MergeRequest(kind="reject", one=asked.id, other=asked.different_from or "", note=asked.note))
    if "same_as" in others:
        requests.append(MergeRequest(kind="accept", one=others["same_as"], other=id_, note=asked.note))
    if asked.name is not None:
        shown = others.get("same_as", id_)
        requests.append(MergeRequest(kind="name", one=shown, other=asked.name, note=asked.note))
    return requests


def _others(asked: ResolveRequest) -> dict[str, str]:
    given = {"same_as": asked.same_as, "different_from": asked.different_from}
    return {name: other for name, other in given.items() if other is not None}


def _summary(entity: Entity, *, is_dismissed: bool) -> str:
    also = f", also {', '.join(entity.aliases)}" if entity.aliases else ""
    return f"{entity.name} is dismissed" if is_dismissed else f"{entity.name}{also}"


#: The category of the earlier event of each link, and those that the later one may have.
_LINKS: Final[dict[BearingRelation, tuple[Category, tuple[Category, ...]]]] = {
    "SUPERSEDES": ("Decision", ("Decision", "Change")),
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
