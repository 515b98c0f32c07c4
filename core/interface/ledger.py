"""Decisions and commitments: the arguments and results of `decisions`, `commitments` and `resolve`."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Final, Literal

from core.dates import now, parse_filter
from core.errors import InvalidInput, check_all
from core.filters import Filters
from core.interface.memory import Memory, check_text
from core.interface.parameters import Description, value_checks
from core.interface.question import (
    MAX_QUERY,
    DetailParameter,
    LimitParameter,
    MaxTokensParameter,
    OffsetParameter,
    ShareParameter,
)
from core.interface.results import NULLABLE
from core.knowledge.findings import BearingRelation, EventOrigin, Evidence
from core.knowledge.ledger import STALE_AFTER, SURE
from core.knowledge.secrets import Redaction, redact_record
from core.records import ALWAYS

DecisionStatus = Literal["current", "superseded", "withdrawn", "all"]
CommitmentStatus = Literal["open", "overdue", "done", "cancelled", "stale", "all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionsQuestion:
    """One call of `decisions`. Dates are dates of the decisions, inclusive; None means no filter.

    Raises:
        InvalidInput: a field is out of range, not among its choices, or no date.
        TooLarge: a text is over its limit.
    """

    topic: Annotated[str | None, Description("A subject's name, or words.")] = None
    person: Annotated[str | None, Description("Who took part: name or ent_… id.")] = None
    status: Annotated[DecisionStatus, Description("Only with this status.")] = "current"
    date_from: Annotated[str | None, Description("Date, or 7d, 3m, 1y.")] = None
    date_to: Annotated[str | None, Description("Last date.")] = None
    as_of: Annotated[str | None, Description("As of this date.")] = None
    limit: LimitParameter = 20
    offset: OffsetParameter = 0
    min_confidence: ShareParameter = SURE
    detail: DetailParameter = "brief"
    max_tokens: MaxTokensParameter = None

    def __post_init__(self) -> None:
        check_all(
            lambda: _check_texts(topic=self.topic, person=self.person),
            *value_checks(self),
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

    owner: Annotated[str | None, Description("Who owes it: name or ent_… id.")] = None
    status: Annotated[CommitmentStatus | None, Description("Overdue: open and past due.")] = None
    due_before: Annotated[str | None, Description("Date, or 7d, 3m, 1y.")] = None
    as_of: Annotated[str | None, Description("As of this date.")] = None
    limit: LimitParameter = 20
    topic: Annotated[str | None, Description("A subject's name, or words.")] = None
    offset: OffsetParameter = 0
    min_confidence: ShareParameter = SURE
    detail: DetailParameter = "brief"
    max_tokens: MaxTokensParameter = None
    recipient: Annotated[str | None, Description("Who it is owed to.")] = None

    def __post_init__(self) -> None:
        check_all(
            lambda: _check_texts(owner=self.owner, topic=self.topic, recipient=self.recipient),
            *value_checks(self),
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


#: What may be resolved of an event, and of an entity.
OF_EVENTS: Final = ("status", "supersedes", "completes")
OF_ENTITIES: Final = ("status", "name", "same_as", "different_from")


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveRequest:
    """One call of `resolve`, on an event or on an entity.

    Of an event: its `status`, and what it `supersedes` or `completes`, an `evt_` id, or "none" where it does neither.
    Of an entity: the `name` to show, another entity that is the same or a different one, by its id or an unambiguous
    name, or the status "dismissed".

    Raises:
        InvalidInput: nothing is declared, it is not for a thing of this kind, or `detail` or `max_tokens` is not valid.
        TooLarge: the note is too long.
    """

    id: Annotated[
        str, Description("evt_… or ent_… id.", "an evt_… id of a decision, commitment or report; an ent_… id or a name")
    ]
    status: Annotated[
        str | None,
        Description(
            "open, done, cancelled; current, withdrawn; or dismissed.",
            "open, done, cancelled; of a decision current, withdrawn; dismissed, also of an entity that is none",
        ),
    ] = None
    name: Annotated[str | None, Description("Name to show.", "the name to show of an entity")] = None
    same_as: Annotated[
        str | None, Description("ent_… it is.", "an entity that this one is the same as, by ent_… id or name")
    ] = None
    different_from: Annotated[
        str | None,
        Description("ent_… it is not.", "an entity that this one is not, by ent_… id or name"),
    ] = None
    supersedes: Annotated[
        str | None,
        Description("Earlier decision: evt_… or none.", 'the earlier decision that it replaces, or "none"'),
    ] = None
    completes: Annotated[
        str | None,
        Description("Commitment met: evt_… or none.", 'the commitment that this report meets, or "none"'),
    ] = None
    note: Annotated[str | None, Description("Reason.", "reason, in a sentence")] = None
    detail: DetailParameter = "brief"
    max_tokens: MaxTokensParameter = None
    redacted: tuple[Redaction, ...] = field(default=(), metadata={"given": False})

    def __post_init__(self) -> None:
        redact_record(self, "name", "note")
        check_all(*value_checks(self))
        if self.note is not None:
            check_text("note", self.note)
        declared = [field for field in (*OF_EVENTS, *OF_ENTITIES) if getattr(self, field) is not None]
        if not declared:
            raise InvalidInput(
                "resolve needs a status; or supersedes or completes of an event; or name, same_as or different_from of "
                "an entity."
            )
        wrong = [field for field in declared if field not in (OF_EVENTS if self.is_event else OF_ENTITIES)]
        if wrong:
            kind, fitting = ("an event", OF_EVENTS) if self.is_event else ("an entity", OF_ENTITIES)
            raise InvalidInput(f"{', '.join(wrong)} can't be resolved of {kind}: give {', '.join(fitting)}.")
        if self.name is not None and not self.name.strip():
            raise InvalidInput("name is blank: give the name to show.")

    @property
    def is_event(self) -> bool:
        """Whether an event is resolved, and not an entity."""
        return self.id.startswith("evt_")

    def links(self) -> dict[BearingRelation, str]:
        """Return the links that are declared, by relation."""
        links: dict[BearingRelation, str | None] = {"SUPERSEDES": self.supersedes, "COMPLETES": self.completes}
        return {relation: target for relation, target in links.items() if target is not None}


def _check_texts(**texts: str | None) -> None:
    for name, text in texts.items():
        if text is not None:
            check_text(name, text, MAX_QUERY)


def _seen(as_of: str | None) -> Filters:
    at = now()
    return Filters(at=at, as_of=None if as_of is None else parse_filter(as_of, field="as_of", end_of_day=True, at=at))


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
