"""Ledger questions: the arguments of `decisions` and `commitments`, checked when they are made."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, get_args

from core.dates import now, parse_filter
from core.errors import check_all
from core.filters import Filters
from core.interface.memory import check_choice, check_text
from core.interface.question import MAX_LIMIT, MAX_OFFSET, MAX_QUERY, check_detail, check_range
from core.interface.results import Detail
from core.knowledge.ledger import STALE_AFTER, SURE

DecisionStatus = Literal["current", "superseded", "withdrawn", "all"]
CommitmentStatus = Literal["open", "overdue", "done", "cancelled", "stale", "all"]

_DECISION_STATUSES: Final[tuple[str, ...]] = get_args(DecisionStatus)
_COMMITMENT_STATUSES: Final[tuple[str, ...]] = get_args(CommitmentStatus)


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionsQuestion:
    """One call of `decisions`. Dates are dates of the decisions, inclusive; None means no filter.

    Raises:
        InvalidInput: a field is out of range, not among its choices, or no date.
        TooLarge: a text is over its limit.
    """

    topic: str | None = None
    person: str | None = None
    status: DecisionStatus = "current"
    date_from: str | None = None
    date_to: str | None = None
    as_of: str | None = None
    limit: int = 20
    offset: int = 0
    min_confidence: float = SURE
    detail: Detail = "brief"
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        check_all(
            lambda: check_choice("status", self.status, _DECISION_STATUSES),
            lambda: _check_texts(topic=self.topic, person=self.person),
            lambda: _check_page(self.limit, self.offset),
            lambda: check_range("min_confidence", self.min_confidence, 0, 1),
            lambda: check_detail(self.detail, self.max_tokens),
            lambda: self.date_range(self.filters()),
        )

    def filters(self) -> Filters:
        """Return the filter on items."""
        return _seen(self.as_of)

    def date_range(self, seen: Filters) -> tuple[datetime | None, datetime | None]:
        """Return the first and last moment; relative dates count back from `seen.as_of`, else from now."""
        at = seen.as_of or seen.at
        return (
            None if self.date_from is None else parse_filter(self.date_from, field="date_from", at=at),
            None if self.date_to is None else parse_filter(self.date_to, field="date_to", end_of_day=True, at=at),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitmentsQuestion:
    """One call of `commitments`; None means no filter, but that stale ones are left out. `due_before` is exclusive.

    Raises:
        InvalidInput: a field is out of range, not among its choices, or no date.
        TooLarge: a text is over its limit.
    """

    owner: str | None = None
    status: CommitmentStatus | None = None
    due_before: str | None = None
    as_of: str | None = None
    limit: int = 20
    topic: str | None = None
    offset: int = 0
    min_confidence: float = SURE
    detail: Detail = "brief"
    max_tokens: int | None = None
    recipient: str | None = None

    def __post_init__(self) -> None:
        check_all(
            lambda: None if self.status is None else check_choice("status", self.status, _COMMITMENT_STATUSES),
            lambda: _check_texts(owner=self.owner, topic=self.topic, recipient=self.recipient),
            lambda: _check_page(self.limit, self.offset),
            lambda: check_range("min_confidence", self.min_confidence, 0, 1),
            lambda: check_detail(self.detail, self.max_tokens),
            lambda: self.due_end(self.filters()),
        )

    def filters(self) -> Filters:
        """Return the filter on items."""
        return _seen(self.as_of)

    def stale_before(self, seen: Filters) -> datetime:
        """Return the time before which an open commitment must be due, or else be made, to be stale."""
        return (seen.as_of or seen.at) - STALE_AFTER

    def due_end(self, seen: Filters) -> datetime | None:
        """Return the exclusive end of due dates: the earlier of `due_before` and, for overdue ones, now."""
        at = seen.as_of or seen.at
        limits = [at] if self.status == "overdue" else []
        if self.due_before is not None:
            limits.append(parse_filter(self.due_before, field="due_before", ahead=True, at=at))
        return min(limits, default=None)


def _check_texts(**texts: str | None) -> None:
    for field, text in texts.items():
        if text is not None:
            check_text(field, text, MAX_QUERY)


def _check_page(limit: int, offset: int) -> None:
    check_all(
        lambda: check_range("limit", limit, 1, MAX_LIMIT),
        lambda: check_range("offset", offset, 0, MAX_OFFSET),
    )


def _seen(as_of: str | None) -> Filters:
    at = now()
    return Filters(at=at, as_of=None if as_of is None else parse_filter(as_of, field="as_of", end_of_day=True, at=at))
