"""Forget: out of the record in one transaction, out of the vector index right after."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from core.backoff import not_before, polling
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
        left = [id_ for id_ in dict.fromkeys(ids) if id_ not in done]
        erased_elsewhere = polling(_PATIENCE, interval_seconds=_POLL)(_is_erased, store, project_id, left)
        return cascade, erased_elsewhere is True
    except Unavailable:  # of the record: what was removed is removed, and this call must not say that it was not
        return cascade, False


def _is_erased(store: Store, project_id: str, ids: Sequence[str]) -> bool | None:
    """Whether no erasure of these items is left; None while all that are left run elsewhere."""
    reports = (report for id_ in ids for report in store.job_reports(project_id, id_))
    states = {report.state for report in reports if report.kind == "erase"}
    return None if states == {"running"} else not states


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
