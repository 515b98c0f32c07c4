"""Keeping runs, what they found in items, and what callers give of these."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from core.errors import InvalidInput
from core.knowledge.annotations import annotations_in, merged_annotations
from core.knowledge.findings import Extraction, Knowledge
from core.knowledge.runs import CallerAnnotations, ExtractionResult, Findings, Run
from core.records import ANNOTATION_JOBS
from core.transfer import KeptItem, KeptReading, Outcome
from graph.writers.ledger_writer import LedgerWriter


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
