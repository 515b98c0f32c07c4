"""`python -m benchmarks.extracting FILE`: how long the local extractor takes for the meetings of a QMSum file, and how
long the local embedder takes for them, and how much memory the whole process has had then; exit 1 over a bound.

Each meeting is read twice: as the transcript it is, and as the notes of a meeting.
"""

import argparse
import resource
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal

from rich.console import Console
from rich.table import Table

from benchmarks.measures import ReadingTimes
from core.interface.memory import Memory
from evals.datasets import qmsum
from retrieval.models.local_embedder import LocalEmbedder

#: For all meetings of the file together; twenty are meant.
_BOUND_SECONDS: Final = 180.0
_BOUND_MEGABYTES: Final = 1_500.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Embed and extract every meeting in both ways; print events, characters a second, their ratio and peak memory."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.extracting", description=__doc__)
    parser.add_argument("file", type=Path, help="a QMSum file, one meeting a line")
    memories = [Memory(**meeting.memory) for meeting in qmsum(parser.parse_args(arguments).file)]
    table = Table(
        "read as", "meetings", "characters", "events", "seconds", "embedding, characters/s", "with extraction",
        "times as long", "peak MB",
    )  # fmt: skip
    embedder, over = LocalEmbedder(), False
    contexts: tuple[Literal["transcript", "meeting"], ...] = ("transcript", "meeting")
    for context in contexts:
        times = ReadingTimes(embedder)
        for memory in memories:
            times.add(replace(memory, context=context))
        peak, rates = _peak_megabytes(), [f"{rate:,.0f}" for rate in times.rates]
        counts = str(len(memories)), f"{times.characters:,}", str(times.events), f"{times.extracting:.1f}"
        table.add_row(context, *counts, *rates, f"{times.ratio:.2f}", f"{peak:.0f}")
        over = over or times.extracting > _BOUND_SECONDS or peak > _BOUND_MEGABYTES
    Console(width=140).print(table)
    return 1 if over else 0


def _peak_megabytes() -> float:
    """Return the most memory this process has had; the system counts in KB, macOS in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1_000_000 if sys.platform == "darwin" else 1_000)


if __name__ == "__main__":
    sys.exit(main())
