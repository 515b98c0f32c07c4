"""The protocol of identities: who may be the same, and what a person decided about it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from core.knowledge.findings import Entity
from core.knowledge.identities import MergeCandidate, MergeDecision


class Identities(Protocol):
    """Pairs that may be one entity, and merge decisions.

    Verdicts never change what resolution finds: each name, mention and part in an event keeps the entity it was found
    for, its *original*, and belongs to the entity that the active merge decisions assign it to
    (`core.knowledge.identities.MergeDecisions`). `KnowledgeGraph.replace` takes originals and assigns them; all other
    methods of the store read and answer what stands. So undoing a merge decision leaves what would stand had it never
    been made.
    """

    def set_merge_candidates(
        self, project_id: str, entity_ids: Sequence[str], merge_candidates: Sequence[MergeCandidate]
    ) -> None:
        """Make these all the merge candidates of these entities, except for pairs that a merge decision keeps apart.

        Those with an entity that is not stored are left out. Merge candidates are removed with either of their
        entities.
        """
        ...

    def merge_candidates(self, project_id: str, entity_ids: Sequence[str], limit: int) -> list[MergeCandidate]:
        """Return merge candidates of any of the entities: surest first, ties by their ids."""
        ...

    def open_merge_candidates(self, project_id: str, limit: int, offset: int = 0) -> tuple[list[MergeCandidate], int]:
        """Return the merge candidates of the project and their true number: surest first, ties by their ids."""
        ...

    def apply_decision(self, project_id: str, decision: MergeDecision) -> None:
        """Store a merge decision and put it into effect at once in names, mentions, events, counts and steps.

        Raises:
            NotFound: an entity that it names is not stored; the one that a split makes need not be.
            Conflict: it would merge an entity with itself, or what it takes out of an entity is not there.
        """
        ...

    def undo_decision(self, project_id: str, decision_id: str, at: datetime, by: str | None) -> bool:
        """Take back a merge decision, with immediate effect; False if there is none of this id, or it is undone
        already."""
        ...

    def merge_decisions(self, project_id: str) -> list[MergeDecision]:
        """Return all merge decisions, undone ones included, in the order they were made.

        They are removed, or lose their note, when the last artifact that names their entities is removed
        (`core.knowledge.identities.find_orphaned_decisions`).
        """
        ...

    def originals(self, project_id: str, entity_ids: Sequence[str]) -> dict[str, list[Entity]]:
        """Return the entities, by id, that resolution alone found where these stand, sorted by id.

        Each has all the names that artifacts give it, wherever those stand now, and no role or mention count.
        """
        ...
