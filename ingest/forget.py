"""Forget: out of the record in one transaction, out of the vector index right after."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from core.errors import Conflict, Unavailable
from core.records import Cascade
from graph.store import Store
from ingest.backoff import not_before
from ingest.indexer import Indexer

#: How long one sweep may take before another process may try the same erasures.
_LEASE: Final = timedelta(minutes=1)
#: Items erased with one call of the index.
_SWEEP: Final = 512


def forget(project_id: str, ids: Sequence[str], store: Store, indexer: Indexer, *, owner: str) -> tuple[Cascade, bool]:
    """Remove items and all that rests only on them; return the counts, and whether their vectors are gone too.

    When the vector index does not answer, or the record no longer does, the `erase` jobs that the removal queued are
    done once they do; until then no answer of the record shows what the index still holds. The words themselves leave
    its files when it is closed.

    Raises:
        Unavailable: the record can't be written; nothing was removed.
    """
    cascade = store.remove(project_id, ids)
    try:
        return cascade, sweep(store, indexer, owner=owner)
    except Unavailable:  # of the record: what was removed is removed, and this call must not say that it was not
        return cascade, False


def sweep(store: Store, indexer: Indexer, *, owner: str) -> bool:
    """Do all `erase` jobs that are due; return False if the vector index refused."""
    while jobs := store.claim(["erase"], _SWEEP, _LEASE, owner):
        try:
            indexer.erase(jobs)
        except (Unavailable, Conflict) as error:
            store.retry(jobs, str(error), not_before(max(job.attempts for job in jobs)))
            return False
        store.complete(jobs)
    return True
