"""Drift: where the vectors and a record differ, and how the difference is repaired."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from core.records import UNCUT, Chunk, IntegrityIssue, chunks_to_embed
from core.search import VectorIndex
from graph.store import Store
from graph.vector_checks import is_lost
from ingest.indexing.indexer import Indexer

#: Entries of the index that are read at a time.
_BATCH: Final = 1_000


@dataclass(frozen=True, slots=True)
class Drift:
    """Chunk ids, sorted: without their vector and without a job for it, and vectors without a chunk.

    `stale` are vectors whose indexed text differs from the chunk's. Vectors of projects that the record knows
    nothing of are not seen (`find_foreign_vectors`).
    """

    missing: Sequence[str] = ()
    extra: Sequence[str] = ()
    stale: Sequence[str] = ()

    def __bool__(self) -> bool:
        return bool(self.missing or self.extra or self.stale)

    def issues(self, project_id: str) -> list[IntegrityIssue]:
        """Return an issue for each kind of difference."""
        kinds = {
            "chunks have no vector": self.missing,
            "vectors have no chunk": self.extra,
            "vectors are of another text than their chunk's": self.stale,
        }
        return [IntegrityIssue("vectors", what, tuple(ids), project_id) for what, ids in kinds.items() if ids]


def compare_vectors(store: Store, index: VectorIndex, project_id: str) -> Drift:
    """Compare the chunks of all current items of a project with the vectors under the current model.

    Pending jobs (`embed`, `erase`) are no drift; failed jobs do not count as pending.

    Raises:
        Unavailable: the index does not answer.
    """
    indexed, recorded, missing, stale = index.ids(project_id), set[str](), set[str](), list[str]()
    for batch in store.each(project_id):
        chunks = store.chunks(project_id, [artifact.id for artifact in batch])
        there = {chunk.id: chunk for each in chunks.values() for chunk in each}
        recorded |= there.keys()
        missing.update(
            chunk.id for each in chunks.values() for chunk in chunks_to_embed(each) if chunk.id not in indexed
        )
        stale += _stale(index, project_id, {id_: chunk for id_, chunk in there.items() if id_ in indexed})
    apart = missing | (indexed - recorded) | set(stale)
    waiting = {id_ for id_ in {_artifact(chunk_id) for chunk_id in apart} if _waits(store, project_id, id_)}
    drifted = sorted(chunk_id for chunk_id in apart if _artifact(chunk_id) not in waiting)
    return Drift(
        missing=[chunk_id for chunk_id in drifted if chunk_id in missing],
        extra=[chunk_id for chunk_id in drifted if chunk_id not in recorded],
        stale=[chunk_id for chunk_id in drifted if chunk_id in indexed and chunk_id in recorded],
    )


def _stale(index: VectorIndex, project_id: str, chunks: Mapping[str, Chunk]) -> Iterator[str]:
    ids = list(chunks)
    for first in range(0, len(ids), _BATCH):
        kept = index.entries(project_id, ids[first : first + _BATCH])
        yield from (id_ for id_, entry in kept.items() if entry.text != chunks[id_].text)


def find_foreign_vectors(store: Store, index: VectorIndex, model: str) -> list[IntegrityIssue]:
    """Return what the index holds of projects that the record does not know, and of other models than this one.

    Raises:
        Unavailable: the index does not answer.
    """
    held = index.held()  # first: what comes to a project now is in the record before
    known = set(store.projects())
    found = []
    for (project_id, made_with), number in sorted(held.items()):
        if project_id not in known:
            what = "vectors are of a project that the record does not know"
            found.append(IntegrityIssue("vectors", what, project_id=project_id, unnamed=number))
        elif made_with != model:
            what = f"vectors are of another model, {made_with}"
            found.append(IntegrityIssue("vectors", what, project_id=project_id, unnamed=number))
    return [issue for issue in found if issue.number]


def remove_foreign_vectors(indexer: Indexer) -> int:
    """Remove what `find_foreign_vectors` finds; return how many vectors that were.

    Raises:
        Unavailable: the index does not answer.
    """
    with indexer.hold_lock():
        held = indexer.index.held()
        known, model = set(indexer.store.projects()), indexer.embedder.model
        foreign = [place for place in held if place[0] not in known or place[1] != model]
        for project_id, made_with in foreign:
            indexer.index.discard(project_id, made_with)
    return sum(held[place] for place in foreign)


def repair_vectors(indexer: Indexer, project_id: str) -> Drift:
    """Queue the embedding of what misses vectors and remove the extra ones; return what was wrong.

    Raises:
        Unavailable: the index does not answer.
    """
    with indexer.hold_lock():
        drift = compare_vectors(indexer.store, indexer.index, project_id)
        indexer.index.delete(project_id, drift.extra)
        wrong = sorted({_artifact(chunk_id) for chunk_id in (*drift.missing, *drift.stale)})
        indexer.store.queue(project_id, wrong, "embed")
    return drift


def repair_record(indexer: Indexer, issues: Sequence[IntegrityIssue]) -> int:
    """Repair these issues of a record where it can be; return how many items wait to be extracted again for that.

    Raises:
        Unavailable: the record, or the index where an item is cut again, does not answer.
    """
    store = indexer.store
    for issue in issues:
        if issue.what == UNCUT and issue.project_id is not None:
            for item in store.get(issue.project_id, issue.ids).values():
                if item.replaced_by is None:
                    indexer.rechunk(item, indexer.chunk(item))
            store.queue(issue.project_id, issue.ids, "embed")
    again = store.repair({issue.part for issue in issues})
    return sum(store.queue(project_id, ids, "extract") for project_id, ids in again.items())


def queue_lost(indexer: Indexer, project_id: str) -> int:
    """Queue the embedding of all items of a project that the index has nothing of; return how many.

    Raises:
        Unavailable: the record or the index does not answer.
    """
    if not is_lost(indexer.store, indexer.index, project_id):
        return 0
    batches = indexer.store.each(project_id)
    return sum(indexer.store.queue(project_id, [artifact.id for artifact in batch], "embed") for batch in batches)


def _artifact(chunk_id: str) -> str:
    return chunk_id.partition(":")[0]


def _waits(store: Store, project_id: str, artifact_id: str) -> bool:
    reports = store.job_reports(project_id, artifact_id)
    return any(report.kind != "extract" and report.state in {"pending", "running"} for report in reports)
