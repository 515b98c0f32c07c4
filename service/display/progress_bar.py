"""Progress bars on standard error."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

#: A rate is estimated over so many seconds: some steps take minutes.
_PERIOD: Final = 600.0


@contextmanager
def progress_bar(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show a bar while the block runs; call the yielded function with the number of steps since the last call.

    If standard error is no terminal, only the last state is printed.
    """
    with _progress() as progress:
        task = progress.add_task(what, total=total)
        yield lambda steps: progress.advance(task, steps)


@contextmanager
def total_progress_bar(what: str) -> Iterator["TotalBar"]:
    """Show the same bar; call what is yielded with the number of steps done so far and in total."""
    with _progress() as progress:
        yield TotalBar(progress, what, progress.add_task(what, total=None))


@dataclass(frozen=True, slots=True)
class TotalBar:
    """A bar of which the total may change."""

    _progress: Progress
    _what: str
    _task: TaskID

    def __call__(self, done: int, total: int) -> None:
        """Show so many steps of so many."""
        self._progress.update(self._task, completed=done, total=total, description=self._what)

    def within(self, done: int, total: int) -> None:
        """Show how far a long step is, in parts of it."""
        if done:
            self._progress.update(self._task, description=f"{self._what} ({done:,} of {total:,} parts)")


def _progress() -> Progress:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=Console(stderr=True), speed_estimate_period=_PERIOD)


class _Rate(ProgressColumn):
    """Steps a second, as far as they are known."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f}/s")
