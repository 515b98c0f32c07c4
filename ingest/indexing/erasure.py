"""Erasure: forgotten items leave the record and then the vector index; expired ones are deleted."""

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from core.dates import now, parse_iso, to_text
from core.errors import Conflict, MemoryServiceError, Unavailable
from core.interface.audit import KEPT_FOR, MOST_KEPT
from core.records import DeletionCounts, Job
from core.timing import MAX_ATTEMPTS, next_attempt_at, poll_until
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


_retention_log = logging.getLogger("remembrancer.retention")

#: How often it looks, in seconds.
_EVERY: Final = 60.0
#: Items deleted in one transaction, for which others wait.
_BATCH: Final = 50
#: Batches of one look, after which other work has its turn.
_BATCHES: Final = 20
#: When a process last saw which time, and since when the clock has run on without a leap, as `SINCE LAST`.
_CLOCK: Final = "retention: clock"
#: A clock that has gone back this far, or is this far past what was last noted, may be wrong.
_BACK: Final = timedelta(minutes=1)
_LEAP: Final = timedelta(days=7)
#: The clock is trusted after it has advanced steadily for this long.
_BELIEVED: Final = timedelta(minutes=5)
#: How often it is noted: a machine at rest should write little.
_NOTED: Final = timedelta(hours=1)


@dataclass(slots=True)
class Retention:
    """What a worker does besides its jobs, every minute; any number of workers may do it."""

    store: Store
    #: When it looks next, on the monotonic clock.
    _look_at: float = 0.0

    def look(self) -> int:
        """Delete some of what has expired, if a minute has gone by; return how many items went.

        Their vectors leave the index by the `erase` jobs that a removal queues.

        Raises:
            Unavailable: the record does not answer.
        """
        if time.monotonic() < self._look_at:
            return 0
        # Before the attempt: one that fails again and again must not keep the jobs waiting.
        self._look_at = time.monotonic() + _EVERY
        deleted = delete_expired(self.store, now())
        if deleted >= _BATCH * _BATCHES:
            self._look_at = 0.0  # what is left of many goes on at the next step
        return deleted


def delete_expired(store: Store, at: datetime) -> int:
    """Delete items whose time had come at `at`, up to a thousand, and rotate the audit trail; return how many went.

    Nothing goes while the clock may be wrong: it leapt within the last five minutes, by what the record has of it.
    """
    if not _is_believed(store, at):
        return 0
    deleted = 0
    for _ in range(_BATCHES):
        gone = len(store.remove_expired(at, _BATCH))
        deleted += gone
        if not gone:
            break
    if deleted:
        _retention_log.info("%d expired items were deleted.", deleted)
    return deleted


def _is_believed(store: Store, at: datetime) -> bool:
    """Whether the clock has run on without a leap for long enough; notes what it says now and then."""
    noted = store.metadata_value(_CLOCK)
    since, last = (parse_iso(text, field=_CLOCK) for text in (noted or f"{to_text(at)} {to_text(at)}").split())
    if not last - _BACK <= at <= last + _LEAP:
        since = last = at
        noted = None
    if noted is None or at - last >= _NOTED:
        store.set_metadata_value(_CLOCK, f"{to_text(since)} {to_text(at)}")
        store.rotate_audit(at - KEPT_FOR, MOST_KEPT)
    return at - since >= _BELIEVED
