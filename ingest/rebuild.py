"""Rebuild: make what is derived anew from the system of record."""

from collections.abc import Callable
from typing import Final, Literal

from core.records import Artifact
from graph.model_marker import check_model, switch_model
from graph.store import Store
from ingest.indexer import Indexer
from ingest.split import split

What = Literal["vectors", "keywords", "graph", "all"]

#: The store's note that a rebuild of the vectors is under way: set before the first vector goes, `_DONE` again once
#: every item has its job. In between an item may have neither.
_MARKER: Final = "rebuilding_vectors"
_REUSE, _REGENERATE, _DONE = "reuse", "regenerate", ""


def queue_vectors(indexer: Indexer, *, regenerate: bool) -> int:
    """Empty the vector index, cut every item for the embedder set now, and queue its embedding; return how many items.

    Interrupted anywhere, it is begun again by `resume`. Cached embeddings are used again unless `regenerate`.

    Raises:
        Unavailable: the index does not answer; nothing was dropped.
    """
    indexer.index.ping()
    indexer.store.set_marker(_MARKER, _REGENERATE if regenerate else _REUSE)
    switch_model(indexer.store, indexer.embedder.model)
    return _empty_and_queue(indexer, regenerate=regenerate)


def resume(indexer: Indexer) -> None:
    """Begin a rebuild of the vectors again that was interrupted before every item had its job, if there is one.

    Raises:
        Unavailable: the index does not answer.
        Conflict: the rebuild was for another model.
    """
    if is_interrupted(indexer.store) and not indexer.rebuilding.locked():
        check_model(indexer.store, indexer.embedder.model)
        _empty_and_queue(indexer, regenerate=indexer.store.marker(_MARKER) == _REGENERATE)


def is_interrupted(store: Store) -> bool:
    """Whether a rebuild of the vectors was begun and not every item has its job yet."""
    return store.marker(_MARKER) not in {None, _DONE}


def _empty_and_queue(indexer: Indexer, *, regenerate: bool) -> int:
    store = indexer.store
    with indexer.rebuilding:
        if regenerate:
            store.drop_cached_vectors(indexer.embedder.model)
        for project_id in store.projects():
            indexer.index.drop(project_id)
        count = _each(store, lambda artifact: _cut_and_queue(indexer, artifact))
        store.set_marker(_MARKER, _DONE)
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
