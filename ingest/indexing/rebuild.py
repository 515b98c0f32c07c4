"""Rebuild: make what is derived anew from the system of record."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from core.backoff import poll_until
from core.embedding import VectorIndex
from core.errors import Unavailable
from graph.lease import LEASE
from graph.store import Store
from graph.vector_checks import check_model, switch_model
from ingest.indexing.indexer import Indexer
from ingest.indexing.partial_rebuild import EVERYTHING, OnItems, ignore_progress
from ingest.indexing.rebuild_lease import RebuildLease, acquire_rebuild_lease, is_interrupted

_log = logging.getLogger("remembrancer.rebuild")

What = Literal["vectors", "keywords", "graph", "all"]

#: How long to wait for the turn: one whose process was killed ends by then; and how often to look, in seconds.
_PATIENCE: Final = LEASE.total_seconds() + 5
_POLL: Final = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """What was made anew: chunks in the words, items in the vectors and the graph; None for what was not asked for."""

    chunks: int | None = None
    embedded: int | None = None
    extracted: int | None = None
    #: Where a damaged vector index lies now; None if it was whole.
    moved_aside: str | None = None


def queue_vectors(indexer: Indexer, *, regenerate: bool, report: OnItems = ignore_progress) -> tuple[int, str | None]:
    """Empty the vector index, cut every item for the embedder set now, and queue its embedding.

    Return how many items, and where a damaged index was moved aside to (None if it was whole). Interrupted anywhere, it
    is begun again by `resume_rebuild`. Cached embeddings are used again unless `regenerate`. Only one process at a time
    does this: another waits up to 25 seconds for its turn. `report` is called with the number of items queued.

    Raises:
        Unavailable: the index does not answer, or another process has the turn; nothing was dropped.
    """
    lease = _turn(indexer.store, regenerate=regenerate)
    with lease.held():
        moved_aside = _emptied(indexer.index, lease)
        switch_model(indexer.store, indexer.embedder.model)
        return _queue_all(indexer, lease, lambda: True, report), moved_aside


def _turn(store: Store, *, regenerate: bool) -> RebuildLease:
    lease: RebuildLease | None = poll_until(_PATIENCE, interval_seconds=_POLL)(
        acquire_rebuild_lease, store, regenerate=regenerate
    )
    if lease is None:
        raise Unavailable("Another process is already rebuilding the vectors: wait until it is done.")
    return lease


def _emptied(index: VectorIndex, lease: RebuildLease) -> str | None:
    """Empty the index; return where a damaged one was moved aside to."""
    try:
        index.ping()
        lease.begun = True  # from here on a failure may leave half of the vectors
    except Unavailable:
        _log.info("The vector index does not answer and is emptied as a whole.")
    moved_aside = index.reset()
    lease.begun = True
    return moved_aside


def resume_rebuild(indexer: Indexer, goes_on: Callable[[], bool]) -> None:
    """Begin a rebuild of the vectors again that was interrupted before every item had its job, if there is one.

    It is asked before each item whether this `goes_on`; if not it stays interrupted.

    Raises:
        Unavailable: the index does not answer.
        Conflict: the rebuild was for another model.
    """
    if not is_interrupted(indexer.store):
        return
    check_model(indexer.store, indexer.embedder.model)
    if (lease := acquire_rebuild_lease(indexer.store)) is None:
        return
    try:
        with lease.held():
            if (moved_aside := _emptied(indexer.index, lease)) is not None:
                _log.warning("The vector index was damaged; it lies in %s now.", moved_aside)
            _queue_all(indexer, lease, goes_on, ignore_progress)
    except _Stopped:
        return


class _Stopped(Exception):
    """The rebuild was left in the middle because the process ends."""


def _queue_all(indexer: Indexer, lease: RebuildLease, goes_on: Callable[[], bool], report: OnItems) -> int:
    if lease.regenerate:
        indexer.store.drop_cached_vectors(indexer.embedder.model)
    count = 0
    for project_id, items in EVERYTHING.batches(indexer.store):
        for item in items:
            if not goes_on():
                raise _Stopped
            lease.check()
            indexer.rechunk(item, indexer.chunk(item))
            indexer.store.queue(project_id, [item.id], "embed")
            report(1)
        count += len(items)
    return count
