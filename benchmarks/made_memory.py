"""A memory of any size to measure with: made-up notes with made-up vectors, filled in at the stores' own speed.

The notes are the same each time, whatever the size: a fill that was killed goes on where it was.
"""

import random
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from benchmarks import corpus
from core.interface.memory import Context, Memory
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
from core.knowledge.runs import CallerAnnotations
from core.records import Added, Artifact, Chunk, JobKind
from core.search import MOST_STATES, STATE_BYTES, TextStates, Vectors
from graph.atomic_file import write_atomically
from graph.sqlite_store import SqliteStore, artifact_knowledge
from graph.sqlite_store.item_writer import SqliteItemWriter
from graph.vector_checks import claim_model
from ingest.indexing import indexer
from ingest.intake.artifacts import ItemStore, remember
from retrieval.models.local_embedder import LocalEmbedder
from retrieval.vectors import EmbeddedChroma
from service.app import App

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

PROJECT: Final = "default"
#: Items stored, taught and indexed in one go.
BATCH: Final = 1_000
#: How far a made-up vector of a text lies from the mean of its sentences'.
_NOISE: Final = 0.03
#: People and things that the items are about, and rare words of all texts: the first of each are in very many (Zipf).
_PEOPLE, _THINGS, _RARE = 2_000, 5_000, 60_000
#: Days that the items are dated on, tags and sources they have.
_DAYS, _TAGS, _SOURCES = 3_650, 20, 500
CONTEXTS: Final[Sequence[Context]] = ("note", "meeting", "email", "document")
_FIRST_DAY: Final = date(2015, 1, 1)
#: Turns of one conversation.
_TURNS: Final = 600


@dataclass(frozen=True, slots=True)
class Made:
    """An item, whom and what it is about, and the sentences that it is made of."""

    memory: Memory
    person: str
    thing: str
    category: Category
    sentences: Sequence[str]

    @property
    def question(self) -> str:
        """A question with words of a sentence, which many items have; every second with its person and a rare word."""
        words, (*_, rare, number) = " ".join(self.sentences[0].split()[:6]), self.memory.content.split()
        is_rare = int(number.strip("().")) % 2
        return f"What did {self.person} say about {words} {rare}?" if is_rare else f"What is said about {words}?"


def rare_word(number: int) -> str:
    """Return a word of syllables that stands for a number."""
    syllables = "ba de fi go hu ka le mi no pu ra se ti vo wu za bon den fil gor".split()
    return "".join(syllables[number // 20**place % 20] for place in range(4))


@cache
def rare_weights(count: int = _RARE) -> tuple[Sequence[str], Sequence[float]]:
    """Return rare words, and how often each is there: the sums from the first on, as `random.choices` wants them."""
    return [rare_word(number) for number in range(count)], list(accumulate(1 / (rank + 10) for rank in range(count)))


@cache
def _zipf(count: int) -> Sequence[float]:
    return list(accumulate(1 / (rank + 1) for rank in range(count)))


@cache
def _sentences() -> Sequence[str]:
    return corpus.sentences()


def batch_of_items(first: int, *, turns: bool = False) -> list[Made]:
    """Return the `BATCH` items from number `first` on: notes, or turns of conversations of `_TURNS` each."""
    chance = random.Random(first)  # noqa: S311 - repeatable, not secret
    return [_item(number, chance, turns=turns) for number in range(first, first + BATCH)]


def _item(number: int, chance: random.Random, *, turns: bool) -> Made:
    (who,) = chance.choices(range(_PEOPLE), cum_weights=_zipf(_PEOPLE))
    (what,) = chance.choices(range(_THINGS), cum_weights=_zipf(_THINGS))
    person, thing = f"Person{who}", f"Thing{what}"
    parts = chance.choices(_sentences(), k=1 if turns else 3)
    rare, weights = rare_weights()
    words = " ".join(chance.choices(rare, cum_weights=weights, k=4))
    fields: dict[str, Any] = {
        "content": f"{person} spoke of {thing}. {' '.join(parts)} {words.capitalize()} ({number}).",
        "context": chance.choice(CONTEXTS),
        "tags": (f"tag{chance.randrange(_TAGS)}",),
        "source": f"source{chance.randrange(_SOURCES)}",
        "date": str(_FIRST_DAY + timedelta(days=chance.randrange(_DAYS))),
    }
    if turns:
        place = {"conversation_id": f"talk {number // _TURNS}", "turn_index": number % _TURNS}
        fields |= place | {"context": "conversation", "author": person}
    return Made(Memory(**fields), person, thing, chance.choice(CATEGORIES), parts)


def knowledge_of(artifact: Artifact, person: str, thing: str, category: Category) -> Knowledge:
    """Return the knowledge of one item: two entities, and an event between them resting on its first sentence."""
    quote, project = f"{person} spoke of {thing}.", artifact.project_id
    who = Entity(entity_id(project, "person", person), person, "person")
    what = Entity(entity_id(project, "object", thing), thing, "object")
    at = artifact.memory.content.index(thing)
    spoken = Event(
        id=event_id(project, artifact.id, category, 0, len(quote)),
        category=category,
        summary=quote,
        actors=(Actor(who.id, person, "owner"),),
        subjects=(Subject(what.id, thing),),
        evidence=(Evidence(artifact.id, quote, 0, len(quote)),),
        confidence=0.8,
        event_time=artifact.happened_at,
    )
    mentions = (Mention(who.id, artifact.id, 0, len(person)), Mention(what.id, artifact.id, at, at + len(thing)))
    return Knowledge((who, what), mentions, (spoken,))


class MadeVectors:
    """The local embedder for questions; texts get the mean of their sentences' vectors and some noise, at no cost."""

    def __init__(self) -> None:
        self._local = LocalEmbedder()
        self.model, self.states_model = self._local.model, self._local.states_model
        self.dimension = self._local.dimension
        self.tokenizer = self._local.tokenizer
        sentences = _sentences()
        self._known = dict(zip(sentences, self._local.embed(sentences), strict=True))
        self._chance = np.random.default_rng(17)
        #: Texts that the model itself has read since; none while a memory is filled.
        self.num_read = 0

    def of_items(self, items: Sequence[Made]) -> Vectors:
        """Return a made-up unit vector an item."""
        means = np.stack([np.mean([self._known[one] for one in item.sentences], axis=0) for item in items])
        means = means + self._chance.standard_normal(means.shape) * _NOISE
        return np.asarray(means / np.linalg.norm(means, axis=1, keepdims=True), np.float32)

    def states_of_texts(self, texts: Sequence[str]) -> list[bytes]:
        """Return random states of as many tokens as each text has words."""
        numbers = (min(MOST_STATES, text.count(" ") + 1) for text in texts)
        return [self._chance.bytes(STATE_BYTES * number) for number in numbers]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return what the local embedder makes of texts."""
        self.num_read += len(texts)
        return self._local.embed(texts)

    def embed_with_states(self, texts: Sequence[str]) -> tuple[Vectors, list[bytes]]:
        """Return what the local embedder makes of texts."""
        self.num_read += len(texts)
        return self._local.embed_with_states(texts)

    def embed_question(self, texts: Sequence[str]) -> tuple[Vectors, list[TextStates]]:
        """Return what the local embedder makes of questions."""
        return self._local.embed_question(texts)

    def close(self) -> None:
        """Release the local embedder."""
        self._local.close()


class UnthrottledChroma(EmbeddedChroma):
    """A folder of Chroma that is filled while nobody asks: in writes as large as it takes, without a rest."""

    def max_entries(self, client: "ClientAPI") -> int:
        """Return what Chroma takes."""
        return client.get_max_batch_size()

    def yield_to_others(self, written_for: float) -> None:
        """Go on."""


def fill(app: App, vectors: MadeVectors, count: int, folder: Path, *, turns: bool = False) -> Iterator[int]:
    """Fill a memory with `count` items by the engine's own steps, a batch at a time; yield how many are in.

    How far it is filled is kept in `folder`. What a killed fill left half-done is done again, which changes nothing.

    Raises:
        RuntimeError: the model itself was called for a text, which would take hours.
    """
    kept = folder / "filled"
    done = int(kept.read_text(encoding="ascii")) if kept.exists() else 0
    claim_model(app.store, vectors.model)
    before = vectors.num_read
    while done < count:
        _fill_batch(app, vectors, batch_of_items(done, turns=turns)[: count - done])
        if vectors.num_read != before:
            raise RuntimeError(f"the embedding model read {vectors.num_read - before} texts during the fill")
        done = min(done + BATCH, count)
        with write_atomically(kept) as part:
            part.write_text(str(done), encoding="ascii")
        yield done


def _fill_batch(app: App, vectors: MadeVectors, items: Sequence[Made]) -> None:
    if not isinstance(app.store, SqliteStore):
        raise TypeError("only embedded stores are filled")
    with app.store._database.writing() as connection:
        stored = cast("ItemStore", _OneTransaction(connection))
        ids = [remember(one.memory, PROJECT, stored, app.tokenizer).added.artifact_id for one in items]
    chunks = [chunk for several in app.store.chunks(PROJECT, ids).values() for chunk in several]
    artifacts = app.store.get(PROJECT, ids)
    of_ids = dict(zip(ids, items, strict=True))
    made = [of_ids[chunk.artifact_id] for chunk in chunks]
    rows, keys = vectors.of_items(made), [chunk.embedding_key_in(PROJECT) for chunk in chunks]
    app.store.cache_vectors(vectors.model, dict(zip(keys, rows, strict=True)))
    states = vectors.states_of_texts([chunk.embedded_text for chunk in chunks])
    app.store.cache_states(vectors.states_model, dict(zip(keys, states, strict=True)))
    entries = [indexer._entry(artifacts[chunk.artifact_id], chunk) for chunk in chunks]
    app.index.upsert(PROJECT, indexer._kind(artifacts[ids[0]]), entries, rows)
    with app.store._database.writing() as connection:
        for id_, one in of_ids.items():
            knowledge = knowledge_of(artifacts[id_], one.person, one.thing, one.category)
            artifact_knowledge.replace_knowledge(connection, PROJECT, id_, knowledge)


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

    def get(self, project_id: str, artifact_ids: Sequence[str]) -> dict[str, Artifact]:  # noqa: ARG002 - of a protocol
        """Return nothing to update: what a killed fill stored is as it would be stored now."""
        return {}
