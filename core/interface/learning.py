"""What callers record of texts that they have read, their decisions on entities, and the tool `review`."""

from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal, get_args

from core.errors import Faults, InvalidInput, TooLarge, check_all
from core.interface.memory import Memory, check_entries, check_text
from core.interface.parameters import Description, Range, check_choice, value_checks
from core.interface.question import DetailParameter, MaxTokensParameter
from core.knowledge.findings import CATEGORIES, ENTITY_TYPES, UNLINKED, Category, Entity, EntityType, Event, EventStatus
from core.knowledge.identities import MergeDecision
from core.knowledge.ledger import GIVABLE
from core.knowledge.secrets import Redaction, redact_record
from core.knowledge.text import repair_fields
from core.records import ALWAYS

#: Most events, and most entities, in the annotations of one text.
MAX_GIVEN: Final = 500
#: Metadata of a field that is taken, and not shown in the list of tools: descriptions name it, or a model seldom needs
#: it.
_UNLISTED: Final = {"listed": False}
#: Least number of words, or of characters, by which an earlier event is named: fewer would match any quote.
_FEWEST_WORDS, _FEWEST_CHARS = 3, 12
#: Categories whose events can complete a commitment.
_COMPLETING: Final[tuple[Category, ...]] = ("Execution", "Change", "Decision")


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenEvent:
    """An event and its verbatim evidence; `start_char` says which of several occurrences is meant.

    `due` and `event_time` are dates, `supersedes` and `completes` an `evt_…` id or words of an earlier quote.

    Raises:
        InvalidInput: a field has no valid value, or does not go with the category.
        TooLarge: a text is over its limit.
    """

    category: Category
    quote: str
    summary: str | None = field(default=None, metadata=_UNLISTED)
    owners: tuple[str, ...] = field(default=(), metadata=_UNLISTED)
    recipients: tuple[str, ...] = field(default=(), metadata=_UNLISTED)
    subjects: tuple[str, ...] = field(default=(), metadata=_UNLISTED)
    due: str | None = field(default=None, metadata=_UNLISTED)
    event_time: str | None = field(default=None, metadata=_UNLISTED)
    status: EventStatus | None = field(default=None, metadata=_UNLISTED)
    supersedes: str | None = field(default=None, metadata=_UNLISTED)
    completes: str | None = field(default=None, metadata=_UNLISTED)
    start_char: int | None = field(default=None, metadata=_UNLISTED)

    def __post_init__(self) -> None:
        repair_fields(self)
        faults = Faults()
        with faults:
            check_choice("category", self.category, CATEGORIES)
        for name in ("quote", "summary", "due", "event_time", "supersedes", "completes"):
            with faults:
                if (text := getattr(self, name)) is not None:
                    check_text(name, text)
        for name in ("owners", "recipients", "subjects"):
            with faults:
                check_entries(name, getattr(self, name))
        if not faults:
            self._check_category(faults)
        faults.raise_any()

    def _check_category(self, faults: Faults) -> None:
        """Check what goes with the category only."""
        with faults:
            statuses = GIVABLE.get(self.category, ())
            if self.status is not None and self.status not in statuses:
                allowed = f"one of {', '.join(statuses)}" if statuses else "left out"
                raise InvalidInput(f"status {self.status!r} is not valid: of a {self.category} it must be {allowed}.")
        with faults:
            if self.supersedes is not None and self.category != "Decision":
                raise InvalidInput(f"supersedes is only of a Decision, not of a {self.category}: leave it out.")
        with faults:
            if self.completes is not None and self.category not in _COMPLETING:
                raise InvalidInput(f"completes is only of {', '.join(_COMPLETING)}, not of a {self.category}.")
        for name in ("supersedes", "completes"):
            with faults:
                _check_target(name, getattr(self, name))
        with faults:
            if self.due is not None and self.category != "Commitment":
                raise InvalidInput(f"due is only of a Commitment, not of a {self.category}: leave it out.")


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenEntity:
    """A person or thing that a text names, or means by another name.

    Raises:
        InvalidInput: a field has no valid value.
        TooLarge: a text is over its limit.
    """

    name: str
    type: EntityType
    aliases: tuple[str, ...] = ()
    organization: str | None = field(default=None, metadata=_UNLISTED)
    role: str | None = field(default=None, metadata=_UNLISTED)

    def __post_init__(self) -> None:
        repair_fields(self)
        faults = Faults()
        with faults:
            check_choice("type", self.type, ENTITY_TYPES)
        for name in ("name", "organization", "role"):
            with faults:
                if (text := getattr(self, name)) is not None:
                    check_text(name, text)
        with faults:
            check_entries("aliases", self.aliases)
        faults.raise_any()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatedMemory(Memory):
    """A memory, and its annotations."""

    events: Annotated[
        tuple[GivenEvent, ...],
        Description(
            "What it decides, promises or reports; a sentence may be several. quote: its words. owners, recipients, "
            "subjects: lists of names. due: date or words. status: open, done, cancelled (Commitment); current, "
            "withdrawn (Decision). supersedes, completes: evt_… or words of it. summary."
        ),
    ] = field(default=(), metadata={"stored": False})
    entities: Annotated[
        tuple[GivenEntity, ...], Description("[{name, type: person|org|project|object|place|other, aliases}]")
    ] = field(default=(), metadata={"stored": False})

    def __post_init__(self) -> None:
        faults = Faults()
        with faults:
            Memory.__post_init__(self)
        with faults:
            check_given(self.events, self.entities)
        faults.raise_any()

    def plain(self) -> Memory:
        """Return the memory without its annotations, which are not stored among its fields."""
        return Memory.from_fields_unchecked(
            self.content, self.given() | {"stated": self.stated, "redacted": self.redacted}
        )


#: How long a call waits unless it says otherwise, and at most, in seconds. Most clients give up after 60.
WAIT_SECONDS: Final = 30
MAX_WAIT_SECONDS: Final = 600
#: Most items in one call of `remember_many`.
MAX_ITEMS: Final = 500

_Wait = Annotated[bool, Description("Wait until indexed.", "wait until vectors and events are ready")]
_WaitSeconds = Annotated[
    int | None, Description("Longest wait.", f"longest time to wait, 0 to {MAX_WAIT_SECONDS} (default: {WAIT_SECONDS})")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberRequest(AnnotatedMemory):
    """One call of `remember`."""

    wait: _Wait = field(default=False, metadata={"stored": False})
    wait_seconds: _WaitSeconds = field(default=None, metadata={"stored": False})


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberManyRequest:
    """One call of `remember_many`; an item is whatever was given for it, so that an invalid one is refused by itself.

    Raises:
        TooLarge: there are over 500 items.
        InvalidInput: `detail` or `max_tokens` is not valid.
    """

    items: Annotated[tuple[Any, ...], Description("1 to 500 objects as remember takes.")]
    wait: _Wait = False
    wait_seconds: _WaitSeconds = None
    detail: DetailParameter = "brief"
    max_tokens: MaxTokensParameter = None

    def __post_init__(self) -> None:
        check_all(*value_checks(self))
        if len(self.items) > MAX_ITEMS:
            raise TooLarge(f"items has {len(self.items):,} entries: send at most {MAX_ITEMS} in one call.")


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnRequest:
    """One call of `learn`: the caller's annotations of the item `id`, which add to or replace what extractors found."""

    id: Annotated[str, Description("art_… id.")]
    events: Annotated[tuple[GivenEvent, ...], Description("As in remember.")] = ()
    entities: Annotated[tuple[GivenEntity, ...], Description("Likewise.")] = ()
    replace: Annotated[bool, Description("Drop all that was extracted.")] = False
    redacted: tuple[Redaction, ...] = field(default=(), metadata={"given": False})

    def __post_init__(self) -> None:
        redact_record(self, "events", "entities")
        check_given(self.events, self.entities)
        if not (self.events or self.entities or self.replace):
            raise InvalidInput("learn needs events, entities or replace=true.")


@dataclass(frozen=True, slots=True)
class Learnt:
    """The result of `learn`: the ids of the annotations, in the given order, and the run that `rollback` undoes.

    `run_id` is None if all of it was known before.
    """

    id: str
    events: list[str]
    entities: list[str]
    run_id: str | None
    degraded: list[str] | None = None
    hint: str | None = None


def _check_target(field: str, target: str | None) -> None:
    """Check that words which name an earlier event are specific enough."""
    if target is None or target == UNLINKED or target.startswith("evt_"):
        return
    if len(target.split()) < _FEWEST_WORDS and len(target.strip()) < _FEWEST_CHARS:
        raise InvalidInput(f"{field} {target!r} could mean many: give an evt_… id, or at least 3 words of the quote.")


def check_given(events: tuple[GivenEvent, ...], entities: tuple[GivenEntity, ...]) -> None:
    """Check that there are not too many of either.

    Raises:
        TooLarge: there are more than `MAX_GIVEN`.
    """
    for name, given in (("events", events), ("entities", entities)):
        if len(given) > MAX_GIVEN:
            raise TooLarge(f"{name} has {len(given)} entries: at most {MAX_GIVEN} are allowed; use learn for the rest.")


#: `accept`: the two are the same. `reject`: they are different. `split`: that name, or that item, means another entity.
#: `undo`: the last decision about the two is undone. `name`: `other` is the name to show. `dismiss`: it is no entity.
MergeAction = Literal["accept", "reject", "split", "undo", "name", "dismiss"]
_KINDS: Final[tuple[str, ...]] = get_args(MergeAction)
#: Longest id or name, in characters.
_MAX_NAME: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeRequest:
    """A decision about one or two entities, each given by its id or an unambiguous name.

    When two are merged, `one` remains. For a split, `other` is a name of `one`, or the id of an item; of a dismissal it
    is `one` again.

    Raises:
        InvalidInput: a field is empty, or the kind is not known.
    """

    kind: MergeAction
    one: str
    other: str
    by: str | None = None
    note: str | None = None
    redacted: tuple[Redaction, ...] = field(default=(), metadata={"given": False})

    def __post_init__(self) -> None:
        redact_record(self, "other", "by", "note")
        check_choice("kind", self.kind, _KINDS)
        check_text("one", self.one, _MAX_NAME)
        check_text("other", self.other, _MAX_NAME)
        for name in ("by", "note"):
            if (value := getattr(self, name)) is not None:
                check_text(name, value)


@dataclass(frozen=True, slots=True)
class MergeResult:
    """The result of a merge request: the merge decision that was made or undone, and the entities it is about, as they
    are now.

    `changed` is false if nothing changed; else `rollback` takes the run `run_id` back.
    """

    changed: bool
    verdict: MergeDecision | None
    entities: list[Entity]
    run_id: str | None = None


#: Most things in one answer.
MAX_REVIEWED = 100
#: `link`: a later event that may complete a commitment or supersede a decision. `event`: an uncertain decision or
#: commitment. `owner`: an open commitment without an owner. `text`: a long item in which nothing was found. `pair`: two
#: entities that may be the same. `name`: somebody often mentioned whose name may be no person's.
Worth = Literal["link", "event", "owner", "text", "pair", "name"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewQuestion:
    """One call of `review`.

    Raises:
        InvalidInput: a number is out of range.
    """

    limit: Annotated[int, Description("1 to 100.", "maximum number of entries, 1 to 100"), Range(1, MAX_REVIEWED)] = 10
    max_tokens: MaxTokensParameter = None

    def __post_init__(self) -> None:
        check_all(*value_checks(self))


@dataclass(frozen=True, slots=True)
class LinkQuestion:
    """A later event that may complete or supersede an earlier one, or does so by an extracted link, and how likely that
    is.
    """

    relation: Literal["supersedes", "completes"]
    later: Event
    earlier: Event
    likelihood: float
    is_linked: bool = False


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One item to review: what it is and why, its evidence, and the call that settles it.

    `id` is that of the event, of the item, or of the first of two entities; `other` of the second, or of the earlier
    event of a link.
    """

    kind: Worth
    id: str
    summary: str
    quote: str | None = None
    artifact_id: str | None = None
    category: str | None = None
    confidence: float | None = None
    other: str | None = None
    settle: str | None = None


@dataclass(frozen=True, slots=True)
class Review:
    """The most worthwhile first; `total_count` counts all that were found among the newest events and items."""

    items: list[ReviewItem] = field(default_factory=list, metadata=ALWAYS)
    total_count: int = field(default=0, metadata=ALWAYS)
    hint: str | None = None
