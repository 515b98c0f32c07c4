"""Merge requests: a person's request becomes a merge decision that takes effect at once."""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from core.dates import now
from core.errors import Conflict, InvalidInput, NotFound
from core.interface.learning import MergeAction, MergeRequest, MergeResult
from core.knowledge.findings import Entity, normalise_name
from core.knowledge.identities import MergeDecision, MergeDecisionKind, MergeDecisions, name_hash, split_id
from core.knowledge.runs import CALLER_EXTRACTOR, Run, RunScope, run_id
from graph.store import Store
from ingest.identity.candidate_pairs import propose_pairs_of


def apply_merge_requests(project_id: str, requests: Sequence[MergeRequest], store: Store) -> MergeResult:
    """Apply merge requests as one run, in their order; earlier decisions are kept as history.

    Raises:
        NotFound: an entity, name or item that it speaks of is not stored, or there is nothing to undo.
        InvalidInput: a name is that of several entities, or none of the entity's own.
        Conflict: it contradicts what stands: one entity with itself, or two that were merged in other ways.
        Unavailable: the record does not answer.
    """
    before = {one.id: one.undone_at for one in store.merge_decisions(project_id)}
    decision: MergeDecision | None = None
    has_changed = False
    ids: Sequence[str] = ()
    for request in requests:
        decision, changed = _HANDLERS[request.kind](project_id, request, store)
        ids = _touched(project_id, decision, store) if decision else [find_entity(project_id, request.one, store)]
        if changed:
            propose_pairs_of(project_id, ids, store)
        has_changed |= changed
    decisions = store.merge_decisions(project_id)
    moved = [one.id for one in decisions if one.id not in before or one.undone_at != before[one.id]]
    run_id = _put_run(project_id, moved, store) if moved else None
    return MergeResult(has_changed, decision, list(store.entities(project_id, ids).values()), run_id)


def roll_back_decisions(run: Run, store: Store) -> int:
    """Take back what a run decided about entities, and restore the decisions that it undid; return how many.

    Raises:
        NotFound: an entity that a restored decision needs is not stored any more.
        Unavailable: the record does not answer; doing it again finishes it.
    """
    project_id, moment, number = run.project_id, now(), 0
    known = {one.id: one for one in store.merge_decisions(project_id)}
    for decision in (known[id_] for id_ in reversed(run.scope.ids) if id_ in known):
        if decision.undone_at is None:
            store.undo_decision(project_id, decision.id, moment, decision.by)
        elif decision.at < run.started:
            store.apply_decision(project_id, replace(decision, id=_new_id(), at=moment, undone_at=None, undone_by=None))
        else:
            continue
        number += 1
        propose_pairs_of(project_id, _touched(project_id, decision, store), store)
    return number


def _put_run(project_id: str, decision_ids: Sequence[str], store: Store) -> str:
    moment = now()
    run = Run(
        id=run_id(),
        project_id=project_id,
        extractor=CALLER_EXTRACTOR,
        scope=RunScope(ids=tuple(decision_ids)),
        started=moment,
        state="finished",
        ended=moment,
    )
    store.put_run(run)
    return run.id


def _accept(project_id: str, request: MergeRequest, store: Store) -> tuple[MergeDecision | None, bool]:
    one, other = find_entity(project_id, request.one, store), find_entity(project_id, request.other, store)
    if one == other:
        return None, False
    for rejection in _apart(project_id, one, other, store):
        store.undo_decision(project_id, rejection.id, now(), request.by)
    return _made(project_id, "same", one, other, request, store), True


def _reject(project_id: str, request: MergeRequest, store: Store) -> tuple[MergeDecision | None, bool]:
    one, other = find_entity(project_id, request.one, store), find_entity(project_id, request.other, store)
    if one == other:
        merges = [one for one in _about(project_id, request, store) if one.kind == "same"]
        if not merges:
            raise Conflict(
                f"{request.one!r} and {request.other!r} are one entity, {one}: split it, or undo its merges."
            )
        merged = merges[-1]
        store.undo_decision(project_id, merged.id, now(), request.by)
        one, other = merged.one, merged.other
    if _apart(project_id, one, other, store):
        return None, False
    return _made(project_id, "different", one, other, request, store), True


def _split(project_id: str, request: MergeRequest, store: Store) -> tuple[MergeDecision | None, bool]:
    one = find_entity(project_id, request.one, store)
    if request.other.startswith("art_"):
        if not store.get(project_id, [request.other]):
            raise NotFound(f"Nothing is stored under id {request.other[:80]!r}: recall with a query to find ids.")
        made = _decision("split", one, split_id(one, None, request.other), request, artifact_id=request.other)
    else:
        entity = store.entities(project_id, [one])[one]
        names = (entity.name, *entity.aliases)
        if normalise_name(request.other) not in map(normalise_name, names):
            raise InvalidInput(f"{entity.name!r} is not called {request.other!r}: name one of {', '.join(names)}.")
        made = _decision("split", one, split_id(one, request.other, None), request, split_name=request.other)
    store.apply_decision(project_id, made)
    return made, True


def _name(project_id: str, request: MergeRequest, store: Store) -> tuple[MergeDecision | None, bool]:
    one, name = find_entity(project_id, request.one, store), " ".join(request.other.split())
    decisions = store.merge_decisions(project_id)
    current = MergeDecisions(decisions)
    given = [each for each in decisions if each.kind == "name" and each.undone_at is None]
    if [each.name for each in given if current.current_id(each.one) == one][-1:] == [name]:
        return None, False
    made = _decision("name", one, one, request, name=name)
    store.apply_decision(project_id, made)
    return made, True


def _dismiss(project_id: str, request: MergeRequest, store: Store) -> tuple[MergeDecision | None, bool]:
    one = find_entity(project_id, request.one, store)
    return _made(project_id, "dismissed", one, one, request, store), True


def _undo(project_id: str, request: MergeRequest, store: Store) -> tuple[MergeDecision | None, bool]:
    found = _about(project_id, request, store)
    if not found:
        raise NotFound(
            f"No merge decision in force concerns {request.one!r} and {request.other!r}: "
            "`remembrancer review --history` lists all decisions."
        )
    taken_back = found[-1].id
    store.undo_decision(project_id, taken_back, now(), request.by)
    return next((one for one in store.merge_decisions(project_id) if one.id == taken_back), None), True


def _made(
    project_id: str, kind: MergeDecisionKind, one: str, other: str, request: MergeRequest, store: Store
) -> MergeDecision:
    made = _decision(kind, one, other, request)
    store.apply_decision(project_id, made)
    return made


def _decision(
    kind: MergeDecisionKind,
    one: str,
    other: str,
    request: MergeRequest,
    *,
    name: str | None = None,
    split_name: str | None = None,
    artifact_id: str | None = None,
) -> MergeDecision:
    return MergeDecision(
        id=_new_id(),
        kind=kind,
        one=one,
        other=other,
        at=now(),
        by=request.by,
        note=request.note,
        name_hash=None if split_name is None else name_hash(split_name),
        artifact_id=artifact_id,
        name=name,
    )


def _new_id() -> str:
    return f"ver_{uuid.uuid4().hex[:12]}"


def find_entity(project_id: str, given: str, store: Store) -> str:
    """Return the id of the one entity that is meant by an id, also a former one, or by a name.

    Raises:
        NotFound: none is stored under the id or name.
        InvalidInput: several have the name.
        Unavailable: the record does not answer.
    """
    if given.startswith("ent_"):
        id_ = MergeDecisions(store.merge_decisions(project_id)).current_id(given)
        if not store.entities(project_id, [id_]):
            raise NotFound(f"No entity is stored under id {given[:80]!r}: explore by name to find ids.")
        return id_
    named = _named(project_id, given, store)
    if not named:
        raise NotFound(f"Nothing is called {given[:80]!r}: recall with a query to find names and ids.")
    if len(named) > 1:
        known = "; ".join(f"{entity.id} ({entity.name}, {entity.mention_count} mentions)" for entity in named[:5])
        raise InvalidInput(f"{len(named)} are called {given[:80]!r}: give the id of the one you mean: {known}.")
    return named[0].id


def _named(project_id: str, name: str, store: Store) -> list[Entity]:
    """Return those with this very name, else those with the alias."""
    found = [entity for several in store.entities_by_name(project_id, [name]).values() for entity in several]
    return [entity for entity in found if normalise_name(entity.name) == normalise_name(name)] or found


def _apart(project_id: str, one: str, other: str, store: Store) -> list[MergeDecision]:
    """Return the active decisions that keep these two apart."""
    given = store.merge_decisions(project_id)
    decisions, pair = MergeDecisions(given), {one, other}
    return [
        decision
        for decision in given
        if decision.kind == "different"
        and decision.undone_at is None
        and {decisions.current_id(decision.one), decisions.current_id(decision.other)} == pair
    ]


def _about(project_id: str, request: MergeRequest, store: Store) -> list[MergeDecision]:
    """Return the active decisions about the two, in the order they were made."""
    ones, others = _meant(project_id, request.one, store), _meant(project_id, request.other, store)
    return [
        decision
        for decision in store.merge_decisions(project_id)
        if decision.undone_at is None
        and (
            request.other == decision.id
            or (decision.one in ones and decision.other in others)
            or (decision.one in others and decision.other in ones)
        )
    ]


def _meant(project_id: str, given: str, store: Store) -> set[str]:
    """Return all entities, standing or merged, that an id or a name may mean."""
    if given.startswith("ent_"):
        return {given}
    named = [entity.id for entity in _named(project_id, given, store)]
    originals = store.originals(project_id, named)
    found = {
        one.id for several in originals.values() for one in several if normalise_name(one.name) == normalise_name(given)
    }
    return found | {id_ for id_ in named if len(originals.get(id_, ())) < 2}


def _touched(project_id: str, decision: MergeDecision, store: Store) -> Sequence[str]:
    decisions = MergeDecisions(store.merge_decisions(project_id))
    return list(dict.fromkeys(decisions.current_id(id_) for id_ in (decision.one, decision.other)))


#: How each request is carried out: the decision that was made or undone, and whether anything changed.
_Handler = Callable[[str, MergeRequest, Store], tuple[MergeDecision | None, bool]]
_HANDLERS: Final[dict[MergeAction, _Handler]] = {
    "accept": _accept,
    "reject": _reject,
    "split": _split,
    "undo": _undo,
    "name": _name,
    "dismiss": _dismiss,
}
