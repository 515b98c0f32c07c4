"""The import of another record into a project, as `graph.protocols.administration.Transfer.import_records` promises."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol, assert_never

from core.errors import Conflict
from core.interface.audit import import_entries
from core.knowledge.findings import EventLink, Knowledge
from core.knowledge.identities import MergeCandidate, MergeDecision
from core.knowledge.runs import Run
from core.records import Artifact
from core.transfer import KeptEchoes, KeptItem, KeptResolution, Merge, Outcome, Record
from graph.timestamps import to_microseconds
from graph.writers.item_writer import ItemWriter, Matches, StoredItem


class Importer(ItemWriter, Protocol):
    """Records of another store that are put into a project."""

    def import_all(self, records: Sequence[Record]) -> list[Outcome]:
        """Put records into the project in this order; return what became of each."""
        outcomes = [self._import(record) for record in records]
        self.write_entries(import_entries(self.project_id, records, outcomes))
        self._drop_unused_embeddings()
        return outcomes

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
