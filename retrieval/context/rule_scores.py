"""How well a rule fits the current work; docs/decisions/developer-memory.md has the reasons."""

from typing import Final

from core.knowledge.rules import TASK_WORDS, RuleScope, RuleWeights, ScopeKind

#: Shares of a score that scope, frequency, recency and the task have.
_SCOPE_WEIGHT, _FREQUENCY_WEIGHT, _RECENCY_WEIGHT, _TASK_WEIGHT = 0.4, 0.3, 0.2, 0.1
#: Rules of another language or project would score 0.1 and 0.05, and are not even read.
_SCOPE_MATCH: Final[dict[ScopeKind, float]] = {"universal": 0.4, "language": 0.7, "project": 1.0}
#: So many occurrences and more score 1.
_OFTEN: Final = 10
#: Days since it last occurred, and what fewer score; longer ago scores `_LONG_AGO`.
_RECENT: Final = ((7, 1.0), (30, 0.7), (90, 0.4))
_LONG_AGO: Final = 0.1
#: The score of what is not known: the recency of a rule without a date, the task if none is named.
_UNKNOWN: Final = 0.5
#: Rules with a lower score do not bear on the work.
_THRESHOLD: Final = 0.3


def scope_points(scope: RuleScope) -> float:
    """Return what every rule of a scope gets for applying there."""
    return _SCOPE_WEIGHT * _SCOPE_MATCH[scope.kind]


def scope_weights(scope: RuleScope, task: str | None) -> RuleWeights:
    """Return how rules of a scope rank; with `scope_points` their points are a score from 0 to 1.

    A preference or an anti-pattern does not age: it scores at least 0.5 for recency, and more while it is fresh.
    For a task without its own words all rules score 0.5, as without a task.
    """
    words = TASK_WORDS.get(task or "", ())
    same_for_all = scope_points(scope) + (0.0 if words else _TASK_WEIGHT * _UNKNOWN)
    return RuleWeights(
        per_occurrence=_FREQUENCY_WEIGHT / _OFTEN,
        most_occurrences=_OFTEN,
        recent=tuple((days, _RECENCY_WEIGHT * score) for days, score in _RECENT),
        long_ago=_RECENCY_WEIGHT * _LONG_AGO,
        standing=_RECENCY_WEIGHT * _UNKNOWN,
        per_word=_TASK_WEIGHT / len(words) if words else 0.0,
        least=round(_THRESHOLD - same_for_all, 6),
    )
