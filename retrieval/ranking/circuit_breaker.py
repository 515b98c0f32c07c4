"""Rest: vectors that kept a question waiting are left alone for a while."""

import threading
import time
from dataclasses import dataclass, field
from typing import Final

#: A failure that took less, in seconds, costs nobody anything: the next question may ask again.
_SLOW: Final = 1.0
#: How long to rest after one that took longer, in seconds.
_REST: Final = 3.0


@dataclass(slots=True)
class Rest:
    """Decides which question may ask: all, or after a slow failure one every few seconds. Safe to call from threads."""

    #: Longest time that one asks, in seconds: so long nobody else tries whether the rest is over.
    patience_seconds: float
    _over_at: float | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def may_ask(self) -> bool:
        """Whether the caller may ask now; it then tells `answered` or `failed`, and others wait for that in a rest."""
        with self._lock:
            if self._over_at is None:
                return True
            if time.monotonic() < self._over_at:
                return False
            self._over_at = time.monotonic() + self.patience_seconds
            return True

    def answered(self) -> None:
        """End the rest."""
        with self._lock:
            self._over_at = None

    def failed(self, seconds: float) -> None:
        """Begin a rest if the failure took long, or was met in one."""
        with self._lock:
            if seconds >= _SLOW or self._over_at is not None:
                self._over_at = time.monotonic() + _REST
