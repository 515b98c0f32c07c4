"""Putting verdicts into effect, in the same steps on every engine."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from core.errors import Conflict
from core.knowledge.identities import Likeness, Verdict, Verdicts
from core.transfer import Outcome, admitted


class VerdictApplication(ABC):
    """The verdicts of one project within one transaction; an engine supplies what reads and writes them."""

    def judge(self, verdict: Verdict) -> None:
        """Do what `graph.protocols.identities.Identities.judge` promises."""
        verdict.check(self._stored(verdict.needed))
        before = self._verdicts()
        self._insert(verdict)
        if not self._apply(before, verdict) and verdict.kind == "split":
            raise Conflict(
                f"Nothing of {verdict.one!r} is called that, or stands in that item: explore it to see its names."
            )

    def undo(self, verdict_id: str, at: datetime, by: str | None) -> bool:
        """Do what `graph.protocols.identities.Identities.undo` promises."""
        before = self._verdicts()
        found = next((one for one in before if one.id == verdict_id and one.undone_at is None), None)
        if found is None:
            return False
        undone = replace(found, undone_at=at, undone_by=by)
        self._mark_undone(undone)
        self._apply(before, undone)
        return True

    def keep(self, verdict: Verdict) -> Outcome:
        """Do what `graph.protocols.transfer.Transfer.keep` promises of a verdict."""
        before = self._verdicts()
        admittance = admitted(verdict, before)
        if admittance is None:
            return "unchanged"
        is_known = any(one.id == verdict.id for one in before)
        if is_known:
            self._mark_undone(admittance)
        else:
            self._insert(admittance)
        self._apply(before, admittance)
        return "updated" if is_known else "stored"

    def possible(self, likenesses: Sequence[Likeness]) -> set[Likeness]:
        """Return the likenesses of entities that are stored and that no verdict keeps apart."""
        if not likenesses:
            return set()
        stored = self._stored({id_ for one in likenesses for id_ in (one.one, one.other)})
        verdicts = Verdicts(self._verdicts())
        return {
            likeness
            for likeness in likenesses
            if {likeness.one, likeness.other} <= stored and not verdicts.are_apart(likeness.one, likeness.other)
        }

    def _apply(self, before: Sequence[Verdict], verdict: Verdict) -> bool:
        """Put a verdict that was stored or undone into effect; return whether anything had to move."""
        if verdict.kind == "different":
            if verdict.undone_at is None:
                self._drop_pair(verdict.one, verdict.other)
            return False
        former, latter = Verdicts(before), Verdicts([*(one for one in before if one.id != verdict.id), verdict])
        involved = {verdicts.standing(id_) for verdicts in (former, latter) for id_ in (verdict.one, verdict.other)}
        return self._reassign(sorted(involved), latter)

    @abstractmethod
    def _verdicts(self) -> list[Verdict]: ...

    @abstractmethod
    def _stored(self, ids: Iterable[str]) -> set[str]:
        """Return those of the ids that are entities."""

    @abstractmethod
    def _insert(self, verdict: Verdict) -> None: ...

    @abstractmethod
    def _mark_undone(self, verdict: Verdict) -> None:
        """Store when and by whom a verdict was undone."""

    @abstractmethod
    def _drop_pair(self, one: str, other: str) -> None:
        """Remove the likeness of two entities."""

    @abstractmethod
    def _reassign(self, entity_ids: Sequence[str], verdicts: Verdicts) -> bool:
        """Move whatever these entities have and the verdicts assign to others; return whether there was any."""
