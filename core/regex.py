"""Regular expressions that are compiled at their first use: one process needs few of the many hundred."""

import re
from typing import Any, AnyStr, cast


def regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what `re.compile` does, compiled once one of its methods is asked for.

    A mistake in a pattern so shows at its first use, and not at the import of its module.
    """
    return cast("re.Pattern[AnyStr]", _Regex(pattern, flags))


class _Regex:
    """A pattern that puts each method of the compiled one in the place of its own as it is asked for."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._given = flags
        self._compiled: re.Pattern[Any] | None = None

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - as many types as a pattern has methods
        if name.startswith("_"):
            raise AttributeError(name)
        if self._compiled is None:
            self._compiled = re.compile(self.pattern, self._given)
        found = getattr(self._compiled, name)
        setattr(self, name, found)
        return found
