"""CircuitBreaker: keeps calls away from a service that has just timed out."""

import threading
import time
from dataclasses import dataclass, field
from typing import Final

#: Failures faster than this, in seconds, do not open the circuit: the next question may call again.
_SLOW: Final = 1.0
#: How long the circuit stays open after one that took longer, in seconds.
_OPEN_SECONDS: Final = 3.0


@dataclass(slots=True)
class CircuitBreaker:
    """Decides who may call: everybody, or after a slow failure one trial call every few seconds.

    Safe to call from several threads.
    """

    #: The longest that a call takes, in seconds: so long nobody else makes a trial call.
    timeout_seconds: float
    _open_until: float | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def may_call(self) -> bool:
        """Whether the caller may call now; it then reports `record_success` or `record_failure`, which others wait for
        if open."""
        with self._lock:
            if self._open_until is None:
                return True
            if time.monotonic() < self._open_until:
                return False
            self._open_until = time.monotonic() + self.timeout_seconds
            return True

    def record_success(self) -> None:
        """Close the circuit."""
        with self._lock:
            self._open_until = None

    def record_failure(self, seconds: float) -> None:
        """Open the circuit if the failure took long, or keep it open."""
        with self._lock:
            if seconds >= _SLOW or self._open_until is not None:
                self._open_until = time.monotonic() + _OPEN_SECONDS
