"""Spending: what extraction has cost, kept in the record for all processes, and the budget of a day."""

import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime
from threading import Lock
from typing import Final

from core.dates import now
from core.errors import Unavailable
from graph.protocols.records import Records
from ingest.extract.protocol import Usage

#: The note of the record that all processes count in.
MARKER: Final = "openai-extraction-usage"


@dataclass(frozen=True, slots=True)
class Spent:
    """What was asked for on one day (UTC), and since the record was made."""

    day: date
    today: Usage = field(default_factory=Usage)
    ever: Usage = field(default_factory=Usage)


class Spending:
    """Counts requests and tokens; a `budget` (tokens a day, None for none) stops new ones when it is used up.

    A request that was begun within the budget is paid for: each process may pass it by one.
    """

    def __init__(self, records: Records, budget: int | None, clock: Callable[[], datetime] = now) -> None:
        self.budget = budget
        self._records = records
        self._clock = clock
        self._lock = Lock()
        self._unsaved = Usage()

    def spent(self) -> Spent:
        """Return what all processes have asked for; a new day begins at 0.

        Raises:
            Unavailable: the record does not answer.
        """
        return self._read(self._records.metadata_value(MARKER))

    def check(self) -> Spent:
        """Return what was spent, if it is less than today's budget.

        Raises:
            Unavailable: it is not, or the record does not answer.
        """
        spent = self.spent()
        if self.budget is not None and spent.today.tokens >= self.budget:
            raise Unavailable(
                f"Extraction has used {spent.today.tokens:,} of its {self.budget:,} tokens for {spent.day.isoformat()}:"
                " it goes on at 00:00 UTC, or after a restart with a larger REMEMBRANCER_OPENAI_EXTRACTION_BUDGET."
            )
        return spent

    def add(self, usage: Usage) -> None:
        """Count what was asked for; what the record can't take now is counted with the next.

        Raises:
            Unavailable: the record does not answer.
        """
        with self._lock:
            self._unsaved += usage
            before = self._records.metadata_value(MARKER)
            while True:
                spent = self._read(before)
                after = _text(Spent(spent.day, spent.today + self._unsaved, spent.ever + self._unsaved))
                found = self._records.compare_and_set(MARKER, after, instead_of=before)
                if found == after:
                    break
                before = found
            self._unsaved = Usage()

    def _read(self, text: str | None) -> Spent:
        today = self._clock().date()
        if text is None:
            return Spent(today)
        kept = json.loads(text)
        ever = Usage(*kept["ever"])
        return Spent(today, Usage(*kept["today"]) if kept["day"] == today.isoformat() else Usage(), ever)


def _text(spent: Spent) -> str:
    """Return the note; no two are equal, so that of two processes that count the same at once one sees that it lost."""
    counts = {name: (u.requests, u.prompt_tokens, u.completion_tokens) for name, u in _parts(spent)}
    return json.dumps({"day": spent.day.isoformat(), **counts, "written": uuid.uuid4().hex})


def _parts(spent: Spent) -> tuple[tuple[str, Usage], tuple[str, Usage]]:
    return ("today", spent.today), ("ever", spent.ever)
