"""Expiring value: something large that is loaded when it is needed, and freed when it has not been for a while."""

import ctypes
import logging
import sys
import threading
import time
from collections.abc import Callable
from typing import Final, Generic, Protocol, TypeVar
from weakref import WeakSet

T = TypeVar("T")

_log = logging.getLogger("remembrancer")

#: How long a value is kept after its last use, in seconds: to load a model again takes a fifth of one.
IDLE_SECONDS: Final = 60.0


class Cache(Protocol):
    """What keeps memory only to be faster."""

    def empty(self) -> None:
        """Free that memory, waiting for nobody."""
        ...


#: Emptied whenever a value expires; what nobody else refers to any more leaves by itself.
CACHES: Final = WeakSet[Cache]()


class ExpiringValue(Generic[T]):
    """A value made by `load` at its first use, once, and again after it expired. Safe to call from several threads."""

    def __init__(self, load: Callable[[], T], idle_seconds: float = IDLE_SECONDS) -> None:
        self._load = load
        self._idle_seconds = idle_seconds
        self._lock = threading.Lock()
        self._value: T | None = None
        self._used_at = 0.0
        self._timer: threading.Timer | None = None

    def get(self) -> T:
        """Return the value; raises what `load` raises. Whoever uses it keeps it alive for as long as they do."""
        with self._lock:
            self._used_at = time.monotonic()
            if self._value is None:
                self._value = self._load()
            if self._timer is None:
                self._expire_in(self._idle_seconds)
            return self._value

    def _expire_in(self, seconds: float) -> None:
        """Start a timer; if the system has no thread for it now, the next use of the value starts one."""
        timer = threading.Timer(seconds, self._expire)
        timer.daemon = True
        try:
            timer.start()
        except RuntimeError as error:
            self._timer = None
            _log.warning("A value in memory is kept until its next use: %s", error)
        else:
            self._timer = timer

    def _expire(self) -> None:
        with self._lock:
            left = self._used_at + self._idle_seconds - time.monotonic()
            if left > 0:
                self._expire_in(left)
                return
            self._value = self._timer = None
        for cache in list(CACHES):
            try:
                cache.empty()
            except Exception:  # noqa: BLE001 - the edge of a thread: one cache that fails must not keep the others
                _log.exception("A cache could not be emptied")
        _trim()


def _trim() -> None:
    """Return freed memory to the system: glibc keeps what lies below memory in use, up to hundreds of megabytes."""
    if sys.platform == "linux" and (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)) is not None:
        trim(0)
