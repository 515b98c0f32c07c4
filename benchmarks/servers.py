"""`python -m benchmarks.servers`: a large memory on Neo4j and a Chroma server beside the same one on embedded stores.

Brings the servers up by itself. A hundred thousand items take most of an hour on two cores; `--items` takes fewer.
"""

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Final, cast
from zlib import crc32

import numpy as np
from rich.console import Console
from rich.progress import Progress

from benchmarks import corpus
from benchmarks.measures import Measure, p95, report, timed
from core.interface.memory import Memory
from core.interface.question import Question
from core.knowledge.findings import (
    CATEGORIES,
    Actor,
    Category,
    Entity,
    Event,
    Evidence,
    Knowledge,
    Mention,
    Subject,
    entity_id,
    event_id,
)
from core.records import Added, Artifact, Chunk, JobKind
from core.search import Embedder, VectorIndex, Vectors
from graph.neo4j_store import Neo4jStore, artifact_knowledge
from graph.neo4j_store.database.connection import Transaction
from graph.neo4j_store.item_writer import Neo4jItemWriter
from graph.sqlite_store import SqliteStore
from graph.store import Store
from ingest.extract.local.extractor import LocalExtractor
from ingest.intake.artifacts import ItemStore, remember
from retrieval.models.local_embedder import LocalEmbedder
from retrieval.vectors import ChromaIndex, ChromaServer, EmbeddedChroma
from servers import ChromaServer as ChromaProcess
from servers import Neo4jServer
from service.app import App

_PROJECT: Final = "default"
_DIMENSION: Final = 384
_QUESTIONS: Final = 100
#: People and things that the items are about; the first of each are in very many (Zipf's law).
_PEOPLE, _THINGS = 2_000, 5_000
_CLIENTS: Final = 4
#: Items that come through the service and are timed, and those of one transaction afterwards.
_TIMED, _BULK = 3_000, 200


class WordVectors:
    """An embedder as fast as a dictionary: the mean of a random vector a word. What is measured is the stores."""

    model = "benchmark-words"
    dimension = _DIMENSION

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a unit vector a text."""
        rows = [np.mean([_word_vector(word) for word in text.casefold().split()], axis=0) for text in texts]
        made = np.asarray(rows, np.float32).reshape(len(texts), _DIMENSION)
        return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), np.float32)

    def close(self) -> None:
        """Do nothing."""


@lru_cache(maxsize=200_000)
def _word_vector(word: str) -> Vectors:
    return np.random.default_rng(crc32(word.encode())).standard_normal(_DIMENSION).astype(np.float32)


def items(count: int, *, seed: int = 5) -> Iterator[tuple[Memory, str, str, Category]]:
    """Yield notes, each with the person and the thing it is about, and the category of its one event."""
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    people = [f"Person{number}" for number in range(_PEOPLE)]
    things = [f"Thing{number}" for number in range(_THINGS)]
    sentences = corpus.sentences()
    weights = [[1 / (rank + 1) for rank in range(size)] for size in (_PEOPLE, _THINGS)]
    who, what = (chance.choices(names, rates, k=count) for names, rates in zip((people, things), weights, strict=True))
    for number, (person, thing) in enumerate(zip(who, what, strict=True)):
        content = f"{person} spoke of {thing}. {chance.choice(sentences)} {chance.choice(sentences)} ({number})"
        yield Memory(content=content, context="note"), person, thing, chance.choice(CATEGORIES)


def lesson(artifact: Artifact, person: str, thing: str, category: Category) -> Knowledge:
    """Return the knowledge of one item: two entities, and an event between them resting on its first sentence."""
    quote = f"{person} spoke of {thing}."
    who = Entity(entity_id(_PROJECT, "person", person), person, "person")
    what = Entity(entity_id(_PROJECT, "object", thing), thing, "object")
    at = artifact.memory.content.index(thing)
    told = Event(
        id=event_id(_PROJECT, artifact.id, category, 0, len(quote)),
        category=category,
        summary=quote,
        actors=(Actor(who.id, person, "owner"),),
        subjects=(Subject(what.id, thing),),
        evidence=(Evidence(artifact.id, quote, 0, len(quote)),),
        confidence=0.8,
    )
    mentions = (Mention(who.id, artifact.id, 0, len(person)), Mention(what.id, artifact.id, at, at + len(thing)))
    return Knowledge((who, what), mentions, (told,))


@dataclass(frozen=True, slots=True)
class Load:
    """How many items a minute a memory takes from clients, with vectors, when empty and when full; and knowledge of."""

    empty: float
    full: float
    lessons: float


def loaded(app: App, count: int, progress: Progress, name: str) -> Load:
    """Fill a memory with `count` items and bring it some more. The first and the last come as clients bring them.

    The rest, and knowledge, goes to Neo4j by the same steps in larger transactions, only to save time.
    """
    timed = min(count, _TIMED)
    given = list(items(count + timed))
    task = progress.add_task(f"{name}: items", total=count)
    ids, empty = _brought(app, given[:timed])
    progress.advance(task, timed)
    for first in range(timed, count, _BULK):
        some = given[first : min(first + _BULK, count)]
        ids += _remembered(app, [memory for memory, *_ in some])
        progress.advance(task, len(some))
    _index(app, count - timed)
    task = progress.add_task(f"{name}: knowledge", total=count)
    begin = time.perf_counter()
    for first in range(0, count, _BULK):
        _taught(app, ids[first : first + _BULK], given[first : min(first + _BULK, count)])
        progress.advance(task, _BULK)
    learnt = count / (time.perf_counter() - begin) * 60
    more, full = _brought(app, given[count:])
    indexed = {chunk_id.partition(":")[0] for chunk_id in app.index.ids(_PROJECT)}
    if indexed != {*ids, *more}:
        raise RuntimeError(f"{name}: {len(indexed)} of {len(given)} items have vectors: not all of the work was timed.")
    return Load(empty, full, learnt)


def _brought(app: App, given: Sequence[tuple[Memory, str, str, Category]]) -> tuple[list[str], float]:
    """Remember these from several clients at once and index them; return their ids, and items a minute."""
    begin = time.perf_counter()
    with ThreadPoolExecutor(_CLIENTS) as pool:
        ids = list(pool.map(lambda about: app.remember(about[0]).id, given))
    _index(app, len(given))
    return ids, len(given) / (time.perf_counter() - begin) * 60


class _OneTransaction:
    """`Records.add` on Neo4j within a transaction that is open already."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def add(self, artifact: Artifact, chunks: Sequence[Chunk], jobs: Sequence[JobKind]) -> Added:
        """Do what `Records.add` promises, but for the commit."""
        return Neo4jItemWriter(self._transaction, artifact.project_id).add(artifact, chunks, jobs)


def _remembered(app: App, memories: Sequence[Memory]) -> list[str]:
    if not isinstance(app.store, Neo4jStore):
        return [app.remember(memory).id for memory in memories]

    def work(transaction: Transaction) -> list[str]:
        records = cast("ItemStore", _OneTransaction(transaction))
        return [remember(memory, _PROJECT, records, app.tokenizer).added.artifact_id for memory in memories]

    return app.store._database.write(work)


def _taught(app: App, ids: Sequence[str], given: Sequence[tuple[Memory, str, str, Category]]) -> None:
    artifacts = app.store.get(_PROJECT, ids)
    about = zip(ids, given, strict=True)
    taught_by = [(id_, lesson(artifacts[id_], who, what, kind)) for id_, (_, who, what, kind) in about]
    if isinstance(app.store, Neo4jStore):
        app.store._database.write(
            lambda transaction: [
                artifact_knowledge.replace_knowledge(transaction, _PROJECT, id_, taught) for id_, taught in taught_by
            ]
        )
        return
    for id_, taught in taught_by:
        app.store.replace(_PROJECT, id_, taught)


def _index(app: App, count: int) -> None:
    """Do so many embed jobs; the worker does them before any extraction."""
    done = 0
    while done < count:
        done += app.worker.step()


def main() -> int:
    """Fill both memories, ask both the same questions in turn, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=100_000, help="items to load into each (default: %(default)s)")
    count: int = parser.parse_args().items
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        with Neo4jServer(folder / "neo4j") as neo4j, ChromaProcess(folder / "chroma-server") as chroma:
            embedder = WordVectors()
            server_store = Neo4jStore(neo4j.uri, neo4j.username, neo4j.password)
            server_index = ChromaIndex(ChromaServer(chroma.url), embedder)
            near_store = SqliteStore(folder / "record.db")
            near_index = ChromaIndex(EmbeddedChroma(folder / "chroma"), embedder)
            with _app(server_store, server_index, embedder) as far, _app(near_store, near_index, embedder) as near:
                return _report(near, far, count)


def _app(store: Store, index: VectorIndex, embedder: Embedder) -> App:
    tokenizer = LocalEmbedder().tokenizer
    return App.of(store=store, index=index, embedder=embedder, tokenizer=tokenizer, extractor=LocalExtractor())


def _report(near: App, far: App, count: int) -> int:
    console = Console(width=150)
    with Progress(console=console) as progress:
        far_load, near_load = loaded(far, count, progress, "servers"), loaded(near, count, progress, "embedded")
    measures = [
        Measure(
            "loading, items a minute on servers", min(far_load.empty, far_load.full), 2_000, "", at_most=False,
            detail=f"with vectors, {_CLIENTS} clients: empty {far_load.empty:.0f}, with {count} items "
            f"{far_load.full:.0f}; embedded {near_load.empty:.0f} and {near_load.full:.0f}; lessons "
            f"{far_load.lessons:.0f} a minute, embedded {near_load.lessons:.0f}",
        ),
        *_asked(near, far),
    ]  # fmt: skip
    return report(measures)


def _asked(near: App, far: App) -> Iterator[Measure]:
    """Ask each question four times in turn: of both, with the graph and without it."""
    chance = random.Random(3)  # noqa: S311 - repeatable, not secret
    asked = [f"{text} Person{chance.randrange(50)}" for text in corpus.questions(_QUESTIONS)]
    times: dict[tuple[str, bool], list[float]] = {(name, expand): [] for name in "nf" for expand in (True, False)}
    for number, query in enumerate([*asked[:10], *asked]):
        for name, app in (("n", near), ("f", far)):
            for expand in (True, False):
                question = Question(query=query, limit=3, expand=expand, graph_budget=10, detail="full")
                taken = timed(partial(app.recall, question, _PROJECT))
                if number >= 10:
                    times[name, expand].append(taken)
    added = [full - bare for full, bare in zip(times["f", True], times["f", False], strict=True)]
    yield Measure(
        "expansion adds on servers, p95", p95(added), 50, "ms", at_most=True,
        detail=f"median {statistics.median(added):.1f} ms, 1 hop from 3 results, budget 10",
    )  # fmt: skip
    medians = {key: statistics.median(several) for key, several in times.items()}
    yield Measure(
        "recall on servers, times embedded", medians["f", True] / medians["n", True], 3, "x", at_most=True,
        detail=f"median {medians['f', True]:.1f} ms (p95 {p95(times['f', True]):.1f}), embedded "
        f"{medians['n', True]:.1f} ms (p95 {p95(times['n', True]):.1f})",
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
