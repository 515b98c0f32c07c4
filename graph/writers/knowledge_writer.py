"""Writing what is known: runs and annotations, merge candidates and decisions, links and resolutions of events."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from core.errors import Conflict, InvalidInput
from core.interface.audit import AuditEntry, make_audit_entries, merge_decision_entries
from core.knowledge.findings import EventLink, Extraction, Knowledge
from core.knowledge.identities import MergeCandidate, MergeDecision, MergeDecisions, find_orphaned_decisions
from core.knowledge.ledger import Origin, Resolution
from core.knowledge.runs import CallerAnnotations, ExtractionResult, Findings, Run, annotations_in, merged_annotations
from core.records import ANNOTATION_JOBS, JobKind
from core.transfer import KeptItem, KeptReading, KeptResolution, Outcome, reconcile_decision


class ProjectWriter(Protocol):
    """One transaction that writes to one project."""

    project_id: str

    def put_jobs(self, num_chunks: Mapping[str, int], kinds: Sequence[JobKind]) -> None:
        """Set jobs of items, given with their number of chunks, to pending with no attempts, whatever they were."""

    def drop_jobs(self, artifact_ids: Sequence[str], kinds: Sequence[JobKind]) -> None:
        """Remove jobs of items; those that there are not are no error."""

    def awaits_extraction(self, artifact_id: str) -> bool:
        """Whether an item has an `extract` job that is not done."""

    def write_entries(self, entries: Sequence[AuditEntry]) -> None:
        """Add entries to the audit trail."""


class LedgerWriter(ProjectWriter, Protocol):
    """The links and resolutions of the events of a project."""

    def set_links(self, event_ids: Sequence[str], links: Sequence[EventLink]) -> bool:
        """Do what `graph.protocols.knowledge.Ledger.set_event_links` promises."""
        there = self._stored_events(end for link in links for end in (link.source, link.target))
        wanted = {link for link in links if {link.source, link.target} <= there}
        stored = set(self.links(event_ids))
        gone, added = stored - wanted, wanted - stored
        self._unlink(gone)
        self._link(added)
        self._refresh_statuses({link.target for link in gone | added})
        return bool(gone or added)

    def resolve(self, resolution: Resolution) -> bool:
        """Do what `graph.protocols.knowledge.Ledger.add_resolution` promises."""
        event_id = resolution.event_id
        origin = self.origins([event_id]).get(event_id)
        if origin is None:
            return False
        declared = self.resolutions([event_id]).get(event_id, ())
        if not declared or (declared[-1].status, declared[-1].note) != (resolution.status, resolution.note):
            self._put_resolution(resolution, origin.artifact_id)
            self.write_entries(make_audit_entries("resolve", self.project_id, [event_id]))
        return True

    def import_link(self, link: EventLink) -> Outcome:
        """Store a link if its events are stored and have none of its relation."""
        ends = {link.source, link.target}
        known = {(one.source, one.target, one.relation) for one in self.links([link.source])}
        if self._stored_events(ends) != ends or (link.source, link.target, link.relation) in known:
            return "unchanged"
        self._link([link])
        self._refresh_statuses([link.target])
        return "stored"

    def import_resolution(self, record: KeptResolution) -> Outcome:
        """Store a resolution that is not stored, whether its event is or not."""
        event_id = record.resolution.event_id
        if record.resolution in self.resolutions([event_id]).get(event_id, ()):
            return "unchanged"
        self._put_resolution(record.resolution, record.artifact_id)
        return "stored"

    def _put_resolution(self, resolution: Resolution, artifact_id: str) -> None:
        self._insert_resolution(resolution, artifact_id)
        self._refresh_statuses([resolution.event_id])

    def links(self, event_ids: Sequence[str]) -> list[EventLink]: ...

    def origins(self, event_ids: Sequence[str]) -> dict[str, Origin]: ...

    def resolutions(self, event_ids: Sequence[str]) -> dict[str, list[Resolution]]: ...

    def drop_resolutions(self, artifact_ids: Sequence[str]) -> None:
        """Drop the resolutions of events that rested on items, except of those with other evidence."""

    def _stored_events(self, event_ids: Iterable[str]) -> set[str]:
        """Return the ids that are events."""

    def _link(self, links: Iterable[EventLink]) -> None: ...

    def _unlink(self, links: Iterable[EventLink]) -> None: ...

    def _insert_resolution(self, resolution: Resolution, artifact_id: str) -> None:
        """Store a resolution as the latest of its event, which rests on this item."""

    def _refresh_statuses(self, event_ids: Iterable[str]) -> None:
        """Recompute the statuses of events."""


class AnnotationWriter(LedgerWriter, Protocol):
    """The runs of a project, and what they keep of items."""

    def annotate_current(self, artifact_id: str, annotations: CallerAnnotations) -> bool:
        """Do what `graph.protocols.knowledge.Runs.annotate` promises."""
        num_chunks = self._chunks_of_current(artifact_id)
        if num_chunks is None or not self.annotate(artifact_id, annotations):
            return False
        self.put_jobs({artifact_id: num_chunks}, ANNOTATION_JOBS)
        return True

    def annotate(self, artifact_id: str, annotations: CallerAnnotations) -> bool:
        """Keep what a caller gives of an item as a reading of its run; return whether it says anything new."""
        run, before = annotations.run, self._annotations(artifact_id)
        if merged_annotations([*before.values(), annotations.found]) == merged_annotations(before.values()):
            return False
        again = [before[run.id]] if run.id in before else []
        if (stored := self.stored_run(run.id)) is not None:
            run = replace(run, tally=stored.tally + replace(run.tally, items=0 if again else run.tally.items))
        self.put_run(run)
        standing, waits = self._knowledge(artifact_id), self.awaits_extraction(artifact_id)
        assert standing is not None, "its item is current"
        self._put_annotation(
            artifact_id, run.id, merged_annotations([*again, annotations.found]), standing, waits=waits
        )
        return True

    def carry_annotations(self, former_id: str, artifact_id: str, content: str) -> None:
        """Keep for an item what was given of the one that it replaces, as far as it holds for its content."""
        known = self._annotations(artifact_id)
        for run_id, given in self._annotations(former_id).items():
            found = annotations_in(given, content)
            if run_id not in known and (found.events or found.entities):
                self._put_annotation(artifact_id, run_id, found, Knowledge(), waits=True)

    def save_extraction(self, run_id: str, artifact_id: str, found: Extraction | None, *, waits: bool) -> bool:
        """Do what `graph.protocols.knowledge.Runs.save_extraction` promises."""
        standing = self._knowledge(artifact_id)
        if standing is None:
            return False
        reading = KeptReading(run_id=run_id, found=found, standing=standing, waits=waits, finished=False)
        return self._put_reading(artifact_id, reading, replaces=False)

    def finish_extraction(self, run: Run, artifact_id: str) -> None:
        """Do what `graph.protocols.knowledge.Runs.finish_extraction` promises."""
        self.put_run(run)
        self._finish_reading(run.id, artifact_id)

    def import_run(self, run: Run) -> Outcome:
        """Store a run if none has its id."""
        if self.stored_run(run.id) is not None:
            return "unchanged"
        self.put_run(replace(run, project_id=self.project_id))
        return "stored"

    def import_readings(self, item: KeptItem) -> None:
        """Keep what runs keep of an item, and what extractors found in it, in place of what was kept of it."""
        id_ = item.artifact.id
        self._drop_readings([id_])
        for reading in item.readings:
            if not self._put_reading(id_, reading, replaces=True):
                raise InvalidInput(f"The item {id_!r} was read by run {reading.run_id!r}, which is not here.")
        for findings in item.findings:
            self.put_findings(id_, findings)

    def _put_annotation(
        self, artifact_id: str, run_id: str, found: Extraction, standing: Knowledge, *, waits: bool
    ) -> None:
        reading = KeptReading(run_id=run_id, found=found, standing=standing, waits=waits, finished=True)
        self._put_reading(artifact_id, reading, replaces=True)

    def _annotations(self, artifact_id: str) -> dict[str, Extraction]:
        """Return what callers gave of an item by its run, earliest first."""
        return {one.run_id: one.found for one in self.annotations([artifact_id]).get(artifact_id, ())}

    def _knowledge(self, artifact_id: str) -> Knowledge | None:
        """Return the knowledge of an item with the links of its events; None if it is not stored."""
        known = self.artifact_knowledge([artifact_id]).get(artifact_id)
        if known is None:
            return None
        return replace(known, links=tuple(self.links([event.id for event in known.events])))

    def stored_run(self, run_id: str) -> Run | None: ...

    def put_run(self, run: Run) -> None:
        """Store a run, or write over the one of its id."""

    def put_findings(self, artifact_id: str, findings: Findings) -> None:
        """Keep what an extractor found in an item, in place of what it found there before, proposed or not."""

    def _chunks_of_current(self, artifact_id: str) -> int | None:
        """Return how many chunks a current item has; None if there is no such item."""

    def annotations(self, artifact_ids: Sequence[str]) -> dict[str, list[ExtractionResult]]: ...

    def artifact_knowledge(self, artifact_ids: Sequence[str]) -> dict[str, Knowledge]: ...

    def _put_reading(self, artifact_id: str, reading: KeptReading, *, replaces: bool) -> bool:
        """Keep a reading, or of one that is kept what was found, if that is missing or `replaces` it.

        False, and nothing kept, if the item or the run is not stored.
        """

    def _finish_reading(self, run_id: str, artifact_id: str) -> None: ...

    def _drop_readings(self, artifact_ids: Sequence[str]) -> None:
        """Remove the readings and findings of items."""


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
        if decision.kind == "name":
            self._rename([latter.current_id(decision.one)])
            return True
        if decision.kind == "dismissed":
            self._set_dismissed(latter.merged_ids(latter.current_id(decision.one)), latter)
            return True
        involved = {
            decisions.current_id(id_) for decisions in (former, latter) for id_ in (decision.one, decision.other)
        }
        return self._reassign(sorted(involved), latter)

    def _set_dismissed(self, entity_ids: Sequence[str], decisions: MergeDecisions) -> None:
        """Remove what is dismissed from the graph, or have the items that it was removed from read again."""
        if any(map(decisions.is_dismissed, entity_ids)):
            self._withdraw(entity_ids)
        else:
            self.put_jobs(self._items_without(entity_ids), ["extract"])

    def decisions(self) -> list[MergeDecision]: ...

    def merge_candidates(self, entity_ids: Sequence[str]) -> list[MergeCandidate]: ...

    def _put_merge_candidates(self, merge_candidates: Iterable[MergeCandidate]) -> None: ...

    def _drop_merge_candidates(self, entity_ids: Sequence[str]) -> None: ...

    def _drop_pair(self, one: str, other: str) -> None:
        """Remove the candidate of two entities."""

    def _stored_entities(self, ids: Iterable[str]) -> set[str]:
        """Return the ids that are entities."""

    def _named_originals(self, ids: Iterable[str]) -> set[str]:
        """Return the ids of originals that an item names."""

    def _insert_decision(self, decision: MergeDecision) -> None: ...

    def _mark_undone(self, decision: MergeDecision) -> None:
        """Store when and by whom a merge decision was undone."""

    def _drop_decisions(self, ids: Collection[str], noted: Collection[str]) -> None:
        """Remove merge decisions, and of others the notes."""

    def _rename(self, entity_ids: Iterable[str]) -> None:
        """Derive the names of entities that are stored again, by decisions and by what artifacts give."""

    def _withdraw(self, entity_ids: Iterable[str]) -> None:
        """Remove all that artifacts say of entities, and so the entities."""

    def _items_without(self, entity_ids: Iterable[str]) -> dict[str, int]:
        """Return the current items in whose text one of these entities was found, each with its number of chunks."""

    def _reassign(self, entity_ids: Sequence[str], decisions: MergeDecisions) -> bool:
        """Move whatever these entities have and the merge decisions assign to others; return whether there was any."""
