"""`python -m benchmarks.hostile`: texts that are made to stop the service, beside notes; exit 1 if a bound is missed.

The texts of a megabyte go to a running `serve` one after the other, in each context, while a client asks about the
notes and another asks for `/healthz`, until no job waits any more. `--size`, `--contexts` and `--seconds` shorten it.
Then memories are asked in which one text is stored hundreds and thousands of times, or one word is in every note of a
project that is half of all; at last a note of ten million characters is stored while others write.
"""

import argparse
import http.client
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import count, product
from pathlib import Path
from typing import Final

from benchmarks import corpus
from benchmarks.crowd import Client, served
from benchmarks.measures import Measure, fresh, p95, report, timed, until_embedded
from core.interface.memory import CONTEXTS, Memory
from core.interface.question import Question
from service.app import App
from service.processes import end_by_signals

_NOTES: Final = 200
#: Of each text: its name, what it begins with, what is repeated, and its end.
_TEXTS: Final = (
    ("an attendee of blanks", "Attendees: Ann", " ", "Lee, Bob Ray"), ("a bullet of blanks", "-", " ", "x"),
    ("a clock and tabs", "09:10", "\t", "x"), ("a heading of blanks", "# a", " ", "b"), ("pipes", "x", "|", ""),
    ("one word", "x", "a", ""), ("speakers", "x", "\nAnn:", ""), ("headings", "x", "\n# A", ""),
)  # fmt: skip
_EQUAL, _ASKED = "The regatta is on Friday.", "When is the regatta on Friday?"
#: Characters of the longest note.
_HUGE: Final = 10_000_000
#: Seconds between two questions of a client that measures.
_PAUSE: Final = 0.05


class _Asker(threading.Thread):
    """Asks again and again until it is told to end, and keeps the milliseconds of each answer."""

    def __init__(self, ask: Callable[[], object]) -> None:
        super().__init__(daemon=True)
        self._ask = ask
        self._ended = threading.Event()
        self.times: list[float] = []
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            while not self._ended.wait(_PAUSE):
                self.times.append(timed(self._ask))
        except Exception as error:  # noqa: BLE001 - raised where it is waited for
            self.error = error

    def end(self) -> None:
        """Stop asking, and raise what went wrong."""
        self._ended.set()
        self.join()
        if self.error is not None:
            raise self.error


@contextmanager
def _asking(ask: Callable[[], object]) -> Iterator[list[float]]:
    asker = _Asker(ask)
    asker.start()
    try:
        yield asker.times
    finally:
        asker.end()


def equal_notes() -> Measure:
    """Return how many times more a question costs where four times as many notes have one text."""
    taken = []
    for number in (500, 2_000):
        with tempfile.TemporaryDirectory() as folder, fresh(Path(folder)) as app:
            notes = [Memory(content=_EQUAL, source=f"source {source}") for source in range(number)]
            for memory in (*notes, *corpus.notes(_NOTES, words=60)):
                app.remember(memory)
            until_embedded(app, number + _NOTES)
            times = [_processor_seconds(app) for _ in range(9)]
        taken.append(statistics.median(times))
    detail = f"{taken[1] * 1000:.0f} ms of processor time over 2,000, {taken[0] * 1000:.0f} over 500"
    return Measure("recall over equal notes, growth", taken[1] / taken[0], 2, "x", at_most=True, detail=detail)


def common_word(number: int = 500) -> list[Measure]:
    """Return how many times more a word in every note costs than a rare one, in a project that is half of all notes,
    and that project than a small one.
    """
    notes = [replace(memory, content=f"{memory.content} harbour") for memory in corpus.notes(number, words=40)]
    with tempfile.TemporaryDirectory() as folder, fresh(Path(folder)) as app:
        for start in range(0, number, 50):
            app.remember_many(notes[start : start + 50], "half")
            app.remember_many(notes[start : start + 50], f"project-{start}")
        until_embedded(app, 2 * number)

        def taken(query: str, project_id: str) -> float:
            return statistics.median(_processor_seconds(app, query, project_id) for _ in range(9)) * 1000

        everywhere, rare, small = taken("harbour", "half"), taken("(7)", "half"), taken("harbour", "project-0")
    detail = f"{everywhere:.0f} ms of processor time, {{}} {{:.0f}}"
    return [
        Measure("a word in every note", everywhere / rare, 2, "x", at_most=True, detail=detail.format("rare", rare)),
        Measure("half of all notes", everywhere / small, 2, "x", at_most=True, detail=detail.format("of 50", small)),
    ]


def huge_note() -> Measure:
    """Return how long another write waits at most while a note of ten million characters comes among equal ones."""
    text = "\n\n".join(memory.content for memory in corpus.notes(3_400, words=500))[:_HUGE]
    with tempfile.TemporaryDirectory() as folder, fresh(Path(folder)) as app:
        app.remember_many([Memory(content=_EQUAL, source=f"source {number}") for number in range(400)])
        numbers = count()
        with _asking(lambda: app.remember(Memory(content=f"Boat {next(numbers)} came in."))) as times:
            begin, waited = time.process_time(), timed(partial(app.remember, Memory(content=text)))
            seconds = time.process_time() - begin
    detail = f"{len(text):,} characters in {waited / 1000:.0f} s, {seconds:.1f} of processor time"
    return Measure("remember beside a huge note, slowest", max(times), 1_000, "ms", at_most=True, detail=detail)


def _processor_seconds(app: App, query: str = _ASKED, project_id: str = "default") -> float:
    begin = time.process_time()
    app.recall(Question(query=query), project_id)
    return time.process_time() - begin


def _healthy(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/healthz")
    if (status := connection.getresponse().status) != 200:
        raise RuntimeError(f"/healthz answers {status}")
    connection.close()


def _remember(client: Client, text: str, context: str, number: int) -> None:
    turn = {"conversation_id": "hostile", "turn_index": number} if context == "conversation" else {}
    client.call("remember", {"content": text, "context": context, "title": f"hostile {number}"} | turn)


def _doctor(home: Path) -> list[str]:
    """Return the lines of `doctor` about what is not in order."""
    command = [str(Path(sys.executable).with_name("remembrancer")), "doctor"]
    environment = os.environ | {"REMEMBRANCER_HOME": str(home), "COLUMNS": "250"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603 - this program
    return [line for line in done.stdout.splitlines() if line.startswith(("warning", "error"))]


def hostile(size: int, contexts: list[str], seconds: float) -> list[Measure]:
    """Send them, and measure beside them."""
    acknowledged: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        with fresh(home) as app:
            app.remember_many(corpus.notes(_NOTES, words=60))
        settings = {"REMEMBRANCER_EXTRACTION_SECONDS": str(seconds), "REMEMBRANCER_HTTP_RATE": "1000000"}
        with served(home, settings) as (port, _):
            secret = (home / "http.token").read_text(encoding="utf-8").strip()
            client, other = Client(port, secret), Client(port, secret)
            client.await_jobs()
            for _ in range(10):
                other.recall()
            begin = time.perf_counter()
            with _asking(other.recall) as recalls, _asking(partial(_healthy, port)) as probes:
                for number, (context, (_, start, run, end)) in enumerate(product(contexts, _TEXTS)):
                    text = f"{start}{run * (size // len(run))}{end}"
                    acknowledged.append(timed(partial(_remember, client, text, context, number)))
                client.await_jobs()
            took = time.perf_counter() - begin
        found = _doctor(home)
    others = [line for line in found if line.split()[1] != "jobs"]
    detail = f"{len(acknowledged)} texts of {size:,}, none waits after {took:.0f} s, {len(found)} lines about jobs"
    return [
        _measured("remember acknowledges, slowest", acknowledged, 1_000),
        _measured("recall beside, slowest", recalls, 500),
        _measured("/healthz beside, slowest", probes, 200),
        Measure(
            "doctor, but for named items", len(others), 0, "flaws", at_most=True, detail="; ".join(others) or detail
        ),
    ]


def _measured(name: str, times: list[float], bound: float) -> Measure:
    detail = f"p95 {p95(times):.0f} ms of {len(times)}"
    return Measure(name, max(times), bound, "ms", at_most=True, detail=detail)


def main() -> int:
    """Measure."""
    end_by_signals(partial(sys.exit, 1))  # with what it started
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hostile", description=__doc__)
    parser.add_argument("--size", type=int, default=1_000_000, help="characters of a text")
    parser.add_argument("--contexts", nargs="+", choices=CONTEXTS, default=CONTEXTS, help="contexts of `remember`")
    parser.add_argument("--seconds", type=float, default=5, help="REMEMBRANCER_EXTRACTION_SECONDS of the service")
    given = parser.parse_args()
    measured = hostile(given.size, list(given.contexts), given.seconds)
    return report([*measured, equal_notes(), *common_word(), huge_note()], "hostile texts")


if __name__ == "__main__":
    sys.exit(main())
