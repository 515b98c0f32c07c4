"""Memory: the arguments of `remember`, validated when it is made."""

import hashlib
import json
from bisect import bisect_right
from collections.abc import Iterable
from copy import copy
from dataclasses import Field, dataclass, field, fields, replace
from datetime import datetime, timedelta
from typing import Annotated, Any, Final, Literal, get_args

from core.dates import is_month, parse_iso, read_date, zone
from core.errors import Faults, InvalidInput, TooLarge
from core.interface.caller import CALLER
from core.interface.parameters import Description, argument_fields, check_choice
from core.knowledge.rules import RULE_CONTEXTS, TASK_WORDS
from core.knowledge.secrets import Redaction, redact_record
from core.knowledge.text import canonical_text
from core.regex import regex

Context = Literal[
    "meeting", "email", "document", "chat", "transcript", "note", "preference", "fact", "decision",
    "project", "conversation", "task", "reference", "correction", "anti_pattern", "insight", "stash",
]  # fmt: skip
Sensitivity = Literal["normal", "sensitive", "highly_sensitive"]
VisibilityScope = Literal["me", "team", "org", "custom"]
RetentionPolicy = Literal["forever", "1y", "until_resolved", "custom"]

CONTEXTS: Final[tuple[str, ...]] = get_args(Context)
#: Longest content, in characters.
MAX_CONTENT: Final = 10_000_000
#: Longest single-line field (title, author, source, key, tag, …), in characters.
MAX_FIELD: Final = 2_000
#: Maximum number of entries in a list field (tags, participants).
MAX_ENTRIES: Final = 200
#: Most parts of a file's text whose places are kept: pages, slides, rows.
MAX_PLACES: Final = 20_000
#: Longest `metadata`, in characters of its JSON.
MAX_METADATA: Final = 100_000
#: Deepest nesting of `metadata`, which every JSON library on the way to the caller must be able to serialise.
MAX_DEPTH: Final = 32
#: Highest turn index: what fits a 64-bit integer in every store.
MAX_TURN_INDEX: Final = 2**53

_PROJECT_ID = regex(r"[A-Za-z0-9._-]{1,64}")
_SCOPE = regex(r"universal|(language|project):\S.*")
_SURROGATE = regex(r"[\ud800-\udfff]")
_CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "context": CONTEXTS,
    "sensitivity": get_args(Sensitivity),
    "visibility_scope": get_args(VisibilityScope),
    "retention_policy": get_args(RetentionPolicy),
}
_DATES: Final = ("date", "document_date", "expires_at")
#: How long items with `retention_policy` "1y" are kept at most, to the start of a day, so that remembering one twice on
#: a day changes nothing: 365 days at least.
_YEAR: Final = timedelta(days=366)
#: Fields that identify an item together with its content: memories that differ here are different items. All other
#: fields are updated when the item is remembered again.
_IDENTITY: Final = (
    "context", "key", "conversation_id", "turn_index", "role", "author", "title", "date", "document_date",
    "source", "source_id", "source_url", "file_path", "scope",
)  # fmt: skip

#: What another `remember` of the same item does not set by itself.
_NOT_RENEWED: Final = (*_IDENTITY, "content", "date_source", "expires_at", "trusted", "stated", "redacted")


def check_project_id(project_id: str) -> str:
    """Return `project_id` if it is 1 to 64 of `A-Za-z0-9._-`, and open to the caller.

    Raises:
        InvalidInput: it is no project id.
        Forbidden: the caller's token is not for this project.
    """
    if not _PROJECT_ID.fullmatch(project_id):
        raise InvalidInput(
            f"project_id {project_id[:80]!r} is not valid: use 1 to 64 letters, digits, dots, underscores or hyphens."
        )
    CALLER.get().check_project(project_id)
    return project_id


def check_text(field: str, value: str, limit: int = MAX_FIELD) -> str:
    """Return `value` if it is storable Unicode of 1 to `limit` characters and not only white space.

    Raises:
        InvalidInput: it is empty, blank, or holds half of a surrogate pair.
        TooLarge: it is longer than `limit`.
    """
    if len(value) > limit:
        raise TooLarge(f"{field} has {len(value):,} characters: at most {limit:,} are allowed, so split it.")
    if not value.strip():
        raise InvalidInput(f"{field} is empty: it needs at least one character that is not white space.")
    if _SURROGATE.search(value):
        raise InvalidInput(f"{field} contains an unpaired surrogate: send valid Unicode text.")
    return value


def check_entries(field: str, entries: tuple[str, ...], most: int = MAX_ENTRIES) -> None:
    """Check a list of texts: at most so many, each as `check_text` has it.

    Raises:
        InvalidInput: an entry is not storable or blank.
        TooLarge: there are too many, or one is too long.
    """
    if len(entries) > most:
        raise TooLarge(f"{field} has {len(entries)} entries: at most {most} are allowed.")
    for entry in entries:
        check_text(f"an entry of {field}", entry)


def _depth(value: object) -> int:
    """Return how many levels of lists and objects `value` has, 0 for a plain value; counts at most `MAX_DEPTH` + 1."""
    level, depth = [value], 0
    while depth <= MAX_DEPTH:
        inner = [v for item in level if isinstance(item, dict | list | tuple) for v in _members(item)]
        if not any(isinstance(item, dict | list | tuple) for item in level):
            return depth
        level, depth = inner, depth + 1
    return depth


def _members(item: dict[Any, Any] | list[Any] | tuple[Any, ...]) -> Iterable[Any]:
    return item.values() if isinstance(item, dict) else item


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One item to remember. Values are validated when it is made; see docs/interface.md `remember` for each field.

    Raises:
        InvalidInput: a field has a value outside its choices or range.
        TooLarge: the content or another text is over its limit.
    """

    content: Annotated[str, Description("The text.")]
    context: Annotated[Context, Description("Kind; conversation needs conversation_id, turn_index.")] = "document"
    source: Annotated[str, Description("Such as slack.")] = "manual"
    importance: Annotated[float, Description("0 to 1.")] = 0.5
    title: Annotated[str | None, Description("Searched too.")] = None
    author: Annotated[str | None, Description("Who wrote or said it.")] = None
    participants: Annotated[tuple[str, ...], Description("Who took part.")] = ()
    date: Annotated[str | None, Description("When written or said.")] = None
    conversation_id: Annotated[str | None, Description("The turn's conversation.")] = None
    turn_index: Annotated[int | None, Description("The turn's number, from 0.")] = None
    role: Annotated[str | None, Description("user, assistant or system.")] = None
    key: Annotated[str | None, Description("Unique in its context; new content replaces the old.")] = None
    tags: Annotated[tuple[str, ...], Description("Such as sales/eu.")] = ()
    scope: Annotated[str, Description("Of a rule: language:NAME or project:NAME.")] = "universal"
    category: Annotated[str | None, Description("Kind of rule.")] = None
    file_path: Annotated[str | None, Description("Its path.")] = None
    task_id: Annotated[str | None, Description("Task id.")] = None
    metadata: Annotated[dict[str, Any] | None, Description("Own fields.")] = None
    sensitivity: Annotated[Sensitivity, Description("Label.")] = "normal"
    visibility_scope: Annotated[VisibilityScope, Description("Label.")] = "me"
    retention_policy: Annotated[RetentionPolicy, Description("forever, 1y, until_resolved or custom.")] = "forever"
    source_id: Annotated[str | None, Description("Id in source.")] = None
    source_url: Annotated[str | None, Description("Web address.")] = None
    document_date: Annotated[str | None, Description("If no date.")] = None
    source_type: Annotated[str | None, Description("Label.")] = None
    document_status: Annotated[str | None, Description("Label.")] = None
    author_title: Annotated[str | None, Description("Author's position.")] = None
    distribution_scope: Annotated[str | None, Description("Label.")] = None
    expires_at: Annotated[str | None, Description("Delete then.")] = None
    #: Where `date` was found, if nobody gave it; such a date is not identity.
    date_source: str | None = field(default=None, metadata={"given": False})
    #: False if only a file has said it, which its user did not say to trust; no caller gives it.
    trusted: bool | None = field(default=None, metadata={"given": False})
    #: Where the parts of its text are in its file, in order: "0 page 1", the first character and the name; no caller
    #: gives them.
    places: tuple[str, ...] = field(default=(), metadata={"given": False})
    #: The fields whose value was given on purpose even if it is the default; not stored.
    stated: frozenset[str] = field(
        default=frozenset(), compare=False, repr=False, metadata={"given": False, "stored": False}
    )

    #: The secrets that marks took the place of in its fields.
    redacted: tuple[Redaction, ...] = field(
        default=(), compare=False, repr=False, metadata={"given": False, "stored": False}
    )

    def __post_init__(self) -> None:
        redact_record(self)
        faults = Faults()
        with faults:
            check_text("content", self.content, MAX_CONTENT)
        for item in _FIELDS:
            value = getattr(self, item.name)
            if value is not item.default and isinstance(value, str | tuple):
                with faults:
                    self._check_field(item, value)
        with faults:
            if not 0 <= self.importance <= 1:
                raise InvalidInput(f"importance {self.importance!r} is out of range: use a number from 0 to 1.")
        with faults:
            if not _SCOPE.fullmatch(self.scope):
                raise InvalidInput(f"scope {self.scope!r} is not valid: use universal, language:NAME or project:NAME.")
        with faults:
            self._check_turn()
        with faults:
            self._check_metadata()
        faults.raise_any()

    def _check_field(self, item: Field[Any], value: str | tuple[str, ...]) -> None:
        if isinstance(value, str) and item.name != "content":
            check_text(item.name, value)
            if item.name in _CHOICES:
                check_choice(item.name, value, _CHOICES[item.name])
            elif item.name in _DATES:
                date = read_date(value, field=item.name, ahead=item.name == "expires_at")
                object.__setattr__(self, item.name, date)
        elif isinstance(value, tuple) and item.metadata.get("stored", True):
            check_entries(item.name, value, MAX_PLACES if item.name == "places" else MAX_ENTRIES)

    def _check_turn(self) -> None:
        if self.context == "conversation" and (self.conversation_id is None or self.turn_index is None):
            raise InvalidInput('context "conversation" needs both conversation_id and turn_index.')
        if self.turn_index is not None and not 0 <= self.turn_index <= MAX_TURN_INDEX:
            raise InvalidInput(f"turn_index {self.turn_index} is out of range: use a whole number from 0.")

    def _check_metadata(self) -> None:
        if self.metadata is None:
            return
        try:
            size = len(json.dumps(self.metadata, allow_nan=False, ensure_ascii=False).encode())
        except (TypeError, ValueError, RecursionError) as error:
            raise InvalidInput(f"metadata can't be written as JSON ({error}): use plain JSON values.") from error
        if size > MAX_METADATA:
            raise TooLarge(f"metadata takes {size:,} bytes of JSON: at most {MAX_METADATA:,} are allowed.")
        if _depth(self.metadata) > MAX_DEPTH:
            raise InvalidInput(f"metadata is nested too deep: use at most {MAX_DEPTH} levels.")

    @property
    def is_turn(self) -> bool:
        """Whether this is a turn of a conversation."""
        return self.context == "conversation"

    @property
    def is_first_hand(self) -> bool:
        """Whether a caller said it just now, so that without a date it was said when it was stored. A file's text is
        older."""
        of_file = self.file_path is not None and (self.key or "").startswith(self.file_path)
        return self.trusted is None and not of_file and self.context != "stash"

    @property
    def rule_scope(self) -> str | None:
        """The scope in which it applies as a rule, in lower case, such as `language:go`; None if it is no rule.

        Rules are items of `RULE_CONTEXTS`, and items with a category or a scope; conversation turns, stashes and what
        came from a file that is not trusted never.
        """
        if self.context in {"conversation", "stash"} or self.trusted is False:
            return None
        if self.context not in RULE_CONTEXTS and self.category is None and self.scope == "universal":
            return None
        kind, _, name = self.scope.partition(":")
        return f"{kind}:{' '.join(name.casefold().split())}" if name else kind

    @property
    def rule_category(self) -> str | None:
        """Its category in lower case; None if it has none or is no rule."""
        return None if self.category is None or self.rule_scope is None else self.category.strip().casefold()

    @property
    def rule_words(self) -> str | None:
        """The number of words of each task in it, one digit per task in the order of `TASKS`; None if it is no rule."""
        if self.rule_scope is None:
            return None
        text = self.content.lower()
        return "".join(str(sum(word in text for word in words)) for words in TASK_WORDS.values())

    def location_at(self, char: int) -> str | None:
        """Return the name of the location in the file ("page 3") of a character of the content; None if it is
        unknown."""
        before = bisect_right(self.places, char, key=lambda place: int(place.partition(" ")[0]))
        return self.places[before - 1].partition(" ")[2] if before else None

    def moment(self) -> datetime | None:
        """Return when it happened: `date`, else `document_date`, else None (then the time of storing applies)."""
        text = self.date or self.document_date
        return None if text is None else parse_iso(text, field="date")

    def written(self) -> datetime | None:
        """Return the moment of its date, to which relative times in it refer; None if it names no day.

        Without a date, `Artifact.written` may know more.
        """
        text = self.date or self.document_date
        return None if text is None or is_month(text) else self.moment()

    def expiry(self) -> datetime | None:
        """Return the moment of expiry, the start of the day for a date alone; None if it never expires."""
        return None if self.expires_at is None else parse_iso(self.expires_at, field="expires_at")

    def with_retention(self, at: datetime) -> "Memory":
        """Return this memory as it is stored at `at`: with the policy 1y, `expires_at` is at most a year later."""
        end, expiry = at + _YEAR, self.expiry()
        if self.retention_policy != "1y" or (expiry is not None and expiry <= end):
            return self
        return replace(self, expires_at=end.astimezone(zone()).date().isoformat())

    def fingerprint(self, project_id: str, *, exact: bool = False) -> str:
        """Return the SHA-256, in hex, over project, identity and content: equal means the same item.

        Contents are compared as `canonical_text` leaves them, or sign for sign if `exact`.
        """
        found = "date" if self.date_source else None
        identity = [project_id, *(None if name == found else getattr(self, name) for name in _IDENTITY)]
        identity.append(self.content if exact else canonical_text(self.content))
        return hashlib.sha256(json.dumps(identity, ensure_ascii=False).encode()).hexdigest()

    def complete(self) -> "Memory":
        """Return this memory with all its fields marked as stated: missing fields will be cleared."""
        completed = copy(self)  # which has been checked
        object.__setattr__(completed, "stated", frozenset(_DEFAULTS))
        return completed

    def updated_with(self, later: "Memory", at: datetime) -> "Memory":
        """Return this memory updated with the fields of `later` that are not identity and were given.

        A field was given if it has another value than the default, or is among those `stated`. What was said once by
        somebody who is trusted stays trusted.
        """
        updates = {
            item.name: value
            for item in _FIELDS
            if item.name not in _NOT_RENEWED
            and ((value := getattr(later, item.name)) != item.default or item.name in later.stated)
        }
        updates["expires_at"] = self._renewed_expiry(later, at)
        updates["trusted"] = None if self.trusted is None else later.trusted
        return replace(self, **updates)

    def _renewed_expiry(self, later: "Memory", at: datetime) -> str | None:
        """Return `expires_at` after `later` was said: one that has expired by then is valid again.

        A policy ends the expiry that an earlier one set: "forever" ends any expiry, another policy only the one of
        "1y".
        """
        expiry, policy = self.expiry(), later.retention_policy
        if later.expires_at is not None or (expiry is not None and expiry <= at):
            return later.expires_at
        if policy == "1y":  # `with_retention` gives it a date where it is stored
            return self.expires_at
        is_ended = "expires_at" in later.stated or (policy != "forever" and self.retention_policy == "1y")
        is_ended = is_ended or (policy == "forever" and "retention_policy" in later.stated)
        return None if is_ended else self.expires_at

    def changes(self, after: "Memory") -> dict[str, tuple[Any, Any]]:
        """Return the fields, except the content, in which `after` differs: the value before and after."""
        values = {item.name: (getattr(self, item.name), getattr(after, item.name)) for item in argument_fields(Memory)}
        return {name: pair for name, pair in values.items() if name != "content" and pair[0] != pair[1]}

    def given(self) -> dict[str, Any]:
        """Return every field with a value except the content, by name, as JSON values."""
        values = ((name, getattr(self, name)) for name in _GIVEN)
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in values
            if value is not None and value != ()
        }

    @classmethod
    def from_fields(cls, content: str, given: dict[str, Any]) -> "Memory":
        """Rebuild a memory from the result of `given`."""
        values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in given.items()}
        return cls(content=content, **values)

    @classmethod
    def from_fields_unchecked(cls, content: str, given: dict[str, Any]) -> "Memory":
        """Rebuild a stored memory without checking it again: about three times as fast."""
        memory = object.__new__(cls)
        values = {name: tuple(v) if isinstance(v, list) else v for name, v in given.items()}
        for name, value in (_DEFAULTS | values).items():
            object.__setattr__(memory, name, value)
        object.__setattr__(memory, "content", content)
        return memory


_FIELDS: Final = fields(Memory)
_DEFAULTS: Final[dict[str, Any]] = {item.name: item.default for item in _FIELDS}
_GIVEN: Final = [item.name for item in _FIELDS if item.name != "content" and item.metadata.get("stored", True)]
