"""Spending: what a service has cost, kept in the record for all processes, and the budget of a day."""

import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from threading import Condition, Event
from typing import Final, Protocol

from core.dates import now
from core.errors import Unavailable

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
