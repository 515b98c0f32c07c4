"""The ledger: which decisions still hold, which promises are kept, and why."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from core.dates import is_before
from core.filters import Filters
from core.knowledge.findings import Category, Event, EventStatus, LedgerRelation

#: What a link makes of its target. Where several links of different relations lead to one event, the first here holds.
LINKED_STATUS: Final[dict[LedgerRelation, EventStatus]] = {
    "SUPERSEDES": "superseded",
    "COMPLETES": "done",
    "CANCELS": "cancelled",
}
#: The status of an event that a person dismissed as a false finding; only a request for its id shows it.
DISMISSED: Final[EventStatus] = "dismissed"
#: What the events of a category are listed by, unless a status is asked for.
LISTED: Final[dict[Category, tuple[EventStatus, ...]]] = {
    "Commitment": ("open", "done", "cancelled"),
    "Decision": ("current", "superseded", "withdrawn"),
}
#: What may be given of an event, and what a person may declare of it, by its category.
GIVABLE: Final[dict[Category, tuple[EventStatus, ...]]] = {
    "Commitment": ("open", "done", "cancelled"),
    "Decision": ("current", "withdrawn"),
}
RESOLVABLE: Final = {category: (*statuses, DISMISSED) for category, statuses in GIVABLE.items()}
#: Of those, what leaves nothing to be done.
SETTLED: Final[tuple[EventStatus, ...]] = ("done", "cancelled", "withdrawn", DISMISSED)
#: Categories that have a status or give one: only these are looked for by words.
LEDGER_CATEGORIES: Final[tuple[Category, ...]] = ("Decision", "Commitment", "Execution", "Change")


#: An open commitment that is overdue, or without a day, for longer than this is stale: counted, and not listed.
STALE_AFTER: Final = timedelta(days=365)
#: The confidence from which on an event is shown, on every surface: it is then more likely right than wrong.
SURE: Final = 0.5


def is_shown(event: Event, min_confidence: float = SURE) -> bool:
    """Whether answers show an event: it is sure enough, and nobody dismissed it."""
    return event.confidence >= min_confidence and event.status != DISMISSED


def is_overdue(due: datetime | None, status: EventStatus | None, at: datetime) -> bool | None:
    """Whether an event with a status is open past its due date; None without a due date or a status."""
    return None if due is None or status is None else status == "open" and is_before(due, at)


def shown_events(events: Iterable[Event], min_confidence: float = SURE) -> list[Event]:
    """Return the events that answers show, in their order."""
    return [event for event in events if is_shown(event, min_confidence)]


def num_held_back(events: Iterable[Event], min_confidence: float = SURE) -> int:
    """Return how many events are not shown because they are not sure enough."""
    return sum(event.confidence < min_confidence and event.status != DISMISSED for event in events)


@dataclass(frozen=True, slots=True)
class Resolution:
    """The status that a person set for an event; it overrides every link, and the newest overrides earlier ones."""

    event_id: str
    status: EventStatus
    at: datetime
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an event comes from: the artifact of its first evidence, when that is dated, and what it is called.

    `topic` is the artifact's key, else its title; `successor` is what replaced it under its key, None while it is
    current. `file_path` and `title` tell whose records it is one of.
    """

    artifact_id: str
    written_at: datetime
    context: str
    topic: str | None
    successor: str | None = None
    file_path: str | None = None
    title: str | None = None


@dataclass(frozen=True, slots=True)
class EventSearch:
    """A search for events of these categories that share telling words with `text`; `event_id` is left out."""

    event_id: str
    categories: tuple[Category, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerQuery:
    """Which events of one category to list; a missing condition matches all, all conditions must hold, ends are
    included.

    - `statuses`: as of `filters.as_of`.
    - `words` are words of the topic, in any form; `shared` of their different stems must occur in the event's summary
      or quotes, or its artifact's title or key. `about` are entities of the topic: an event about one of them matches
      whatever its words.
    - `actors` are entities of whom one must have a part; with `owners`, as an owner, or as a contributor to what nobody
      owns. With an empty tuple nothing matches.
    - `recipients` are entities to one of whom it must be promised, likewise.
    - `weekly` are words, in small letters: with `due_before`, events without a due date match that have one of them.
    - `min_confidence` is the least that the event must have, from 0 to 1.
    - `stale` asks for open commitments that were due, or if they have no day made, before `stale_before`, or with False
      for all others.
    """

    category: Category
    filters: Filters
    statuses: tuple[EventStatus, ...] = ()
    words: tuple[str, ...] = ()
    shared: int = 1
    about: tuple[str, ...] = ()
    actors: tuple[str, ...] | None = None
    owners: bool = False
    recipients: tuple[str, ...] | None = None
    date_from: datetime | None = None
    date_to: datetime | None = None
    due_before: datetime | None = None
    weekly: tuple[str, ...] = ()
    by_due: bool = False
    min_confidence: float = 0.0
    stale: bool | None = None
    stale_before: datetime | None = None


@dataclass(frozen=True, slots=True)
class LedgerPage:
    """The ids of a page of events, and how many match in all.

    `held_back` is how many match but for `min_confidence`, and `stale`, if the query asks for those that are not
    stale, how many match but for that.
    """

    ids: list[str]
    total: int
    held_back: int = 0
    stale: int = 0
