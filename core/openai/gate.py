"""Gate: how many requests of a process are in flight at a service, and when they wait since it limits the rate."""

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from threading import Condition, Event
from typing import Final, Literal

from core.dates import now
from core.errors import Unavailable

#: The longest pause that a service can impose, in seconds.
_LONGEST_PAUSE: Final = 600.0
#: The longest pause that a request, or a second attempt, waits for, in seconds.
LONGEST_WAIT: Final = 120.0
#: The longest pause that a request waits for which answers somebody, in seconds.
URGENT_WAIT: Final = 10.0
#: The first pause after a 429 that does not name one, in seconds; each further one in a row is twice as long.
_FIRST_PAUSE: Final = 0.5
_LONGEST_OWN_PAUSE: Final = 30.0
#: How much of a request each success adds to the number allowed, divided by that number.
_RISE: Final = 0.25
_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|h|m|s)")
_UNIT_SECONDS: Final[Mapping[str, float]] = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3_600.0}

#: `urgent` requests, which answer a question, go first; `patient` ones leave the places that are kept free.
Urgency = Literal["urgent", "usual", "patient"]


class Gate:
    """Admits at most `limit` requests at a time; all of a process share one. Safe to call from several threads.

    When the service limits the rate, all wait until it allows requests again, and half as many are admitted from then
    on; each answer after that raises the number a little. `kept_free` places are not given to patient requests.
    """

    def __init__(self, limit: int = 1, *, kept_free: int = 0) -> None:
        self.limit = limit
        self._kept_free = min(kept_free, limit - 1)
        self._allowed = float(limit)
        self._inside = 0
        self._urgent_waiting = 0
        self._paused_until = 0.0
        self._halved_at = 0.0
        #: How many 429 without a pause have come in a row.
        self._refusals = 0
        self._changed = Condition()

    @property
    def paused_until(self) -> float:
        """When requests are admitted again, on the monotonic clock; in the past if they are now."""
        return self._paused_until

    @contextmanager
    def turn(self, service: str, closing: Event, urgency: Urgency = "usual") -> Iterator[float]:
        """Wait for a place, and hold it; yield the time on the monotonic clock, which `heard` takes.

        Raises:
            Unavailable: the pause is longer than two minutes, or 10 seconds if urgent; or `closing` is set.
        """
        with self._changed:
            self._urgent_waiting += urgency == "urgent"
            try:
                self._enter(service, closing, urgency)
            finally:
                self._urgent_waiting -= urgency == "urgent"
                self._changed.notify_all()
        try:
            yield time.monotonic()
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    def refuse_if_paused(self, service: str, longest: float) -> None:
        """Raise `Unavailable` if the rest of the pause is longer than this, in seconds."""
        left = self._paused_until - time.monotonic()
        if left > longest:
            raise Unavailable(
                f"The {service} service limits the rate and asked not to be asked for {left:.0f} seconds more: "
                "it is asked again then."
            )

    def heard(self, began: float, status: int | None, headers: Mapping[str, str]) -> None:
        """Learn from an answer to a request that was admitted at `began`; without a status it came too late.

        Answers to requests from before the number was last halved do not halve it again.
        """
        pause = min(_pause(status, headers), _LONGEST_PAUSE)
        with self._changed:
            is_news = began >= self._halved_at
            if status == 429 and not pause:
                self._refusals += is_news
                pause = min(_FIRST_PAUSE * 2 ** max(0, self._refusals - 1), _LONGEST_OWN_PAUSE)
            if pause or status is None:
                self._paused_until = max(self._paused_until, time.monotonic() + pause)
                if is_news:
                    self._allowed, self._halved_at = max(1.0, self._allowed / 2), time.monotonic()
            elif status < 400:
                self._refusals = 0
                self._allowed = min(float(self.limit), self._allowed + _RISE / self._allowed)
            self._changed.notify_all()

    def wake(self) -> None:
        """Have those who wait look at `closing`."""
        with self._changed:
            self._changed.notify_all()

    def _enter(self, service: str, closing: Event, urgency: Urgency) -> None:
        while True:
            if closing.is_set():
                raise Unavailable(f"The {service} service is not asked any more: this process ends.")
            self.refuse_if_paused(service, URGENT_WAIT if urgency == "urgent" else LONGEST_WAIT)
            left = self._paused_until - time.monotonic()
            if left <= 0 and self._has_place(urgency):
                self._inside += 1
                return
            self._changed.wait(left if left > 0 else None)

    def _has_place(self, urgency: Urgency) -> bool:
        if urgency != "urgent" and self._urgent_waiting:
            return False
        allowed = min(int(self._allowed), self.limit - self._kept_free) if urgency == "patient" else int(self._allowed)
        return self._inside < allowed


@contextmanager
def told_to(gate: Gate, began: float) -> Iterator[None]:
    """Have the gate learn from the error of a request; an answer is told by the caller."""
    try:
        yield
    except Exception as error:
        status: int | None = getattr(error, "status_code", None)
        if status is not None or "APITimeoutError" in [cls.__name__ for cls in type(error).__mro__]:
            gate.heard(began, status, headers_of(error))
        raise


def headers_of(error: BaseException | None) -> Mapping[str, str]:
    """Return the headers that the service sent with an error."""
    headers: Mapping[str, str] = getattr(getattr(error, "response", None), "headers", {})
    return headers


def retry_after(headers: Mapping[str, str]) -> float:
    """Return the seconds of the header Retry-After; 0 if there is none."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * unit)
        except (KeyError, ValueError):
            continue
    try:
        return max(0.0, (parsedate_to_datetime(headers["retry-after"]) - now()).total_seconds())
    except (KeyError, ValueError, TypeError):
        return 0.0


def _pause(status: int | None, headers: Mapping[str, str]) -> float:
    """Return how long the service asks for a pause, in seconds: where a limit is used up, until it is reset."""
    if asked := retry_after(headers):
        return asked
    used_up = [kind for kind in ("requests", "tokens") if headers.get(f"x-ratelimit-remaining-{kind}") == "0"]
    if not used_up and status == 429:
        used_up = ["requests", "tokens"]
    return max((_seconds(headers.get(f"x-ratelimit-reset-{kind}", "")) for kind in used_up), default=0.0)


def _seconds(duration: str) -> float:
    """Return the seconds of a duration such as 6m0s, 1.5s, 20ms or 3; 0 if it is no such thing."""
    parts = _DURATION.findall(duration)
    if parts and "".join(number + unit for number, unit in parts) == duration:
        return sum(float(number) * _UNIT_SECONDS[unit] for number, unit in parts)
    return float(duration) if re.fullmatch(r"\d+(?:\.\d+)?", duration) else 0.0
