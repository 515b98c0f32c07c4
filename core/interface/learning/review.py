"""Review: the arguments of the tool `review`, checked when they are made, and its result."""

from dataclasses import dataclass, field
from typing import Literal

from core.interface.question import check_detail, check_range
from core.records import ALWAYS

#: Most things in one answer.
MAX_ITEMS = 100
#: `event`: an uncertain decision or promise. `owner`: an open promise that nobody owns. `text`: a long item in which
#: nothing was found. `pair`: two entities that may be one.
Worth = Literal["event", "owner", "text", "pair"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewQuestion:
    """One call of `review`.

    Raises:
        InvalidInput: a number is out of range.
    """

    limit: int = 10
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        check_range("limit", self.limit, 1, MAX_ITEMS)
        check_detail("brief", self.max_tokens)


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One thing worth another look: what it is, the words it rests on, and the item in which they stand.

    `id` is that of the event, of the item, or of the first of two entities; `other` of the second.
    """

    kind: Worth
    id: str
    summary: str
    quote: str | None = None
    artifact_id: str | None = None
    category: str | None = None
    confidence: float | None = None
    other: str | None = None


@dataclass(frozen=True, slots=True)
class Review:
    """The most worthwhile first; `total_count` counts all that were found among the newest events and items."""

    items: list[ReviewItem] = field(default_factory=list, metadata=ALWAYS)
    total_count: int = field(default=0, metadata=ALWAYS)
    hint: str | None = None
