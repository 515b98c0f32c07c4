"""Progress bars on standard error."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text


@contextmanager
def bar(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show a bar while the block runs; call the yielded function with the number of steps since the last call.

    If standard error is no terminal, only the last state is printed.
    """
    with _progress() as progress:
        task = progress.add_task(what, total=total)
        yield lambda steps: progress.advance(task, steps)


@contextmanager
def total_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show the same bar; call the yielded function with the number of steps done so far and in total."""
    with _progress() as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _Rate(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True))


class _Rate(ProgressColumn):
    """Steps a second, as far as they are known."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f}/s")
