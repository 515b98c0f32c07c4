"""Proposing that two entities are one, and putting merge decisions on that into effect."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from core.errors import Conflict
from core.interface.audit import make_audit_entries, merge_decision_entries
from core.knowledge.identities import MergeCandidate, MergeDecision, MergeDecisions, find_orphaned_decisions
from core.transfer import Outcome, reconcile_decision
from graph.writers.project_writer import ProjectWriter


class MergeDecisionWriter(ProjectWriter, Protocol):
    """The merge candidates and merge decisions of a project."""

    def is_proposed(self, entity_ids: Sequence[str], merge_candidates: Sequence[MergeCandidate]) -> bool:
        """Whether `set_merge_candidates` would change nothing."""
        return set(self.merge_candidates(entity_ids)) == self._possible(merge_candidates)

    def set_merge_candidates(self, entity_ids: Sequence[str], merge_candidates: Sequence[MergeCandidate]) -> None:
        """Do what `graph.protocols.knowledge.Identities.set_merge_candidates` promises."""
        self._drop_merge_candidates(entity_ids)
        self._put_merge_candidates(self._possible(merge_candidates))

    def apply_decision(self, decision: MergeDecision) -> None:
        """Do what `graph.protocols.knowledge.Identities.apply_decision` promises."""
        decision.check(self._stored_entities(decision.needed))
        before = self.decisions()
        self._insert_decision(decision)
        if not self._apply(before, decision) and decision.kind == "split":
            raise Conflict(
                f"Nothing of {decision.one!r} has that name, or is in that item: explore it to see its names."
            )
        self.write_entries(merge_decision_entries(self.project_id, decision))

    def undo_decision(self, decision_id: str, at: datetime, by: str | None) -> bool:
        """Do what `graph.protocols.knowledge.Identities.undo_decision` promises."""
        before = self.decisions()
        found = next((one for one in before if one.id == decision_id and one.undone_at is None), None)
        if found is None:
            return False
        undone = replace(found, undone_at=at, undone_by=by)
        self._mark_undone(undone)
        self._apply(before, undone)
        self.write_entries(make_audit_entries("undo_ruling", self.project_id, [decision_id]))
        return True

    def import_merge_decision(self, decision: MergeDecision) -> Outcome:
        """Do what `graph.protocols.administration.Transfer.import_records` promises of a merge decision."""
        before = self.decisions()
        admittance = reconcile_decision(decision, before)
        if admittance is None:
            return "unchanged"
        is_known = any(one.id == decision.id for one in before)
        if is_known:
            self._mark_undone(admittance)
        else:
            self._insert_decision(admittance)
        self._apply(before, admittance)
        return "updated" if is_known else "stored"

    def import_merge_candidate(self, candidate: MergeCandidate) -> Outcome:
        """Do what `graph.protocols.administration.Transfer.import_records` promises of a candidate."""
        pair = {candidate.one, candidate.other}
        is_known = any({one.one, one.other} == pair for one in self.merge_candidates([candidate.one]))
        if is_known or not self._possible([candidate]):
            return "unchanged"
        self._put_merge_candidates([candidate])
        return "stored"

    def drop_orphans(self) -> None:
        """Drop merge decisions, and notes of merge decisions, on entities that no item names any more."""
        if given := self.decisions():
            named = self._named_originals({id_ for decision in given for id_ in (decision.one, decision.other)})
            self._drop_decisions(*find_orphaned_decisions(given, named))

    def _possible(self, candidates: Sequence[MergeCandidate]) -> set[MergeCandidate]:
        """Return the merge candidates of entities that are stored and that no merge decision keeps apart."""
        if not candidates:
            return set()
        stored = self._stored_entities({id_ for one in candidates for id_ in (one.one, one.other)})
        decisions = MergeDecisions(self.decisions())
        return {
            candidate
            for candidate in candidates
            if {candidate.one, candidate.other} <= stored
            and not decisions.are_kept_apart(candidate.one, candidate.other)
        }

    def _apply(self, before: Sequence[MergeDecision], decision: MergeDecision) -> bool:
        """Put a merge decision that was stored or undone into effect; return whether anything had to move."""
        if decision.kind == "different":
            if decision.undone_at is None:
                self._drop_pair(decision.one, decision.other)
            return False
        after = [*(one for one in before if one.id != decision.id), decision]
        former, latter = MergeDecisions(before), MergeDecisions(after)
        involved = {
            decisions.current_id(id_) for decisions in (former, latter) for id_ in (decision.one, decision.other)
        }
        return self._reassign(sorted(involved), latter)

    def decisions(self) -> list[MergeDecision]: ...

    def merge_candidates(self, entity_ids: Sequence[str]) -> list[MergeCandidate]: ...

    def _put_merge_candidates(self, merge_candidates: Iterable[MergeCandidate]) -> None: ...

    def _drop_merge_candidates(self, entity_ids: Sequence[str]) -> None: ...

    def _drop_pair(self, one: str, other: str) -> None:
        """Remove the candidate of two entities."""

    def _stored_entities(self, ids: Iterable[str]) -> set[str]:
        """Return the ids that are entities."""

    def _named_originals(self, ids: Iterable[str]) -> set[str]:
        """Return those of the ids that are originals which an item names."""

    def _insert_decision(self, decision: MergeDecision) -> None: ...

    def _mark_undone(self, decision: MergeDecision) -> None:
        """Store when and by whom a merge decision was undone."""

    def _drop_decisions(self, ids: Collection[str], noted: Collection[str]) -> None:
        """Remove merge decisions, and of others the notes."""

    def _reassign(self, entity_ids: Sequence[str], decisions: MergeDecisions) -> bool:
        """Move whatever these entities have and the merge decisions assign to others; return whether there was any."""
