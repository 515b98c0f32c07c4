"""Rebuild: make what is derived anew from the system of record."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from core.errors import Unavailable
from core.records import Artifact
from graph.model_marker import check_model, switch_model
from graph.store import Store
from ingest.indexer import Indexer
from ingest.split import split

_log = logging.getLogger("remembrancer.rebuild")

What = Literal["vectors", "keywords", "graph", "all"]

#: The store's note that a rebuild of the vectors is under way: set before the first vector goes, `_DONE` again once
#: every item has its job. In between an item may have neither.
_MARKER: Final = "rebuilding_vectors"
_REUSE, _REGENERATE, _DONE = "reuse", "regenerate", ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """What was made anew: chunks in the words, items in the vectors and the graph; None for what was not asked for."""

    chunks: int | None = None
    embedded: int | None = None
    extracted: int | None = None
    #: Where a damaged vector index lies now; None if it was whole.
    moved_aside: str | None = None


def queue_vectors(indexer: Indexer, *, regenerate: bool) -> tuple[int, str | None]:
    """Empty the vector index, cut every item for the embedder set now, and queue its embedding.

    Return how many items, and where a damaged index was moved aside to (None if it was whole). Interrupted anywhere,
    it is begun again by `resume`. Cached embeddings are used again unless `regenerate`.

    Raises:
        Unavailable: the index does not answer; nothing was dropped.
    """
    store = indexer.store
    before = store.marker(_MARKER) or _DONE
    with indexer.rebuilding:
        store.set_marker(_MARKER, _REGENERATE if regenerate else _REUSE)
        try:
            moved_aside = indexer.index.reset()
        except Unavailable:
            store.set_marker(_MARKER, before)
            raise
        switch_model(store, indexer.embedder.model)
        return _queue_all(indexer, regenerate=regenerate), moved_aside


def resume(indexer: Indexer) -> None:
    """Begin a rebuild of the vectors again that was interrupted before every item had its job, if there is one.

    Raises:
        Unavailable: the index does not answer.
        Conflict: the rebuild was for another model.
    """
    if not is_interrupted(indexer.store) or not indexer.rebuilding.acquire(blocking=False):
        return
    try:
        check_model(indexer.store, indexer.embedder.model)
        if (moved_aside := indexer.index.reset()) is not None:
            _log.warning("The vector index was damaged; it lies in %s now.", moved_aside)
        _queue_all(indexer, regenerate=indexer.store.marker(_MARKER) == _REGENERATE)
    finally:
        indexer.rebuilding.release()


def is_interrupted(store: Store) -> bool:
    """Whether a rebuild of the vectors was begun and not every item has its job yet."""
    return store.marker(_MARKER) not in {None, _DONE}


def _queue_all(indexer: Indexer, *, regenerate: bool) -> int:
    if regenerate:
        indexer.store.drop_cached_vectors(indexer.embedder.model)
    count = _each(indexer.store, lambda artifact: _cut_and_queue(indexer, artifact))
    indexer.store.set_marker(_MARKER, _DONE)
    return count


def _cut_and_queue(indexer: Indexer, artifact: Artifact) -> None:
    chunks, _ = split(artifact.id, artifact.memory, indexer.tokenizer)
    indexer.recut(artifact, chunks)
    indexer.store.queue(artifact.project_id, [artifact.id], "embed")


def queue_graph(store: Store) -> int:
    """Queue the extraction of every item; return how many. What was extracted stays until its item is done again."""
    return _each(store, lambda artifact: store.queue(artifact.project_id, [artifact.id], "extract"))


def _each(store: Store, act: Callable[[Artifact], object]) -> int:
    count = 0
    for project_id in store.projects():
        for batch in store.each(project_id):
            for artifact in batch:
                act(artifact)
            count += len(batch)
    return count
