"""Rebuild lease: whose turn it is to make all vectors anew, agreed on by every process over one record."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final

from core.errors import Unavailable
from graph import lease
from graph.lease import LEASE, Lease, holder
from graph.store import Store

_log = logging.getLogger("remembrancer.rebuild")

#: The store's note that a rebuild is under way: set before the first vector goes, `_DONE` again once every item has its
#: job. In between an item may have neither. It holds what is done, and while somebody does it who, and until when.
_MARKER: Final = "rebuilding_vectors"
_REUSE, _REGENERATE, _DONE = "reuse", "regenerate", ""


@dataclass(slots=True)
class RebuildLease:
    """The turn of one who rebuilds."""

    #: Whether cached embeddings are made again.
    regenerate: bool
    _lease: Lease
    _former: str | None
    #: Whether vectors may have gone: until then the vectors from before are still valid, and need not be computed
    #: again.
    begun: bool = False

    @contextmanager
    def held(self) -> Iterator[None]:
        """Renew the lease from another thread until the end, then note that all is done; after an error that it is not.

        Raises:
            Unavailable: the record does not answer, or another took over since it was not renewed in time.
        """
        try:
            with self._lease.renewed("the rebuild", _log):
                yield
        except BaseException:
            with suppress(Unavailable):  # then the lease runs out by itself
                self._lease.leave(self._lease.about if self.begun else self._former or _DONE)
            raise
        self._lease.leave(_DONE)
        self.check()

    def check(self) -> None:
        """Make sure that this is still the turn of the caller.

        Raises:
            Unavailable: another took over.
        """
        if self._lease.is_lost:
            raise Unavailable(
                "Another process took over the rebuild of the vectors, which was not heard of for "
                f"{LEASE.total_seconds():.0f} seconds: that one finishes it."
            )


def acquire_rebuild_lease(store: Store, *, regenerate: bool | None = None) -> RebuildLease | None:
    """Return a turn to rebuild, as an interrupted rebuild was meant to be with None; None while another has it."""
    kept = store.metadata_value(_MARKER)
    if holder(kept):
        return None
    again = (kept or "").startswith(_REGENERATE) if regenerate is None else regenerate
    taken = lease.take(store, _MARKER, _REGENERATE if again else _REUSE, instead_of=kept)
    return None if taken is None else RebuildLease(again, taken, kept)


def mark_rebuild_needed(store: Store) -> None:
    """Note that all vectors are to be made anew from cached embeddings, as if a rebuild had been interrupted."""
    store.set_metadata_value(_MARKER, _REUSE)


def is_under_way(store: Store) -> bool:
    """Whether somebody makes all vectors anew now."""
    return holder(store.metadata_value(_MARKER)) is not None


def is_interrupted(store: Store) -> bool:
    """Whether a rebuild of the vectors was begun, not every item has its job yet, and nobody is at it any more."""
    kept = store.metadata_value(_MARKER)
    return kept not in {None, _DONE} and holder(kept) is None
