"""What the system of record keeps: artifacts, chunks, the jobs that wait on them, and faults of what is derived."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Final, Literal, Self

from core.dates import MONTHS, in_zone, to_text
from core.interface.memory import Memory
from core.regex import regex

_MONTHS: Final = tuple(map(str.title, MONTHS))
#: What of a prefix the embedder does not see: the date, and after it a name, as `insert_name` writes it.
_UNEMBEDDED: Final = regex(rf"^(\[(?:\d{{1,2}} )?(?:{'|'.join(_MONTHS)}) \d{{1,4}}\] )?(?:⟦[^⟧]*⟧\n)?")

#: The ending of a restatement's prefix, which no other prefix has.
_SAYS: Final = " — "

#: Metadata of a field that is there in every answer, empty or not.
ALWAYS = {"shown": "always"}
#: `embed` computes an artifact's vectors, `extract` its knowledge; `erase` finishes a deletion or drops what a
#: replaced revision left in the vector index; `reembed` computes the vectors again, whatever is cached.
JobKind = Literal["embed", "extract", "erase", "reembed"]
#: Jobs that are removed when they are done.
PASSING_JOBS: Final[frozenset[JobKind]] = frozenset({"erase", "reembed"})
#: The jobs of an item whose annotations changed: its restatements are embedded as well.
ANNOTATION_JOBS: Final[tuple[JobKind, ...]] = ("embed", "extract")
#: No job is due later than this from now. A later one was postponed or claimed before the clock was set back, and is
#: due.
FARTHEST_DUE: Final = timedelta(minutes=10)
#: For how long everything in an item kept `until_resolved` must have been declared settled before the item is deleted:
#: the time in which a mistake can be taken back.
SETTLED_FOR: Final = timedelta(days=7)
JobState = Literal["pending", "running", "done", "failed"]
AddStatus = Literal["stored", "duplicate", "updated"]


def artifact_id(fingerprint: str, attempt: int = 0) -> str:
    """Return the id of the item with this fingerprint: `art_` and 12 hex digits.

    `attempt` counts the ids already taken by other items (a collision of 48 bits).
    """
    digest = fingerprint if attempt == 0 else hashlib.sha256(f"{fingerprint}/{attempt}".encode()).hexdigest()
    return f"art_{digest[:12]}"


def text_hash(text: str) -> str:
    """Return the SHA-256 of `text` in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def embedding_key(project_id: str, text: str) -> str:
    """Return the cache key of a text's embedding; it includes the project, so that timing reveals nothing about other
    projects."""
    return text_hash(f"{project_id}\n{text}")


def date_prefix(day: date, *, month_only: bool = False) -> str:
    """Return the date prefix of a chunk, in words that a question may use: `[8 May 2023] `."""
    return f"[{'' if month_only else f'{day.day} '}{_MONTHS[day.month - 1]} {day.year}] "


def insert_name(prefix: str, name: str) -> str:
    """Return a chunk's prefix with a name that is indexed in full text and not embedded."""
    day = _UNEMBEDDED.match(prefix)
    at = day.end(1) if day and day[1] else 0
    return f"{prefix[:at]}⟦{name.replace('⟧', ' ')}⟧\n{prefix[at:]}"


@dataclass(frozen=True, slots=True)
class ListCursor:
    """An item's position in lists: newest `happened_at` first, ties by the newest `created_at`, then by id."""

    happened_at: datetime
    created_at: datetime
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """One remembered item.

    `happened_at` is the memory's own date, else when it was stored, with the writer's offset.
    """

    id: str
    project_id: str
    memory: Memory
    fingerprint: str
    happened_at: datetime
    created_at: datetime
    updated_at: datetime
    last_occurred: datetime
    token_count: int
    num_chunks: int
    frequency: int = 1
    stashed: bool = False
    #: The id that replaced this one under its key; None for a current item.
    replaced_by: str | None = None
    #: The ids of earlier items whose sentences this one repeats word for word; sorted.
    echoes: tuple[str, ...] = ()

    def written(self) -> datetime | None:
        """Return the moment to which relative times in it refer, in the writer's zone.

        A first-hand item without a date was said when it was stored. The date of a file without one is unknown: None.
        """
        moment = self.memory.written()
        if moment is None and self.memory.moment() is None and self.memory.is_first_hand:
            moment = self.happened_at
        return None if moment is None else in_zone(moment)

    @property
    def cursor(self) -> ListCursor:
        """Its position in lists."""
        return ListCursor(self.happened_at, self.created_at, self.id)

    def metadata(self) -> dict[str, Any]:
        """Return the fields given to `remember` under their own names, and the stored times and counts."""
        facts: dict[str, Any] = self.memory.given() | {
            "created_at": to_text(self.created_at),
            "updated_at": to_text(self.updated_at),
            "last_occurred": to_text(self.last_occurred),
            "frequency": self.frequency,
            "token_count": self.token_count,
            "num_chunks": self.num_chunks,
        }
        if self.echoes:
            facts["echoes"] = list(self.echoes)
        return facts if self.replaced_by is None else facts | {"replaced_by": self.replaced_by}


@dataclass(frozen=True, slots=True)
class KeyHolder:
    """A current or former item of a key that was replaced at least once; `passes` says whether it matches the
    filters."""

    id: str
    key: str
    context: str
    created_at: datetime
    updated_at: datetime
    replaced_by: str | None
    tags: tuple[str, ...]
    passes: bool


@dataclass(frozen=True, slots=True)
class Chunk:
    """A slice of an artifact: `text == content[start_char:end_char]`; chunks may overlap and cover all of it.

    `prefix` (date, title, speaker, section) is indexed in front of the text and never stored in it. The chunks
    that cover the text are followed by its restatements.
    """

    artifact_id: str
    index: int
    start_char: int
    end_char: int
    text: str
    prefix: str
    token_count: int

    @property
    def id(self) -> str:
        """The chunk's id in every store: `art_…:3`."""
        return f"{self.artifact_id}:{self.index}"

    @property
    def indexed_text(self) -> str:
        """The text in the full-text index: the prefix and the text."""
        return self.prefix + self.text

    @property
    def is_restatement(self) -> bool:
        """Whether it is a restatement: a caller's summary of a quote, after the chunks of the text itself."""
        return self.prefix.endswith(_SAYS)

    @property
    def embedded_text(self) -> str:
        """The text that is embedded: the same without the date, which would draw all items of one day together, and
        without the title that the item's text begins with, which would take room from it."""
        return _UNEMBEDDED.sub("", self.prefix) + self.text

    def embedding_key_in(self, project_id: str) -> str:
        """Return the cache key of its embedding."""
        return embedding_key(project_id, self.embedded_text)


def chunks_to_embed(chunks: Iterable[Chunk]) -> list[Chunk]:
    """Return the chunks of an item that get a vector: of chunks with equal embedded text, the first.

    Thousands of equal vectors, as of a line of a million dashes, have only each other as neighbours, and cut
    others off from a search: among 11,000 of them it found 76 of 100 notes whose exact words were searched for.
    """
    firsts: dict[str, Chunk] = {}
    for chunk in chunks:
        firsts.setdefault(chunk.embedded_text, chunk)
    return list(firsts.values())


def containing_chunk(chunks: Iterable[Chunk], start_char: int, end_char: int) -> Chunk:
    """Return the chunk of the text, not a restatement, that overlaps most with a range."""
    texts = (chunk for chunk in chunks if not chunk.is_restatement)
    return max(texts, key=lambda chunk: min(end_char, chunk.end_char) - max(start_char, chunk.start_char))


def make_restatement(around: Chunk, index: int, said: str, quote: str, start_char: int, token_count: int) -> Chunk:
    """Return the restatement of a quote as a chunk: its prefix is the prefix of the chunk around it, then `said`."""
    prefix, stop = f"{around.prefix}{said}{_SAYS}", start_char + len(quote)
    return Chunk(around.artifact_id, index, start_char, stop, quote, prefix, token_count)


@dataclass(frozen=True, slots=True)
class Scored:
    """A chunk that a search found, with its score (higher is better)."""

    artifact_id: str
    index: int
    score: float


@dataclass(frozen=True, slots=True)
class Added:
    """What `Records.add` did: the item's id, the id it replaced under its key, and the run of its new annotations.

    `changed` has the fields that differ from the stored or the replaced item: the value before, and after.
    """

    artifact_id: str
    status: AddStatus
    jobs_queued: int
    replaced: str | None = None
    run_id: str | None = None
    changed: Mapping[str, tuple[Any, Any]] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Job:
    """A claimed piece of background work. `attempts` includes this one.

    `num_chunks` is how many chunks the artifact has, for `erase` how many it had when its erasure was queued: the ids
    to delete from the vector index are `Chunk.id` of 0 to `num_chunks - 1`.
    """

    id: int
    project_id: str
    artifact_id: str
    kind: JobKind
    attempts: int
    lease_owner: str
    num_chunks: int


@dataclass(frozen=True, slots=True)
class JobCounts:
    """How many jobs are pending or running (`pending`), how many failed, and how many run now."""

    pending: int
    failed: int
    running: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class JobReport:
    """The state of one artifact's job; `error` is the reason of its last failure."""

    kind: JobKind
    state: JobState
    attempts: int
    error: str | None = None


@dataclass(frozen=True, slots=True)
class ParkedJob:
    """A failed job: its item, the item's title (None without one), and the reason."""

    project_id: str
    artifact_id: str
    kind: JobKind
    title: str | None
    error: str


@dataclass(frozen=True, slots=True)
class Counts:
    """How many of each thing a project holds; revisions, expired items and what only they contain are not counted.

    `chunks` counts chunks of content, `turns` conversation turns: an artifact is in one of the two. `unread_languages`
    counts, by ISO 639 code, the items whose text was extracted by its structure alone.
    """

    artifacts: int = field(default=0, metadata=ALWAYS)
    chunks: int = field(default=0, metadata=ALWAYS)
    turns: int = field(default=0, metadata=ALWAYS)
    entities: int = field(default=0, metadata=ALWAYS)
    events: int = field(default=0, metadata=ALWAYS)
    decisions: int = field(default=0, metadata=ALWAYS)
    commitments: int = field(default=0, metadata=ALWAYS)
    stashed: int = field(default=0, metadata=ALWAYS)
    unread_languages: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DeletionCounts:
    """How many rows a deletion removes besides the items."""

    chunks: int
    events: int
    entities: int

    def __add__(self, other: "DeletionCounts") -> "DeletionCounts":
        return DeletionCounts(self.chunks + other.chunks, self.events + other.events, self.entities + other.entities)


#: `record` is what nothing else could be made from; the others are derived from it.
Part = Literal["record", "words", "lists", "graph", "vectors"]

#: Issue of items that must be split into chunks again.
UNCUT: Final = "items have more or fewer chunks than were cut"
#: Issue of terms whose word is lost, belongs to another term, or can't be found by its n-grams.
MISSPELT: Final = "terms are not found when their word is mistyped"


@dataclass(frozen=True, slots=True)
class IntegrityIssue:
    """One kind of fault in one part; `what` goes on after a number, such as `chunks have no words`."""

    part: Part
    what: str
    #: What is missing, extra or wrong, each once and sorted.
    ids: tuple[str, ...] = ()
    #: None for a fault of the store as a whole.
    project_id: str | None = None
    #: How many things without ids there are.
    unnamed: int = 0

    @classmethod
    def by_project(cls, part: Part, what: str, found: Iterable[tuple[str | None, str]]) -> list[Self]:
        """Return an issue for each project of what was found (project, id), in the order of their names."""
        projects: dict[str | None, set[str]] = {}
        for project_id, id_ in found:
            projects.setdefault(project_id, set()).add(id_)
        ordered = sorted(projects.items(), key=lambda pair: (pair[0] is not None, pair[0] or ""))
        return [cls(part, what, tuple(sorted(ids)), project_id) for project_id, ids in ordered]

    @property
    def number(self) -> int:
        """How many of it there are."""
        return len(self.ids) + self.unnamed

    def __str__(self) -> str:
        place = "" if self.project_id is None else f"project {self.project_id}: "
        return f"{place}{self.number} {self.what}"
