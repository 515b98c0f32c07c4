"""Expiring value: something large that is loaded when it is needed, and freed when it has not been for a while."""

import ctypes
import sys
import threading
import time
from collections.abc import Callable
from typing import Final, Generic, Protocol, TypeVar
from weakref import WeakSet

T = TypeVar("T")

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

    def get(self) -> T:
        """Return the value; raises what `load` raises. Whoever uses it keeps it alive for as long as they do."""
        with self._lock:
            self._used_at = time.monotonic()
            if self._value is None:
                self._value = self._load()
                self._expire_in(self._idle_seconds)
            return self._value

    def _expire_in(self, seconds: float) -> None:
        timer = threading.Timer(seconds, self._expire)
        timer.daemon = True
        timer.start()

    def _expire(self) -> None:
        with self._lock:
            left = self._used_at + self._idle_seconds - time.monotonic()
            if left > 0:
                self._expire_in(left)
                return
            self._value = None
        for cache in list(CACHES):
            cache.empty()
        _trim()


def _trim() -> None:
    """Return freed memory to the system: glibc keeps what lies below memory in use, up to hundreds of megabytes."""
    if sys.platform == "linux" and (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)) is not None:
        trim(0)
