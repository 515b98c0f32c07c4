"""Rebuild of a part: what is derived from some of the items made anew, while everything else stays as it is."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from core.dates import now
from core.filters import Filters
from core.interface.memory import CONTEXTS, check_choice, check_project_id
from core.records import Artifact
from graph.store import Store
from graph.vector_checks import check_model
from ingest.indexing.indexer import Indexer

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
