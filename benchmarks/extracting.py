"""`python -m benchmarks.extracting FILE`: how long the local extractor takes for the meetings of a QMSum file, and how
long the local embedder takes for them, and how much memory the whole process has had then; exit 1 over a bound.

Each meeting is read twice: as the transcript it is, and as the notes of a meeting.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal

from rich.console import Console
from rich.table import Table

from benchmarks.peak_memory import peak_megabytes
from core.dates import now
from core.interface.memory import Memory
from evals.datasets import qmsum
from evals.marked_documents import unstored
from ingest.extract.local.extractor import LocalExtractor
from ingest.intake.chunker import split_into_chunks
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
        peak, rates = peak_megabytes(), [f"{rate:,.0f}" for rate in times.rates]
        counts = str(len(memories)), f"{times.characters:,}", str(times.events), f"{times.extracting:.1f}"
        table.add_row(context, *counts, *rates, f"{times.ratio:.2f}", f"{peak:.0f}")
        over = over or times.extracting > _BOUND_SECONDS or peak > _BOUND_MEGABYTES
    Console(width=140).print(table)
    return 1 if over else 0


@dataclass(slots=True)
class ReadingTimes:
    """How long some texts take to embed, and then to extract, with one embedder in this process."""

    embedder: LocalEmbedder
    characters: int = 0
    embedding: float = 0.0
    extracting: float = 0.0
    events: int = 0
    _extractor: LocalExtractor = field(init=False)

    def __post_init__(self) -> None:
        """Have all weights read before anything is timed."""
        self._extractor = LocalExtractor(self.embedder)
        warm = unstored(Memory(content="We decided to paint the gate. Ann will buy the paint."), now())
        self.embedder.embed([warm.memory.content])
        self._extractor.extract(warm)

    def add(self, memory: Memory) -> None:
        """Embed and extract one text, one after the other: what else the machine does slows both."""
        artifact = unstored(memory, now())
        chunks, _ = split_into_chunks(artifact.id, memory, self.embedder.tokenizer)
        texts = [chunk.embedded_text for chunk in chunks]
        self.characters += len(memory.content)
        begin = time.perf_counter()
        self.embedder.embed(texts)
        self.embedding += time.perf_counter() - begin
        begin = time.perf_counter()
        self.events += len(self._extractor.extract(artifact).events)
        self.extracting += time.perf_counter() - begin

    @property
    def ratio(self) -> float:
        """How many times as long both take as embedding alone."""
        return (self.embedding + self.extracting) / self.embedding

    @property
    def rates(self) -> tuple[float, float]:
        """Characters a second, of embedding alone and of both."""
        return self.characters / self.embedding, self.characters / (self.embedding + self.extracting)


if __name__ == "__main__":
    sys.exit(main())
