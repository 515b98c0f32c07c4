"""`python -m benchmarks`: print every ratio with its bound; exit 1 if one does not hold."""

import sys
from collections.abc import Callable
from typing import Final

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
    return measures.report([measure() for measure in _MEASURES])


sys.exit(main())
