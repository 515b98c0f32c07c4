"""Comparisons of times with bounds, whose parameters `graph.timestamps.bounds_of` makes.

A bound of a day is compared with the local times of writers, any other one with instants.
"""

from typing import Final


def since(time: str, offset: str, bound: str) -> str:
    """Return the condition that a time is not before a bound."""
    return f"({time} >= :{bound}_first AND (:{bound}_day IS NULL OR {time} + {offset} >= :{bound}_day))"


def until(time: str, offset: str, bound: str) -> str:
    """Return the condition that a time is not after a bound."""
    return f"({time} <= :{bound}_last AND (:{bound}_day IS NULL OR {time} + {offset} <= :{bound}_day))"


def before(time: str, offset: str, bound: str) -> str:
    """Return the condition that a time is before a bound."""
    return f"({time} < :{bound}_last AND (:{bound}_day IS NULL OR {time} + {offset} < :{bound}_day))"


#: That an item or claim `{0}` is of the time as of `:as_of`, and that it is of a later time.
THEN: Final = until("{0}.happened_at", "{0}.utc_offset", "as_of")
LATER: Final = (
    "({0}.happened_at > :as_of_first AND (:as_of_day IS NULL OR {0}.happened_at + {0}.utc_offset > :as_of_day))"
)
