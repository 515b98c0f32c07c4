"""Storing items and the sentences by which duplicates are found, moving items between tiers, and removing them with all
that has no other evidence.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import NamedTuple, Protocol, get_args

from core.dates import now
from core.interface.audit import Act, make_audit_entries
from core.interface.memory import Memory
from core.knowledge.runs import CallerAnnotations
from core.records import ANNOTATION_JOBS, Added, Artifact, Chunk, DeletionCounts, JobKind, artifact_id
from graph.protocols.knowledge import EarlierSentence, SentenceHash
from graph.writers.knowledge_writer import AnnotationWriter, MergeDecisionWriter, ProjectWriter

#: A sentence, and the time (microseconds since 1970) and number of the first item under its key that had it.
SentenceOrigin = tuple[SentenceHash, int, int]


class SentenceSource(NamedTuple):
    """A current item: its time and number, whether it expires, and the sentences that are kept of it."""

    since: int
    number: int
    expires: bool
    sentences: Sequence[SentenceOrigin]


class DuplicateSentenceWriter(ProjectWriter, Protocol):
    """The sentences of the items of a project."""

    def save_sentence_hashes(self, artifact_id: str, sentence_hashes: Sequence[SentenceHash]) -> list[str]:
        """Do what `graph.protocols.knowledge.DuplicateSentences.save_sentence_hashes` promises."""
        source, wanted = self._sentence_source(artifact_id), set(sentence_hashes)
        if source is None:
            return []
        former = self._former_sentences(artifact_id)
        if not former and {sentence for sentence, *_ in source.sentences} == wanted:
            return []
        own = (source.since, source.number)
        first: dict[SentenceHash, tuple[int, int]] = {}
        # Its own as well, which know of revisions that have none left.
        for sentence, since, number in chain(source.sentences, *former.values()):
            first[sentence] = min((since, number), first.get(sentence, (since, number)))
        kept = [(sentence, *min(own, first.get(sentence, own))) for sentence in sorted(wanted)]
        self._drop_sentences([artifact_id, *former])
        self._put_sentences(artifact_id, kept)
        # An item that expires has no duplicates.
        later = [] if source.expires else self._later_duplicates(artifact_id, kept)
        return sorted({*later, *self._duplicates(list(former))} - {artifact_id})

    def earlier_sentences(self, artifact_id: str, limit: int) -> list[EarlierSentence]:
        """Do what `graph.protocols.knowledge.DuplicateSentences.earlier_sentences` promises."""
        return [EarlierSentence(sentence, id_) for _, _, id_, sentence in sorted(self._earlier(artifact_id, limit))]

    def release_sentences(self, artifact_ids: Sequence[str]) -> None:
        """Drop the sentences of items that are about to be removed, and queue the extraction of their duplicates."""
        self.queue_duplicates(artifact_ids)
        self._drop_sentences(artifact_ids)

    def queue_duplicates(self, artifact_ids: Sequence[str]) -> None:
        """Queue the extraction of what repeats items that go, or whose events have other summaries."""
        self.put_jobs(self._duplicates(artifact_ids), ["extract"])

    def _sentence_source(self, artifact_id: str) -> SentenceSource | None:
        """Return a current item; None if there is none of this id."""

    def _former_sentences(self, artifact_id: str) -> dict[str, Sequence[SentenceOrigin]]:
        """Return by id the sentences of those revisions of an item that have any, or that a current item repeats."""

    def _put_sentences(self, artifact_id: str, sentences: Sequence[tuple[SentenceHash, int, int | None]]) -> None:
        """Add sentences to an item, which had those without a number first itself."""

    def _drop_sentences(self, artifact_ids: Sequence[str]) -> None: ...

    def _later_duplicates(self, artifact_id: str, sentences: Sequence[SentenceOrigin]) -> Sequence[str]:
        """Return the items that had later what this item, with these sentences, had first."""

    def _duplicates(self, artifact_ids: Sequence[str]) -> dict[str, int]:
        """Return how many chunks each current item has that is linked to these as what it repeats."""

    def _earlier(self, artifact_id: str, limit: int) -> Iterable[tuple[int, int, str, SentenceHash]]:
        """Return times, numbers and ids of the `limit` first items that had each sentence of an item before it."""

    def link_echoes(self, artifact_id: str, origins: Sequence[str]) -> None:
        """Do what `graph.protocols.knowledge.DuplicateSentences.link_echoes` promises."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredItem:
    """What is read of a stored item before it is changed; `given` are its fields as JSON."""

    id: str
    replaced_by: str | None
    updated_at: datetime
    num_chunks: int
    frequency: int
    given: str

    def memory(self, content: str) -> Memory:
        """Return its memory, with this content."""
        return Memory.from_fields_unchecked(content, json.loads(self.given))


@dataclass(frozen=True, slots=True)
class Matches:
    """The item with the fingerprint of one that comes, the current one with its key and context, and whether any item
    has its id."""

    known: StoredItem | None
    former: StoredItem | None
    is_id_taken: bool


class ItemWriter(AnnotationWriter, DuplicateSentenceWriter, MergeDecisionWriter, Protocol):
    """The items of a project."""

    #: The hashes of the texts that lost a chunk in this transaction.
    dropped_texts: list[str]

    def add(
        self,
        artifact: Artifact,
        chunks: Sequence[Chunk],
        jobs: Sequence[JobKind],
        annotation: CallerAnnotations | None = None,
    ) -> Added:
        """Do what `graph.protocols.records.Records.add` promises."""
        found = self._matches(artifact)
        known, former, content = found.known, found.former, artifact.memory.content
        memory = artifact.memory
        if known is not None:
            memory = self._renew(known, artifact)
            if known.replaced_by is None:
                before, run = known.memory(content), self._run_of(known.id, annotation)
                queued = self._queue(known.id, artifact, jobs if memory != before else ANNOTATION_JOBS if run else ())
                return Added(known.id, "duplicate", queued, run_id=run, changed=before.changes(memory))
        id_ = known.id if known is not None else self._free_id(artifact) if found.is_id_taken else artifact.id
        if former is not None:
            self._retire(former, id_)
        stored = replace(artifact, id=id_, memory=memory, num_chunks=len(chunks))
        self._make_current(stored, chunks, is_revision=known is not None)
        queued = self._queue(id_, artifact, jobs)
        if former is not None:
            self._hand_over(former.id, id_, content)
        run = self._run_of(id_, annotation)
        self._drop_unused_embeddings()
        replaced, last = None if former is None else former.id, former or known
        changed = {} if last is None else last.memory(content).changes(memory)
        return Added(id_, "stored" if last is None else "updated", queued, replaced, run, changed)

    def supersede(self, former_id: str, successor: Artifact) -> bool:
        """Do what `graph.protocols.records.Records.supersede` promises."""
        found = self._going([former_id, successor.id])
        former, current = found.get(former_id), found.get(successor.id)
        if former is None or former.replaced_by is not None or former_id == successor.id:
            return False
        if current is None or current.replaced_by is not None:
            return False
        self._retire(former, successor.id)
        self._hand_over(former_id, successor.id, successor.memory.content)
        self.put_jobs({successor.id: current.num_chunks}, ANNOTATION_JOBS)
        self._drop_unused_embeddings()
        return True

    def _hand_over(self, former_id: str, successor_id: str, content: str) -> None:
        """Give an item with this content the annotations of what it replaced, and note the act."""
        self.carry_annotations(former_id, successor_id, content)
        self.write_entries(make_audit_entries("overwrite", self.project_id, [successor_id, former_id]))

    def stash(self, ids: Sequence[str], *, stashed: bool) -> list[str]:
        """Do what `graph.protocols.records.Records.stash` promises."""
        tiers = self._tiers(ids)
        moving = {id_: num_chunks for id_, (num_chunks, before) in tiers.items() if before != stashed}
        self._set_stashed(list(moving), stashed=stashed, at=now())
        self.put_jobs(moving, ["embed"])
        return [id_ for id_ in dict.fromkeys(ids) if id_ in tiers]

    def rechunk(self, artifact_id: str, chunks: Sequence[Chunk]) -> None:
        """Do what `graph.protocols.records.Records.rechunk` promises."""
        if self._chunks_of_current(artifact_id) is not None:
            self.dropped_texts += self._drop_chunks([artifact_id])
            self._write_chunks(artifact_id, chunks)
            self._connect_mentions(artifact_id)
            self._set_num_chunks(artifact_id, len(chunks))
            self._drop_unused_embeddings()

    def remove(self, ids: Sequence[str], act: Act = "forget") -> DeletionCounts:
        """Do what `graph.protocols.records.Records.remove` promises, and name the act in the audit trail."""
        going = self._going(ids)
        if not going:
            return DeletionCounts(0, 0, 0)
        gone = list(going)
        events, entities = self._remove_knowledge(gone)
        self._unindex_stashed(gone)
        texts = self._drop_chunks(gone)
        self.drop_resolutions(gone)
        self._drop_readings(gone)
        self._relink(successors({id_: one.replaced_by for id_, one in going.items()}))
        self.release_sentences(gone)
        self._delete(gone)
        self.drop_orphans()
        self.write_entries(make_audit_entries(act, self.project_id, gone))
        # Late, because claims of jobs wait for the jobs that are changed here.
        self.drop_jobs(gone, get_args(JobKind))
        self.put_jobs({id_: one.num_chunks for id_, one in going.items()}, ["erase"])
        self.dropped_texts += texts
        self._drop_unused_embeddings()
        return DeletionCounts(len(texts), events, entities)

    def _run_of(self, artifact_id: str, annotation: CallerAnnotations | None) -> str | None:
        """Keep what was given of an item; return its run if that says anything new."""
        return annotation.run.id if annotation is not None and self.annotate(artifact_id, annotation) else None

    def _free_id(self, artifact: Artifact) -> str:
        attempt = 1
        while self._is_taken(id_ := artifact_id(artifact.fingerprint, attempt)):
            attempt += 1
        return id_

    def _queue(self, artifact_id: str, artifact: Artifact, jobs: Sequence[JobKind]) -> int:
        wanted = sorted(set(jobs))
        self.put_jobs({artifact_id: artifact.num_chunks}, wanted)
        return len(wanted)

    def _renew(self, known: StoredItem, artifact: Artifact) -> Memory:
        """Count the item once more and renew its fields; return what they are now."""
        before = known.memory(artifact.memory.content)
        renewed = before.updated_with(artifact.memory, artifact.updated_at)
        updated_at = known.updated_at if renewed == before else artifact.updated_at
        self._update(known.id, renewed, known.frequency + 1, artifact.last_occurred, updated_at)
        return renewed

    def _retire(self, former: StoredItem, successor: str) -> None:
        """Make a revision of a current item."""
        self._unindex_stashed([former.id])
        self._count_mentions(former.id, sign=-1)
        self.dropped_texts += self._drop_chunks([former.id])
        self._set_replaced(former.id, successor)
        self._connect_events(former.id)
        self.drop_jobs([former.id], ["embed"])
        self.put_jobs({former.id: former.num_chunks}, ["erase"])

    def _make_current(self, artifact: Artifact, chunks: Sequence[Chunk], *, is_revision: bool) -> None:
        """Store an item, or make a revision current, in this form, while no current item has its key."""
        if is_revision:
            self._set_current(artifact)
            self._count_mentions(artifact.id, sign=1)
            self._connect_events(artifact.id)
        else:
            self._create(artifact)
        self._write_chunks(artifact.id, chunks)
        if is_revision:
            self._connect_mentions(artifact.id)
        if artifact.stashed:
            self._index_stashed(artifact.id, artifact.memory.content)
        self.drop_jobs([artifact.id], ["erase"])

    def _matches(self, artifact: Artifact) -> Matches: ...

    def _is_taken(self, artifact_id: str) -> bool:
        """Whether any item has this id."""

    def _create(self, artifact: Artifact) -> None:
        """Store an item or a revision, without chunks."""

    def _update(
        self, artifact_id: str, memory: Memory, frequency: int, last_occurred: datetime, updated_at: datetime
    ) -> None:
        """Write over fields, counts and times, but not the content."""

    def _set_current(self, artifact: Artifact) -> None:
        """Make a revision current, with this content, tier, `updated_at` and counts."""

    def _set_replaced(self, artifact_id: str, successor: str) -> None: ...

    def _set_num_chunks(self, artifact_id: str, num_chunks: int) -> None: ...

    def _write_chunks(self, artifact_id: str, chunks: Sequence[Chunk]) -> None: ...

    def _drop_chunks(self, artifact_ids: Sequence[str]) -> list[str]:
        """Remove the chunks of items and their words; return the hashes of their texts, one a chunk."""

    def _drop_unused_embeddings(self) -> None:
        """Remove the embeddings of those `dropped_texts` that no chunk has; comes last, since all projects wait."""

    def _tiers(self, artifact_ids: Sequence[str]) -> Mapping[str, tuple[int, bool]]:
        """Return how many chunks each of the items that are current has, and whether it is stashed."""

    def _set_stashed(self, artifact_ids: Sequence[str], *, stashed: bool, at: datetime | None = None) -> None:
        """Move items of the other tier to this one, into or out of the index of substrings; with `at` they were updated
        then."""

    def _index_stashed(self, artifact_id: str, content: str) -> None:
        """Enter a stashed item into the index of substrings."""

    def _unindex_stashed(self, artifact_ids: Sequence[str]) -> None:
        """Remove the stashed ones of the items from the substring index, before they are removed."""

    def _count_mentions(self, artifact_id: str, *, sign: int) -> None:
        """Add an item's mentions to the counts of its entities, or take them off."""

    def _connect_events(self, artifact_id: str) -> None:
        """Rebuild the steps of an item's events, after it became a revision or current."""

    def _connect_mentions(self, artifact_id: str) -> None:
        """Rebuild what connects an item's chunks with its entities, after they were written."""

    def _going(self, artifact_ids: Sequence[str]) -> dict[str, StoredItem]:
        """Return by id the items that are stored and, of those that are current, all that they replaced."""

    def _remove_knowledge(self, artifact_ids: Sequence[str]) -> tuple[int, int]:
        """Remove the knowledge of items; return how many events and entities went with it."""

    def _relink(self, successors: Mapping[str, str]) -> None:
        """Have what each of the items had replaced be replaced by its successor."""

    def _delete(self, artifact_ids: Sequence[str]) -> None:
        """Remove items of which all else is gone."""


def successors(replaced_by: Mapping[str, str | None]) -> dict[str, str]:
    """Return, for each of these items that go, which item that stays has replaced it, directly or through others."""
    stays: dict[str, str | None] = {}
    for id_ in replaced_by:
        way: list[str] = []
        end: str | None = id_
        # Each step is walked once, however long the chain.
        while end is not None and end in replaced_by and end not in stays:
            way.append(end)
            end = replaced_by[end]
        stays |= dict.fromkeys(way, None if end is None else stays.get(end, end))
    return {id_: successor for id_, successor in stays.items() if successor is not None}
