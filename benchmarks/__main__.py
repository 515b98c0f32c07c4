"""`python -m benchmarks`: print every ratio with its bound; exit 1 if one does not hold."""

import sys
from collections.abc import Callable
from typing import Final

from rich.console import Console
from rich.table import Table

from benchmarks import corpus, measures, start

_MEASURES: Final[tuple[Callable[[], measures.Measure], ...]] = (
    measures.acknowledgement,
    measures.bulk,
    lambda: measures.backlog("turns", corpus.turns(1_500)),
    lambda: measures.backlog("long notes", corpus.notes(200, words=160)),
    lambda: measures.recall_ratio("turns", corpus.turns(4_000)),
    lambda: measures.recall_ratio("notes", corpus.notes(1_000, words=100)),
    start.first_recall,
)


def main() -> int:
    """Measure one after the other, so that none competes with another for the processor."""
    table = Table("measure", "value", "bound", "", "detail")
    measured = []
    for measure in _MEASURES:
        done = measure()
        measured.append(done)
        sign = "≤" if done.at_most else "≥"
        value, bound = f"{done.value:.2f} {done.unit}", f"{sign} {done.bound:g} {done.unit}"
        table.add_row(done.name, value, bound, "ok" if done.passed else "[red]over[/]", done.detail)
    Console(width=150).print(table)
    return 0 if all(done.passed for done in measured) else 1


sys.exit(main())
