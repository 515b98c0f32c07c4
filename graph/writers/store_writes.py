"""What a store writes, each in one transaction of a writer."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol, TypeVar

from core.knowledge.findings import EventLink, Extraction, Knowledge
from core.knowledge.identities import MergeCandidate, MergeDecision
from core.knowledge.ledger import Origin, Resolution
from core.knowledge.runs import CallerAnnotations, ExtractionResult, Findings, Run
from core.records import Added, Artifact, Chunk, JobKind
from core.transfer import Outcome, Record
from graph.protocols.knowledge import EarlierSentence, SentenceHash
from graph.writers.importer import Importer

T = TypeVar("T")


class StoreWrites(Protocol):
    """Fulfils those parts of `graph.store.Store` that are the same on every engine, and reads what they write."""

    def add(
        self,
        artifact: Artifact,
        chunks: Sequence[Chunk],
        jobs: Sequence[JobKind],
        annotations: CallerAnnotations | None = None,
    ) -> Added:
        return self.add_all([(artifact, chunks)], jobs, [annotations])[0]

    def add_all(
        self,
        items: Sequence[tuple[Artifact, Sequence[Chunk]]],
        jobs: Sequence[JobKind],
        annotations: Sequence[CallerAnnotations | None] = (),
    ) -> list[Added]:
        given = list(zip(items, annotations or [None] * len(items), strict=True))
        if not items:
            return []
        return self._write(
            items[0][0].project_id, lambda writer: [writer.add(*item, jobs, one) for item, one in given], locks=False
        )

    def stash(self, project_id: str, ids: Sequence[str], *, stashed: bool) -> list[str]:
        return self._write(project_id, lambda writer: writer.stash(ids, stashed=stashed))

    def rechunk(self, project_id: str, artifact_id: str, chunks: Sequence[Chunk]) -> None:
        self._write(project_id, lambda writer: writer.rechunk(artifact_id, chunks))

    def replace(self, project_id: str, artifact_id: str, knowledge: Knowledge) -> bool:
        return self._write(project_id, lambda writer: writer.replace_knowledge(artifact_id, knowledge))

    def put_run(self, run: Run) -> None:
        self._write(run.project_id, lambda writer: writer.put_run(run))

    def run(self, project_id: str, run_id: str) -> Run | None:
        return self._read(project_id, lambda reader: reader.stored_run(run_id))

    def save_extraction(self, run: Run, artifact_id: str, found: Extraction | None, *, waits: bool) -> bool:
        return self._write(
            run.project_id, lambda writer: writer.save_extraction(run.id, artifact_id, found, waits=waits)
        )

    def finish_extraction(self, run: Run, artifact_id: str) -> None:
        self._write(run.project_id, lambda writer: writer.finish_extraction(run, artifact_id))

    def annotate(self, project_id: str, artifact_id: str, annotations: CallerAnnotations) -> bool:
        return self._write(project_id, lambda writer: writer.annotate_current(artifact_id, annotations))

    def annotations(self, project_id: str, artifact_ids: Sequence[str]) -> dict[str, list[ExtractionResult]]:
        return self._read(project_id, lambda reader: reader.annotations(artifact_ids))

    def artifact_knowledge(self, project_id: str, artifact_ids: Sequence[str]) -> dict[str, Knowledge]:
        return self._read(project_id, lambda reader: reader.artifact_knowledge(artifact_ids))

    def cache_findings(self, project_id: str, artifact_id: str, findings: Findings) -> None:
        self._write(project_id, lambda writer: writer.put_findings(artifact_id, findings))

    def set_event_links(self, project_id: str, event_ids: Sequence[str], links: Sequence[EventLink]) -> bool:
        return self._write(project_id, lambda writer: writer.set_links(event_ids, links))

    def event_links(self, project_id: str, event_ids: Sequence[str]) -> list[EventLink]:
        return self._read(project_id, lambda reader: reader.links(event_ids))

    def origins(self, project_id: str, event_ids: Sequence[str]) -> dict[str, Origin]:
        return self._read(project_id, lambda reader: reader.origins(event_ids))

    def add_resolution(self, project_id: str, resolution: Resolution) -> bool:
        return self._write(project_id, lambda writer: writer.resolve(resolution))

    def resolutions(self, project_id: str, event_ids: Sequence[str]) -> dict[str, list[Resolution]]:
        return self._read(project_id, lambda reader: reader.resolutions(event_ids))

    def save_sentence_hashes(
        self, project_id: str, artifact_id: str, sentence_hashes: Sequence[SentenceHash]
    ) -> list[str]:
        return self._write(project_id, lambda writer: writer.save_sentence_hashes(artifact_id, sentence_hashes))

    def earlier_sentences(self, project_id: str, artifact_id: str, limit: int) -> list[EarlierSentence]:
        return self._read(project_id, lambda reader: reader.earlier_sentences(artifact_id, limit))

    def link_echoes(self, project_id: str, artifact_id: str, origins: Sequence[str]) -> None:
        self._write(project_id, lambda writer: writer.link_echoes(artifact_id, origins))

    def set_merge_candidates(
        self, project_id: str, entity_ids: Sequence[str], merge_candidates: Sequence[MergeCandidate]
    ) -> None:
        if not self._read(project_id, lambda reader: reader.is_proposed(entity_ids, merge_candidates)):
            self._write(project_id, lambda writer: writer.set_merge_candidates(entity_ids, merge_candidates))

    def merge_candidates(self, project_id: str, entity_ids: Sequence[str], limit: int) -> list[MergeCandidate]:
        return self._read(project_id, lambda reader: reader.merge_candidates(entity_ids)[:limit])

    def apply_decision(self, project_id: str, decision: MergeDecision) -> None:
        self._write(project_id, lambda writer: writer.apply_decision(decision), is_long=True)

    def undo_decision(self, project_id: str, decision_id: str, at: datetime, by: str | None) -> bool:
        return self._write(project_id, lambda writer: writer.undo_decision(decision_id, at, by), is_long=True)

    def merge_decisions(self, project_id: str) -> list[MergeDecision]:
        return self._read(project_id, lambda reader: reader.decisions())

    def import_records(self, project_id: str, records: Sequence[Record]) -> list[Outcome]:
        return self._write(project_id, lambda writer: writer.import_all(records), locks=False, is_long=True)

    def _read(self, project_id: str, work: Callable[[Importer], T]) -> T:
        """Return what a writer reads in one transaction that writes nothing."""
        ...

    def _write(self, project_id: str, work: Callable[[Importer], T], *, locks: bool = True, is_long: bool = False) -> T:
        """Have a writer do this in one transaction; with the project's lock unless it `locks` that itself."""
        ...
