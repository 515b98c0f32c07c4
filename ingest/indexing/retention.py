"""Retention: deletes what has expired, and drops the oldest entries of the audit trail."""

import logging
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from core.dates import now, parse_iso, to_text
from core.interface.audit import KEPT_FOR, MOST_KEPT
from graph.store import Store

_log = logging.getLogger("remembrancer.retention")

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
        _log.info("%d expired items were deleted.", deleted)
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
