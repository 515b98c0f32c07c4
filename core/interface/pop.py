"""Pop: the arguments of `pop`, checked when they are made, and its result."""

from dataclasses import dataclass, field
from typing import Final, Literal

from core.interface.memory import check_text
from core.interface.question import MAX_QUERY, check_detail, check_range
from core.interface.results import ALWAYS, Detail, Result

#: Maximum number of stashes.
MAX_POPPED: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class PopQuestion:
    """One call of `pop`. A name may have one character.

    Raises:
        InvalidInput: a field is out of range, or the name is blank.
        TooLarge: the name is over the limit of a query.
    """

    name: str
    limit: int = 5
    detail: Detail = "brief"
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        check_text("name", self.name, MAX_QUERY)
        check_range("limit", self.limit, 1, MAX_POPPED)
        check_detail(self.detail, self.max_tokens)


@dataclass(frozen=True, slots=True)
class Popped:
    """The result of `pop`. `degraded` names unavailable components; `message` says what to try or what was left out.

    `answer_likelihood` is as in `Recall`; None where the name was exact.
    """

    results: list[Result] = field(default_factory=list, metadata=ALWAYS)
    match_type: Literal["exact", "hybrid"] = field(default="hybrid", metadata=ALWAYS)
    degraded: list[str] = field(default_factory=list, metadata=ALWAYS)
    message: str | None = None
    answer_likelihood: float | None = None
