"""Leases: work that one process at a time may do, noted in the record with an expiry that the holder renews."""

import logging
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from core.dates import now, parse_iso, to_text
from core.errors import Unavailable
from graph.store import Store

#: How long the lease of a killed process blocks others; a living one renews it more often.
LEASE: Final = timedelta(seconds=20)
#: A lease that ends later than this from now was taken before the clock was set back.
_BEYOND: Final = 2 * LEASE


@dataclass(slots=True)
class Lease:
    """The lease of one process. Its note in the record names the work, the holder, and when it expires."""

    about: str
    _store: Store
    _marker: str
    _note: str
    #: Whether it was not renewed in time, and another took over.
    is_lost: bool = False

    @contextmanager
    def renewed(self, work: str, log: logging.Logger) -> Iterator[None]:
        """Renew it from another thread while the block runs, or until it is lost; `work` names it in the log."""
        ended = threading.Event()
        renewing = threading.Thread(target=self._renew, args=(ended, work, log), name="remembrancer-lease", daemon=True)
        renewing.start()
        try:
            yield
        finally:
            ended.set()
            renewing.join()

    def leave(self, note: str) -> None:
        """Replace the note of the lease with this one, unless the lease is lost.

        Raises:
            Unavailable: the record does not answer.
        """
        if not self.is_lost:
            self.is_lost = self._store.compare_and_set(self._marker, note, instead_of=self._note) != note
            self._note = note

    def _renew(self, ended: threading.Event, work: str, log: logging.Logger) -> None:
        while not (self.is_lost or ended.wait(LEASE.total_seconds() / 4)):
            try:
                self.leave(_note(self.about))
            except Unavailable as error:
                log.warning("The lease of %s was not renewed: %s", work, error)


def take(store: Store, marker: str, about: str, *, instead_of: str | None) -> Lease | None:
    """Return the lease at `marker`, where `instead_of` was noted before; None if another process took it first.

    `about` is a word.
    """
    note = _note(about)
    if store.compare_and_set(marker, note, instead_of=instead_of) != note:
        return None
    return Lease(about, store, marker, note)


def holder(note: str | None) -> str | None:
    """Return the work that a note names; None if its lease has expired."""
    about, _, rest = (note or "").partition(" ")
    until = rest.rpartition(" ")[2]
    return about if until and now() < parse_iso(until, field="the lease") < now() + _BEYOND else None


def _note(about: str) -> str:
    """Return a new unique note."""
    return f"{about} {uuid.uuid4().hex} {to_text(now() + LEASE)}"
