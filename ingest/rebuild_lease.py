"""Rebuild lease: whose turn it is to make all vectors anew, agreed on by every process over one record."""

import logging
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from core.dates import now, parse_iso, to_text
from core.errors import Unavailable
from graph.store import Store

_log = logging.getLogger("remembrancer.rebuild")

#: A rebuild whose process was killed is taken up by another after this time; a living one renews it more often.
LEASE: Final = timedelta(seconds=20)
#: The store's note that a rebuild is under way: set before the first vector goes, `_DONE` again once every item has its
#: job. In between an item may have neither. It holds what is done, and while somebody does it who, and until when.
_MARKER: Final = "rebuilding_vectors"
_REUSE, _REGENERATE, _DONE = "reuse", "regenerate", ""


@dataclass(slots=True)
class RebuildLease:
    """The turn of one who rebuilds."""

    #: Whether cached embeddings are made again.
    regenerate: bool
    _store: Store
    _former: str | None
    _text: str
    #: Whether vectors may have gone: until then what was there before still stands, and need not be made anew.
    begun: bool = False
    _lost: bool = False

    @contextmanager
    def held(self) -> Iterator[None]:
        """Renew the lease from another thread until the end, then note that all is done; after an error that it is not.

        Raises:
            Unavailable: the record does not answer, or another took over since it was not renewed in time.
        """
        ended = threading.Event()
        renewing = threading.Thread(target=self._renew, args=(ended,), name="remembrancer-rebuild", daemon=True)
        renewing.start()
        try:
            yield
        except BaseException:
            _end(ended, renewing)
            with suppress(Unavailable):  # then the lease runs out by itself
                self._set(_kind(regenerate=self.regenerate) if self.begun else self._former or _DONE)
            raise
        _end(ended, renewing)
        self._set(_DONE)
        self.check()

    def check(self) -> None:
        """Make sure that this is still the turn of the caller.

        Raises:
            Unavailable: another took over.
        """
        if self._lost:
            raise Unavailable(
                "Another process took over the rebuild of the vectors, which was not heard of for "
                f"{LEASE.total_seconds():.0f} seconds: that one finishes it."
            )

    def _renew(self, ended: threading.Event) -> None:
        while not (self._lost or ended.wait(LEASE.total_seconds() / 4)):
            try:
                self._set(_text(regenerate=self.regenerate))
            except Unavailable as error:
                _log.warning("The lease of the rebuild was not renewed: %s", error)

    def _set(self, text: str) -> None:
        if not self._lost:
            self._lost = self._store.claim_marker(_MARKER, text, instead_of=self._text) != text
            self._text = text


def take(store: Store, *, regenerate: bool | None = None) -> RebuildLease | None:
    """Return a turn to rebuild, as an interrupted rebuild was meant to be with None; None while another has it."""
    kept = store.marker(_MARKER)
    if _is_held(kept):
        return None
    again = (kept or "").startswith(_REGENERATE) if regenerate is None else regenerate
    text = _text(regenerate=again)
    if store.claim_marker(_MARKER, text, instead_of=kept) != text:
        return None
    return RebuildLease(again, store, kept, text)


def is_under_way(store: Store) -> bool:
    """Whether somebody makes all vectors anew now."""
    return _is_held(store.marker(_MARKER))


def is_interrupted(store: Store) -> bool:
    """Whether a rebuild of the vectors was begun, not every item has its job yet, and nobody is at it any more."""
    kept = store.marker(_MARKER)
    return kept not in {None, _DONE} and not _is_held(kept)


def _kind(*, regenerate: bool) -> str:
    return _REGENERATE if regenerate else _REUSE


def _text(*, regenerate: bool) -> str:
    """Return a note that no other is like."""
    return f"{_kind(regenerate=regenerate)} {uuid.uuid4().hex} {to_text(now() + LEASE)}"


def _is_held(kept: str | None) -> bool:
    _, _, until = (kept or "").rpartition(" ")
    held_until = parse_iso(until, field=_MARKER) if " " in (kept or "") else datetime.min.replace(tzinfo=UTC)
    return held_until > now()


def _end(ended: threading.Event, renewing: threading.Thread) -> None:
    ended.set()
    renewing.join()
