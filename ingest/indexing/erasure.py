"""Forget: out of the record in one transaction, out of the vector index right after."""

import logging
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from core.backoff import MAX_ATTEMPTS, next_attempt_at, poll_until
from core.errors import Conflict, MemoryServiceError, Unavailable
from core.records import DeletionCounts, Job
from graph.store import Store
from ingest.indexing.indexer import Indexer

_log = logging.getLogger("remembrancer.worker")

#: How long one sweep may take before another process may try the same erasures.
_LEASE: Final = timedelta(minutes=1)
#: Items erased with one call of the index.
_SWEEP: Final = 512
#: How long to wait for erasures that another thread or process has in hand, and how often to look, in seconds.
_PATIENCE, _POLL = 2.0, 0.02


def forget(
    project_id: str, ids: Sequence[str], store: Store, indexer: Indexer, *, owner: str
) -> tuple[DeletionCounts, bool]:
    """Remove items and all that rests only on them; return the counts, and whether their vectors are gone too.

    When the vector index does not answer, or the record no longer does, the `erase` jobs that the removal queued are
    done once they do; so are those that another worker has in hand and does not finish within two seconds. Until then
    no answer of the record shows what the index still holds. The words themselves leave its files when it is closed.

    Raises:
        Unavailable: the record can't be written; nothing was removed.
    """
    left = list(dict.fromkeys([*ids, *_replaced(project_id, ids, store)]))
    cascade = store.remove(project_id, ids)
    try:
        for start in range(0, len(left), _SWEEP):
            some = left[start : start + _SWEEP]
            while jobs := store.claim_of(project_id, some, "erase", _LEASE, owner):
                if not _erase(jobs, store, indexer):
                    return cascade, False
        erased = poll_until(_PATIENCE, interval_seconds=_POLL)(_is_erased, store, project_id, left)
        return cascade, erased is True
    except MemoryServiceError:  # of the record: what was removed is removed, and this call must not say that it was not
        return cascade, False


def _replaced(project_id: str, ids: Sequence[str], store: Store) -> list[str]:
    """Return the ids of what the items have replaced under their keys, which goes with them."""
    keyed = [id_ for id_, item in store.get(project_id, ids).items() if item.memory.key is not None]
    return [revision.id for id_ in keyed for revision in store.revisions(project_id, id_)]


def _is_erased(store: Store, project_id: str, ids: Sequence[str]) -> bool | None:
    """Whether no erasure of these items is left; None while all that are left run elsewhere."""
    reports = (report for id_ in ids for report in store.job_reports(project_id, id_))
    states = {report.state for report in reports if report.kind == "erase"}
    return None if states == {"running"} else not states


def run_due_erasures(store: Store, indexer: Indexer, *, owner: str) -> bool:
    """Do all `erase` jobs that are due; False as soon as the vector index refuses."""
    while jobs := store.claim(["erase"], _SWEEP, _LEASE, owner):
        if not _erase(jobs, store, indexer):
            return False
    return True


def _erase(jobs: Sequence[Job], store: Store, indexer: Indexer) -> bool:
    """Erase the vectors of claimed jobs; False, and the jobs wait for their next attempt, if the index refuses.

    A job that spoils the batch is tried by itself, and parked with the reason after its last attempt.
    """
    try:
        indexer.erase(jobs)
    except (Unavailable, Conflict) as error:
        store.retry(jobs, str(error), next_attempt_at(max(job.attempts for job in jobs)))
        return False
    except Exception as error:  # noqa: BLE001 - a bug or a bad item must not stop the other erasures
        if len(jobs) > 1:
            outcomes = [_erase([job], store, indexer) for job in jobs]
            return all(outcomes)
        _log.exception("The vectors of %s could not be erased", jobs[0].artifact_id)
        reason = f"{type(error).__name__}: {error}"
        if jobs[0].attempts >= MAX_ATTEMPTS:
            store.fail(jobs, reason)
        else:
            store.retry(jobs, reason, next_attempt_at(jobs[0].attempts))
        return True
    store.complete(jobs)
    return True
