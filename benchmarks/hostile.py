"""`python -m benchmarks.hostile`: texts that are made to stop the service, beside notes; exit 1 if a bound is missed.

A note of ten million characters is stored, revised, set aside and forgotten while another thread writes. Memories are
asked in which one text is stored hundreds and thousands of times, or one word is in every note of a project that is
half of all. At last texts of a megabyte go to a running `serve` one after the other, each in a third of the contexts
(in each of those that `--contexts` names), while a client asks about the notes and another asks for `/healthz`, until
no job waits any more. `--size` and `--seconds` shorten it. Figures are printed as they come.
"""

import argparse
import gc
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

from rich.console import Console

from benchmarks import corpus
from benchmarks.crowd import Client, served
from benchmarks.measures import Measure, fresh, p95, report, timed, until_embedded
from core.interface.memory import CONTEXTS, Memory
from core.interface.operations import ForgetRequest
from core.interface.question import Question
from core.interface.stash import StashRequest
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
#: Seconds that the watcher sleeps.
_BLINK: Final = 0.005
#: A text is sent in every third context.
_SHARE: Final = 3


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


class _Watcher(threading.Thread):
    """Sees how long other threads keep it from running at most: as long as the process works all that time, and does
    not wait for a processor."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._ended = threading.Event()
        self.most = 0.0

    def run(self) -> None:
        while not self._ended.is_set():
            begin, worked = time.perf_counter(), time.process_time()
            time.sleep(_BLINK)
            late = min(time.perf_counter() - begin, time.process_time() - worked) - _BLINK
            self.most = max(self.most, late * 1000)

    def end(self) -> float:
        """Stop watching; return the milliseconds."""
        self._ended.set()
        self.join()
        return self.most


@contextmanager
def _asking(ask: Callable[[], object]) -> Iterator[list[float]]:
    asker = _Asker(ask)
    asker.start()
    try:
        yield asker.times
    finally:
        asker.end()


def equal_notes() -> list[Measure]:
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
    return [Measure("recall over equal notes, growth", taken[1] / taken[0], 2, "x", at_most=True, detail=detail)]


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


def huge_note() -> Iterator[Measure]:
    """Yield how long another write waits at most, and another thread, while one deals with ten million characters that
    come among equal notes."""
    text = "\n\n".join(memory.content for memory in corpus.notes(3_400, words=500))[:_HUGE]
    with tempfile.TemporaryDirectory() as folder, fresh(Path(folder)) as app:
        app.remember_many([Memory(content=_EQUAL, source=f"source {number}") for number in range(400)])
        first = app.remember(Memory(content=text[:1000], key="huge")).id
        gc.freeze()  # as the service does when it starts
        acts: dict[str, Callable[[str], str]] = {
            "remember": lambda _: app.remember(Memory(content=text, key="huge")).id,
            "revise": lambda _: app.remember(Memory(content=text[1:], key="huge")).id,
            "set aside": lambda id_: app.stash(StashRequest(segment_ids=(id_,))).stashed_segments[0],
            "forget": lambda id_: app.forget(ForgetRequest(id=id_, confirm=True)).id or id_,
        }
        numbers, id_ = count(), first
        for name, act in acts.items():
            watcher = _Watcher()
            with _asking(lambda: app.remember(Memory(content=f"Boat {next(numbers)} came in."))) as times:
                watcher.start()
                begin, started = time.process_time(), time.perf_counter()
                id_ = act(id_)
                waited, seconds = time.perf_counter() - started, time.process_time() - begin
                held = watcher.end()
            detail = f"{len(text):,} characters in {waited:.0f} s, {seconds:.1f} of processor time"
            yield Measure(f"a write beside {name} of a huge note", max(times), 1_000, "ms", at_most=True, detail=detail)
            detail = "of processor time, longest"
            yield Measure(f"a thread beside {name} of it", held, 100, "ms", at_most=True, detail=detail)


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


def hostile(size: int, pairs: list[tuple[str, tuple[str, str, str, str]]], seconds: float) -> list[Measure]:
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
                for number, (context, (_, start, run, end)) in enumerate(pairs):
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
    parser.add_argument("--contexts", nargs="+", choices=CONTEXTS, help="contexts of `remember`")
    parser.add_argument("--seconds", type=float, default=5, help="REMEMBRANCER_EXTRACTION_SECONDS of the service")
    given = parser.parse_args()
    pairs = list(product(given.contexts, _TEXTS)) if given.contexts else list(product(CONTEXTS, _TEXTS))[::_SHARE]
    measured, console = list[Measure](), Console(highlight=False)
    texts = partial(hostile, given.size, pairs, given.seconds)
    for part in (huge_note, equal_notes, common_word, texts):
        begin = time.perf_counter()
        for one in part():
            console.print(f"{one.name}: {one.value:.2f} {one.unit} ({one.detail})", soft_wrap=True)
            measured.append(one)
        console.print(f"  in {time.perf_counter() - begin:.0f} s")
    return report(measured, "hostile texts")


if __name__ == "__main__":
    sys.exit(main())
