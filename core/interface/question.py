"""Question: the arguments of `recall`, checked when it is made."""

import unicodedata
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final, get_args

from core.dates import now, parse_filter
from core.errors import Faults, InvalidInput, TooLarge
from core.filters import Filters
from core.interface.memory import CONTEXTS, MAX_CONTENT, Context, Sensitivity, check_choice, check_entries, check_text
from core.interface.parameters import Description
from core.interface.results import Detail
from core.knowledge.findings import CATEGORIES, EXPANDED_CATEGORIES, Category
from core.knowledge.ledger import SURE

#: Shortest and longest query, in characters; an ideograph, a syllable or an emoji may be a query by itself.
MIN_QUERY, MAX_QUERY = 2, 5_000
#: Scripts of which one sign may be a word, as the names of their characters begin.
_WORD_SIGNS: Final = ("CJK ", "HIRAGANA ", "KATAKANA ", "HANGUL ", "YI ", "EGYPTIAN ", "CUNEIFORM ")


def _is_word(sign: str) -> bool:
    return len(sign) == 1 and (unicodedata.category(sign) == "So" or unicodedata.name(sign, "").startswith(_WORD_SIGNS))


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

_DETAILS: Final[tuple[str, ...]] = get_args(Detail)
_SENSITIVITIES: Final[tuple[str, ...]] = get_args(Sensitivity)
DetailParameter = Annotated[Detail, Description("brief or full.")]
MaxTokensParameter = Annotated[int | None, Description("Tokens.", "limit of the answer in tokens")]

#: What numbers of a question may be.
_RANGES: Final[dict[str, tuple[int, int]]] = {
    "limit": (1, MAX_LIMIT),
    "offset": (0, MAX_OFFSET),
    "graph_budget": (0, MAX_GRAPH_BUDGET),
    "graph_depth": (1, MAX_GRAPH_DEPTH),
    "min_importance": (0, 1),
    "min_confidence": (0, 1),
    "text_offset": (0, MAX_CONTENT),
}


def check_range(field: str, value: float, low: float, high: float) -> None:
    """Raise InvalidInput, naming the field and its range, unless `low <= value <= high`."""
    if not low <= value <= high:
        raise InvalidInput(f"{field} {value!r} is out of range: use {low:,} to {high:,}.")


def check_detail(detail: str, max_tokens: int | None) -> None:
    """Raise InvalidInput, naming what is allowed, unless both can be used."""
    check_choice("detail", detail, _DETAILS)
    if max_tokens is not None:
        check_range("max_tokens", max_tokens, MIN_TOKENS, MAX_TOKENS)


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
    limit: Annotated[int, Description("1 to 1000.")] = 10
    expand: Annotated[bool, Description("Add related events.")] = True
    include_events: Annotated[bool, Description("Add their events.")] = True
    date_from: Annotated[str | None, Description("Date, or 7d, 3m, 1y.")] = None
    date_to: Annotated[str | None, Description("Last date.")] = None
    conversation_id: Annotated[str | None, Description("Only this; without query, all its turns.")] = None
    graph_budget: Annotated[int, Description("Related events, to 50.")] = 10
    graph_filters: Annotated[tuple[Category, ...] | None, Description("Event categories.")] = None
    include_entities: Annotated[bool, Description("Add people.")] = True
    expand_neighbors: Annotated[bool, Description("Add neighbours.")] = False
    min_importance: Annotated[float, Description("0 to 1.")] = 0.0
    source: Annotated[str | None, Description("Only this source.")] = None
    sensitivity: Annotated[Sensitivity | None, Description("Only this sensitivity.")] = None
    tags: Annotated[tuple[str, ...], Description("All must match.")] = ()
    graph_depth: Annotated[int, Description("Steps, 1 to 3.")] = 1
    offset: Annotated[int, Description("Skip results.")] = 0
    detail: DetailParameter = "brief"
    max_tokens: Annotated[int | None, Description("Token limit; default 2000, by id 6000.")] = None
    text_offset: Annotated[int, Description("With id: first character.")] = 0
    include_stashed: Annotated[bool, Description("Stashed items too.")] = True
    as_of: Annotated[str | None, Description("As of this date.")] = None
    min_confidence: Annotated[float, Description("0 to 1.")] = SURE

    def __post_init__(self) -> None:
        faults = Faults()
        with faults:
            if self.query is not None:
                self._check_query(self.query)
        for name, choices in (("context", CONTEXTS), ("sensitivity", _SENSITIVITIES)):
            with faults:
                if (value := getattr(self, name)) is not None:
                    check_choice(name, value, choices)
        for category in self.graph_filters or ():
            with faults:
                check_choice("graph_filters", category, CATEGORIES)
        for name in ("id", "conversation_id", "source"):
            with faults:
                if (value := getattr(self, name)) is not None:
                    check_text(name, value)
        with faults:
            check_entries("tags", self.tags)
        for name, (low, high) in _RANGES.items():
            with faults:
                check_range(name, getattr(self, name), low, high)
        with faults:
            check_detail(self.detail, self.max_tokens)
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
            date_from=read("date_from", end_of_day=False),
            date_to=read("date_to", end_of_day=True),
            conversation_id=self.conversation_id,
            source=self.source,
            sensitivity=self.sensitivity,
            min_importance=self.min_importance,
            include_stashed=self.include_stashed,
            as_of=read("as_of", end_of_day=True),
        )
