"""`python -m benchmarks.extracting FILE`: how long the local extractor takes for the meetings of a QMSum file, and how
much memory the whole process has had then; exit 1 if either is over its bound.

Each meeting is read twice: as the transcript it is, and as the notes of a meeting.
"""

import argparse
import resource
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal

from rich.console import Console
from rich.table import Table

from core.dates import now
from core.interface.memory import Memory
from evals.datasets import qmsum
from evals.marked_documents import unstored
from ingest.extract.local.extractor import LocalExtractor
from retrieval.models.local_embedder import LocalEmbedder

#: For all meetings of the file together; twenty are meant.
_BOUND_SECONDS: Final = 180.0
_BOUND_MEGABYTES: Final = 1_500.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Extract every meeting in both ways and print seconds, events and peak memory."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.extracting", description=__doc__)
    parser.add_argument("file", type=Path, help="a QMSum file, one meeting a line")
    memories = [Memory(**meeting.memory) for meeting in qmsum(parser.parse_args(arguments).file)]
    table = Table("read as", "meetings", "characters", "events", "seconds", "peak MB")
    extractor, over = LocalExtractor(LocalEmbedder()), False
    contexts: tuple[Literal["transcript", "meeting"], ...] = ("transcript", "meeting")
    for context in contexts:
        begin, events = time.perf_counter(), 0
        for memory in memories:
            events += len(extractor.extract(unstored(replace(memory, context=context), now())).events)
        seconds, peak = time.perf_counter() - begin, _peak_megabytes()
        size = sum(len(memory.content) for memory in memories)
        table.add_row(context, str(len(memories)), f"{size:,}", str(events), f"{seconds:.1f}", f"{peak:.0f}")
        over = over or seconds > _BOUND_SECONDS or peak > _BOUND_MEGABYTES
    Console(width=100).print(table)
    return 1 if over else 0


def _peak_megabytes() -> float:
    """Return the most memory this process has had; the system counts in KB, macOS in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1_000_000 if sys.platform == "darwin" else 1_000)


if __name__ == "__main__":
    sys.exit(main())
