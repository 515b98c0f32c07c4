"""The protocol of developer memory: the items that count as rules, best first."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from core.knowledge.rules import Rule, RuleQuery


class Rules(Protocol):
    """Current items with a `Memory.rule_scope`. Stashed ones were put aside and are not among them."""

    def rules(self, project_id: str, query: RuleQuery) -> tuple[Sequence[Rule], int]:
        """Return the rules asked for, and how many there are without `limit` and of whatever length.

        Most points first, then the one that last occurred, then by id.

        The cost grows with the rules that these scopes have, whatever else the project holds.
        """
        ...

    def rule_scopes(self, project_id: str, at: datetime) -> Mapping[str, int]:
        """Return every scope that a rule has, and how many have it."""
        ...
