"""The protocol of identities: merge candidates, and people's merge decisions."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from core.knowledge.findings import Entity
from core.knowledge.identities import MergeCandidate, MergeDecision


class Identities(Protocol):
    """Merge candidates, and merge decisions.

    Merge decisions never change what resolution finds: each name, mention and part in an event keeps the entity it was
    found for, its *original*, and belongs to the entity that the active merge decisions assign it to
    (`core.knowledge.identities.MergeDecisions`). `KnowledgeGraph.replace` takes originals and assigns them; all other
    methods of the store read and answer with merge decisions applied. So undoing a decision leaves the state as if it
    had never been made.
    """

    def set_merge_candidates(
        self, project_id: str, entity_ids: Sequence[str], merge_candidates: Sequence[MergeCandidate]
    ) -> None:
        """Make these the merge candidates of these entities, except for pairs that a merge decision keeps apart.

        Those with an entity that is not stored are left out. Merge candidates are removed with either of their
        entities.
        """
        ...

    def merge_candidates(self, project_id: str, entity_ids: Sequence[str], limit: int) -> list[MergeCandidate]:
        """Return merge candidates of any of the entities: most confident first, ties by their ids."""
        ...

    def open_merge_candidates(self, project_id: str, limit: int, offset: int = 0) -> tuple[list[MergeCandidate], int]:
        """Return the merge candidates of the project and their total number: most confident first, ties by their
        ids."""
        ...

    def apply_decision(self, project_id: str, decision: MergeDecision) -> None:
        """Store a merge decision and apply it at once to names, mentions, events, counts and links.

        Raises:
            NotFound: an entity that it names is not stored; the one that a split makes need not be.
            Conflict: it would merge an entity with itself, or what it takes out of an entity is not there.
        """
        ...

    def undo_decision(self, project_id: str, decision_id: str, at: datetime, by: str | None) -> bool:
        """Undo a merge decision, with immediate effect; False if none has this id, or it was undone before."""
        ...

    def merge_decisions(self, project_id: str) -> list[MergeDecision]:
        """Return all merge decisions, undone ones included, in the order they were made.

        They are removed, or lose their note, when the last artifact that names their entities is removed
        (`core.knowledge.identities.find_orphaned_decisions`).
        """
        ...

    def originals(self, project_id: str, entity_ids: Sequence[str]) -> dict[str, list[Entity]]:
        """Return the entities that resolution found, before merge decisions, for each of these ids, sorted by id.

        Each has all the names that artifacts give it, whichever entity has them now, and no role or mention count.
        """
        ...
