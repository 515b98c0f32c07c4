"""Results of `decisions`, `commitments` and `resolve`, in the format of `core.interface.results`."""

from dataclasses import dataclass, field

from core.knowledge.findings import Evidence


@dataclass(frozen=True, slots=True)
class Cause:
    """The later event that changed the status of another, with its evidence."""

    id: str
    summary: str
    artifact_id: str
    evidence: list[Evidence]
    event_time: str | None = None


@dataclass(frozen=True, slots=True)
class Declaration:
    """A status that a person set for an event, and when."""

    status: str
    at: str
    note: str | None = None


@dataclass(frozen=True, slots=True)
class LedgerItem:
    """A decision or a commitment.

    `overdue` says whether the due date of an open commitment has passed. `supersedes` is the newest decision that this
    one supersedes, `superseded_by` the first that superseded it; any others are in `also_…`.
    """

    id: str
    category: str
    summary: str
    status: str | None
    event_time: str | None
    owners: list[str]
    subjects: list[str]
    evidence: list[Evidence]
    artifact_id: str
    confidence: float
    due: str | None = None
    overdue: bool | None = None
    supersedes: str | None = None
    superseded_by: str | None = None
    also_supersedes: list[str] | None = None
    also_superseded_by: list[str] | None = None
    superseding: Cause | None = None
    completed_by: Cause | None = None
    cancelled_by: Cause | None = None
    history: list[Declaration] | None = None


@dataclass(frozen=True, slots=True)
class LedgerAnswer:
    """A page of decisions or commitments; `total_count` counts all matches."""

    items: list[LedgerItem] = field(default_factory=list)
    total_count: int = 0
    hint: str | None = None
