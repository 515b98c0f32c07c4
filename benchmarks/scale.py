"""`python -m benchmarks.scale`: what operations cost in memories of growing size, beside plain code on the same data.

Each memory is filled once, with `--keep` for the next time, too; a fill that was killed goes on. What is timed is timed
alternately with what a user would write by hand: one Chroma collection, one table of FTS5, the exact cosines in numpy.
"""

import argparse
import json
import os
import platform
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from benchmarks.by_hand import ByHand
from benchmarks.made_memory import BATCH, CONTEXTS, MadeVectors, UnthrottledChroma, batch_of_items, fill
from benchmarks.measures import p95, timed
from benchmarks.peak_memory import peak_megabytes
from core.interface.learning import ReviewQuestion
from core.interface.ledger import DecisionsQuestion, ResolveRequest
from core.interface.memory import Context, Memory
from core.interface.operations import ForgetRequest
from core.interface.question import ContextQuestion, Exploration, FacetQuestion, Question
from core.interface.stash import PopQuestion, StashQuestion, StashRequest
from graph.sqlite_store import SqliteStore
from graph.sqlite_store.search import SqliteCandidates, SqliteWords
from ingest.extract.local.extractor import LocalExtractor
from retrieval import recall as recall_module
from retrieval.models.local_embedder import LocalEmbedder
from retrieval.ranking.search import Search
from retrieval.ranking.sources import VectorSource
from retrieval.recall import Recaller
from retrieval.scoring import scorer
from retrieval.vectors import ChromaIndex, EmbeddedChroma
from service.app import App
from service.settings import Settings
from service.wiring import open_app

_P = ParamSpec("_P")
_T = TypeVar("_T")

#: Questions that are timed, and those asked before; calls that are timed of everything else.
_QUESTIONS, _WARMING, _CALLS = 100, 10, 30
#: How long a large index may take to be read from the disk, before questions are timed.
_READING_SECONDS: Final = 120
#: Filters, from none to very narrow.
_FILTERS: Final[Mapping[str, Mapping[str, Any]]] = {
    "no filter": {},
    "the later half": {"date_from": "2020-01-01"},
    "as of a day": {"as_of": "2020-01-01"},
    "a context, 1 in 4": {"context": "meeting"},
    "a tag, 1 in 20": {"tags": ("tag3",)},
    "a source, 1 in 500": {"source": "source7"},
}
#: What `recall` may cost at most, at each size, and what it may grow by from one size to ten times that.
_MOST_BY_HAND, _MOST_P95, _MOST_FILTERED, _MOST_GROWTH = 1.5, 2.5, 1.5, 1.6
#: What a chunk may take on the disk, in bytes.
_MOST_BYTES: Final = 8_192
#: The parts of `recall`: what is called for each. Some contain others.
_PARTS: Final[Mapping[str, tuple[Any, str]]] = {
    "embed the question": (LocalEmbedder, "embed_question"),
    "vectors": (VectorSource, "search"),
    "vectors: Chroma alone": (ChromaIndex, "search"),
    "words": (SqliteWords, "search"),
    "read the candidates": (SqliteCandidates, "candidates"),
    "score": (scorer.Scorer, "scores"),
    "score: late interaction": (scorer, "late_scores"),
    "choose passages": (Search, "choose_passages"),
    "page with excerpts": (Recaller, "_page"),
    "graph": (Recaller, "_enriched"),
    "shape": (recall_module, "shape_recall"),
}

#: The same in Chroma alone, with the same embedder: what a process of its own is told to do, once it has imported it.
_FIRST_QUERY: Final = """
import sys, time
import chromadb
from retrieval.models.local_embedder import LocalEmbedder
begun = time.perf_counter()
client = chromadb.PersistentClient(sys.argv[1], settings=chromadb.Settings(anonymized_telemetry=False))
notes = client.get_collection("notes", embedding_function=None)
notes.query(query_embeddings=LocalEmbedder().embed([sys.argv[2]]), n_results=10)
print(time.perf_counter() - begun)
"""


@dataclass(frozen=True, slots=True)
class Figure:
    """What one operation costs in one memory, beside the same by hand."""

    name: str
    value: float
    unit: str
    p95: float | None = None
    by_hand: float | None = None
    #: Times by hand, or what else a bound is for; the bound; whether it is kept.
    ratio: float | None = None
    bound: float | None = None

    @property
    def is_over(self) -> bool:
        """Whether the ratio is over its bound."""
        return self.ratio is not None and self.bound is not None and self.ratio > self.bound


@dataclass(slots=True)
class Measured:
    """The figures of one memory."""

    memory: str
    items: int
    figures: list[Figure] = field(default_factory=list)

    def add(self, name: str, times: Sequence[float], by_hand: Sequence[float] = (), bound: float | None = None) -> None:
        """Add the median of an operation's times, in milliseconds."""
        median = statistics.median(times)
        hand = statistics.median(by_hand) if by_hand else None
        ratio = median / hand if hand else None
        self.figures.append(Figure(name, median, "ms", p95(times), hand, ratio, bound))

    def value_of(self, name: str) -> float | None:
        """Return the value of a figure; None if there is none of this name."""
        return next((figure.value for figure in self.figures if figure.name == name), None)


def recalls(app: App, hand: ByHand, measured: Measured, asked: Sequence[str]) -> None:
    """Ask the same questions with and without filters, and by hand."""
    times: defaultdict[str, list[float]] = defaultdict(list)
    for number, query in enumerate(asked):
        ways: dict[str, Callable[[], object]] = {
            "by hand": partial(hand.near, query),
            "both": partial(hand.fused, query),
        }
        ways |= {kind: partial(_asked, app, Question(query=query, **some)) for kind, some in _FILTERS.items()}
        for kind, way in ways.items():
            taken = timed(way)
            if number >= _WARMING:
                times[kind].append(taken)
    plain = times["no filter"]
    median = statistics.median(plain)
    measured.add("recall", plain, times["by hand"], _MOST_BY_HAND)
    # What finds by words and by meaning, as recall does.
    measured.add("recall, beside Chroma and FTS5 fused", plain, times["both"], _MOST_BY_HAND)
    late = p95(plain)
    measured.figures.append(Figure("recall, 95th percentile", late, "ms", None, None, late / median, _MOST_P95))
    for kind in list(_FILTERS)[1:]:
        filtered = statistics.median(times[kind])
        of = Figure(f"recall, {kind}", filtered, "ms", p95(times[kind]), None, filtered / median, _MOST_FILTERED)
        measured.figures.append(of)


def _asked(app: App, question: Question) -> None:
    if degraded := app.recall(question).degraded:
        raise RuntimeError(f"a question was answered without {degraded}")


def parts(app: App, hand: ByHand, measured: Measured, asked: Sequence[str]) -> None:
    """Ask again, each part of `recall` timed, and the search by words and by vectors beside one by hand."""
    taken: dict[str, list[float]] = {name: [] for name in _PARTS}
    words, exact = [], []
    with _timing(taken) as begin:
        for query in asked[_WARMING:]:
            begin()
            app.recall(Question(query=query))
            words.append(timed(partial(hand.words, query)))
            exact.append(timed(partial(hand.exact, app.embedder.embed([query])[0])))
    by_hand = {"words": words, "vectors": exact}
    for name, times in taken.items():
        measured.add(f"recall: {name}", times, by_hand.get(name, ()))


@contextmanager
def _timing(taken: Mapping[str, list[float]]) -> Iterator[Callable[[], None]]:
    """Add up the time of each part's calls, a number a question; the caller says when a question begins."""
    lock = threading.Lock()

    def wrap(name: str, work: Callable[_P, _T]) -> Callable[_P, _T]:
        def timed_work(*given: _P.args, **named: _P.kwargs) -> _T:
            begun = time.perf_counter()
            try:
                return work(*given, **named)
            finally:
                with lock:
                    taken[name][-1] += (time.perf_counter() - begun) * 1000

        return timed_work

    def begin() -> None:
        for times in taken.values():
            times.append(0.0)

    known = {name: getattr(owner, method) for name, (owner, method) in _PARTS.items()}
    for name, (owner, method) in _PARTS.items():
        setattr(owner, method, wrap(name, known[name]))
    try:
        yield begin
    finally:
        for name, (owner, method) in _PARTS.items():
            setattr(owner, method, known[name])


def others(app: App, hand: ByHand, measured: Measured, *, turns: bool) -> None:
    """Time the other operations that read, each with different arguments, beside statements of SQL by hand."""
    contexts: Sequence[Context] = ("conversation",) * 4 if turns else CONTEXTS

    def both(name: str, way: Callable[[int], object], by_hand: Callable[[int], object] | None = None) -> None:
        times, plain = [], []
        for call in range(_CALLS + 3):
            once = timed(partial(way, call))
            plain_once = timed(partial(by_hand, call)) if by_hand else 0.0
            if call >= 3:
                times.append(once)
                plain += [plain_once] if by_hand else []
        measured.add(name, times, plain)

    both("list", lambda n: app.recall(Question(context=contexts[n % 4])), lambda n: hand.newest(contexts[n % 4]))
    both("list of a span of time", lambda n: app.recall(Question(date_from=f"{2015 + n % 8}-01-01")))
    both(
        "facets, a tag",
        lambda n: app.faceted_search(FacetQuestion(tags=(f"tag{n % 20}",))),
        lambda n: hand.tagged(f"tag{n % 20}"),
    )
    both("facets with counts", lambda _: app.faceted_search(FacetQuestion(counts=True)), lambda _: hand.counts())
    both("stash search", lambda n: app.search_stash(StashQuestion(query=f"Person{n}")))
    both("pop", lambda n: app.pop(PopQuestion(name=f"Person{n}")))
    both("decisions", lambda n: app.decisions(DecisionsQuestion(person=f"Person{n}")))
    both("decisions of a hub", lambda _: app.decisions(DecisionsQuestion(person="Person0")))
    both("decisions as of a day", lambda n: app.decisions(DecisionsQuestion(as_of=f"{2015 + n % 8}-01-01")))
    both("review", lambda _: app.review(ReviewQuestion()))
    both("status", lambda _: app.status())
    both("explore", lambda n: app.explore(Exploration(name=f"Person{10 + n}")))
    both("explore a hub", lambda n: app.explore(Exploration(name=f"Person{n % 3}")))
    both("explore, paths", lambda n: app.explore(Exploration(name=f"Person{10 + n}", to=f"Person{90 + n}")))
    both("memory_context", lambda _: app.memory_context(ContextQuestion(task="coding")))


def writes(app: App, hand: ByHand, measured: Measured) -> None:
    """Store notes, wait until each is done, stash them, dismiss some decisions, and forget them all."""
    made = batch_of_items(10**8)[:_CALLS]
    stored, settled, resolved, forgotten, plain, ids = [], [], [], [], [], []
    for one in made:
        begin = time.perf_counter()
        ids.append(app.remember(one.memory).id)
        stored.append((time.perf_counter() - begin) * 1000)
        settled.append(timed(app.worker.drain))
        plain.append(timed(partial(hand.remember, one.memory.content)))
    app.stash(StashRequest(segment_ids=tuple(ids)))
    for number in range(5):
        ids.append(app.remember(Memory(content=f"We decided to paint gate {number}.", context="meeting")).id)
        app.worker.drain()
        for event in app.recall(Question(id=ids[-1])).results[0].events or ():
            resolved.append(timed(partial(app.resolve, ResolveRequest(id=event.id, status="dismissed"))))
    for id_ in ids:
        forgotten.append(timed(partial(app.forget, ForgetRequest(id=id_, confirm=True))))
    measured.add("remember acknowledges", stored)
    measured.add("remember until ready", [a + b for a, b in zip(stored, settled, strict=True)], plain)
    measured.add("resolve", resolved)
    measured.add("forget", forgotten)


def sizes(home: Path, measured: Measured) -> None:
    """Add what is on the disk, in bytes a chunk, and by part in bytes an item."""
    record = home / "remembrancer.db"
    chroma = sum(file.stat().st_size for file in (home / "chroma").rglob("*") if file.is_file())
    with sqlite3.connect(f"file:{record}?mode=ro", uri=True) as connection:
        (chunks,) = connection.execute("SELECT count(*) FROM chunks").fetchone()
        size = (record.stat().st_size + chroma) / chunks
        measured.figures.append(Figure("disk", size, "B/chunk", None, None, size, _MOST_BYTES))
        measured.figures.append(Figure("chunks", chunks, ""))
        measured.figures.append(Figure("disk: Chroma", chroma / measured.items, "B/item"))
        rows = connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC LIMIT 16")
        for name, size in rows.fetchall():
            measured.figures.append(Figure(f"disk: record, {name}", size / measured.items, "B/item"))


def starts(home: Path, measured: Measured, query: str) -> None:
    """Add how long a process takes from its start to the first answer, and the memory that it then has."""
    command = [sys.executable, "-m", "benchmarks.scale", "--ask", query, "--keep", str(home)]
    plain = [sys.executable, "-c", _FIRST_QUERY, str(home / "by-hand" / "chroma"), query]
    runs, by_hand = [], []
    for _ in range(3):
        runs.append(json.loads(subprocess.run(command, check=True, capture_output=True).stdout))  # noqa: S603
        by_hand.append(float(subprocess.run(plain, check=True, capture_output=True).stdout))  # noqa: S603
    seconds, hand = statistics.median(run["seconds"] for run in runs), statistics.median(by_hand)
    measured.figures.append(Figure("start to the first answer", seconds * 1000, "ms", None, hand * 1000, seconds, 3))
    megabytes = max(run["megabytes"] for run in runs)
    measured.figures.append(Figure("memory after it", megabytes, "MB", None, None, megabytes, 5_000))


def ask_once(home: Path, query: str) -> int:
    """Open a memory, answer one question, print what it took. Run in a process of its own."""
    begun = time.perf_counter()
    with open_app(Settings(REMEMBRANCER_HOME=home)) as app:
        answer = app.recall(Question(query=query))
        seconds = time.perf_counter() - begun
    if not answer.results or answer.degraded:
        raise RuntimeError(f"the first recall was not answered whole: {answer.degraded}")
    sys.stdout.write(json.dumps({"seconds": seconds, "megabytes": peak_megabytes()}))
    return 0


def rebuilds(app: App, measured: Measured) -> None:
    """Add what a rebuild of the words and of the graph costs, in milliseconds an item."""
    for what in ("keywords", "graph"):
        taken = timed(partial(app.reindex, what))
        measured.figures.append(Figure(f"reindex, {what}", taken / measured.items, "ms/item"))


def measure(home: Path, count: int, progress: Progress, *, turns: bool, reindex: bool) -> Measured:
    """Fill one memory, unless it is there, and measure everything in it."""
    name = f"{count:,} {'turns' if turns else 'notes'}"
    home.mkdir(parents=True, exist_ok=True)
    measured, vectors = Measured(name, count), MadeVectors()
    store = SqliteStore(home / "remembrancer.db")
    with _app(store, UnthrottledChroma(home / "chroma"), vectors) as app:
        task = progress.add_task(name, total=count)
        for done in fill(app, vectors, count, home, turns=turns):
            progress.update(task, completed=done)
        progress.update(task, completed=count)
    vectors = MadeVectors()
    asked = questions(count, turns=turns)
    with _app(SqliteStore(home / "remembrancer.db"), EmbeddedChroma(home / "chroma"), vectors) as app:
        task = progress.add_task(f"{name}, by hand", total=count)
        with ByHand(home / "by-hand", app) as hand:
            for done in hand.fill(count, turns=turns):
                progress.update(task, completed=done)
            until = time.monotonic() + _READING_SECONDS
            while app.recall(Question(query=asked[0])).degraded and time.monotonic() < until:
                time.sleep(1)
            recalls(app, hand, measured, asked)
            parts(app, hand, measured, asked)
            others(app, hand, measured, turns=turns)
            writes(app, hand, measured)
        if reindex:
            rebuilds(app, measured)
    sizes(home, measured)
    starts(home, measured, asked[0])
    return measured


def questions(count: int, *, turns: bool) -> list[str]:
    """Return questions about items from all of a memory."""
    chance = random.Random(29)  # noqa: S311 - repeatable, not secret
    step = max(BATCH, count // 20 // BATCH * BATCH)
    made = [one for first in range(0, count - BATCH + 1, step) for one in batch_of_items(first, turns=turns)]
    return [one.question for one in chance.sample(made, _QUESTIONS + _WARMING)]


def _app(store: SqliteStore, chroma: EmbeddedChroma, vectors: MadeVectors) -> App:
    index = ChromaIndex(chroma, vectors)
    return App.of(store=store, index=index, embedder=vectors, tokenizer=vectors.tokenizer, extractor=LocalExtractor())


def projects(home: Path, count: int, progress: Progress) -> Measured:
    """Fill as many projects with a few notes each; time a first question in a cold one, and forgetting in one."""
    measured = Measured(f"{count:,} projects", count)
    home.mkdir(parents=True, exist_ok=True)
    with open_app(Settings(REMEMBRANCER_HOME=home)) as app:
        known = set(app.store.projects())
        task = progress.add_task(measured.memory, total=count)
        for number in range(count):
            if f"p{number}" not in known:
                for line in range(3):
                    app.remember(Memory(content=f"Note {line} of project {number}.", context="note"), f"p{number}")
                app.worker.drain()
            progress.advance(task)
    with open_app(Settings(REMEMBRANCER_HOME=home)) as app:
        app.recall(Question(query="Which note is it?"), "p0")
        cold = [
            timed(partial(app.recall, Question(query=f"Which note is of {number}?"), f"p{number}"))
            for number in range(1, count, max(1, count // _CALLS))
        ]
        measured.figures.append(
            Figure("recall in a cold project", statistics.median(cold), "ms", p95(cold), None, p95(cold), 200)
        )
        forgotten = []
        for number in range(_CALLS):
            id_ = app.remember(Memory(content=f"A short-lived note, number {number}."), "p0").id
            app.worker.drain()
            forgotten.append(timed(partial(app.forget, ForgetRequest(id=id_, confirm=True), "p0")))
        measured.add("forget", forgotten)
    return measured


def show(every: Sequence[Measured]) -> bool:
    """Print each memory's figures with their growth; return whether all are within their bounds."""
    console, fine = Console(width=150), True
    for number, measured in enumerate(every):
        table = Table(measured.memory, "median", "p95", "by hand", "ratio", "bound", "growth")
        for figure in measured.figures:
            growth = growth_of(figure.name, measured, every[:number])
            over = figure.is_over or (figure.name == "recall" and growth is not None and growth > _MOST_GROWTH)
            fine = fine and not over
            cells = (figure.value, figure.p95, figure.by_hand, figure.ratio, figure.bound, growth)
            texts = ["" if cell is None else f"{cell:,.2f}" for cell in cells]
            texts[0] += f" {figure.unit}"
            table.add_row(f"[red]{figure.name}[/]" if over else figure.name, *texts)
        console.print(table)
    return fine


def growth_of(name: str, measured: Measured, earlier: Sequence[Measured]) -> float | None:
    """Return how many times more an operation costs than in the next smaller memory of the same kind."""
    kind = measured.memory.split()[-1]
    smaller = [one for one in earlier if one.memory.split()[-1] == kind and one.items < measured.items]
    if not smaller:
        return None
    before, after = smaller[-1].value_of(name), measured.value_of(name)
    return after / before if before and after is not None else None


def main() -> int:
    """Measure each memory, print its figures, write them as JSON; exit 1 if a bound does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, nargs="*", default=[10_000, 100_000], help="sizes (default: %(default)s)")
    parser.add_argument("--turns", type=int, nargs="*", default=[6_000], help="sizes in turns (default: %(default)s)")
    parser.add_argument("--projects", type=int, default=0, help="as many projects, each of three notes (default: none)")
    parser.add_argument("--reindex", action="store_true", help="rebuild words and graph, too, which takes minutes")
    parser.add_argument("--keep", type=Path, help="folder to keep the memories in, from run to run")
    parser.add_argument("--json", type=Path, help="file for the figures, of which benchmarks.performance makes a page")
    parser.add_argument("--ask", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.ask:
        return ask_once(chosen.keep, chosen.ask)
    every: list[Measured] = []
    with ExitStack() as stack:
        place = chosen.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        progress = stack.enter_context(Progress(console=Console(stderr=True)))
        for turns, wanted in ((True, chosen.turns), (False, chosen.notes)):
            for count in sorted(wanted):
                home = place / f"{count}-{'turns' if turns else 'notes'}"
                every.append(measure(home, count, progress, turns=turns, reindex=chosen.reindex))
                _write(chosen.json, every)
        if chosen.projects:
            every.append(projects(place / f"{chosen.projects}-projects", chosen.projects, progress))
            _write(chosen.json, every)
    return 0 if show(every) else 1


def _write(target: Path | None, every: Sequence[Measured]) -> None:
    if target is None:
        return
    machine = {"processors": os.cpu_count(), "system": platform.platform(), "python": platform.python_version()}
    growing = [
        asdict(one) | {"growth": {f.name: growth_of(f.name, one, every[:number]) for f in one.figures}}
        for number, one in enumerate(every)
    ]
    facts = {"date": str(date.today()), "machine": machine, "memories": growing}  # noqa: DTZ011 - of this machine
    target.write_text(json.dumps(facts, indent=1), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
