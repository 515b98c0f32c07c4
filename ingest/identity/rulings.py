"""Rulings: a person's decision about who is who becomes a verdict that takes effect at once."""

import uuid
from collections.abc import Sequence

from core.dates import now
from core.errors import Conflict, InvalidInput, NotFound
from core.interface.learning.ruling import Ruled, Ruling
from core.knowledge.findings import Entity, normalised
from core.knowledge.identities import Verdict, VerdictKind, Verdicts, name_hash, split_id
from graph.store import Store
from ingest.identity.candidate_pairs import propose_pairs_of


def apply_ruling(project_id: str, ruling: Ruling, store: Store) -> Ruled:
    """Put a ruling into effect; what was decided before stays as history.

    Raises:
        NotFound: an entity, name or item that it speaks of is not stored, or there is nothing to undo.
        InvalidInput: a name is that of several entities, or none of the entity's own.
        Conflict: it contradicts what stands: one entity with itself, or two that were merged in other ways.
        Unavailable: the record does not answer.
    """
    rulings = {"accept": _accept, "reject": _reject, "split": _split, "undo": _undo}
    verdict, changed = rulings[ruling.kind](project_id, ruling, store)
    ids = _touched(project_id, verdict, store) if verdict else [_found(project_id, ruling.one, store)]
    if changed:
        propose_pairs_of(project_id, ids, store)
    return Ruled(changed, verdict, list(store.entities(project_id, ids).values()))


def _accept(project_id: str, ruling: Ruling, store: Store) -> tuple[Verdict | None, bool]:
    one, other = _found(project_id, ruling.one, store), _found(project_id, ruling.other, store)
    if one == other:
        return None, False
    for rejection in _apart(project_id, one, other, store):
        store.undo(project_id, rejection.id, now(), ruling.by)
    return _made(project_id, "same", one, other, ruling, store), True


def _reject(project_id: str, ruling: Ruling, store: Store) -> tuple[Verdict | None, bool]:
    one, other = _found(project_id, ruling.one, store), _found(project_id, ruling.other, store)
    if one == other:
        merges = [one for one in _about(project_id, ruling, store) if one.kind == "same"]
        if not merges:
            raise Conflict(f"{ruling.one!r} and {ruling.other!r} are one entity, {one}: split it, or undo its merges.")
        merged = merges[-1]
        store.undo(project_id, merged.id, now(), ruling.by)
        one, other = merged.one, merged.other
    if _apart(project_id, one, other, store):
        return None, False
    return _made(project_id, "different", one, other, ruling, store), True


def _split(project_id: str, ruling: Ruling, store: Store) -> tuple[Verdict | None, bool]:
    one = _found(project_id, ruling.one, store)
    if ruling.other.startswith("art_"):
        if not store.get(project_id, [ruling.other]):
            raise NotFound(f"Nothing is stored under id {ruling.other[:80]!r}: recall with a query to find ids.")
        made = _verdict("split", one, split_id(one, None, ruling.other), ruling, artifact_id=ruling.other)
    else:
        entity = store.entities(project_id, [one])[one]
        names = (entity.name, *entity.aliases)
        if normalised(ruling.other) not in map(normalised, names):
            raise InvalidInput(f"{entity.name!r} is not called {ruling.other!r}: name one of {', '.join(names)}.")
        made = _verdict("split", one, split_id(one, ruling.other, None), ruling, name=ruling.other)
    store.judge(project_id, made)
    return made, True


def _undo(project_id: str, ruling: Ruling, store: Store) -> tuple[Verdict | None, bool]:
    found = _about(project_id, ruling, store)
    if not found:
        raise NotFound(
            f"No verdict in force concerns {ruling.one!r} and {ruling.other!r}: "
            "`remembrancer review --history` lists all verdicts."
        )
    taken_back = found[-1].id
    store.undo(project_id, taken_back, now(), ruling.by)
    return next((one for one in store.verdicts(project_id) if one.id == taken_back), None), True


def _made(project_id: str, kind: VerdictKind, one: str, other: str, ruling: Ruling, store: Store) -> Verdict:
    made = _verdict(kind, one, other, ruling)
    store.judge(project_id, made)
    return made


def _verdict(
    kind: VerdictKind, one: str, other: str, ruling: Ruling, *, name: str | None = None, artifact_id: str | None = None
) -> Verdict:
    return Verdict(
        id=f"ver_{uuid.uuid4().hex[:12]}",
        kind=kind,
        one=one,
        other=other,
        at=now(),
        by=ruling.by,
        note=ruling.note,
        name_hash=None if name is None else name_hash(name),
        artifact_id=artifact_id,
    )


def _found(project_id: str, given: str, store: Store) -> str:
    """Return the one entity that stands and is meant by an id, also a former one, or by a name."""
    if given.startswith("ent_"):
        id_ = Verdicts(store.verdicts(project_id)).standing(given)
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
    found = [entity for several in store.named(project_id, [name]).values() for entity in several]
    return [entity for entity in found if normalised(entity.name) == normalised(name)] or found


def _apart(project_id: str, one: str, other: str, store: Store) -> list[Verdict]:
    """Return the verdicts that hold these two apart."""
    given = store.verdicts(project_id)
    verdicts, pair = Verdicts(given), {one, other}
    return [
        verdict
        for verdict in given
        if verdict.kind == "different"
        and verdict.undone_at is None
        and {verdicts.standing(verdict.one), verdicts.standing(verdict.other)} == pair
    ]


def _about(project_id: str, ruling: Ruling, store: Store) -> list[Verdict]:
    """Return the verdicts that hold about the two, in the order they were made."""
    ones, others = _meant(project_id, ruling.one, store), _meant(project_id, ruling.other, store)
    return [
        verdict
        for verdict in store.verdicts(project_id)
        if verdict.undone_at is None
        and (
            ruling.other == verdict.id
            or (verdict.one in ones and verdict.other in others)
            or (verdict.one in others and verdict.other in ones)
        )
    ]


def _meant(project_id: str, given: str, store: Store) -> set[str]:
    """Return all entities, standing or merged, that an id or a name may mean."""
    if given.startswith("ent_"):
        return {given}
    named = [entity.id for entity in _named(project_id, given, store)]
    originals = store.originals(project_id, named)
    found = {one.id for several in originals.values() for one in several if normalised(one.name) == normalised(given)}
    return found | {id_ for id_ in named if len(originals.get(id_, ())) < 2}


def _touched(project_id: str, verdict: Verdict, store: Store) -> Sequence[str]:
    verdicts = Verdicts(store.verdicts(project_id))
    return list(dict.fromkeys(verdicts.standing(id_) for id_ in (verdict.one, verdict.other)))
