"""What extraction finds: entities, events, and the verbatim evidence each event rests on."""

import hashlib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Final, Literal, NamedTuple, get_args

from core.regex import regex

Category = Literal[
    "Commitment", "Execution", "Decision", "Collaboration", "QualityRisk", "Feedback", "Change", "Stakeholder"
]
EntityType = Literal["person", "org", "project", "object", "place", "other"]
ActorRole = Literal["owner", "contributor", "reviewer", "stakeholder", "recipient", "other"]
#: A commitment is open, done or cancelled; a decision is current, superseded or withdrawn; other events have none.
EventStatus = Literal["open", "done", "cancelled", "current", "superseded", "withdrawn", "dismissed"]

#: Whether an extractor found an event, or somebody who had read the text gave it.
EventOrigin = Literal["extracted", "given"]
BearingRelation = Literal["SUPERSEDES", "COMPLETES"]
#: How a later event affects an earlier one: a decision a decision, a report a promise, a decision a promise.
LedgerRelation = Literal["SUPERSEDES", "COMPLETES", "CANCELS"]
#: How an event bears on an earlier one, as its giver says; the other is named by its id or by words of its quote.
Bearing = tuple[BearingRelation, str]
#: In place of the other event where an event bears on none.
UNLINKED: Final = "none"

CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)
ENTITY_TYPES: Final[tuple[EntityType, ...]] = get_args(EntityType)
#: What `recall` expands to when its caller names no categories.
EXPANDED_CATEGORIES: Final[tuple[Category, ...]] = ("Decision", "Commitment", "QualityRisk")
#: The status of a new event, by category.
FIRST_STATUS: Final[dict[Category, EventStatus]] = {"Commitment": "open", "Decision": "current"}


#: Signs that a reader takes for one: apostrophes, quotation marks and hyphens, the dotless and the dotted i of Turkish.
_ALIKE: Final = str.maketrans(
    {
        sign: plain
        for plain, signs in {"'": "’‘‛ʼʹ´`′ꞌ՚＇", '"': "“”„‟″«»", "-": "‐‑‒–—―−﹣－", "i": "ı"}.items()
        for sign in signs
    }
)
#: Signs that show nothing: formats, the tatweel that draws Arabic letters out, selectors of variants, and the dot that
#: folding the case of İ leaves.
_UNSEEN: Final = regex(
    "(?<=i)\u0307|[\u00ad\u061c\u0640\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
#: Names whose compared form is kept: names are compared with each other over and over.
_KEPT_NAMES: Final = 20_000


@lru_cache(_KEPT_NAMES)
def normalise_name(name: str) -> str:
    """Return the form that names are compared in, on every engine: what looks the same to a reader is the same.

    NFKC, case folded, apostrophes, quotation marks and hyphens each as one, single blanks, without signs that show
    nothing and without outer punctuation. Stores keep it: a change needs a migration in each engine.
    """
    return " ".join(fold_name(name).split()).strip(".,;:'\" ")


def fold_name(text: str) -> str:
    """Return a text as `normalise_name` compares it, with its blanks and outer punctuation."""
    plain = text.casefold()
    if not text.isascii():
        plain = unicodedata.normalize("NFKC", plain.translate(_ALIKE)).casefold().translate(_ALIKE)
        plain = unicodedata.normalize("NFKC", _UNSEEN.sub("", plain))
    return plain.replace("`", "'")


def entity_id(project_id: str, type_: EntityType, name: str) -> str:
    """Return the stable id of a new entity: the same name and type in one project is the same entity."""
    return f"ent_{_digest(project_id, type_, normalise_name(name))}"


def event_id(project_id: str, artifact_id: str, category: Category, start_char: int, end_char: int) -> str:
    """Return the stable id of an event: its category and the place of its first evidence."""
    return f"evt_{_digest(project_id, artifact_id, category, str(start_char), str(end_char))}"


def _digest(*parts: str) -> str:
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of characters in an artifact's content."""

    start_char: int
    end_char: int


#: How much a name counts for what its entity is called, by how an artifact introduces it. A given one decides.
IN_TEXT: Final = 1
LISTED: Final = 2
GIVEN: Final = 1_000


@dataclass(frozen=True, slots=True)
class FoundEntity:
    """An entity as an extractor saw it in one artifact; `mentions` are the places of its name or an alias.

    `weight` says how its name is introduced: `IN_TEXT`, `LISTED` (in a header, a label or a list of people) or `GIVEN`.
    """

    name: str
    type: EntityType
    aliases: tuple[str, ...] = ()
    role: str | None = None
    organization: str | None = None
    mentions: tuple[Span, ...] = ()
    weight: int = IN_TEXT


@dataclass(frozen=True, slots=True)
class FoundEvent:
    """An event as an extractor saw it; actors (name, role) and subjects are given by name.

    `quote` is the text it claims to rest on; `near_char` is where the extractor saw it, so that a quote that occurs
    twice is placed right.
    """

    category: Category
    summary: str
    quote: str
    near_char: int
    actors: tuple[tuple[str, ActorRole], ...] = ()
    subjects: tuple[str, ...] = ()
    event_time: datetime | None = None
    due: datetime | None = None
    confidence: float = 0.5
    status: EventStatus | None = None
    origin: EventOrigin = "extracted"
    bears_on: tuple[Bearing, ...] = ()


@dataclass(frozen=True, slots=True)
class Extraction:
    """All that one run of an extractor found in one artifact, before evidence is verified and names are resolved.

    Caller annotations with `replaces` take the place of all that extractors find. `unread_language` is the ISO 639
    code of the language of a text that was read by its structure alone.
    """

    entities: tuple[FoundEntity, ...] = ()
    events: tuple[FoundEvent, ...] = ()
    replaces: bool = False
    unread_language: str | None = None


NOTHING: Final = Extraction()


@dataclass(frozen=True, slots=True)
class Entity:
    """A person, organisation, project or thing. `mention_count` counts its mentions in current artifacts."""

    id: str
    name: str
    type: EntityType
    aliases: tuple[str, ...] = ()
    role: str | None = None
    organization: str | None = None
    mention_count: int = 0
    #: In the knowledge of one artifact: why a name that it gives was resolved to this entity, as (name, reason).
    reasons: tuple[tuple[str, str], ...] | None = field(default=None, compare=False)
    #: In the knowledge of one artifact: how it introduces the name, as in `FoundEntity`; None for `IN_TEXT`.
    weight: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Mention:
    """A place in an artifact where an entity is named."""

    entity_id: str
    artifact_id: str
    start_char: int
    end_char: int


@dataclass(frozen=True, slots=True)
class Actor:
    """Who took part in an event, and as what."""

    entity_id: str
    name: str
    role: ActorRole


@dataclass(frozen=True, slots=True)
class Subject:
    """What an event was about."""

    entity_id: str
    name: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """The words an event rests on: `quote == content[start_char:end_char]` of the artifact, always."""

    artifact_id: str
    quote: str
    start_char: int
    end_char: int


@dataclass(frozen=True, slots=True)
class Event:
    """Something decided, promised, done or feared. `evidence` has at least one entry, the first placing its id.

    `event_time` is when it happened, as said or as the artifact is dated; `due` only for commitments.
    """

    id: str
    category: Category
    summary: str
    actors: tuple[Actor, ...]
    subjects: tuple[Subject, ...]
    evidence: tuple[Evidence, ...]
    confidence: float
    event_time: datetime | None = None
    due: datetime | None = None
    status: EventStatus | None = None
    origin: EventOrigin = "extracted"
    bears_on: tuple[Bearing, ...] = ()


def are_decisions_closed(events: Iterable[Event]) -> bool:
    """Whether there are decisions among the events, and every one was superseded or withdrawn."""
    statuses = {event.status for event in events if event.category == "Decision"}
    return bool(statuses) and statuses <= {"superseded", "withdrawn"}


@dataclass(frozen=True, slots=True)
class EventLink:
    """A later event (`source`) that changes what holds of an earlier one (`target`); derived from what both say."""

    source: str
    target: str
    relation: LedgerRelation
    confidence: float


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What is known from one artifact, resolved and verified: it replaces what an earlier run stored for it.

    `unread_language` comes from the extraction; None if a caller annotated the text.
    `links` are those from and to its events at a time, of knowledge that is kept to be restored: stores derive the
    others anew.
    """

    entities: tuple[Entity, ...] = ()
    mentions: tuple[Mention, ...] = ()
    events: tuple[Event, ...] = ()
    unread_language: str | None = None
    links: tuple[EventLink, ...] = ()


class Link(NamedTuple):
    """One step of the graph between an entity and an event, seen from `source` (an `ent_` or `evt_` id).

    `relation` is `ACTED_IN` or `ABOUT`, `kind` the category of an event or the type of an entity at `target`. A named
    tuple because a question follows hundreds.
    """

    source: str
    target: str
    relation: Literal["ACTED_IN", "ABOUT"]
    kind: str
    weight: float
