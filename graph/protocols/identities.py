"""The protocol of identities: who may be the same, and what a person decided about it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from core.knowledge.findings import Entity
from core.knowledge.identities import Likeness, Verdict


class Identities(Protocol):
    """Pairs that may be one entity, and verdicts.

    Verdicts never change what resolution finds: each name, mention and part in an event keeps the entity it was found
    for, its *original*, and belongs to the entity that the active verdicts assign it to
    (`core.knowledge.identities.Verdicts`). `KnowledgeGraph.replace` takes originals and assigns them; all other
    methods of the store read and answer what stands. So undoing a verdict leaves what would stand had it never been
    made.
    """

    def propose(self, project_id: str, entity_ids: Sequence[str], likenesses: Sequence[Likeness]) -> None:
        """Make these all the likenesses of these entities, except for pairs that a verdict keeps apart.

        Those with an entity that is not stored are left out. Likenesses are removed with either of their entities.
        """
        ...

    def likenesses(self, project_id: str, entity_ids: Sequence[str], limit: int) -> list[Likeness]:
        """Return likenesses of any of the entities: surest first, ties by their ids."""
        ...

    def open_likenesses(self, project_id: str, limit: int, offset: int = 0) -> tuple[list[Likeness], int]:
        """Return the likenesses of the project and their true number: surest first, ties by their ids."""
        ...

    def judge(self, project_id: str, verdict: Verdict) -> None:
        """Store a verdict and put it into effect at once in names, mentions, events, counts and steps.

        Raises:
            NotFound: an entity that it names is not stored; the one that a split makes need not be.
            Conflict: it would merge an entity with itself, or what it takes out of an entity is not there.
        """
        ...

    def undo(self, project_id: str, verdict_id: str, at: datetime, by: str | None) -> bool:
        """Take back a verdict, with immediate effect; False if there is none of this id, or it is undone already."""
        ...

    def verdicts(self, project_id: str) -> list[Verdict]:
        """Return all verdicts, undone ones included, in the order they were made.

        They are removed, or lose their note, when the last artifact that names their entities is removed
        (`core.knowledge.identities.orphaned`).
        """
        ...

    def originals(self, project_id: str, entity_ids: Sequence[str]) -> dict[str, list[Entity]]:
        """Return the entities, by id, that resolution alone found where these stand, sorted by id.

        Each has all the names that artifacts give it, wherever those stand now, and no role or mention count.
        """
        ...
