"""How many tokens each section of developer memory may take; docs/decisions/developer-memory.md has the reasons."""

from dataclasses import dataclass, field
from typing import Final

from core.knowledge.rules import ScopeKind

#: Tokens of a section with its heading, of 1,500 in all.
_SHARES: Final[dict[ScopeKind, int]] = {"universal": 700, "language": 500, "project": 300}
_WHOLE: Final = sum(_SHARES.values())


@dataclass(slots=True)
class Allowance:
    """What is left of a budget. A budget over 1,500 gives each section more in proportion.

    A smaller one leaves the sections their shares and caps the sum, so that the best rules get it whatever their scope.
    """

    budget: int
    _left: int = field(init=False)
    _sections: dict[ScopeKind, int] = field(init=False)

    def __post_init__(self) -> None:
        self._left = self.budget
        self._sections = {kind: share * max(_WHOLE, self.budget) // _WHOLE for kind, share in _SHARES.items()}

    def room(self, kind: ScopeKind) -> int:
        """Return how many tokens a section can still take."""
        return min(self._left, self._sections[kind])

    def take(self, tokens: int, kind: ScopeKind | None = None) -> None:
        """Use up tokens for a section, or for what is in none."""
        self._left -= tokens
        if kind is not None:
            self._sections[kind] -= tokens
