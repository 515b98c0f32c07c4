"""The use of a service that speaks OpenAI's API: how many requests are in flight, and what they have cost."""

import contextvars
import json
import re
import threading
import time
import uuid
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from email.utils import parsedate_to_datetime
from threading import Condition, Event
from typing import Any, Final, Literal, Protocol, TypeVar

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
from core.regex import regex

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
_DURATION: Final = regex(r"(\d+(?:\.\d+)?)(ms|h|m|s)")
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


#: The notes of the record that all processes count in.
EXTRACTION: Final = "openai-extraction-usage"
EMBEDDING: Final = "openai-embedding-usage"
#: A reservation of a process that was killed is void after this time, in seconds; no request takes that long.
_RESERVED_SECONDS: Final = 900.0
#: How often a request that waits for others to be settled looks whether the process ends, in seconds.
_LOOK: Final = 1.0


class Notes(Protocol):
    """Where the counts are kept: the record's notes."""

    def metadata_value(self, name: str) -> str | None:
        """Return a note; None if it was never set."""
        ...

    def compare_and_set(self, name: str, value: str, *, instead_of: str | None = None) -> str | None:
        """Set a note if it is `instead_of` now; return what it is afterwards."""
        ...


@dataclass(frozen=True, slots=True)
class Usage:
    """Requests that a service answered, and their tokens; `estimated` counts those without the service's figures."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: int = 0

    @property
    def tokens(self) -> int:
        """Tokens in both directions."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.requests + other.requests,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.estimated + other.estimated,
        )


@dataclass(frozen=True, slots=True)
class Reservation:
    """Tokens that a request in progress may use; `until` is the POSIX time after which it is void."""

    id: str
    tokens: int
    until: float


@dataclass(frozen=True, slots=True)
class Spent:
    """What was asked for on one day (UTC), and since the record was made; and what requests in progress may use."""

    day: date
    today: Usage = field(default_factory=Usage)
    ever: Usage = field(default_factory=Usage)
    reserved: tuple[Reservation, ...] = ()


class Spending:
    """Counts requests and tokens under a note; a `budget` (tokens a day, or None) stops requests that may exceed it.

    Each request reserves the most that it may use, and frees the rest when its answer is counted: however many requests
    and processes there are, they stay within the budget. It is used up when the smallest request, of `least` tokens,
    may exceed it. `setting` is the variable that sets it. Safe to call from several threads.
    """

    def __init__(
        self,
        records: Notes,
        budget: int | None,
        clock: Callable[[], datetime] = now,
        *,
        least: int = 1,
        note: str = EXTRACTION,
        setting: str = "REMEMBRANCER_OPENAI_EXTRACTION_BUDGET",
    ) -> None:
        self.budget = budget
        self._records = records
        self._clock = clock
        self._least = least
        self._note = note
        self._setting = setting
        self._what = "Extraction" if note == EXTRACTION else "Embedding"
        self._unsaved = Usage()
        #: What requests of this process have reserved, and void reservations that could not be freed.
        self._own: set[str] = set()
        self._freed: set[str] = set()
        self._settled = Condition()

    def spent(self) -> Spent:
        """Return what all processes have asked for; a new day begins at 0.

        Raises:
            Unavailable: the record does not answer.
        """
        return self._read(self._records.metadata_value(self._note))

    def check(self) -> Spent:
        """Return what was spent, if today's budget allows another request.

        Raises:
            Unavailable: it does not, or the record does not answer.
        """
        spent = self.spent()
        if self.budget is not None and spent.today.tokens + self._least > self.budget:
            raise self._used_up(spent, self._least)
        return spent

    @contextmanager
    def reserved(self, tokens: int, closing: Event) -> Iterator[None]:
        """Reserve the most tokens that a request may use; what it used is counted within the block.

        While other requests of this process may leave enough, this waits for them.

        Raises:
            Unavailable: today's budget may not suffice, `closing` is set, or the record does not answer.
        """
        if self.budget is None:
            yield
            return
        reservation = Reservation(uuid.uuid4().hex[:12], tokens, self._clock().timestamp() + _RESERVED_SECONDS)
        self._reserve(reservation, self.budget, closing)
        try:
            yield
        finally:
            with self._settled:
                self._own.discard(reservation.id)
                self._freed.add(reservation.id)
                with suppress(Unavailable):  # then the next count frees it, or time does
                    self._save()
                self._settled.notify_all()

    def add(self, usage: Usage) -> None:
        """Count what was asked for; what the record can't take now is counted with the next.

        Raises:
            Unavailable: the record does not answer.
        """
        with self._settled:
            self._unsaved += usage
            self._save()

    def usage_line(self) -> str:
        """Return one line for `status`: what was used today, of which budget, and in all.

        Raises:
            Unavailable: today's budget is used up, or the record does not answer.
        """
        spent = self.check()
        budget = "" if self.budget is None else f" of {self.budget:,}"
        return f"today (UTC) {_usage_text(spent.today, budget)}; in all {_usage_text(spent.ever)}"

    def _reserve(self, reservation: Reservation, budget: int, closing: Event) -> None:
        with self._settled:
            while True:
                before = self._records.metadata_value(self._note)
                spent = self._read(before)
                used, wanted = spent.today.tokens + self._unsaved.tokens, reservation.tokens
                if used + sum(other.tokens for other in spent.reserved) + wanted <= budget:
                    after = _text(Spent(spent.day, spent.today, spent.ever, (*spent.reserved, reservation)))
                    if self._records.compare_and_set(self._note, after, instead_of=before) == after:
                        self._own.add(reservation.id)
                        return
                    continue
                if used + wanted > budget or not self._own or closing.is_set():
                    raise self._used_up(spent, wanted)
                self._settled.wait(_LOOK)

    def _save(self) -> None:
        """Write what was counted and freed since the last time."""
        before = self._records.metadata_value(self._note)
        while True:
            spent = self._read(before)
            after = _text(Spent(spent.day, spent.today + self._unsaved, spent.ever + self._unsaved, spent.reserved))
            found = self._records.compare_and_set(self._note, after, instead_of=before)
            if found == after:
                break
            before = found
        self._unsaved = Usage()
        self._freed.clear()

    def _used_up(self, spent: Spent, wanted: int) -> Unavailable:
        if self.budget is not None and wanted > self.budget:
            return Unavailable(
                f"The budget of {self.budget:,} tokens a day allows no request, since the next one may use {wanted:,}: "
                f"restart with a larger {self._setting}."
            )
        reserved = sum(one.tokens for one in spent.reserved)
        parts = f", requests in progress have reserved {reserved:,}," if reserved else ""
        return Unavailable(
            f"{self._what} has used {spent.today.tokens:,} of its {self.budget:,} tokens for {spent.day.isoformat()}"
            f"{parts} and the next request may use {wanted:,}: it goes on at 00:00 UTC, or after a restart with a "
            f"larger {self._setting}."
        )

    def _read(self, text: str | None) -> Spent:
        at = self._clock()
        if text is None:
            return Spent(at.date())
        kept = json.loads(text)
        valid = tuple(
            one
            for one in (Reservation(*values) for values in kept.get("reserved", []))
            if one.until > at.timestamp() and one.id not in self._freed
        )
        today = Usage(*kept["today"]) if kept["day"] == at.date().isoformat() else Usage()
        return Spent(at.date(), today, Usage(*kept["ever"]), valid)


def _text(spent: Spent) -> str:
    """Return the note; no two are equal, so that one of two processes that count at once notices that it lost."""
    counts = {name: _numbers(usage) for name, usage in (("today", spent.today), ("ever", spent.ever))}
    reserved = [(one.id, one.tokens, one.until) for one in spent.reserved]
    return json.dumps({"day": spent.day.isoformat(), **counts, "reserved": reserved, "written": uuid.uuid4().hex})


def _numbers(usage: Usage) -> list[int]:
    """Return the counts; the last is left out if it is 0, as earlier releases expect three."""
    counts = [usage.requests, usage.prompt_tokens, usage.completion_tokens]
    return [*counts, usage.estimated] if usage.estimated else counts


def _usage_text(usage: Usage, budget: str = "") -> str:
    parts = f"{usage.prompt_tokens:,} prompt, {usage.completion_tokens:,} completion"
    estimated = f"; {usage.estimated:,} requests estimated" if usage.estimated else ""
    return f"{usage.requests:,} requests, {usage.tokens:,}{budget} tokens ({parts}{estimated})"
