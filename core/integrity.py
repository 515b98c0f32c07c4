"""Integrity issues: where a derived part of the memory differs from the record."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, Self

#: `record` is what nothing else could be made from; the others are derived from it.
Part = Literal["record", "words", "lists", "graph", "vectors"]

#: Issue of items that must be split into chunks again.
UNCUT: Final = "items have more or fewer chunks than were cut"
#: Issue of terms whose word is lost, belongs to another term, or can't be found by its n-grams.
MISSPELT: Final = "terms are not found when their word is mistyped"


@dataclass(frozen=True, slots=True)
class IntegrityIssue:
    """One kind of fault in one part; `what` goes on after a number, such as `chunks have no words`."""

    part: Part
    what: str
    #: What is missing, extra or wrong, each once and sorted.
    ids: tuple[str, ...] = ()
    #: None for a fault of the store as a whole.
    project_id: str | None = None
    #: How many things without ids there are.
    unnamed: int = 0

    @classmethod
    def by_project(cls, part: Part, what: str, found: Iterable[tuple[str | None, str]]) -> list[Self]:
        """Return an issue for each project of what was found (project, id), in the order of their names."""
        projects: dict[str | None, set[str]] = {}
        for project_id, id_ in found:
            projects.setdefault(project_id, set()).add(id_)
        ordered = sorted(projects.items(), key=lambda pair: (pair[0] is not None, pair[0] or ""))
        return [cls(part, what, tuple(sorted(ids)), project_id) for project_id, ids in ordered]

    @property
    def number(self) -> int:
        """How many of it there are."""
        return len(self.ids) + self.unnamed

    def __str__(self) -> str:
        place = "" if self.project_id is None else f"project {self.project_id}: "
        return f"{place}{self.number} {self.what}"
