"""Run turn: one run at a time goes through a project, or is rolled back, whichever process is at it."""

import logging
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from core.dates import now, parse_iso, to_text
from core.errors import Conflict, Unavailable
from graph.store import Store

_log = logging.getLogger("remembrancer.runs")

#: A run whose process was killed can be gone on with after this time; a living one renews it more often.
LEASE: Final = timedelta(seconds=20)
_FREE: Final = ""


@dataclass(slots=True)
class Turn:
    """The turn of one process at a project. The record's note of it holds the run, who, and until when."""

    _store: Store
    _marker: str
    _run_id: str
    _note: str
    _lost: bool = False

    def check(self) -> None:
        """Make sure that this is still the turn of the caller.

        Raises:
            Unavailable: it was not renewed in time, and another took over.
        """
        if self._lost:
            raise Unavailable(
                f"Run {self._run_id} was not heard of for {LEASE.total_seconds():.0f} seconds, and another process has "
                "the turn now: what it has done stands, and can be resumed or rolled back."
            )

    def renew(self, ended: threading.Event) -> None:
        """Keep the turn until `ended`, or until it is lost."""
        while not (self._lost or ended.wait(LEASE.total_seconds() / 4)):
            try:
                self._set(_note(self._run_id))
            except Unavailable as error:
                _log.warning("The turn of run %s was not renewed: %s", self._run_id, error)

    def give_up(self) -> None:
        """Let others have the turn; if the record does not answer they have it when the lease runs out."""
        with suppress(Unavailable):
            self._set(_FREE)

    def _set(self, note: str) -> None:
        if not self._lost:
            self._lost = self._store.claim_marker(self._marker, note, instead_of=self._note) != note
            self._note = note


@contextmanager
def turn(store: Store, project_id: str, run_id: str) -> Iterator[Turn]:
    """Have the turn at a project while the block runs.

    Raises:
        Conflict: a run is under way in the project; the message names it.
        Unavailable: the record does not answer.
    """
    marker, note = _marker(project_id), _note(run_id)
    kept = store.marker(marker)
    if _holder(kept) is None:
        kept = store.claim_marker(marker, note, instead_of=kept)
    if kept != note:
        raise Conflict(f"Run {_holder(kept)} is under way in project {project_id!r}: wait until it has ended.")
    held = Turn(store, marker, run_id, note)
    ended = threading.Event()
    renewing = threading.Thread(target=held.renew, args=(ended,), name="remembrancer-run", daemon=True)
    renewing.start()
    try:
        yield held
    finally:
        ended.set()
        renewing.join()
        held.give_up()


def under_way(store: Store, project_id: str) -> str | None:
    """Return the id of the run that a process is at in the project now; None if there is none."""
    return _holder(store.marker(_marker(project_id)))


def _marker(project_id: str) -> str:
    return f"run of {project_id}"


def _note(run_id: str) -> str:
    """Return a note that no other is like."""
    return f"{run_id} {uuid.uuid4().hex} {to_text(now() + LEASE)}"


def _holder(kept: str | None) -> str | None:
    run_id, _, rest = (kept or _FREE).partition(" ")
    until = rest.rpartition(" ")[2]
    return run_id if until and parse_iso(until, field="the turn") > now() else None
