"""Figures, each with one value per question, and their tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from evals.client import Answer, Asking
from evals.metrics import Interval, bootstrap


@dataclass(frozen=True, slots=True)
class Figure:
    """The mean of `values`, one a question, and the least it is meant to be; None if nothing is asked of it."""

    name: str
    values: tuple[float, ...]
    target: float | None = None

    @property
    def is_reached(self) -> bool:
        """Whether the mean is at least the target; true without one."""
        return self.target is None or sum(self.values) >= self.target * len(self.values)

    def interval(self) -> Interval:
        """Return the mean over all questions and its limits."""
        return bootstrap(self.values)

    def less(self, other: "Figure") -> Interval:
        """Return by how much the mean is above that of `other`, which has the same questions in the same order."""
        return bootstrap([mine - its for mine, its in zip(self.values, other.values, strict=True)])


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one way to answer, or of one kind of question."""

    name: str
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows with the same figures. Where they are `compared`, each is set against the first on the same questions."""

    title: str
    note: str
    rows: tuple[Row, ...]
    compared: bool = True


#: Figures of one task by the title of the table they stand in.
Titled = Mapping[str, Sequence[Figure]]


class Task(Protocol):
    """Questions, and the figures of their answers. Pure: no input or output."""

    @property
    def notes(self) -> Mapping[str, str]:
        """What a reader of each table must know, by its title; the same titles in the same order as the figures."""
        ...

    def askings(self) -> list[Asking]:
        """Return the calls of `recall` to make, always the same in the same order."""
        ...

    def figures(self, answers: Sequence[Answer]) -> Titled:
        """Return the figures of the answers, which stand in the order of `askings`."""
        ...


def tables(task: Task, answers: Mapping[str, Sequence[Answer]]) -> list[Table]:
    """Return the tables of a task with one row for each way to answer, the first being what others are set against."""
    told = {name: task.figures(given) for name, given in answers.items()}
    return [
        Table(title, note, tuple(Row(name, tuple(titled[title])) for name, titled in told.items()))
        for title, note in task.notes.items()
    ]
