"""Review: the arguments of the tool `review`, checked when they are made, and its result."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from core.interface.parameters import Description
from core.interface.question import MaxTokensParameter, check_detail, check_range
from core.knowledge.findings import Event
from core.records import ALWAYS

#: Most things in one answer.
MAX_ITEMS = 100
#: `link`: a later event that may complete a commitment or supersede a decision. `event`: an uncertain decision or
#: commitment. `owner`: an open commitment without an owner. `text`: a long item in which nothing was found. `pair`: two
#: entities that may be the same.
Worth = Literal["link", "event", "owner", "text", "pair"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewQuestion:
    """One call of `review`.

    Raises:
        InvalidInput: a number is out of range.
    """

    limit: Annotated[int, Description("1 to 100.", "maximum number of entries, 1 to 100")] = 10
    max_tokens: MaxTokensParameter = None

    def __post_init__(self) -> None:
        check_range("limit", self.limit, 1, MAX_ITEMS)
        check_detail("brief", self.max_tokens)


@dataclass(frozen=True, slots=True)
class LinkQuestion:
    """A later event that may complete or supersede an earlier one, and how likely that is."""

    relation: Literal["supersedes", "completes"]
    later: Event
    earlier: Event
    likelihood: float


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
