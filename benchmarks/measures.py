"""The measures of `make benchmark`: each returns its figures and the ratio that must hold on any machine."""

import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import chromadb
from chromadb.config import Settings as ChromaSettings
from rich.console import Console
from rich.table import Table

from benchmarks import corpus
from core.dates import now
from core.filters import Filters
from core.interface.memory import Memory
from core.interface.question import Question
from service.app import App
from service.settings import Settings
from service.wiring import open_app

#: Questions asked for one figure.
_QUESTIONS: Final = 200


@dataclass(frozen=True, slots=True)
class Measure:
    """One line of the table; `passed` compares `value` with `bound` in the sense of `at_most`."""

    name: str
    value: float
    bound: float
    unit: str
    at_most: bool
    detail: str

    @property
    def passed(self) -> bool:
        """Whether the bound holds."""
        return self.value <= self.bound if self.at_most else self.value >= self.bound


def report(measured: Sequence[Measure], of: str = "measure") -> int:
    """Print measures beside their bounds, under the heading `of`; return 0 if all hold, else 1."""
    table = Table(of, "value", "bound", "", "detail")
    for done in measured:
        sign = "≤" if done.at_most else "≥"
        value, bound = f"{done.value:.2f} {done.unit}", f"{sign} {done.bound:g} {done.unit}"
        table.add_row(done.name, value, bound, "ok" if done.passed else "[red]over[/]", done.detail)
    Console(width=150).print(table)
    return 0 if all(done.passed for done in measured) else 1


def fresh(folder: Path) -> App:
    """Open an empty memory below `folder`, background work not started."""
    return open_app(Settings(REMEMBRANCER_HOME=folder))


def acknowledgement(count: int = 300) -> Measure:
    """Median time of `remember` while the jobs of the items before are done behind it."""
    with tempfile.TemporaryDirectory() as folder, fresh(Path(folder)) as app:
        app.embedder.embed(["warm"])
        app.start()
        times = [timed(partial(app.remember, memory)) for memory in corpus.notes(count, words=60)]
    detail = f"p95 {p95(times):.1f} ms, {count} notes of 60 words, jobs running behind"
    return Measure("remember acknowledges, median", statistics.median(times), 15, "ms", at_most=True, detail=detail)


def bulk(count: int = 300) -> Measure:
    """How many times quicker one `remember_many` stores notes than a call of `remember` for each."""
    with tempfile.TemporaryDirectory() as folder, fresh(Path(folder)) as app:
        memories = corpus.notes(count, words=40)
        app.remember_many(memories[:25], "warm")
        single = timed(lambda: [app.remember(memory, "single") for memory in memories])
        together = timed(lambda: app.remember_many(memories, "together"))
    detail = f"{count} notes of 40 words: {together:.0f} ms, one by one {single:.0f} ms"
    return Measure("remember_many, against single calls", single / together, 1, "×", at_most=False, detail=detail)


def backlog(name: str, memories: Sequence[Memory]) -> Measure:
    """Embedding a backlog through the ledger, cache and index, against the bare embedder on the same texts."""
    with tempfile.TemporaryDirectory() as folder, fresh(Path(folder)) as app:
        app.embedder.embed(["warm"])
        app.index.ping()
        for memory in memories:
            app.remember(memory)
        chunks = [chunk for batch in app.store.each("default") for chunk in _texts(app, [item.id for item in batch])]
        bare = timed(lambda: app.embedder.embed(chunks)) / 1000
        through = until_embedded(app, len(memories))
    detail = f"{len(chunks)} chunks: bare {len(chunks) / bare:.0f}/s, through {len(chunks) / through:.0f}/s"
    return Measure(f"backlog of {name}, share of bare", bare / through, 0.8, "", at_most=False, detail=detail)


def _texts(app: App, ids: Sequence[str]) -> list[str]:
    return [chunk.embedded_text for chunks in app.store.chunks("default", ids).values() for chunk in chunks]


def until_embedded(app: App, jobs: int) -> float:
    """Return the seconds until all embed jobs are done; the worker does them before any extraction."""
    begin = time.perf_counter()
    done = 0
    while done < jobs:
        done += app.worker.step()
    return time.perf_counter() - begin


def recall_ratio(name: str, memories: Sequence[Memory]) -> Measure:
    """Median `recall` against embedding the query and asking Chroma once, by hand, over the same vectors."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other, fresh(Path(folder)) as app:
        for memory in memories:
            app.remember(memory)
        app.worker.drain()
        by_hand = _by_hand(app, other)
        asked = corpus.questions(_QUESTIONS)
        for question in asked[:10]:
            app.recall(Question(query=question))
            by_hand(question)
        hand, full = [], []
        for question in asked:
            hand.append(timed(partial(by_hand, question)))
            full.append(timed(partial(app.recall, Question(query=question))))
    ratio = statistics.median(full) / statistics.median(hand)
    detail = (
        f"recall {statistics.median(full):.1f} ms (p95 {p95(full):.1f}), by hand {statistics.median(hand):.1f} ms, "
        f"{len(memories)} items"
    )
    return Measure(f"recall over {name}, times by hand", ratio, 3, "x", at_most=True, detail=detail)


def _by_hand(app: App, folder: str) -> Callable[[str], object]:
    """Embed the question and query one Chroma collection."""
    client = chromadb.PersistentClient(folder, settings=ChromaSettings(anonymized_telemetry=False))
    collection = client.create_collection("notes", embedding_function=None, metadata={"hnsw:space": "cosine"})
    places, vectors = app.store.vectors("default", app.embedder.model, Filters(at=now()))
    chunks = app.store.chunks_at("default", places)
    for begin in range(0, len(places), 1_000):
        some = places[begin : begin + 1_000]
        collection.add(
            ids=[f"{artifact_id}:{index}" for artifact_id, index in some],
            embeddings=vectors[begin : begin + 1_000],
            documents=[chunks[place].embedded_text for place in some],
        )
    return lambda question: collection.query(query_embeddings=app.embedder.embed([question]), n_results=10)


def timed(action: Callable[[], object]) -> float:
    """Return the milliseconds that `action` took."""
    begin = time.perf_counter()
    action()
    return (time.perf_counter() - begin) * 1000


def p95(times: Sequence[float]) -> float:
    return sorted(times)[int(len(times) * 0.95)]
