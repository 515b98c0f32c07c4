"""`search` and `fetch`: the pair of tools that ChatGPT's connectors and its deep research expect, in their shape."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final

from core.errors import InvalidInput, check_all
from core.interface.parameters import Description
from core.interface.question import Question
from core.regex import regex

_SOURCE: Final = regex(r"(?:([A-Za-z0-9._-]{1,64})/)?((?:art|evt|ent)_[0-9a-f]{12})(?:@(\d{1,8}))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuestion:
    """One call of `search`.

    Raises:
        InvalidInput: the query is too short or too long.
    """

    query: Annotated[str, Description("What to find, in plain words, names and dates.")]

    def __post_init__(self) -> None:
        check_all(lambda: Question(query=self.query))


@dataclass(frozen=True, slots=True)
class SourceId:
    """What an id of `search` names: a thing, its project if that is not `default`, and where in its text to begin."""

    id: str
    project_id: str | None = None
    offset: int = 0

    def __str__(self) -> str:
        project = "" if self.project_id is None else f"{self.project_id}/"
        return f"{project}{self.id}{f'@{self.offset}' if self.offset else ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchQuestion:
    """One call of `fetch`.

    Raises:
        InvalidInput: the id is none that `search` answers with.
    """

    id: Annotated[str, Description("An id that search or fetch answered with.")]

    def __post_init__(self) -> None:
        check_all(lambda: self.source)

    @property
    def source(self) -> SourceId:
        """What the id names."""
        if (found := _SOURCE.fullmatch(self.id.strip())) is None:
            raise InvalidInput(f"id {self.id[:80]!r} is not valid: use one that search answered with, such as art_….")
        return SourceId(found[2], found[1], int(found[3] or 0))


@dataclass(frozen=True, slots=True)
class FoundSource:
    """A text that may answer; `url` can be cited."""

    id: str
    title: str
    url: str


@dataclass(frozen=True, slots=True)
class FoundSources:
    """The result of `search`."""

    results: list[FoundSource]


@dataclass(frozen=True, slots=True)
class FetchedSource:
    """The result of `fetch`: a text, or a part of it whose `metadata` has the id of the next one as `continues`."""

    id: str
    title: str
    text: str
    url: str
    metadata: Mapping[str, str]
