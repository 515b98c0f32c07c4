"""What a user would write instead: a collection of Chroma, a table of SQLite with FTS5, exact cosines in numpy."""

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Self

import chromadb
import numpy as np
from chromadb.config import Settings as ChromaSettings

from benchmarks.made_memory import BATCH, PROJECT, batch_of_items
from core.dates import now
from core.filters import Filters
from core.search import Vectors
from service.app import App

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT, context TEXT, tag TEXT, date TEXT);
CREATE INDEX IF NOT EXISTS by_context ON notes (context, date);
CREATE INDEX IF NOT EXISTS by_tag ON notes (tag, date);
CREATE VIRTUAL TABLE IF NOT EXISTS words
    USING fts5 (text, content = 'notes', content_rowid = 'id', tokenize = 'porter');
"""
_WORDS: Final = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words) LIMIT 10"
_TEXTS: Final = "SELECT rowid, text FROM words WHERE words MATCH ? ORDER BY bm25(words) LIMIT 10"


class ByHand:
    """The same items as a memory's, in stores of their own."""

    def __init__(self, folder: Path, app: App) -> None:
        """Open the stores; `app` has the memory and the embedder."""
        folder.mkdir(parents=True, exist_ok=True)
        self._app = app
        self._client = chromadb.PersistentClient(
            str(folder / "chroma"), settings=ChromaSettings(anonymized_telemetry=False)
        )
        self._notes = self._client.get_or_create_collection(
            "notes", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )
        self._database = sqlite3.connect(folder / "notes.db")
        self._database.executescript(_TABLES)
        self._vectors: Vectors = np.empty((0, 0), np.float32)
        self._further = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()
        self._client.close()  # type: ignore[attr-defined]  # every client but the interface has it

    def fill(self, count: int, *, turns: bool) -> Iterator[int]:
        """Add the items that are missing; yield how many are in."""
        places, self._vectors = self._app.store.vectors(PROJECT, self._app.embedder.model, Filters(at=now()))
        for first in range(self._notes.count(), len(places), BATCH):
            some = places[first : first + BATCH]
            chunks = self._app.store.chunks_at(PROJECT, some)
            self._notes.add(
                ids=[f"{artifact_id}:{index}" for artifact_id, index in some],
                embeddings=self._vectors[first : first + BATCH],
                documents=[chunks[place].embedded_text for place in some],
            )
            yield first
        (have,) = self._database.execute("SELECT count(*) FROM notes").fetchone()
        for first in range(have, count, BATCH):
            made = enumerate(batch_of_items(first, turns=turns)[: count - first], first)
            rows = [(n, one.memory.content, one.memory.context, *one.memory.tags, one.memory.date) for n, one in made]
            with self._database:
                self._database.executemany("INSERT INTO notes VALUES (?, ?, ?, ?, ?)", rows)
                self._database.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", [row[:2] for row in rows])

    def near(self, question: str) -> object:
        """Embed the question and query the collection."""
        return self._notes.query(query_embeddings=self._app.embedder.embed([question]), n_results=10)

    def exact(self, vector: Vectors) -> object:
        """Compare all vectors with a question's."""
        return np.argpartition(-(self._vectors @ vector), 10)[:10]

    def words(self, question: str) -> object:
        """Search for the question's words."""
        return self._rows(_WORDS, _any_word(question))

    def fused(self, question: str) -> object:
        """Query the collection, search for the words, add up what each says by rank; return the first texts."""
        by_vector = self._notes.query(query_embeddings=self._app.embedder.embed([question]), n_results=10)
        texts: dict[object, str] = dict(self._rows(_TEXTS, _any_word(question)))
        found_by = (list(texts), by_vector["ids"][0])
        texts |= zip(by_vector["ids"][0], (by_vector["documents"] or [[]])[0], strict=True)
        worth: dict[object, float] = {}
        for found in found_by:
            for rank, id_ in enumerate(found):
                worth[id_] = worth.get(id_, 0.0) + 1 / (60 + rank)
        return [texts[id_] for id_ in sorted(worth, key=lambda id_: -worth[id_])[:10]]

    def newest(self, context: str) -> object:
        """List the newest of a context."""
        return self._rows("SELECT * FROM notes WHERE context = ? ORDER BY date DESC LIMIT 10", context)

    def tagged(self, tag: str) -> object:
        """List the newest with a tag."""
        return self._rows("SELECT * FROM notes WHERE tag = ? ORDER BY date DESC LIMIT 10", tag)

    def counts(self) -> object:
        """Count the notes by context and by tag."""
        return self._rows("SELECT context, count(*) FROM notes GROUP BY context"), self._rows(
            "SELECT tag, count(*) FROM notes GROUP BY tag"
        )

    def remember(self, text: str) -> None:
        """Embed and store a note, and take it out again, so that the next run finds the same notes."""
        number = 10**9 + self._further
        self._further += 1
        with self._database:
            self._database.execute("INSERT INTO notes (id, text) VALUES (?, ?)", (number, text))
            self._database.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (number, text))
        self._notes.add(ids=[str(number)], embeddings=self._app.embedder.embed([text]), documents=[text])
        with self._database:
            self._database.execute("INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)", (number, text))
            self._database.execute("DELETE FROM notes WHERE id = ?", (number,))
        self._notes.delete(ids=[str(number)])

    def _rows(self, sql: str, *given: object) -> list[Any]:
        return self._database.execute(sql, given).fetchall()


def _any_word(question: str) -> str:
    return " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
