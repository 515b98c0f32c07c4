"""Resolutions of entities: the name to show, which two are the same or different, and which are none."""

from core.dates import now
from core.errors import Conflict, InvalidInput
from core.filters import Filters
from core.interface.learning.merge_request import MergeRequest
from core.interface.ledger_questions import ResolveRequest
from core.interface.ledger_results import LedgerItem
from core.knowledge.findings import Entity
from graph.store import Store
from ingest.identity.merge_requests import apply_merge_requests, find_entity


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
