"""Reindexing: rebuild derived data, all of it or a part, while the service keeps answering."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from core.errors import InvalidInput
from graph.store import Store
from ingest.indexing.indexer import Indexer
from ingest.indexing.rebuild import (
    Part,
    Rebuilt,
    What,
    queue_graph,
    queue_part_of_vectors,
    queue_vectors,
    rewrite_keywords,
)
from ingest.worker import LEASE, Worker

#: Called with the number of steps done and in total.
Progress = Callable[[int, int], object]

#: How long to wait for jobs leased by other processes, in seconds (the lease of a killed one has expired by then), and
#: how often to poll.
PATIENCE: Final = LEASE.total_seconds() + 5
_POLL: Final = 0.25


def ignore_progress(done: int, total: int) -> None:
    """Ignore progress."""


@dataclass(slots=True)
class _Steps:
    """Progress of one reindexing: items to chunk or queue, then jobs to do."""

    show: Progress
    total: int
    done: int = 0

    def advance(self, steps: int) -> None:
        self.reach(self.done + steps)

    def reach(self, done: int) -> None:
        self.done = min(max(done, self.done), self.total)
        self.show(self.done, self.total)


@dataclass(frozen=True, slots=True)
class Reindexing:
    """Rebuilds derived data on the calling thread; `patience_seconds` is for jobs leased by other processes."""

    indexer: Indexer
    worker: Worker
    patience_seconds: float = 0.0

    def run(self, what: What, part: Part, *, regenerate: bool, show: Progress) -> Rebuilt:
        """Queue the jobs and work them off; see `App.reindex`."""
        if regenerate and what not in {"vectors", "all"}:
            raise InvalidInput(f"Embeddings can't be regenerated with {what!r}: reindex vectors or all.")
        items = part.count(self._store)
        passes = 3 if what == "all" else 1
        steps = _Steps(show, total=items * (passes + {"keywords": 0, "all": 2}.get(what, 1)))
        done = self._queued(what, part, steps, regenerate=regenerate)
        waiting = self._store.job_counts().pending
        steps.total = items * passes + waiting
        steps.reach(items * passes)
        self._work_off(waiting, steps)
        return done

    @property
    def _store(self) -> Store:
        return self.indexer.store

    def _queued(self, what: What, part: Part, steps: _Steps, *, regenerate: bool) -> Rebuilt:
        chunks = embedded = extracted = moved_aside = None
        if what in {"keywords", "all"}:
            chunks = self._store.rebuild() if part.is_all else rewrite_keywords(self.indexer, part, steps.advance)
        if what in {"vectors", "all"} and part.is_all:
            embedded, moved_aside = queue_vectors(self.indexer, regenerate=regenerate, report=steps.advance)
        elif what in {"vectors", "all"}:
            embedded = queue_part_of_vectors(self.indexer, part, regenerate=regenerate, report=steps.advance)
        if what in {"graph", "all"}:
            extracted = queue_graph(self._store, part, steps.advance)
        return Rebuilt(chunks=chunks, embedded=embedded, extracted=extracted, moved_aside=moved_aside)

    def _work_off(self, waiting: int, steps: _Steps) -> None:
        """Do jobs until none is pending, or as many are done as were pending at first, by whichever process.

        Jobs are taken oldest first, so new jobs of other clients do not delay the end.
        """
        self.worker.look_at_once()
        begun, own, left = steps.done, 0, waiting
        until = time.monotonic() + self.patience_seconds
        while left and own < waiting:
            had_left = self.worker.num_left
            done = self.worker.step() - (self.worker.num_left - had_left)
            own += done
            before, left = left, self._store.job_counts().pending
            steps.reach(begun + waiting - left)
            if done > 0 or left < before:
                until = time.monotonic() + self.patience_seconds
            elif time.monotonic() >= until:
                return
            else:
                time.sleep(_POLL)
