"""Questions: the arguments of `recall`, `memory_context`, `faceted_search` and `explore`, checked when made."""

import re
import unicodedata
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Final, Literal

from core.dates import now, parse_filter
from core.errors import Faults, InvalidInput, TooLarge, check_all, match_choice
from core.filters import Filters
from core.interface.memory import CONTEXTS, MAX_CONTENT, Context, Sensitivity, check_entries, check_text
from core.interface.parameters import Description, Range, value_checks
from core.interface.results import Detail
from core.knowledge.findings import EXPANDED_CATEGORIES, Category, Evidence
from core.knowledge.ledger import SURE
from core.knowledge.rules import RuleScope, Workspace
from core.knowledge.text import collation_key
from core.records import ALWAYS
from core.regex import regex

#: Shortest and longest query, in characters; an ideograph, a syllable or an emoji may be a query by itself.
MIN_QUERY, MAX_QUERY = 2, 5_000
#: Scripts of which one sign may be a word, as the names of their characters begin.
_WORD_SIGNS: Final = ("CJK ", "HIRAGANA ", "KATAKANA ", "HANGUL ", "YI ", "EGYPTIAN ", "CUNEIFORM ")


def _is_word(sign: str) -> bool:
    return len(sign) == 1 and (unicodedata.category(sign) == "So" or unicodedata.name(sign, "").startswith(_WORD_SIGNS))


#: The `date_from` that lists all items: no item is earlier.
EVER: Final = "0001-01-01"
#: Maximum number of results.
MAX_LIMIT: Final = 1_000
#: Largest offset.
MAX_OFFSET: Final = 1_000_000
#: Maximum number of related events, and of steps between them and a result.
MAX_GRAPH_BUDGET, MAX_GRAPH_DEPTH = 50, 3

#: Smallest `max_tokens`, which still holds an empty answer with its hint, and largest.
MIN_TOKENS, MAX_TOKENS = 100, 10_000_000
#: Tokens of a brief answer if none are named: of any, and of one thing asked for by its id.
BRIEF_TOKENS, PART_TOKENS = 2_000, 6_000

DetailParameter = Annotated[Detail, Description("brief or full.")]
TokenRange: Final = Range(MIN_TOKENS, MAX_TOKENS)
MaxTokensParameter = Annotated[int | None, Description("Tokens.", "limit of the answer in tokens"), TokenRange]
LimitParameter = Annotated[int, Description("1 to 1000."), Range(1, MAX_LIMIT)]
OffsetParameter = Annotated[int, Description("Skip results."), Range(0, MAX_OFFSET)]
ShareParameter = Annotated[float, Description("0 to 1."), Range(0, 1)]


def token_limit(detail: Detail, max_tokens: int | None, default: int = BRIEF_TOKENS) -> int | None:
    """Return how many tokens an answer may have; None for any number."""
    return default if max_tokens is None and detail == "brief" else max_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One call of `recall`. Values are validated when it is made; see docs/interface.md `recall` for each field.

    Raises:
        InvalidInput: a field is out of range or not among its choices, or nothing was asked for.
        TooLarge: the query or another text is over its limit.
    """

    query: Annotated[str | None, Description("Plain words, or an item's key.")] = None
    id: Annotated[str | None, Description("art_…, evt_… or ent_…: only this.")] = None
    context: Annotated[Context | None, Description("Only this kind.")] = None
    limit: LimitParameter = 10
    expand: Annotated[bool, Description("Add related events.")] = True
    include_events: Annotated[bool, Description("Add their events.")] = True
    date_from: Annotated[str | None, Description("Date, or 7d, 3m, 1y.")] = None
    date_to: Annotated[str | None, Description("Last date.")] = None
    conversation_id: Annotated[str | None, Description("Only this; without query, all its turns.")] = None
    graph_budget: Annotated[int, Description("Related events, to 50."), Range(0, MAX_GRAPH_BUDGET)] = 10
    graph_filters: Annotated[tuple[Category, ...] | None, Description("Event categories.")] = None
    include_entities: Annotated[bool, Description("Add people.")] = True
    expand_neighbors: Annotated[bool, Description("Add neighbours.")] = False
    min_importance: ShareParameter = 0.0
    source: Annotated[str | None, Description("Only this source.")] = None
    sensitivity: Annotated[Sensitivity | None, Description("Only this sensitivity.")] = None
    tags: Annotated[tuple[str, ...], Description("All must match.")] = ()
    graph_depth: Annotated[int, Description("Steps, 1 to 3."), Range(1, MAX_GRAPH_DEPTH)] = 1
    offset: OffsetParameter = 0
    detail: DetailParameter = "brief"
    max_tokens: Annotated[int | None, Description("Token limit; default 2000, by id 6000."), TokenRange] = None
    text_offset: Annotated[int, Description("With id: first character."), Range(0, MAX_CONTENT)] = 0
    include_stashed: Annotated[bool, Description("Stashed items too.")] = True
    as_of: Annotated[str | None, Description("As of this date.")] = None
    min_confidence: ShareParameter = SURE

    def __post_init__(self) -> None:
        faults = Faults()
        with faults:
            if self.query is not None:
                self._check_query(self.query)
        for name in ("id", "conversation_id", "source"):
            with faults:
                if (value := getattr(self, name)) is not None:
                    check_text(name, value)
        with faults:
            check_entries("tags", self.tags)
        for check in value_checks(self):
            with faults:
                check()
        with faults:
            self.filters()
        with faults:
            if not (faults or self.query or self.id or self.conversation_id or self._lists):
                raise InvalidInput("Must provide query, id, conversation_id, or context filter")
        with faults:
            if self.text_offset and self.id is None:
                raise InvalidInput("text_offset needs id: it is a place in the text of one item.")
        faults.raise_any()

    @staticmethod
    def _check_query(query: str) -> None:
        if len(query) > MAX_QUERY:
            raise TooLarge(f"query has {len(query):,} characters: use {MIN_QUERY} to {MAX_QUERY:,}.")
        if len(query.strip()) < MIN_QUERY and not _is_word(query.strip()):
            raise InvalidInput(f"query {query!r} is too short: use {MIN_QUERY} to {MAX_QUERY:,} characters.")
        check_text("query", query, MAX_QUERY)

    @property
    def allowance(self) -> int | None:
        """How many tokens the answer may have; None for any number."""
        return token_limit(self.detail, self.max_tokens, BRIEF_TOKENS if self.id is None else PART_TOKENS)

    @property
    def _lists(self) -> bool:
        return any((self.context, self.tags, self.date_from, self.date_to, self.source))

    @property
    def categories(self) -> tuple[Category, ...]:
        """The event categories of `related`; by default three."""
        named = EXPANDED_CATEGORIES if self.graph_filters is None else self.graph_filters
        return tuple(dict.fromkeys(named))

    def filters(self, at: datetime | None = None) -> Filters:
        """Return the conditions on items; relative dates count back from `at`, which defaults to now."""
        moment = at or now()

        def read(field: str, *, end_of_day: bool) -> datetime | None:
            text: str | None = getattr(self, field)
            return None if text is None else parse_filter(text, field=field, end_of_day=end_of_day, at=moment)

        return Filters(
            at=moment,
            context=self.context,
            tags=self.tags,
            date_from=None if self.date_from == EVER else read("date_from", end_of_day=False),
            date_to=read("date_to", end_of_day=True),
            conversation_id=self.conversation_id,
            source=self.source,
            sensitivity=self.sensitivity,
            min_importance=self.min_importance,
            include_stashed=self.include_stashed,
            as_of=read("as_of", end_of_day=True),
        )


#: Maximum number of rules: ten times the default.
MAX_RULES: Final = 200
#: Smallest token budget, which holds the answer without rules, and the largest: it must leave room for the task itself
#: in the context windows of models.
MIN_BUDGET, MAX_BUDGET = 50, 100_000

_SCOPE: Final = regex(r"(universal)|(language|project):\s*(\S.*)", re.DOTALL)

_ABSOLUTE_PATH: Final = regex(r"/|[A-Za-z]:[/\\]|\\\\")


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextQuestion:
    """One call of `memory_context`. Values are validated when it is made; see docs/interface.md for each field's
    meaning.

    Raises:
        InvalidInput: a field is empty or out of range, or the scope has another form.
        TooLarge: a text is over its limit.
    """

    scope: Annotated[str | None, Description("As in remember.")] = None
    category: Annotated[str | None, Description("Such as style.")] = None
    task: Annotated[str | None, Description("coding, debugging, documentation or architecture.")] = None
    project: Annotated[str | None, Description("Default: from the folder.")] = None
    language: Annotated[str | None, Description("Likewise.")] = None
    limit: Annotated[int, Description("1 to 200."), Range(1, MAX_RULES)] = 20
    token_budget: Annotated[int, Description("50 to 100,000."), Range(MIN_BUDGET, MAX_BUDGET)] = 1_500
    folder: Annotated[str | None, Description("Absolute path.")] = None

    def __post_init__(self) -> None:
        texts = {name: getattr(self, name) for name in ("scope", "category", "task", "project", "language", "folder")}
        check_all(
            *(partial(check_text, name, value) for name, value in texts.items() if value is not None),
            self._check_place,
            *value_checks(self),
        )

    def _check_place(self) -> None:
        if self.scope is not None and not _SCOPE.fullmatch(self.scope.strip()):
            raise InvalidInput(f"scope {self.scope[:80]!r} is not valid: use universal, language:NAME or project:NAME.")
        if self.folder is not None and not _ABSOLUTE_PATH.match(self.folder):
            raise InvalidInput(f"folder {self.folder[:80]!r} is not an absolute path.")

    @property
    def needs_workspace(self) -> bool:
        """Whether the workspace matters: no scope is given, and project or language is missing."""
        return self.scope is None and (self.project is None or self.language is None)

    def scopes(self, found: Workspace) -> tuple[RuleScope, ...]:
        """Return the scopes to show: the given one, else universal, language and project as far as known.

        Given values take precedence over detected ones.
        """
        if self.scope is not None:
            return (_scope(self.scope.strip()),)
        scopes = [RuleScope("universal")]
        if language := self.language or found.language:
            scopes.append(RuleScope("language", _folded(language)))
        if project := self.project or found.project:
            scopes.append(RuleScope("project", _folded(project)))
        return tuple(scopes)


def _scope(text: str) -> RuleScope:
    found = _SCOPE.fullmatch(text)
    if found is None:
        raise AssertionError("a question's scope is checked when it is made")
    if found[1]:
        return RuleScope("universal")
    return RuleScope("language" if found[2] == "language" else "project", _folded(found[3]))


def _folded(name: str) -> str:
    return " ".join(name.split())


#: Maximum page size.
MAX_PAGE_SIZE: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetQuestion:
    """One call of `faceted_search`. Values are validated when it is made; the errors' words are fixed by
    docs/interface.md.

    With `full`, contents, tags and metadata are shown whole. With `stored_until`, items stored later are ignored, so
    that pages neither repeat nor miss an item.

    Raises:
        InvalidInput: a field is out of range, not among its choices, or no date.
        TooLarge: a tag is over its limit, or there are too many.
    """

    tags: Annotated[tuple[str, ...], Description("One must match.")] = ()
    tag_match_all: Annotated[bool, Description("All tags must match.")] = False
    memory_type: Annotated[str | None, Description("Only this kind.")] = None
    date_from: Annotated[str | None, Description("Date, or 7d, 3m, 1y.")] = None
    date_to: Annotated[str | None, Description("Last date.")] = None
    page: Annotated[int, Description("From 1.")] = 1
    page_size: Annotated[int, Description("To 100.")] = 10
    counts: Annotated[bool, Description("Count by each.")] = False
    stored_until: Annotated[str | None, Description("Stored by then.")] = None
    full: Annotated[bool, Description("Whole texts.")] = False

    def __post_init__(self) -> None:
        if self.memory_type is not None:
            object.__setattr__(self, "memory_type", match_choice(self.memory_type, CONTEXTS))
        check_all(
            lambda: check_entries("tags", self.tags),
            self._check_type,
            self._check_page,
            lambda: self.filters(now()),
        )

    def _check_type(self) -> None:
        if self.memory_type is not None and self.memory_type not in CONTEXTS:
            raise InvalidInput(f"memory_type must be one of: {', '.join(CONTEXTS)}")

    def _check_page(self) -> None:
        if self.page < 1:
            raise InvalidInput("page must be >= 1")
        if self.page_size < 1:
            raise InvalidInput("page_size must be >= 1")
        if self.page_size > MAX_PAGE_SIZE:
            raise InvalidInput(f"page_size must be <= {MAX_PAGE_SIZE}")

    @property
    def offset(self) -> int:
        """The number of items before the page."""
        return (self.page - 1) * self.page_size

    def filters(self, at: datetime) -> Filters:
        """Return the conditions on items; relative dates count back from `at`."""
        return Filters(
            at=at,
            tags=self.tags if self.tag_match_all else (),
            any_tags=() if self.tag_match_all else self.tags,
            context=self.memory_type,
            date_from=_read("date_from", self.date_from, at),
            date_to=_read("date_to", self.date_to, at),
            stored_until=_read("stored_until", self.stored_until, at),
        )


@dataclass(frozen=True, slots=True)
class FacetCount:
    """How many items have each value, most frequent first, ties by value; `more` is how many values are not listed."""

    values: tuple[tuple[str, int], ...] = ()
    more: int = 0

    def __post_init__(self) -> None:
        """Sort equally frequent values as people do; which of them are listed, an engine decides by code points."""
        by_count = sorted(self.values, key=lambda pair: (-pair[1], collation_key(pair[0])))
        object.__setattr__(self, "values", tuple(by_count))


@dataclass(frozen=True, slots=True)
class FacetCounts:
    """How many items have each tag, are of each type, and are from each month (`2026-01`) of `happened_at`."""

    tags: FacetCount = FacetCount()
    types: FacetCount = FacetCount()
    months: FacetCount = FacetCount()


def _read(field: str, text: str | None, at: datetime) -> datetime | None:
    """Return the moment of a date filter; a day alone is its first moment, or its last for an end."""
    if text is None:
        return None
    try:
        return parse_filter(text, field=field, end_of_day=field != "date_from", at=at)
    except InvalidInput as error:
        raise InvalidInput('Invalid date format. Use ISO8601 or relative (e.g., "7d")') from error


#: Maximum steps from the first node, and maximum number of nodes.
MAX_DEPTH, MAX_NODES = 3, 500
#: Longest id or name that is looked up, in characters.
_MAX_NAME: Final = 500

NodeKind = Literal["entity", "event", "item"]
EdgeType = Literal[
    "MENTIONS", "ACTED_IN", "ABOUT", "EVIDENCED_BY", "SUPERSEDES", "COMPLETES", "CANCELS", "POSSIBLY_SAME", "ECHOES"
]


#: What ids begin with: of items, events and entities.
ID_PREFIXES: Final = ("art_", "evt_", "ent_")


def as_id_or_name(what: str) -> dict[str, Any]:
    """Return the argument of `Exploration` for an id or a name."""
    return {"id" if what.startswith(ID_PREFIXES) else "name": what}


@dataclass(frozen=True, slots=True, kw_only=True)
class Exploration:
    """One call of `explore`. Values are validated when it is made.

    Raises:
        InvalidInput: a field is out of range, or not exactly one of id, name and review is given, or `to` is given
            with review.
    """

    id: Annotated[str | None, Description("ent_…, evt_… or art_… id.")] = None
    name: Annotated[str | None, Description("Name, alias or address.")] = None
    to: Annotated[str | None, Description("Id or name: find the paths there.")] = None
    depth: Annotated[int, Description("Steps from it, 1 to 3."), Range(1, MAX_DEPTH)] = 1
    budget: Annotated[
        int, Description("Most nodes, 1 to 500.", "maximum number of nodes, 1 to 500"), Range(1, MAX_NODES)
    ] = 50
    review: Annotated[bool, Description("List duplicates.")] = False
    detail: DetailParameter = "brief"
    max_tokens: MaxTokensParameter = None

    def __post_init__(self) -> None:
        named = {"id": self.id, "name": self.name, "to": self.to}
        check_all(
            *(partial(check_text, name, value, _MAX_NAME) for name, value in named.items() if value is not None),
            *value_checks(self),
            self._check_start,
        )

    def _check_start(self) -> None:
        if sum((self.id is not None, self.name is not None, self.review)) != 1:
            raise InvalidInput("explore needs exactly one of id, name and review=true.")
        if self.review and self.to is not None:
            raise InvalidInput("explore finds paths from an id or a name, not with review=true: leave one of them out.")


@dataclass(frozen=True, slots=True)
class NameReason:
    """Why a name in an item was resolved to an entity, in a fixed phrase that holds no name itself."""

    name: str
    reason: str
    artifact_id: str


@dataclass(frozen=True, slots=True)
class Node:
    """A person or thing, an event, or an item. `type` is an entity's type, an event's category, an item's context.

    `name` is an entity's name, an event's summary, an item's title, key or first words. `reasons` are given for the
    entity asked for, from the newest items that mention it.
    """

    id: str
    kind: NodeKind
    name: str
    type: str
    aliases: list[str] | None = None
    role: str | None = None
    organization: str | None = None
    mention_count: int | None = None
    reasons: list[NameReason] | None = None
    status: str | None = None
    event_time: str | None = None
    due: str | None = None
    confidence: float | None = None
    date: str | None = None
    author: str | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation of the graph with its direction; POSSIBLY_SAME has none, its evidence shows where each is named."""

    source: str
    target: str
    type: EdgeType
    role: str | None = None
    confidence: float | None = None
    reason: str | None = None
    evidence: list[Evidence] | None = None


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The result of `explore`; the first node is the one asked for. `total_count` counts all pairs to review.

    `paths`, if they were asked for, are the best ways from the first node to the second, best first: each the edges in
    the order in which one walks, whatever their direction, with the sentences that they rest on. `held_back` counts the
    events left out because they are less sure than those that `decisions` and `commitments` list.
    """

    nodes: list[Node] = field(default_factory=list, metadata=ALWAYS)
    edges: list[Edge] = field(default_factory=list, metadata=ALWAYS)
    truncated: bool = field(default=False, metadata=ALWAYS)
    total_count: int | None = None
    paths: list[list[Edge]] | None = None
    held_back: int | None = None
    hint: str | None = None
