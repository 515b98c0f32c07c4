"""Filters on items. Every filter acts inside the stores, before ranking."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from core.knowledge.text import tag_form, tag_forms


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Conditions that all must hold; a None or empty field means no condition.

    Dates are compared with an item's `happened_at`, ends included. `tags` must all be there.
    Of `any_tags` one must be there. Both become forms (`core.knowledge.text`): a tag is found in any spelling, and
    by its parents. `as_of` hides what happened later, `stored_until` what was stored later
    (`created_at`). `stashes` leaves what `pop` finds: items of context "stash", and those in the stashed tier. Items
    past their `expires_at` (compared with `at`), revisions and items being erased are never seen.
    """

    at: datetime
    context: str | None = None
    tags: tuple[str, ...] = ()
    any_tags: tuple[str, ...] = ()
    date_from: datetime | None = None
    date_to: datetime | None = None
    conversation_id: str | None = None
    source: str | None = None
    file_path: str | None = None
    task_id: str | None = None
    sensitivity: str | None = None
    min_importance: float = 0.0
    include_stashed: bool = True
    stashes: bool = False
    as_of: datetime | None = None
    stored_until: datetime | None = None

    def __post_init__(self) -> None:
        for name in ("tags", "any_tags"):
            object.__setattr__(self, name, tuple(dict.fromkeys(map(tag_form, getattr(self, name)))))

    def has_tags(self, tags: Iterable[str]) -> bool:
        """Whether an item with these tags passes the filters by tag."""
        forms = set(tag_forms(tags))
        return forms.issuperset(self.tags) and (not self.any_tags or not forms.isdisjoint(self.any_tags))

    def visibility(self) -> "Filters":
        """Return the filters that hide items from this caller, without those that only narrow the question.

        Related events and neighbours obey it too: a caller who asked for normal sensitivity, or for what was known last
        year, must not see other items in them.
        """
        return Filters(at=self.at, sensitivity=self.sensitivity, as_of=self.as_of, include_stashed=self.include_stashed)

    @property
    def selects(self) -> bool:
        """Whether anything beyond expiry narrows the items."""
        return self != Filters(at=self.at)
