"""Facets: the arguments of `faceted_search`, checked when they are made, and counts of items by facet."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final

from core.dates import now, parse_filter
from core.errors import InvalidInput, check_all, match_choice
from core.filters import Filters
from core.interface.memory import CONTEXTS, check_entries
from core.interface.parameters import Description

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
