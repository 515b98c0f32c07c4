"""Rebuild: make what is derived anew from the system of record."""

from collections.abc import Callable
from typing import Literal

from core.embedding import Embedder, Tokenizer, VectorIndex
from core.records import Artifact
from graph.model_marker import switch_model
from graph.store import Store
from ingest.split import split

What = Literal["vectors", "keywords", "graph", "all"]


def queue_vectors(
    store: Store, index: VectorIndex, embedder: Embedder, tokenizer: Tokenizer, *, regenerate: bool
) -> int:
    """Empty the vector index, cut every item for the embedder set now, and queue its embedding; return how many items.

    Each step may be repeated after a crash: the queue is in the record. Cached embeddings are used again unless
    `regenerate`.

    Raises:
        Unavailable: the index does not answer; nothing was dropped.
    """
    index.ping()
    switch_model(store, embedder.model)
    if regenerate:
        store.drop_cached_vectors(embedder.model)
    for project_id in store.projects():
        index.drop(project_id)

    def cut_and_queue(artifact: Artifact) -> None:
        chunks, _ = split(artifact.id, artifact.memory, tokenizer)
        stored = store.chunks(artifact.project_id, [artifact.id]).get(artifact.id, [])
        if chunks != stored:
            store.rechunk(artifact.project_id, artifact.id, chunks)
        store.queue(artifact.project_id, [artifact.id], "embed")

    return _each(store, cut_and_queue)


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
