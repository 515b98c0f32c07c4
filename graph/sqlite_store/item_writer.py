"""Writing and removing items with their chunks and embeddings, rows by the hash of their text, on SQLite."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from core.filters import Filters
from core.interface.memory import Memory
from core.knowledge.text import tag_forms
from core.records import Artifact, Chunk
from core.search import Vectors
from core.vector_format import pack_vector, unpack_vectors
from graph.sqlite_store.artifact_knowledge import (
    SqliteDuplicateSentenceWriter,
    connect_events,
    count_mentions,
    remove_knowledge,
)
from graph.sqlite_store.database.connection import Database
from graph.sqlite_store.database.full_text import index_stashed, unindex_stashed
from graph.sqlite_store.database.rows import (
    CURRENT,
    HASH_CHARS,
    MEMORY_COLUMNS,
    MODEL,
    NAMED,
    PROJECT_BITS,
    current,
    filter_condition,
    id_list,
    memory_values,
    next_number,
    project_number,
)
from graph.sqlite_store.database.term_counts import count_terms, discount_terms
from graph.sqlite_store.identities import SqliteMergeDecisionWriter
from graph.sqlite_store.runs import SqliteAnnotationWriter
from graph.text.term_vectors import sign_words
from graph.text.tokens import separate_unspaced
from graph.timestamps import from_microseconds, offset_of, to_microseconds
from graph.writers.indexed_chunks import IndexedChunk, index_chunks
from graph.writers.item_writer import ItemWriter, Matches, StoredItem

_CACHED: Final = f"""
SELECT hash, vector FROM embeddings
WHERE model = {MODEL.format(":model")} AND hash IN (SELECT value FROM json_each(:hashes))
"""
# Unless rows of an earlier release have its name.
_NUMBER_MODEL: Final = """
INSERT INTO models (name) SELECT :model WHERE NOT EXISTS (SELECT 1 FROM models WHERE name = :model)
    AND NOT EXISTS (SELECT 1 FROM embeddings WHERE model = :model)
"""
# An embedding whose text was removed meanwhile is not kept.
_KEEP: Final = f"""
INSERT INTO embeddings (model, hash, vector)
SELECT {MODEL.format(":model")}, form.value, :vector FROM json_each(:hashes) form
WHERE EXISTS (SELECT 1 FROM chunks WHERE hash = form.value)
ON CONFLICT (hash, model) DO UPDATE SET vector = excluded.vector
"""
# States of tokens are rows beside the embeddings, under a model of their own: its name is their model's and the name of
# a projection. Those of another projection go.
_DROP_FORMER_STATES: Final = f"""
DELETE FROM embeddings
WHERE hash IN (SELECT value FROM json_each(:hashes)) AND model <> {MODEL.format(":model")} AND (
    substr(model, 1, length(:any)) = :any
    OR model IN (SELECT CAST(number AS BLOB) FROM models WHERE substr(name, 1, length(:any)) = :any)
)
"""
_WITH_STATES: Final = _CACHED.replace("hash, vector", "hash")
_WITHOUT_STATES: Final = f"""
SELECT count(*) FROM embeddings e WHERE e.model = {MODEL.format(":model")} AND NOT EXISTS (
    SELECT 1 FROM embeddings s WHERE s.hash = e.hash AND s.model = {MODEL.format(":states_model")}
)
"""
_OF_CHUNKS: Final = f"""
SELECT a.id, c.position, e.vector FROM artifacts a
JOIN chunks c ON c.item = a.item JOIN embeddings e ON e.hash = c.hash AND e.model = {MODEL.format(":model")}
"""


_DROP_MODEL: Final = f"DELETE FROM embeddings WHERE model = {MODEL.format(':model')}"


class SqliteEmbeddings:
    """Fulfils the part of `graph.protocols.records.Records` that keeps embeddings."""

    _database: Database

    def cached_vectors(self, model: str, hashes: Sequence[str]) -> dict[str, Vectors]:
        with self._database.reading() as connection:
            rows = connection.execute(_CACHED, {"model": model, "hashes": _forms(hashes)}).fetchall()
        whole = {hash_[:HASH_CHARS]: hash_ for hash_ in hashes}
        return {whole[form[:HASH_CHARS]]: unpack_vectors([vector])[0] for form, vector in rows}

    def cache_vectors(self, model: str, vectors: Mapping[str, Vectors]) -> None:
        rows = [{"model": model, "hashes": _forms([hash_]), "vector": pack_vector(v)} for hash_, v in vectors.items()]
        with self._database.writing() as connection:
            connection.execute(_NUMBER_MODEL, {"model": model})
            connection.executemany(_KEEP, rows)

    def drop_cached_vectors(self, model: str) -> int:
        with self._database.writing() as connection:
            return connection.execute(_DROP_MODEL, {"model": model}).rowcount

    def cache_states(self, states_model: str, states: Mapping[str, bytes]) -> None:
        any_projection = states_model.rpartition("/")[0] + "/"
        rows = [
            {"model": states_model, "any": any_projection, "hashes": _forms([hash_]), "vector": packed}
            for hash_, packed in states.items()
        ]
        with self._database.writing() as connection:
            connection.execute(_NUMBER_MODEL, {"model": states_model})
            connection.executemany(_DROP_FORMER_STATES, rows)
            connection.executemany(_KEEP, rows)

    def keys_with_states(self, states_model: str, hashes: Sequence[str]) -> set[str]:
        with self._database.reading() as connection:
            rows = connection.execute(_WITH_STATES, {"model": states_model, "hashes": _forms(hashes)}).fetchall()
        kept = {form[:HASH_CHARS] for (form,) in rows}
        return {hash_ for hash_ in hashes if hash_[:HASH_CHARS] in kept}

    def count_without_states(self, model: str, states_model: str) -> int:
        with self._database.reading() as connection:
            asked = {"model": model, "states_model": states_model}
            return int(connection.execute(_WITHOUT_STATES, asked).fetchone()[0])

    def vectors(self, project_id: str, model: str, filters: Filters) -> tuple[list[tuple[str, int]], Vectors]:
        condition, parameters = filter_condition(project_id, filters)
        sql = f"{_OF_CHUNKS} WHERE {condition}"
        with self._database.reading() as connection:
            rows = connection.execute(sql, parameters | {"model": model}).fetchall()
        return [(row[0], row[1]) for row in rows], unpack_vectors([row[2] for row in rows])


def _forms(hashes: Sequence[str]) -> str:
    """Return the forms that rows may have of these hashes, as a JSON array; all rows of one text have the same."""
    return id_list(list(dict.fromkeys([*(hash_[:HASH_CHARS] for hash_ in hashes), *hashes])))


def index(project_id: str, chunks: Sequence[Chunk]) -> list[IndexedChunk]:
    """Return chunks with their words."""
    return index_chunks(project_id, chunks, _entry)


def _entry(chunk: Chunk, terms: bytes) -> tuple[str, str, str]:
    signs = sign_words(chunk.indexed_text, terms)
    return separate_unspaced(chunk.prefix), separate_unspaced(chunk.text), signs


_STORED: Final = "SELECT id, replaced_by, updated_at, num_chunks, frequency, given FROM artifacts"
_KNOWN: Final = f"{_STORED} WHERE project_id = :project_id AND fingerprint = :fingerprint"
_UNDER_KEY: Final = f"""
{_STORED} WHERE project_id = :project_id AND key = :key AND context = :context AND replaced_by IS NULL
"""
_SET_STASHED: Final = "UPDATE artifacts SET stashed = ?, updated_at = coalesce(?, updated_at) WHERE item = ?"
_TIMES: Final = ("happened_at", "created_at", "updated_at", "last_occurred")
_FACTS: Final = ("project_id", "id", "fingerprint", "token_count", "num_chunks", "frequency", "stashed", "replaced_by")
_COLUMNS: Final = ("item", "utc_offset", *_TIMES, *_FACTS, *MEMORY_COLUMNS)
_INSERT: Final = f"""
INSERT INTO artifacts ({", ".join(_COLUMNS)}) VALUES ({", ".join(f":{name}" for name in _COLUMNS)})
"""
_UPDATE: Final = f"""
UPDATE artifacts SET frequency = :frequency, last_occurred = :last_occurred, updated_at = :updated_at,
    {", ".join(f"{name} = :{name}" for name in MEMORY_COLUMNS)}
WHERE project_id = :project_id AND id = :id RETURNING item, replaced_by
"""
_RETURN: Final = """
UPDATE artifacts SET replaced_by = NULL, updated_at = ?, stashed = ?, token_count = ?, num_chunks = ? WHERE item = ?
"""
# In the form of earlier releases where a text is known in it.
_INSERT_CHUNK: Final = f"""
INSERT INTO chunks (id, item, position, start_char, end_char, token_count, hash, terms, prefix, text)
VALUES (
    ?, ?, ?, ?, ?, ?, coalesce((SELECT hash FROM chunks WHERE hash = ?7 LIMIT 1), substr(?7, 1, {HASH_CHARS})), ?, ?, ?
)
"""
_INSERT_WORDS: Final = "INSERT INTO words (rowid, prefix, text, signs) VALUES (?, ?, ?, ?)"
_DROP_UNUSED: Final = (
    "DELETE FROM embeddings WHERE hash = :hash AND NOT EXISTS (SELECT 1 FROM chunks WHERE hash = :hash)"
)
_TIERS: Final = f"SELECT a.id, a.num_chunks, a.stashed FROM {NAMED} WHERE {CURRENT}"
# The named items and, for those that are current, all they replaced.
_GOING: Final = f"""
WITH RECURSIVE named (id) AS (SELECT value FROM json_each(:ids)),
replaced (id) AS (
    SELECT a.id FROM named JOIN artifacts a ON a.project_id = :project_id AND a.id = named.id AND a.replaced_by IS NULL
    UNION
    SELECT earlier.id FROM replaced JOIN artifacts earlier
        ON earlier.project_id = :project_id AND earlier.replaced_by = replaced.id
)
{_STORED} WHERE project_id = :project_id AND id IN (SELECT id FROM named UNION SELECT id FROM replaced)
"""
_RELINK: Final = "UPDATE artifacts SET replaced_by = ? WHERE project_id = ? AND replaced_by = ?"


class SqliteItemWriter(SqliteAnnotationWriter, SqliteDuplicateSentenceWriter, SqliteMergeDecisionWriter, ItemWriter):
    """Fulfils `graph.writers.item_writer.ItemWriter`."""

    def __init__(self, connection: sqlite3.Connection, project_id: str) -> None:
        super().__init__(connection, project_id)
        self.dropped_texts = []

    def _matches(self, artifact: Artifact) -> Matches:
        memory = artifact.memory
        asked = {"fingerprint": artifact.fingerprint, "key": memory.key, "context": memory.context}
        known = next(iter(self._stored(_KNOWN, asked).values()), None)
        former = None if memory.key is None else next(iter(self._stored(_UNDER_KEY, asked).values()), None)
        return Matches(known, former, self._is_taken(artifact.id))

    def _stored(self, sql: str, asked: Mapping[str, Any]) -> dict[str, StoredItem]:
        rows = self._connection.execute(sql, {"project_id": self.project_id, **asked}).fetchall()
        return {
            row[0]: StoredItem(
                id=row[0],
                replaced_by=row[1],
                updated_at=from_microseconds(row[2]),
                num_chunks=row[3],
                frequency=row[4],
                given=row[5],
            )
            for row in rows
        }

    def _is_taken(self, artifact_id: str) -> bool:
        return bool(self.items([artifact_id]))

    def _create(self, artifact: Artifact) -> None:
        item = next_number(self._connection, "artifacts", project_number(self._connection, self.project_id))
        values: dict[str, object] = {name: getattr(artifact, name) for name in _FACTS}
        values |= {name: to_microseconds(getattr(artifact, name)) for name in _TIMES}
        values |= {"item": item, "utc_offset": offset_of(artifact.happened_at)}
        self._connection.execute(_INSERT, values | memory_values(artifact.memory))
        self._connection.execute("INSERT INTO contents VALUES (?, ?)", (item, artifact.memory.content))
        if artifact.replaced_by is None and artifact.memory.tags:
            self._write_tags(item, artifact.memory.tags)

    def _update(
        self, artifact_id: str, memory: Memory, frequency: int, last_occurred: datetime, updated_at: datetime
    ) -> None:
        values = {"project_id": self.project_id, "id": artifact_id, "frequency": frequency} | memory_values(memory)
        times = {"last_occurred": to_microseconds(last_occurred), "updated_at": to_microseconds(updated_at)}
        [(item, replaced_by)] = self._connection.execute(_UPDATE, values | times).fetchall()
        if replaced_by is None:
            self._write_tags(item, memory.tags)

    def _set_current(self, artifact: Artifact) -> None:
        item = self.item(artifact.id)
        updated_at = to_microseconds(artifact.updated_at)
        values = (updated_at, artifact.stashed, artifact.token_count, artifact.num_chunks, item)
        self._connection.execute(_RETURN, values)
        self._connection.execute("UPDATE contents SET content = ? WHERE item = ?", (artifact.memory.content, item))
        self._write_tags(item, artifact.memory.tags)

    def _set_replaced(self, artifact_id: str, successor: str) -> None:
        item = self.item(artifact_id)
        self._write_tags(item, ())
        self._connection.execute("UPDATE artifacts SET replaced_by = ?, stashed = 0 WHERE item = ?", (successor, item))

    def _set_num_chunks(self, artifact_id: str, num_chunks: int) -> None:
        values = (num_chunks, self.item(artifact_id))
        self._connection.execute("UPDATE artifacts SET num_chunks = ? WHERE item = ?", values)

    def _write_tags(self, item: int, tags: Iterable[str]) -> None:
        """Make `tags` all the tags of an item."""
        every = list(dict.fromkeys(tags))
        for table, values in (("tags", every), ("tag_forms", tag_forms(every))):
            self._connection.execute(f"DELETE FROM {table} WHERE item = ?", (item,))
            rows = [(self.project_id, value, item) for value in values]
            self._connection.executemany(f"INSERT INTO {table} VALUES (?, ?, ?)", rows)

    def _write_chunks(self, artifact_id: str, chunks: Sequence[Chunk]) -> None:
        item = self.item(artifact_id)
        first = next_number(self._connection, "chunks", item >> PROJECT_BITS)
        [(content,)] = self._connection.execute("SELECT content FROM contents WHERE item = ?", (item,))
        indexed = index(self.project_id, chunks)

        def rows() -> Iterator[tuple[object, ...]]:
            for id_, piece in enumerate(indexed, start=first):
                place = piece.index, piece.start_char, piece.end_char, piece.token_count
                text = "" if piece.text == content else piece.text
                yield id_, item, *place, piece.embedding_key, piece.terms, piece.prefix, text

        self._connection.executemany(_INSERT_CHUNK, rows())
        entries = ((id_, *one.full_text) for id_, one in enumerate(indexed, start=first))
        self._connection.executemany(_INSERT_WORDS, entries)
        vectors, words = [one.terms for one in indexed], [one.words for one in indexed]
        count_terms(self._connection, item >> PROJECT_BITS, vectors, words)

    def _drop_chunks(self, artifact_ids: Sequence[str]) -> list[str]:
        texts: list[str] = []
        for item in self.items(artifact_ids):
            rows = self._connection.execute("SELECT hash, terms FROM chunks WHERE item = ?", (item,)).fetchall()
            self._connection.execute("DELETE FROM chunks WHERE item = ?", (item,))
            discount_terms(self._connection, item >> PROJECT_BITS, [terms for _, terms in rows])
            texts += [hash_ for hash_, _ in rows]
        return texts

    def _drop_unused_embeddings(self) -> None:
        self._connection.executemany(_DROP_UNUSED, [{"hash": hash_} for hash_ in set(self.dropped_texts)])

    def _tiers(self, artifact_ids: Sequence[str]) -> dict[str, tuple[int, bool]]:
        asked = current(self.project_id) | {"ids": id_list(artifact_ids)}
        rows = self._connection.execute(_TIERS, asked)
        return {id_: (num_chunks, bool(stashed)) for id_, num_chunks, stashed in rows}

    def _set_stashed(self, artifact_ids: Sequence[str], *, stashed: bool, at: datetime | None = None) -> None:
        moment = None if at is None else to_microseconds(at)
        for item in self.items(artifact_ids):
            self._connection.execute(_SET_STASHED, (stashed, moment, item))
            (index_stashed if stashed else unindex_stashed)(self._connection, item)

    def _index_stashed(self, artifact_id: str, content: str) -> None:  # noqa: ARG002 - read again, which costs nothing
        index_stashed(self._connection, self.item(artifact_id))

    def _unindex_stashed(self, artifact_ids: Sequence[str]) -> None:
        for item in self.items(artifact_ids, "a.stashed = 1"):
            unindex_stashed(self._connection, item)

    def _count_mentions(self, artifact_id: str, *, sign: int) -> None:
        count_mentions(self._connection, self.item(artifact_id), sign=sign)

    def _connect_events(self, artifact_id: str) -> None:
        connect_events(self._connection, self.item(artifact_id))

    def _connect_mentions(self, artifact_id: str) -> None:
        """Do nothing: mentions have places in the text, whatever the chunks are."""

    def _going(self, artifact_ids: Sequence[str]) -> dict[str, StoredItem]:
        return self._stored(_GOING, {"ids": id_list(artifact_ids)})

    def _remove_knowledge(self, artifact_ids: Sequence[str]) -> tuple[int, int]:
        removed = [remove_knowledge(self._connection, item) for item in self.items(artifact_ids)]
        return sum(events for events, _ in removed), sum(entities for _, entities in removed)

    def _relink(self, successors: Mapping[str, str]) -> None:
        rows = [(successor, self.project_id, id_) for id_, successor in successors.items()]
        self._connection.executemany(_RELINK, rows)

    def _delete(self, artifact_ids: Sequence[str]) -> None:
        rows = [(item,) for item in self.items(artifact_ids)]
        self._connection.executemany("DELETE FROM artifacts WHERE item = ?", rows)
