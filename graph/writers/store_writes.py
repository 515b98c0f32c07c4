"""What a store writes, each in one transaction of a writer, and the import of the records of another store."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, Protocol, TypeVar, assert_never

from core.errors import Conflict
from core.interface.audit import Act, import_entries
from core.knowledge.findings import EventLink, Extraction, Knowledge
from core.knowledge.identities import MergeCandidate, MergeDecision
from core.knowledge.ledger import Origin, Resolution
from core.knowledge.runs import CallerAnnotations, ExtractionResult, Findings, Run
from core.records import Added, Artifact, Chunk, JobKind
from core.transfer import KeptEchoes, KeptItem, KeptResolution, Merge, Outcome, Record
from graph.protocols.knowledge import EarlierSentence, SentenceHash
from graph.timestamps import to_microseconds
from graph.writers.indexed_chunks import IndexedChunk
from graph.writers.item_writer import ItemWriter, Matches, StoredItem


class Importer(ItemWriter, Protocol):
    """Records of another store that are put into a project."""

    def import_all(self, records: Sequence[Record]) -> list[Outcome]:
        """Put records into the project in this order; return what became of each."""
        outcomes = [self._import(record) for record in records]
        self.write_entries(import_entries(self.project_id, records, outcomes))
        self._drop_unused_embeddings()
        return outcomes

    def replace_items(self, ids: Sequence[str], records: Sequence[Record], act: Act) -> None:
        """Do what `graph.protocols.administration.Transfer.redact` promises."""
        self.remove(ids, act)
        for record in records:
            self._import(record)
        self._drop_unused_embeddings()

    def _import(self, record: Record) -> Outcome:
        match record:
            case KeptItem():
                return self._import_item(record)
            case Run():
                return self.import_run(record)
            case MergeDecision():
                return self.import_merge_decision(record)
            case EventLink():
                return self.import_link(record)
            case KeptResolution():
                return self.import_resolution(record)
            case MergeCandidate():
                return self.import_merge_candidate(record)
            case KeptEchoes():
                return "stored" if self._import_echoes(record) else "unchanged"
            case _:
                assert_never(record)

    def _import_item(self, item: KeptItem) -> Outcome:
        """Store an item, or merge it with the one that is stored."""
        found = self._matches(item.artifact)
        stored = None if found.known is None else self._artifact(found.known.id)
        if stored is not None and item.differs_only_in_wording(stored):
            return self._import_item(item.with_exact_fingerprint())
        if stored is None:
            self._store(item, found)
            return "stored"
        return "updated" if self._merge(item, stored, found.former) else "unchanged"

    def _store(self, item: KeptItem, found: Matches) -> None:
        given = item.artifact
        if found.is_id_taken:
            raise Conflict(
                f"The id {given.id!r} belongs to another item here: leave this one out, or remember it again."
            )
        successor = given.replaced_by or _newer(found.former, given)
        if successor is None:
            self._import_current(item, given, found.former, is_revision=False)
        else:
            self._create(replace(given, stashed=False, replaced_by=successor))
        self._learn(item, given)

    def _merge(self, item: KeptItem, stored: Artifact, former: StoredItem | None) -> bool:
        """Merge an item into the stored one; return whether that changed anything."""
        waits = self.awaits_extraction(stored.id)
        merge = Merge.of(stored, item, holder=_newer(former, item.artifact), waits=waits)
        if merge is None:
            return False
        after = merge.after
        self._update(after.id, after.memory, after.frequency, after.last_occurred, after.updated_at)
        if merge.returns:
            self._import_current(item, after, former, is_revision=True)
        elif merge.is_renewed:
            if after.stashed != stored.stashed:
                self._set_stashed([after.id], stashed=after.stashed)
            self.put_jobs({after.id: after.num_chunks}, ["embed"])
        if merge.learns:
            self._learn(item, after)
        return True

    def _import_current(
        self, item: KeptItem, artifact: Artifact, former: StoredItem | None, *, is_revision: bool
    ) -> None:
        if former is not None:
            self._retire(former, artifact.id)
        num_chunks = len(item.chunks)
        self._make_current(replace(artifact, num_chunks=num_chunks), item.chunks, is_revision=is_revision)
        self.put_jobs({artifact.id: num_chunks}, ["embed"])

    def _learn(self, item: KeptItem, artifact: Artifact) -> None:
        """Store the knowledge that came with an item, or queue its extraction."""
        self.replace_knowledge(artifact.id, item.knowledge)
        self.import_readings(item)
        if item.sentence_hashes is not None:
            self._drop_sentences([artifact.id])
            self._put_sentences(artifact.id, [(one, to_microseconds(at), None) for one, at in item.sentence_hashes])
        self.put_jobs({artifact.id: artifact.num_chunks}, ["extract"])
        if not item.waits:
            self._finish_extraction(artifact.id)

    def _artifact(self, artifact_id: str) -> Artifact: ...

    def replace_knowledge(self, artifact_id: str, knowledge: Knowledge) -> bool:
        """Do what `graph.protocols.knowledge.KnowledgeGraph.replace` promises."""

    def _finish_extraction(self, artifact_id: str) -> None:
        """Make the `extract` job of an item one that is done."""

    def _import_echoes(self, record: KeptEchoes) -> bool:
        """Link an item to those that it repeats, as far as they are stored; return whether that linked any."""


def _newer(former: StoredItem | None, given: Artifact) -> str | None:
    """Return the id of the other current item with this one's key and context, if that is at least as new."""
    return None if former is None or former.updated_at < given.updated_at else former.id


T = TypeVar("T")
#: From how many characters on it is asked whether an item is stored already, whose words would be counted for nothing.
_LONG: Final = 20_000


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
        if not items:
            return []
        indexed = [(artifact, self._unless_known(artifact, chunks)) for artifact, chunks in items]
        given = list(zip(indexed, annotations or [None] * len(items), strict=True))
        return self._write(
            items[0][0].project_id, lambda writer: [writer.add(*item, jobs, one) for item, one in given], locks=False
        )

    def supersede(self, project_id: str, former_id: str, successor: Artifact) -> bool:
        return self._write(project_id, lambda writer: writer.supersede(former_id, successor))

    def stash(self, project_id: str, ids: Sequence[str], *, stashed: bool) -> list[str]:
        return self._write(project_id, lambda writer: writer.stash(ids, stashed=stashed))

    def rechunk(self, project_id: str, artifact_id: str, chunks: Sequence[Chunk]) -> None:
        indexed = self._index(project_id, chunks)
        self._write(project_id, lambda writer: writer.rechunk(artifact_id, indexed))

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
        made = [self._with_words(record) for record in records]
        return self._write(project_id, lambda writer: writer.import_all(made), locks=False, is_long=True)

    def redact(self, project_id: str, ids: Sequence[str], records: Sequence[Record], act: Act = "redact") -> None:
        made = [self._with_words(record) for record in records]
        self._write(project_id, lambda writer: writer.replace_items(ids, made, act), is_long=True)

    def _with_words(self, record: Record) -> Record:
        if not isinstance(record, KeptItem):
            return record
        return replace(record, chunks=tuple(self._unless_known(record.artifact, record.chunks)))

    def _unless_known(self, artifact: Artifact, chunks: Sequence[Chunk]) -> Sequence[Chunk]:
        """Return the chunks of an item with their words, unless it is long and stored already."""
        if len(artifact.memory.content) > _LONG and self.by_fingerprint(artifact.project_id, artifact.fingerprint):
            return chunks
        return self._index(artifact.project_id, chunks)

    def _index(self, project_id: str, chunks: Sequence[Chunk]) -> list[IndexedChunk]:
        """Return chunks of a project with the words that the engine's indexes hold of them."""
        ...

    def by_fingerprint(self, project_id: str, fingerprint: str, *, revisions: bool = False) -> Artifact | None: ...

    def _read(self, project_id: str, work: Callable[[Importer], T]) -> T:
        """Return what a writer reads in one transaction that writes nothing."""
        ...

    def _write(self, project_id: str, work: Callable[[Importer], T], *, locks: bool = True, is_long: bool = False) -> T:
        """Have a writer do this in one transaction; with the project's lock unless it `locks` that itself."""
        ...
