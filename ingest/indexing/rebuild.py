"""Rebuild: derive everything, or a part, anew from the system of record, under a lease."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final, Literal

from core.dates import now
from core.errors import Unavailable
from core.filters import Filters
from core.interface.memory import CONTEXTS, check_project_id
from core.interface.parameters import check_choice
from core.records import Artifact
from core.search import TokenEmbedder, VectorIndex
from core.timing import poll_until
from graph import lease
from graph.lease import LEASE, Lease, holder
from graph.store import Store
from graph.vector_checks import check_model, switch_model
from ingest.indexing.indexer import Indexer

_log = logging.getLogger("remembrancer.rebuild")

#: The store's note that a rebuild is under way: set before the first vector goes, `_DONE` again once every item has its
#: job. In between an item may have neither. It holds what is done, and while somebody does it who, and until when.
_MARKER: Final = "rebuilding_vectors"
_REUSE, _REGENERATE, _DONE = "reuse", "regenerate", ""


@dataclass(slots=True)
class RebuildLease:
    """The turn of one who rebuilds."""

    #: Whether cached embeddings are made again.
    regenerate: bool
    _lease: Lease
    _former: str | None
    #: Whether vectors may have gone: until then the vectors from before are still valid, and need not be computed
    #: again.
    begun: bool = False

    @contextmanager
    def held(self) -> Iterator[None]:
        """Renew the lease from another thread until the end, then note that all is done; after an error that it is not.

        Raises:
            Unavailable: the record does not answer, or another took over since it was not renewed in time.
        """
        try:
            with self._lease.renewed("the rebuild", _log):
                yield
        except BaseException:
            with suppress(Unavailable):  # then the lease runs out by itself
                self._lease.leave(self._lease.about if self.begun else self._former or _DONE)
            raise
        self._lease.leave(_DONE)
        self.check()

    def check(self) -> None:
        """Make sure that this is still the turn of the caller.

        Raises:
            Unavailable: another took over.
        """
        if self._lease.is_lost:
            raise Unavailable(
                "Another process took over the rebuild of the vectors, which was not heard of for "
                f"{LEASE.total_seconds():.0f} seconds: that one finishes it."
            )


def acquire_rebuild_lease(store: Store, *, regenerate: bool | None = None) -> RebuildLease | None:
    """Return a turn to rebuild, as an interrupted rebuild was meant to be with None; None while another has it."""
    kept = store.metadata_value(_MARKER)
    if holder(kept):
        return None
    again = (kept or "").startswith(_REGENERATE) if regenerate is None else regenerate
    taken = lease.take(store, _MARKER, _REGENERATE if again else _REUSE, instead_of=kept)
    return None if taken is None else RebuildLease(again, taken, kept)


def mark_rebuild_needed(store: Store) -> None:
    """Note that all vectors are to be made anew from cached embeddings, as if a rebuild had been interrupted."""
    store.set_metadata_value(_MARKER, _REUSE)


def is_under_way(store: Store) -> bool:
    """Whether somebody makes all vectors anew now."""
    return holder(store.metadata_value(_MARKER)) is not None


def is_interrupted(store: Store) -> bool:
    """Whether a rebuild of the vectors was begun, not every item has its job yet, and nobody is at it any more."""
    kept = store.metadata_value(_MARKER)
    return kept not in {None, _DONE} and holder(kept) is None


#: Called with the number of items done since the last call.
OnItems = Callable[[int], object]


def ignore_progress(items: int) -> None:
    """Progress callback that does nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The items to rebuild: of one project, and of these contexts; None and an empty tuple mean all.

    Raises:
        InvalidInput: the project id or a context is not valid.
    """

    project_id: str | None = None
    contexts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.project_id is not None:
            check_project_id(self.project_id)
        for context in self.contexts:
            check_choice("context", context, CONTEXTS)

    @property
    def is_all(self) -> bool:
        """Whether nothing is left out."""
        return self.project_id is None and not self.contexts

    def count(self, store: Store) -> int:
        """Return how many current items there are of it."""
        at = now()
        kinds = [Filters(at=at, context=context) for context in dict.fromkeys(self.contexts)] or [Filters(at=at)]
        return sum(store.count(project_id, filters) for project_id in self._projects(store) for filters in kinds)

    def batches(self, store: Store) -> Iterator[tuple[str, list[Artifact]]]:
        """Yield the current items of it, some of one project at a time; those added meanwhile may be missed."""
        for project_id in self._projects(store):
            for batch in store.each(project_id):
                yield project_id, [item for item in batch if not self.contexts or item.memory.context in self.contexts]

    def _projects(self, store: Store) -> Sequence[str]:
        return store.projects() if self.project_id is None else [self.project_id]


#: Every item of every project.
EVERYTHING: Final = Part()


def rewrite_keywords(indexer: Indexer, part: Part, report: OnItems = ignore_progress) -> int:
    """Cut the items anew and write their words; return how many chunks there are."""
    count = 0
    for project_id, items in part.batches(indexer.store):
        for item in items:
            chunks = indexer.chunk(item)
            indexer.store.rechunk(project_id, item.id, chunks)
            count += len(chunks)
            report(1)
    return count


def queue_part_of_vectors(indexer: Indexer, part: Part, *, regenerate: bool, report: OnItems = ignore_progress) -> int:
    """Cut the items for the embedder set now and queue their embedding; return how many. Nothing is emptied.

    Until its job is done an item is found by the vector it had. With `regenerate` each text is embedded again, whatever
    is cached. If interrupted, the next worker does the queued jobs, and the rest stays as it was.

    Raises:
        Conflict: the store's vectors were made with another model, so that all of them must be made anew.
        Unavailable: an item has fewer chunks now, and the index does not answer.
    """
    check_model(indexer.store, indexer.embedder.model)
    count = 0
    for project_id, items in part.batches(indexer.store):
        for item in items:
            indexer.rechunk(item, indexer.chunk(item))
        ids = [item.id for item in items]
        count += indexer.store.queue(project_id, ids, "reembed" if regenerate else "embed") if ids else 0
        report(len(items))
    return count


def queue_graph(store: Store, part: Part, report: OnItems = ignore_progress) -> int:
    """Queue the extraction of the items; return how many. What was extracted stays until its item is done again."""
    count = 0
    for project_id, items in part.batches(store):
        count += store.queue(project_id, [item.id for item in items], "extract") if items else 0
        report(len(items))
    return count


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
        if isinstance(indexer.embedder, TokenEmbedder):
            indexer.store.drop_cached_vectors(indexer.embedder.states_model)
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
