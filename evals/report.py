"""Reports: the tables on the terminal, as a page in docs/, and as JSON."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from rich import table as drawn
from rich.console import Console
from rich.markup import escape

from core.dates import now
from evals.figures import Figure, Row, Table
from evals.metrics import Interval

#: The folder of the project.
ROOT: Final = Path(__file__).parents[1]
_LEGEND: Final = (
    "Each cell is a mean over questions. The first row of a table has its 95 % bootstrap interval and what it is meant "
    "to reach; the others have their difference to the first on the same questions with its interval, and a star where "
    "that leaves out 0 (2,000 draws, not corrected for the number of comparisons)."
)


@dataclass(frozen=True, slots=True)
class Run:
    """What was measured, when (a day), at which commit, by which command."""

    tables: Sequence[Table]
    date: str
    commit: str
    command: str

    @classmethod
    def of(cls, tables: Sequence[Table], command: str) -> Self:
        """Return what was measured today with the code that is checked out."""
        return cls(tables, now().date().isoformat(), _commit(), command)

    def missed(self) -> list[str]:
        """Return what is shipped and below its target, each as `table: figure`."""
        return [
            f"{table.title}: {'' if table.compared else row.name + ', '}{figure.name}"
            for table in self.tables
            for row in (table.rows[:1] if table.compared else table.rows)
            for figure in row.figures
            if not figure.is_reached
        ]


def _commit() -> str:
    """Return the short id of the commit, and whether files were changed since."""
    asked = [["git", "rev-parse", "--short", "HEAD"], ["git", "status", "--porcelain", "--untracked-files=no"]]
    try:
        commit, changed = (
            subprocess.run(one, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603
            for one in asked
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown (no git)"
    return f"{commit} with uncommitted changes" if changed else commit


def show(run: Run, out: Console) -> None:
    """Print the tables and what was missed."""
    for table in run.tables:
        out.print(f"\n[bold]{escape(table.title)}[/]\n{escape(table.note)}")
        if table.rows:
            header, *rows = _grid(table)
            columns = drawn.Table(*header)
            for row in rows:
                columns.add_row(*map(escape, row))
            out.print(columns)
    out.print(f"\n{escape(_LEGEND)}")
    for missed in run.missed():
        out.print(f"[red]Not reached:[/] {escape(missed)}")


def as_markdown(run: Run, title: str, note: str) -> str:
    """Return a page of the documents: under the title how it was measured, then the note, then the tables."""
    head = (
        f"# {title}\n\nWritten by `{run.command}` on {run.date} at commit {run.commit}: through the tools of the "
        f"service, on embedded stores with the local embedder, without an LLM.\n\n{_LEGEND}\n\n{note}\n"
    )
    return head + "".join(_section(table) for table in run.tables)


def as_json(run: Run) -> dict[str, object]:
    """Return everything measured as plain JSON values; differences only where rows are compared."""
    return {
        "date": run.date,
        "commit": run.commit,
        "command": run.command,
        "not_reached": run.missed(),
        "tables": [_json_table(table) for table in run.tables],
    }


def _section(table: Table) -> str:
    lines = [f"\n## {table.title}\n\n{table.note}\n"]
    if table.rows:
        header, *rows = _grid(table)
        lines += ["", _line(header), _line(["---"] * len(header)), *map(_line, rows), ""]
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _grid(table: Table) -> list[list[str]]:
    """Return the header and the rows as text."""
    first = table.rows[0]
    return [
        ["", *(figure.name for figure in first.figures)],
        *([row.name, *_cells(row, first if table.compared else row)] for row in table.rows),
    ]


def _cells(row: Row, first: Row) -> list[str]:
    if row is first:
        return [_own(figure) for figure in row.figures]
    return [_against(figure, its) for figure, its in zip(row.figures, first.figures, strict=True)]


def _own(figure: Figure) -> str:
    if not figure.values:
        return "none"
    told = figure.interval()
    wanted = "" if figure.target is None else f", {'✓' if figure.is_reached else '✗'} ≥ {figure.target:.2f}"
    return f"{told.mean:.3f} [{told.low:.3f}, {told.high:.3f}]{wanted}"


def _against(figure: Figure, first: Figure) -> str:
    more = figure.less(first)
    star = "*" if more.is_clear else ""
    return f"{figure.interval().mean:.3f}, {more.mean:+.3f}{star} [{more.low:+.3f}, {more.high:+.3f}]"


def _json_table(table: Table) -> dict[str, object]:
    return {
        "title": table.title,
        "note": table.note,
        "rows": [
            {"name": row.name, "figures": _json_figures(row, table.rows[0] if table.compared else row)}
            for row in table.rows
        ],
    }


def _json_figures(row: Row, first: Row) -> list[dict[str, object]]:
    return [
        {"name": figure.name, "questions": len(figure.values), **_json_interval(figure.interval())}
        | ({} if figure.target is None else {"target": figure.target})
        | ({} if row is first else {"difference": _json_interval(figure.less(its))})
        for figure, its in zip(row.figures, first.figures, strict=True)
    ]


def _json_interval(told: Interval) -> dict[str, object]:
    return {"mean": round(told.mean, 5), "low": round(told.low, 5), "high": round(told.high, 5)}
