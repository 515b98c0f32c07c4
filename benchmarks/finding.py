"""`python -m benchmarks.finding`: what `recall` costs in a memory of 6,000 turns and in one of 100,000 notes.

Compared, in the same process, with plain code: embed the question and query one Chroma collection.
"""

import argparse
import random
import sqlite3
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any, Final, cast

import chromadb
import numpy as np
from chromadb.config import Settings as ChromaSettings
from rich.console import Console
from rich.progress import Progress

from benchmarks import corpus
from benchmarks.measures import Measure, p95, report, timed
from benchmarks.servers import items, lesson
from core.dates import now
from core.filters import Filters
from core.interface.memory import Memory
from core.interface.question import Question
from core.knowledge.findings import Category
from core.knowledge.runs import CallerAnnotations
from core.records import Added, Artifact, Chunk, JobKind
from core.search import MOST_STATES, STATE_BYTES, TextStates, Vectors
from graph.sqlite_store import SqliteStore, artifact_knowledge
from graph.sqlite_store.item_writer import SqliteItemWriter
from ingest.extract.local.extractor import LocalExtractor
from ingest.intake.artifacts import ItemStore, remember
from retrieval.models.local_embedder import LocalEmbedder
from retrieval.vectors import ChromaIndex, EmbeddedChroma
from service.app import App

_PROJECT: Final = "default"
#: Questions that are timed, and those asked before.
_QUESTIONS, _WARMING = 100, 10
#: Items stored, taught and indexed in one go.
_BATCH: Final = 1_000
#: How far a made-up vector of a text lies from the mean of its sentences'.
_NOISE: Final = 0.03
#: Turns of one conversation, and rare words of all texts.
_TURNS, _RARE = 600, 60_000
#: Filters that all, half, few and very few items pass.
_FILTERS: Final[Mapping[str, Mapping[str, Any]]] = {
    "none": {},
    "the later half": {"date_from": "2024-01-01"},
    "a tag, 1 in 20": {"tags": ("tag3",)},
    "a source, 1 in 500": {"source": "source7"},
}


class BlendedEmbedder:
    """The local embedder for questions; texts of known sentences get their mean and some noise, which takes no time."""

    def __init__(self) -> None:
        self._local = LocalEmbedder()
        self.model, self.states_model = self._local.model, self._local.states_model
        self.dimension = self._local.dimension
        self.tokenizer = self._local.tokenizer
        sentences = corpus.sentences()
        self._known = dict(zip(sentences, self._local.embed(sentences), strict=True))
        self._chance = np.random.default_rng(17)
        #: The sentences of the texts whose vectors are to be made up.
        self.made_of: dict[str, Sequence[str]] = {}

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a unit vector a text."""
        blended = (self._blend(self.made_of[text]) if text in self.made_of else self._true(text) for text in texts)
        return np.stack(list(blended))

    def embed_with_states(self, texts: Sequence[str]) -> tuple[Vectors, list[bytes]]:
        """Return a unit vector a text, and random states of as many tokens as it has words."""
        numbers = (min(MOST_STATES, text.count(" ")) for text in texts)
        return self.embed(texts), [self._chance.bytes(STATE_BYTES * number) for number in numbers]

    def embed_question(self, texts: Sequence[str]) -> tuple[Vectors, list[TextStates]]:
        """Return what the local embedder makes of questions."""
        return self._local.embed_question(texts)

    def _true(self, text: str) -> Vectors:
        return np.asarray(self._local.embed([text])[0], np.float32)

    def _blend(self, sentences: Sequence[str]) -> Vectors:
        mean = np.mean([self._known[sentence] for sentence in sentences], axis=0)
        mean = mean + self._chance.standard_normal(self.dimension) * _NOISE
        return np.asarray(mean / np.linalg.norm(mean), np.float32)

    def close(self) -> None:
        """Release the local embedder."""
        self._local.close()


@dataclass(frozen=True, slots=True)
class Given:
    """An item, whom and what it is about, and the sentences that it is made of."""

    memory: Memory
    person: str
    thing: str
    category: Category
    sentences: Sequence[str]


def given(count: int, *, turns: bool) -> list[Given]:
    """Return notes, or turns of conversations of `_TURNS` each, over two years."""
    chance = random.Random(23)  # noqa: S311 - repeatable, not secret
    rare = [_name(number) for number in range(_RARE)]
    weights = list(accumulate(1 / (rank + 10) for rank in range(_RARE)))
    pool, made = corpus.sentences(), []
    for number, (_, person, thing, category) in enumerate(items(count)):
        parts = chance.choices(pool, k=1 if turns else 3)
        words = " ".join(chance.choices(rare, cum_weights=weights, k=4))
        fields: dict[str, Any] = {
            "content": f"{person} spoke of {thing}. {' '.join(parts)} {words.capitalize()} ({number}).",
            "context": "note",
            "tags": (f"tag{chance.randrange(20)}",),
            "source": f"source{chance.randrange(500)}",
            "date": str(date(2023, 1, 1) + timedelta(days=number * 730 // count)),
        }
        if turns:
            place = {"conversation_id": f"talk {number // _TURNS}", "turn_index": number % _TURNS}
            fields |= place | {"context": "conversation", "author": person}
        made.append(Given(Memory(**fields), person, thing, category, parts))
    return made


def _name(number: int) -> str:
    """Return a word of syllables that stands for a number."""
    syllables = "ba de fi go hu ka le mi no pu ra se ti vo wu za bon den fil gor".split()
    return "".join(syllables[number // 20**place % 20] for place in range(4))


def questions(asked_of: Sequence[Given]) -> list[str]:
    """Return questions with some words of one item each: its person, words of a sentence, and a rare word."""
    chance = random.Random(29)  # noqa: S311 - repeatable, not secret
    asked = []
    for one in chance.sample(asked_of, _QUESTIONS + _WARMING):
        words = chance.choice(one.sentences).split()[:6]
        asked.append(f"What did {one.person} say about {' '.join(words)} {one.memory.content.split()[-2]}?")
    return asked


def filled(app: App, embedder: BlendedEmbedder, count: int, *, turns: bool, progress: Progress) -> list[Given]:
    """Fill an empty memory by the engine's own steps, many items in a transaction, only to save time."""
    if not isinstance(app.store, SqliteStore):
        raise TypeError("this benchmark fills embedded stores")
    made = given(count, turns=turns)
    task = progress.add_task(f"{count:,} {'turns' if turns else 'notes'}", total=count)
    for first in range(0, count, _BATCH):
        some = made[first : first + _BATCH]
        with app.store._database.writing() as connection:
            stored = _OneTransaction(connection)
            ids = [_remembered(one, stored, app) for one in some]
        chunks = app.store.chunks(_PROJECT, ids)
        embedder.made_of = {chunks[id_][0].embedded_text: one.sentences for id_, one in zip(ids, some, strict=True)}
        app.indexer.embed(_PROJECT, ids)
        artifacts = app.store.get(_PROJECT, ids)
        with app.store._database.writing() as connection:
            for id_, one in zip(ids, some, strict=True):
                artifact_knowledge.replace_knowledge(
                    connection, _PROJECT, id_, lesson(artifacts[id_], one.person, one.thing, one.category)
                )
        progress.advance(task, len(some))
    return made


class _OneTransaction:
    """`Records.add` within a transaction that is open already."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def add(
        self,
        artifact: Artifact,
        chunks: Sequence[Chunk],
        jobs: Sequence[JobKind],
        annotations: CallerAnnotations | None = None,
    ) -> Added:
        """Do what `Records.add` promises, but for the commit and the jobs."""
        return SqliteItemWriter(self._connection, artifact.project_id).add(artifact, chunks, jobs[:0], annotations)


def _remembered(one: Given, stored: _OneTransaction, app: App) -> str:
    return remember(one.memory, _PROJECT, cast("ItemStore", stored), app.tokenizer).added.artifact_id


def measured(name: str, app: App, made: Sequence[Given], folder: Path, most: float) -> Iterator[Measure]:
    """Ask the same questions of the memory, with and without filters, and of one Chroma collection by hand."""
    by_hand = _by_hand(app, folder)
    times: dict[str, list[float]] = {kind: [] for kind in ("by hand", *_FILTERS)}
    for number, query in enumerate(questions(made)):
        ways: dict[str, Callable[[], object]] = {"by hand": partial(by_hand, query)}
        ways |= {kind: partial(app.recall, Question(query=query, **some)) for kind, some in _FILTERS.items()}
        for kind, way in ways.items():
            taken = timed(way)
            if number >= _WARMING:
                times[kind].append(taken)
    medians = {kind: statistics.median(several) for kind, several in times.items()}
    detail = f"p95 {p95(times['none']):.1f} ms, by hand {medians['by hand']:.1f} ms (p95 {p95(times['by hand']):.1f})"
    yield Measure(f"recall over {name}, median", medians["none"], most, "ms", at_most=True, detail=detail)
    ratio = medians["none"] / medians["by hand"]
    yield Measure(f"recall over {name}, times by hand", ratio, 2.5, "x", at_most=True, detail="of the medians")
    for kind in list(_FILTERS)[1:]:
        share, detail = medians[kind] / medians["none"], f"median {medians[kind]:.1f} ms, p95 {p95(times[kind]):.1f}"
        yield Measure(f"{name}, filter {kind}", share, 1.5, "x", at_most=True, detail=detail)


def _by_hand(app: App, folder: Path) -> Callable[[str], object]:
    """Embed the question and query one Chroma collection."""
    client = chromadb.PersistentClient(str(folder), settings=ChromaSettings(anonymized_telemetry=False))
    collection = client.get_or_create_collection(
        "notes", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
    )
    if not collection.count():
        places, vectors = app.store.vectors(_PROJECT, app.embedder.model, Filters(at=now()))
        for begin in range(0, len(places), _BATCH):
            some = places[begin : begin + _BATCH]
            chunks = app.store.chunks_at(_PROJECT, some)
            collection.add(
                ids=[f"{artifact_id}:{index}" for artifact_id, index in some],
                embeddings=vectors[begin : begin + _BATCH],
                documents=[chunks[place].embedded_text for place in some],
            )
    return lambda question: collection.query(query_embeddings=app.embedder.embed([question]), n_results=10)


def main() -> int:
    """Fill each memory if it is not there yet, ask, and print what it took; exit 1 if a bound does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=6_000, help="turns of the one (default: %(default)s)")
    parser.add_argument("--notes", type=int, default=100_000, help="notes of the other (default: %(default)s)")
    parser.add_argument("--keep", type=Path, help="folder to keep the memories in, and to take them from the next time")
    chosen = parser.parse_args()
    done: list[Measure] = []
    with ExitStack() as stack:
        place = chosen.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        progress = stack.enter_context(Progress(console=Console(stderr=True)))
        for count, turns, most in ((chosen.turns, True, 40), (chosen.notes, False, 80)):
            if count:
                done += _measured_in(place, count, turns=turns, most=most, progress=progress)
    return report(done)


def _measured_in(place: Path, count: int, *, turns: bool, most: float, progress: Progress) -> list[Measure]:
    kind = "turns" if turns else "notes"
    home = place / f"{count}-{kind}"
    is_filled = home.exists()
    embedder = BlendedEmbedder()
    store, index = SqliteStore(home / "record.db"), ChromaIndex(EmbeddedChroma(home / "chroma"), embedder)
    with App.of(
        store=store, index=index, embedder=embedder, tokenizer=embedder.tokenizer, extractor=LocalExtractor()
    ) as app:
        made = given(count, turns=turns) if is_filled else filled(app, embedder, count, turns=turns, progress=progress)
        return list(measured(f"{count:,} {kind}", app, made, home / "by-hand", most))


if __name__ == "__main__":
    sys.exit(main())
