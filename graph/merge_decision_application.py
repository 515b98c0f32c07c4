"""Putting merge decisions into effect, in the same steps on every engine."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from core.errors import Conflict
from core.knowledge.identities import MergeCandidate, MergeDecision, MergeDecisions
from core.transfer import Outcome, admitted


class MergeDecisionApplication(ABC):
    """The merge decisions of one project within one transaction; an engine supplies what reads and writes them."""

    def apply_decision(self, decision: MergeDecision) -> None:
        """Do what `graph.protocols.identities.Identities.apply_decision` promises."""
        decision.check(self._stored(decision.needed))
        before = self._decisions()
        self._insert(decision)
        if not self._apply(before, decision) and decision.kind == "split":
            raise Conflict(
                f"Nothing of {decision.one!r} is called that, or stands in that item: explore it to see its names."
            )

    def undo_decision(self, decision_id: str, at: datetime, by: str | None) -> bool:
        """Do what `graph.protocols.identities.Identities.undo_decision` promises."""
        before = self._decisions()
        found = next((one for one in before if one.id == decision_id and one.undone_at is None), None)
        if found is None:
            return False
        undone = replace(found, undone_at=at, undone_by=by)
        self._mark_undone(undone)
        self._apply(before, undone)
        return True

    def keep(self, decision: MergeDecision) -> Outcome:
        """Do what `graph.protocols.transfer.Transfer.import_records` promises of a merge decision."""
        before = self._decisions()
        admittance = admitted(decision, before)
        if admittance is None:
            return "unchanged"
        is_known = any(one.id == decision.id for one in before)
        if is_known:
            self._mark_undone(admittance)
        else:
            self._insert(admittance)
        self._apply(before, admittance)
        return "updated" if is_known else "stored"

    def possible(self, merge_candidates: Sequence[MergeCandidate]) -> set[MergeCandidate]:
        """Return the merge candidates of entities that are stored and that no merge decision keeps apart."""
        if not merge_candidates:
            return set()
        stored = self._stored({id_ for one in merge_candidates for id_ in (one.one, one.other)})
        decisions = MergeDecisions(self._decisions())
        return {
            candidate
            for candidate in merge_candidates
            if {candidate.one, candidate.other} <= stored and not decisions.are_apart(candidate.one, candidate.other)
        }

    def _apply(self, before: Sequence[MergeDecision], decision: MergeDecision) -> bool:
        """Put a merge decision that was stored or undone into effect; return whether anything had to move."""
        if decision.kind == "different":
            if decision.undone_at is None:
                self._drop_pair(decision.one, decision.other)
            return False
        former, latter = (
            MergeDecisions(before),
            MergeDecisions([*(one for one in before if one.id != decision.id), decision]),
        )
        involved = {decisions.standing(id_) for decisions in (former, latter) for id_ in (decision.one, decision.other)}
        return self._reassign(sorted(involved), latter)

    @abstractmethod
    def _decisions(self) -> list[MergeDecision]: ...

    @abstractmethod
    def _stored(self, ids: Iterable[str]) -> set[str]:
        """Return those of the ids that are entities."""

    @abstractmethod
    def _insert(self, decision: MergeDecision) -> None: ...

    @abstractmethod
    def _mark_undone(self, decision: MergeDecision) -> None:
        """Store when and by whom a merge decision was undone."""

    @abstractmethod
    def _drop_pair(self, one: str, other: str) -> None:
        """Remove the merge candidate of two entities."""

    @abstractmethod
    def _reassign(self, entity_ids: Sequence[str], decisions: MergeDecisions) -> bool:
        """Move whatever these entities have and the merge decisions assign to others; return whether there was any."""
