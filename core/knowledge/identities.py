"""Entity identity: pairs that may be one entity, what people decide about entities, and what follows from that."""

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from core.errors import Conflict, NotFound
from core.knowledge.findings import normalise_name

#: `same`: `other` is merged into `one`. `different`: the two are never proposed as one, nor taken for one, again.
#: `split`: what has a name, or what one artifact says, is taken out of `one` and is `other` from then on.
#: `name`: `one` is shown under `name`. `dismissed`: `one` is no entity. Both have `one` as `other`.
MergeDecisionKind = Literal["same", "different", "split", "name", "dismissed"]


@dataclass(frozen=True, slots=True)
class MergeCandidate:
    """Two entities that may be the same, `one` having the smaller id; `reason` says why and contains no name."""

    one: str
    other: str
    confidence: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeDecision:
    """A person's decision about one or two entities, with time and reason. An undone one is kept as history."""

    id: str
    kind: MergeDecisionKind
    one: str
    other: str
    at: datetime
    by: str | None = None
    note: str | None = None
    #: Of a split: the hash of the name that is taken out (`name_hash`), or the artifact whose words are.
    name_hash: str | None = None
    artifact_id: str | None = None
    undone_at: datetime | None = None
    undone_by: str | None = None
    #: Of a `name`: the name.
    name: str | None = None

    @property
    def needed(self) -> Sequence[str]:
        """The ids of entities that must be stored before it can be applied; a split makes its second entity itself."""
        return [self.one, self.other] if self.kind in ("same", "different") else [self.one]

    def check(self, stored: Collection[str]) -> None:
        """Check that it can be applied, given which of its ids are stored.

        Raises:
            NotFound: an entity that it needs is not stored.
            Conflict: both ids are the same entity.
        """
        for id_ in self.needed:
            if id_ not in stored:
                raise NotFound(
                    f"No entity is stored under id {id_!r}: recall with a query, or explore by name, to find ids."
                )
        if self.one == self.other and self.kind in ("same", "different", "split"):
            raise Conflict(f"{self.one!r} is one entity already: name two different ones.")


def name_hash(name: str) -> str:
    """Return the hash that is kept in place of a name, so that the name does not outlive the artifacts that give it."""
    return hash_normalised_name(normalise_name(name))


def hash_normalised_name(folded: str) -> str:
    """Return the hash of a normalised name."""
    return hashlib.sha256(folded.encode()).hexdigest()


def split_id(entity_id: str, name: str | None, artifact_id: str | None) -> str:
    """Return the stable id of the entity that is split off: by a name, or by an artifact."""
    part = artifact_id if name is None else name_hash(name)
    return f"ent_{hashlib.sha256(f'split/{entity_id}/{part}'.encode()).hexdigest()[:12]}"


def is_identifying(alias: str) -> bool:
    """Whether an alias identifies one entity: an address or a handle. A first name is an alias of everybody who has
    it."""
    return "@" in alias


def identifying_names(name: str, aliases: Iterable[str]) -> set[str]:
    """Return the names by which an artifact certainly means an entity: its name there, its addresses and handles."""
    return {name, *filter(is_identifying, aliases)}


#: Kinds of decisions that assign what is found to another entity.
_MOVING: Final = ("same", "split")


class MergeDecisions:
    """All merge decisions of a project that are not undone, and what follows from them."""

    def __init__(self, given: Iterable[MergeDecision] = ()) -> None:
        active = [decision for decision in given if decision.undone_at is None]
        self._into = {decision.other: decision.one for decision in active if decision.kind == "same"}
        self._splits: dict[str, list[MergeDecision]] = {}
        for decision in sorted(active, key=lambda one: (one.name_hash is not None, one.at, one.id)):
            if decision.kind == "split":
                self._splits.setdefault(decision.one, []).append(decision)
        self._apart = [(decision.one, decision.other) for decision in active if decision.kind == "different"]
        self._moving = {
            id_ for decision in active if decision.kind in _MOVING for id_ in (decision.one, decision.other)
        }
        #: Whether anybody decided on the name of an entity.
        self.has_names = any(decision.kind == "name" for decision in active)
        self._dismissed = {decision.one for decision in active if decision.kind == "dismissed"}

    def affects(self, id_: str) -> bool:
        """Whether a merge or a split involves this entity."""
        return id_ in self._moving

    def current_id(self, id_: str) -> str:
        """Return the entity that this one is merged into, itself if it is not."""
        while id_ in self._into:
            id_ = self._into[id_]
        return id_

    def assigned_id(self, original: str, artifact_id: str, names: Collection[str]) -> str:
        """Return the entity that an artifact means where resolution alone says `original`.

        `names` are the `identifying_names` that the artifact has for it. Splits of an artifact take precedence over
        splits of a name, earlier ones over later ones.
        """
        id_, seen = original, {original}
        while (onward := self._split(id_, artifact_id, names) or self._into.get(id_)) and onward not in seen:
            id_ = onward
            seen.add(id_)
        return id_

    def is_dismissed(self, id_: str) -> bool:
        """Whether a person decided that this, or what it is merged into, is no entity."""
        return bool(self._dismissed) and not self._dismissed.isdisjoint((id_, self.current_id(id_)))

    def merged_ids(self, id_: str) -> list[str]:
        """Return an entity and all that are merged into it, sorted."""
        return sorted({id_, *(other for other in self._into if self.current_id(other) == id_)})

    def _split(self, id_: str, artifact_id: str, names: Collection[str]) -> str | None:
        rules = self._splits.get(id_)
        if rules is None:
            return None
        hashes = {name_hash(name) for name in names}
        fits = (rule.other for rule in rules if rule.artifact_id == artifact_id or rule.name_hash in hashes)
        return next(fits, None)

    def are_kept_apart(self, one: str, other: str) -> bool:
        """Whether a person decided that these two, or the entities that they are merged into, are different."""
        pair = {self.current_id(one), self.current_id(other)}
        return any({self.current_id(first), self.current_id(second)} == pair for first, second in self._apart)


def find_orphaned_decisions(
    decisions: Collection[MergeDecision], named: Collection[str]
) -> tuple[list[str], list[str]]:
    """Return the ids of merge decisions to remove, and of those to lose their note, once artifacts name only these
    entities.

    A merge or split is removed with the last of all entities it is connected with, any other with either of its two.
    What is dismissed, and what is merged with it, stays: no artifact's knowledge names it.
    """
    if not decisions:
        return [], []
    import networkx as nx

    active = {one for one in decisions if one.kind != "different" and one.undone_at is None}
    kept = {*named, *(one.one for one in active if one.kind == "dismissed")}
    groups = nx.connected_components(nx.Graph([(one.one, one.other) for one in active]))
    alive = {id_ for group in groups if not group.isdisjoint(kept) for id_ in group}
    removed, muted = [], []
    for decision in decisions:
        sides = [decision.one in kept, decision.other in kept or decision.kind == "split"]
        if decision.one not in alive if decision in active else not all(sides):
            removed.append(decision.id)
        elif not all(sides) and decision.note is not None:
            muted.append(decision.id)
    return removed, muted
