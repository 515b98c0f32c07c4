"""Forget: out of the record in one transaction, out of the vector index right after."""

import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from core.backoff import not_before
from core.errors import Conflict, Unavailable
from core.records import Cascade, Job
from graph.store import Store
from ingest.indexing.indexer import Indexer

#: How long one sweep may take before another process may try the same erasures.
_LEASE: Final = timedelta(minutes=1)
#: Items erased with one call of the index.
_SWEEP: Final = 512
#: How long to wait for erasures that another thread or process has in hand, and how often to look, in seconds.
_PATIENCE, _POLL = 2.0, 0.02


def forget(project_id: str, ids: Sequence[str], store: Store, indexer: Indexer, *, owner: str) -> tuple[Cascade, bool]:
    """Remove items and all that rests only on them; return the counts, and whether their vectors are gone too.

    When the vector index does not answer, or the record no longer does, the `erase` jobs that the removal queued are
    done once they do; so are those that another worker has in hand and does not finish within two seconds. Until then
    no answer of the record shows what the index still holds. The words themselves leave its files when it is closed.

    Raises:
        Unavailable: the record can't be written; nothing was removed.
    """
    cascade = store.remove(project_id, ids)
    try:
        erased = sweep(store, indexer, owner=owner)
        if erased is None:
            return cascade, False
        done = {job.artifact_id for job in erased if job.project_id == project_id}
        until = time.monotonic() + _PATIENCE
        return cascade, all(_is_erased(store, project_id, id_, until) for id_ in dict.fromkeys(ids) if id_ not in done)
    except Unavailable:  # of the record: what was removed is removed, and this call must not say that it was not
        return cascade, False


def _is_erased(store: Store, project_id: str, artifact_id: str, until: float) -> bool:
    """Whether no erasure of the item is left; one that is in hand elsewhere is waited for, `until` on the clock."""
    while True:
        states = {report.state for report in store.job_reports(project_id, artifact_id) if report.kind == "erase"}
        if states != {"running"} or time.monotonic() > until:
            return not states
        time.sleep(_POLL)


def sweep(store: Store, indexer: Indexer, *, owner: str) -> list[Job] | None:
    """Do all `erase` jobs that are due and return them; None if the vector index refused."""
    done: list[Job] = []
    while jobs := store.claim(["erase"], _SWEEP, _LEASE, owner):
        try:
            indexer.erase(jobs)
        except (Unavailable, Conflict) as error:
            store.retry(jobs, str(error), not_before(max(job.attempts for job in jobs)))
            return None
        store.complete(jobs)
        done += jobs
    return done
