"""`python -m benchmarks.reading [FOLDER]`: `remembrancer ingest` of a folder, extraction included, beside the embedder
alone on the chunks of the same files, by turns; then a folder of one line; exit 1 over a bound. For Linux.

Each runs in processes of its own. What others take of the machine meanwhile is printed: where that is much, only the
processor time of all these processes says something, which is printed beside the seconds by the clock.
"""

import argparse
import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks import corpus
from benchmarks.measures import Measure, fresh, report

#: Notes that are made where no folder is given, and the words of each.
_NOTES, _WORDS = 400, 400
#: Asks Linux to make this process the parent of those whose own parent has ended, so that their time is counted.
_PR_SET_CHILD_SUBREAPER: Final = 36
_LEAST_SHARE, _MOST_EXTRACTION, _MOST_SECONDS = 0.7, 1.3, 1.0
_TEXTS: Final = "by processor time, reading files, starting the processes for texts and all they do included"
#: What a process of its own is told to do: embed the texts of a file of JSON; print the seconds by the clock and of
#: processor that took, without loading the model.
_EMBEDDING: Final = """
import json, sys, time
from pathlib import Path
from retrieval.models.local_embedder import LocalEmbedder
embedder, texts = LocalEmbedder(), json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
embedder.embed(["warm"])
began, used = time.perf_counter(), time.process_time()
embedder.embed(texts)
print(time.perf_counter() - began, time.process_time() - used)
"""


@dataclass(frozen=True, slots=True)
class Spent:
    """What a command took: seconds by the clock, of processor, and of that in processes it started; and the processors
    that others kept busy meanwhile."""

    clock: float
    processor: float
    below: float
    others: float
    output: str

    @property
    def words(self) -> str:
        """The same in words."""
        below = f", {self.below:.1f} of it for texts" if self.below else ""
        return f"{self.clock:.1f} s, {self.processor:.1f} of processor{below}, beside {self.others:.1f} busy processors"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure by turns, and print the medians beside their bounds."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reading", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="what is read (default: notes that are made for it)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured (default: %(default)s)")
    options = parser.parse_args(arguments)
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with tempfile.TemporaryDirectory() as made:
        return report([*_folder(Path(made), options.folder, options.rounds), _line(Path(made), options.rounds)])


def _folder(made: Path, folder: Path | None, rounds: int) -> list[Measure]:
    """Measure the whole pass against the embedder alone; the first of the turns is not counted."""
    if folder is None:
        folder = made / "notes"
        folder.mkdir()
        for number, memory in enumerate(corpus.notes(_NOTES, words=_WORDS)):
            (folder / f"note-{number}.md").write_text(f"# Note {number}\n\n{memory.content}\n", encoding="utf-8")
    passes, alone = list[Spent](), list[Spent]()
    for number in range(rounds + 1):
        home = made / f"home-{number}"
        passes.append(_ingest(home, folder))
        if not number:
            size = _write_chunks(home, made / "chunks.json")
        alone.append(_spent([sys.executable, "-c", _EMBEDDING, str(made / "chunks.json")], made))
        sys.stderr.write(f"Round {number}: the pass took {passes[-1].words}; the embedder {alone[-1].words}.\n")
    bare = [tuple(map(float, one.output.split())) for one in alone[1:]]
    turns = list(zip(passes[1:], bare, strict=True))
    share = statistics.median(clock / whole.clock for whole, (clock, _) in turns)
    ours = statistics.median(used / whole.processor for whole, (_, used) in turns)
    extraction = statistics.median(1 + whole.below / used for whole, (_, used) in turns)
    rates = [f"{size / statistics.median(figures):,.0f}" for figures in zip(*bare, strict=True)]
    detail = f"{size:,} characters: the embedder alone {rates[0]} a second, {rates[1]} a second of processor"
    return [
        Measure("share of the embedder's rate", share, _LEAST_SHARE, "", at_most=False, detail=detail),
        Measure("the same by processor time", ours, _LEAST_SHARE, "", at_most=False, detail=detail),
        Measure("with extraction, times embedding", extraction, _MOST_EXTRACTION, "x", at_most=True, detail=_TEXTS),
    ]


def _line(made: Path, rounds: int) -> Measure:
    """Measure the command for a folder of one file of one line."""
    folder = made / "line"
    folder.mkdir()
    (folder / "note.md").write_text(
        "We decided to paint the gate; Ann will buy the paint by Friday.\n", encoding="utf-8"
    )
    spent = [_ingest(made / f"line-{number}", folder) for number in range(rounds + 1)][1:]
    middle = sorted(spent, key=lambda one: one.clock)[len(spent) // 2]
    return Measure("a folder of one line", middle.clock, _MOST_SECONDS, "s", at_most=True, detail=middle.words)


def _ingest(home: Path, folder: Path) -> Spent:
    return _spent([str(Path(sys.executable).with_name("remembrancer")), "ingest", str(folder), "--json"], home)


def _spent(command: Sequence[str], home: Path) -> Spent:
    """Run a command with its own home to the end; raises if it fails."""
    # As an installation does, and without threads that wait for work by spinning.
    environment = os.environ | {
        "REMEMBRANCER_HOME": str(home), "PYTHONDONTWRITEBYTECODE": "", "OPENBLAS_NUM_THREADS": "1"
    }  # fmt: skip
    began, busy = time.perf_counter(), _busy_seconds()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)  # noqa: S603 - this program
    output = process.stdout.read() if process.stdout else ""
    _, code, own = os.wait4(process.pid, 0)
    clock = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(code)
    below = 0.0
    while True:
        try:
            _, _, usage = os.wait4(-1, 0)
        except ChildProcessError:
            break
        below += usage.ru_utime + usage.ru_stime
    if process.returncode:
        raise RuntimeError(f"{command} failed: {output}")
    processor = own.ru_utime + own.ru_stime + below
    return Spent(clock, processor, below, max(0.0, _busy_seconds() - busy - processor) / clock, output)


def _busy_seconds() -> float:
    """Return the seconds that all processors together have worked since the start of the system."""
    user, nice, system, _idle, _waiting, *others = map(
        int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    )
    return (user + nice + system + sum(others[:2])) / os.sysconf("SC_CLK_TCK")


def _write_chunks(home: Path, path: Path) -> int:
    """Write the texts that were embedded as JSON; return their characters."""
    with fresh(home) as app:
        ids = [item.id for items in app.store.each("default") for item in items]
        texts = [chunk.embedded_text for chunks in app.store.chunks("default", ids).values() for chunk in chunks]
    if not texts:
        raise RuntimeError("Nothing was taken in: name a folder of readable files.")
    path.write_text(json.dumps(texts), encoding="utf-8")
    return sum(map(len, texts))


if __name__ == "__main__":
    sys.exit(main())
