"""The protocol of runs: what extractors found in stored items, and the knowledge before."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from core.knowledge.findings import Extraction, Knowledge
from core.knowledge.runs import CallerAnnotations, ExtractionResult, Findings, KnowledgeSnapshot, Run


class Runs(Protocol):
    """Runs, their readings of items, and findings kept so that no text is paid for twice.

    Readings and findings are removed with their item, in the same transaction. Whether a process is at a run
    is not known here: `state` is as it was last put.
    """

    def put_run(self, run: Run) -> None:
        """Store a run, or write over the one of its id; one stored first is later than all of its project so far."""
        ...

    def run(self, project_id: str, run_id: str) -> Run | None:
        """Return the run of this id; None if there is none."""
        ...

    def runs(self, project_id: str, limit: int) -> list[Run]:
        """Return the latest runs, latest first."""
        ...

    def save_extraction(self, run: Run, artifact_id: str, found: Extraction | None, *, waits: bool) -> bool:
        """Save what a run found in an item with a snapshot of its knowledge, in one transaction.

        From here on it is the item's reading. None is kept for an item that the run does not read, and whose
        knowledge will change because of it: that is no reading. What was kept of the same run and item before stays, as
        it was when the run came to it first; only what was found is added if it is missing. False, and nothing kept, if
        the item or the run is not stored. `waits` as in `KnowledgeSnapshot`.
        """
        ...

    def finish_extraction(self, run: Run, artifact_id: str) -> None:
        """Note that what the run found is the knowledge of the item, and store the run as `put_run` does, as one."""
        ...

    def run_items(self, project_id: str, run_id: str) -> dict[str, bool]:
        """Return the items that a run keeps something of, in the order of storing, and whether it is done with each."""
        ...

    def latest_extraction(self, project_id: str, artifact_id: str) -> ExtractionResult | None:
        """Return the extraction of the item's latest run that is not rolled back, nor being rolled back.

        Caller annotations are excluded.
        """
        ...

    def annotate(self, project_id: str, artifact_id: str, annotations: CallerAnnotations) -> bool:
        """Save a caller's annotations of a current item as a finished extraction of their run, and queue its jobs, in
        one transaction.

        The run is stored with it, tallies added up. False, and nothing kept, if no current item has the id, or if all
        of it was stored before (`core.knowledge.annotations.merged_annotations`).
        """
        ...

    def annotations(self, project_id: str, artifact_ids: Sequence[str]) -> dict[str, list[ExtractionResult]]:
        """Return the annotations of items by runs that are not rolled back, nor being rolled back, earliest first.

        Items without annotations are left out.
        """
        ...

    def snapshot_before(self, project_id: str, run_id: str, artifact_id: str) -> KnowledgeSnapshot | None:
        """Return the knowledge of an item before a run came to it; None if the run keeps nothing of it."""
        ...

    def delete_extractions(self, project_id: str, run_id: str) -> None:
        """Forget all readings of a run that is rolled back, not as one; unknown runs do nothing."""
        ...

    def later_runs(self, project_id: str, run_id: str) -> list[str]:
        """Return the ids of later runs that keep something of an item that this run keeps something of, latest first.

        Those that are rolled back are left out.
        """
        ...

    def artifact_knowledge(self, project_id: str, artifact_ids: Sequence[str]) -> dict[str, Knowledge]:
        """Return the knowledge of each artifact as `KnowledgeGraph.replace` was given it.

        Names and evidence are its own. Statuses are as they are now; actors and subjects have their entity's name. What
        was given twice is there once.
        """
        ...

    def changed_since(self, project_id: str, moment: datetime) -> bool:
        """Whether an item that is still stored was added, or renewed, after `moment`."""
        ...

    def cache_findings(self, project_id: str, artifact_id: str, findings: Findings) -> None:
        """Keep what an extractor found in an item, in place of what it found there before, proposed or not.

        An item that is not stored does nothing.
        """
        ...

    def cached_findings(self, project_id: str, artifact_id: str) -> list[Findings]:
        """Return all that is kept of what extractors found in an item, latest kept last."""
        ...
