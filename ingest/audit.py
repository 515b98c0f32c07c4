"""Audit: where the vector index and the record differ, and how the difference is mended."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.embedding import VectorIndex
from graph.store import Store
from graph.vector_loss import is_lost
from ingest.indexer import Indexer


@dataclass(frozen=True, slots=True)
class Drift:
    """Chunk ids, sorted: without a vector and without a job that will make it, and vectors that nothing stands behind.

    Vectors of projects that the record knows nothing of are not seen; a rebuild removes them.
    """

    missing: Sequence[str] = ()
    extra: Sequence[str] = ()

    def __bool__(self) -> bool:
        return bool(self.missing or self.extra)


def audit(store: Store, index: VectorIndex, project_id: str) -> Drift:
    """Compare the chunks of all current items of a project with the vectors under the current model.

    What waits in the ledger (`embed`, `erase`) is no drift; a job that failed is none that will make it.

    Raises:
        Unavailable: the index does not answer.
    """
    indexed, recorded = index.ids(project_id), set[str]()
    for batch in store.each(project_id):
        chunks = store.chunks(project_id, [artifact.id for artifact in batch])
        recorded |= {chunk.id for each in chunks.values() for chunk in each}
    apart = recorded ^ indexed
    waiting = {id_ for id_ in {_artifact(chunk_id) for chunk_id in apart} if _waits(store, project_id, id_)}
    drifted = sorted(chunk_id for chunk_id in apart if _artifact(chunk_id) not in waiting)
    return Drift(
        missing=[chunk_id for chunk_id in drifted if chunk_id in recorded],
        extra=[chunk_id for chunk_id in drifted if chunk_id in indexed],
    )


def mend(indexer: Indexer, project_id: str) -> Drift:
    """Queue the embedding of what misses vectors and remove the extra ones; return what was wrong.

    Raises:
        Unavailable: the index does not answer.
    """
    with indexer.lock:
        drift = audit(indexer.store, indexer.index, project_id)
        indexer.index.delete(project_id, drift.extra)
        indexer.store.queue(project_id, sorted({_artifact(chunk_id) for chunk_id in drift.missing}), "embed")
    return drift


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
