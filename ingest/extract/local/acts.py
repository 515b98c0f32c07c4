"""What a sentence does, and how sure that is."""

from dataclasses import dataclass
from typing import Final

from core.knowledge.findings import Category

EXPLICIT: Final = 0.9
STRONG: Final = 0.75
LIKELY: Final = 0.6
WEAK: Final = 0.5


@dataclass(frozen=True, slots=True)
class Act:
    """What a sentence does. `who_start` and `who_end` hold its grammatical subject; equal when it has none.

    An `own` act has no subject and is its speaker's.
    """

    category: Category
    confidence: float
    start: int
    who_start: int
    who_end: int
    own: bool = False

    @property
    def has_who(self) -> bool:
        """Whether it has a grammatical subject."""
        return self.who_start != self.who_end
