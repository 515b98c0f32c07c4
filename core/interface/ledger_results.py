"""Results of `decisions`, `commitments` and `resolve`, in the format of `core.interface.results`."""

from dataclasses import dataclass, field

from core.interface.memory import Memory
from core.interface.results import NULLABLE
from core.knowledge.findings import EventOrigin, Evidence
from core.records import ALWAYS


@dataclass(frozen=True, slots=True)
class Quote:
    """The words a decision or commitment rests on; in brief the artifact is only named if it is not the item's.

    `place` is the page, slide or row of the artifact's file where they begin.
    """

    quote: str
    start_char: int
    end_char: int
    artifact_id: str | None = None
    place: str | None = None

    @classmethod
    def of(cls, evidence: Evidence, memory: Memory | None) -> "Quote":
        """Return evidence as a quote that names its artifact, and its place in that if the artifact is given."""
        place = None if memory is None else memory.location_at(evidence.start_char)
        return cls(evidence.quote, evidence.start_char, evidence.end_char, evidence.artifact_id, place)


@dataclass(frozen=True, slots=True)
class Cause:
    """The later event that changed the status of another, with its evidence."""

    id: str
    summary: str
    artifact_id: str
    evidence: list[Quote]
    event_time: str | None = None


@dataclass(frozen=True, slots=True)
class Declaration:
    """A status that a person set for an event, and when."""

    status: str
    at: str
    note: str | None = None


@dataclass(frozen=True, slots=True)
class LedgerItem:
    """A decision or a commitment. A brief one has its first quote and no `also_…`.

    `said_at` is when a commitment was made; it is `stale` if it is open and overdue, or without a day, for more than a
    year. `title` names the meeting or record that it is from. `recipients` are those to whom something was promised;
    `origin` is "given" if somebody who read the text said so.
    `overdue` says whether the due date of an open commitment has passed. `supersedes` is the newest decision that this
    one supersedes, `superseded_by` the first that superseded it; any others are in `also_…`. `run_id` is the run that
    `rollback` takes back, of a link set by `resolve`. `resolve` of an entity answers with its type as `category` and
    its names as `summary`.
    """

    id: str
    category: str
    summary: str
    artifact_id: str
    confidence: float
    status: str | None = field(default=None, metadata=NULLABLE)
    event_time: str | None = field(default=None, metadata=NULLABLE)
    owners: list[str] = field(default_factory=list)
    recipients: list[str] = field(default_factory=list)
    subjects: list[str] = field(default_factory=list)
    evidence: list[Quote] = field(default_factory=list)
    origin: EventOrigin = "extracted"
    due: str | None = None
    overdue: bool | None = None
    stale: bool | None = None
    said_at: str | None = None
    title: str | None = None
    supersedes: str | None = None
    superseded_by: str | None = None
    also_supersedes: list[str] | None = None
    also_superseded_by: list[str] | None = None
    superseding: Cause | None = None
    completed_by: Cause | None = None
    cancelled_by: Cause | None = None
    history: list[Declaration] | None = None
    run_id: str | None = None
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class LedgerAnswer:
    """A page of decisions or commitments.

    `total_count` counts all matches, `held_back` those besides that are less sure than `min_confidence`, and `stale`
    the commitments besides that are open and long past.
    """

    items: list[LedgerItem] = field(default_factory=list, metadata=ALWAYS)
    total_count: int = field(default=0, metadata=ALWAYS)
    held_back: int = field(default=0, metadata=ALWAYS)
    stale: int | None = None
    hint: str | None = None
