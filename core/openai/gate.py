"""Gate: how many requests of a process are in flight at a service, and when they wait since it limits the rate.

The results of several requests at a time are taken in order. Errors of the OpenAI client say whether a second attempt
may mend them.
"""

import contextvars
import re
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from threading import Condition, Event
from typing import Any, Final, Literal, TypeVar

from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception,
    sleep_using_event,
    stop_after_attempt,
    stop_when_event_set,
    wait_random,
)

from core.dates import now
from core.errors import Unavailable, one_line

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
def reporting_errors_to(gate: Gate, began: float) -> Iterator[None]:
    """Report the error of a request to the gate; the caller reports an answer."""
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


T = TypeVar("T")
R = TypeVar("R")


def ahead(
    work: Callable[[T], R], items: Sequence[T], threads: int, goes_on: Callable[[], bool] = lambda: True
) -> Generator["Future[R]", None, None]:
    """Yield the finished call for each item, in order; the calls run in `threads` threads and are begun in order.

    Once `goes_on` is false no call is begun: those left are yielded as cancelled. A caller that stops early waits for
    the calls that were begun. The threads do not keep the process from ending.
    """
    calls: list[Future[R]] = [Future() for _ in items]
    waiting = iter(zip(calls, items, strict=True))
    lock, stopped = threading.Lock(), threading.Event()

    def run() -> None:
        while True:
            with lock:
                call, item = next(waiting, (None, None))
                if call is None:
                    return
                if stopped.is_set() or not goes_on():
                    stopped.set()
                    call.cancel()
                    call.set_running_or_notify_cancel()
                    continue
            try:
                call.set_result(work(item))  # type: ignore[arg-type]  # an item comes with each call
            except BaseException as error:  # noqa: BLE001 - raised where the result is taken
                call.set_exception(error)

    running = [
        threading.Thread(target=contextvars.copy_context().run, args=(run,), name="remembrancer-ahead", daemon=True)
        for _ in range(min(threads, len(items)))
    ]
    for thread in running:
        thread.start()
    try:
        for call in calls:
            wait([call])
            yield call
    finally:
        stopped.set()
        for thread in running:
            thread.join()


def in_parallel(work: Callable[[T], R], items: Sequence[T], threads: int) -> list[R]:
    """Return the results of all calls in order; after the first error none is begun, and it is raised when all end."""
    if threads == 1 or len(items) < 2:
        return [work(item) for item in items]
    failed = threading.Event()

    def watched(item: T) -> R:
        try:
            return work(item)
        except BaseException:
            failed.set()
            raise

    calls = list(ahead(watched, items, threads, lambda: not failed.is_set()))
    for call in calls:
        if not call.cancelled():
            call.result()
    return [call.result() for call in calls]


#: By class of the client; an error without an entry has its parent's.
REASONS: Final[Mapping[str, str]] = {
    "APITimeoutError": "did not answer in time: check OPENAI_BASE_URL if this persists",
    "APIConnectionError": "can't be reached: check the network and OPENAI_BASE_URL",
    "AuthenticationError": "refuses the key: check OPENAI_API_KEY",
    "PermissionDeniedError": "does not allow this key to use the model: check OPENAI_API_KEY and its project",
    "NotFoundError": "does not know the model or the address: check {settings} and OPENAI_BASE_URL",
    "RateLimitError": "limits the rate, or the quota is used up: try again later, or check the account's plan",
    "BadRequestError": "refuses the request: check {settings}",
    "UnprocessableEntityError": "refuses the request: check {settings}",
    "ConflictError": "is busy with another request: try again later",
    "InternalServerError": "failed: try again later",
    "APIStatusError": "answers with an error: check OPENAI_BASE_URL",
    "APIResponseValidationError": "answers in another format than OpenAI's: check OPENAI_BASE_URL",
    "APIError": "failed: check OPENAI_BASE_URL if this persists",
    "OpenAIError": "can't be asked: check OPENAI_API_KEY and OPENAI_BASE_URL",
}
#: The wait, in seconds, where the service does not ask for one.
_WAIT: Final = wait_random(0.375, 0.5)
_TRANSIENT_STATUS: Final = frozenset({408, 409, 429})


def unavailable_error(error: Exception, *, service: str, model: str, settings: str) -> Unavailable:
    """Return the error to raise instead, with the reason and what the service said.

    `settings` are the variables that say what it is asked for.
    """
    reason = next(REASONS[name] for name in _classes(error) if name in REASONS).format(settings=settings)
    return Unavailable(f"The {service} service {reason}. It was asked for {model!r} and said: {error_text(error)}")


def error_text(error: Exception) -> str:
    """Return the first 300 characters of what the service said in one line, without halves of surrogate pairs."""
    return one_line(str(error).encode(errors="replace").decode())[:300]


def retry_after_seconds(error: BaseException | None) -> float:
    """Return how long the service asks to be left alone; 0 if it does not say."""
    return retry_after(headers_of(error))


def retry_once(closing: Event) -> Retrying:
    """Return what makes a request, and makes it once more after a transient error.

    It waits for as long as the service asks, which `closing` cuts short; one that asks for more than two minutes is not
    asked again.
    """
    return Retrying(
        retry=retry_if_exception(_is_transient),
        stop=stop_after_attempt(2) | stop_when_event_set(closing),
        wait=_wait,
        sleep=sleep_using_event(closing),
        reraise=True,
    )


def _wait(state: RetryCallState) -> float:
    asked = retry_after_seconds(state.outcome.exception()) if state.outcome else 0.0
    return asked or _WAIT(state)


def _is_transient(error: BaseException) -> bool:
    if "APIConnectionError" in _classes(error):  # timeouts are among them
        return True
    status: Any = getattr(error, "status_code", None)
    if status is None or retry_after_seconds(error) > LONGEST_WAIT:
        return False
    verdict = headers_of(error).get("x-should-retry")  # OpenAI's own, which goes before the status
    return verdict != "false" and (verdict == "true" or status in _TRANSIENT_STATUS or status >= 500)


def _classes(error: BaseException) -> list[str]:
    return [cls.__name__ for cls in type(error).__mro__]
