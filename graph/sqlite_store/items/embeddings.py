"""The embeddings of `Records` on SQLite: float32 rows by the hash of their text."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from core.embedding import Vectors
from core.filters import Filters
from graph.sqlite_store.database.connections import Database
from graph.sqlite_store.database.filters import filter_condition, id_list

_CACHED: Final = """
SELECT hash, vector FROM embeddings WHERE model = :model AND hash IN (SELECT value FROM json_each(:hashes))
"""
# An embedding whose text was removed meanwhile is not kept.
_KEEP: Final = """
INSERT INTO embeddings (model, hash, vector)
SELECT :model, :hash, :vector WHERE EXISTS (SELECT 1 FROM chunks WHERE hash = :hash)
ON CONFLICT (hash, model) DO UPDATE SET vector = excluded.vector
"""
_OF_CHUNKS: Final = """
SELECT a.id, c.position, e.vector FROM artifacts a
JOIN chunks c ON c.item = a.item JOIN embeddings e ON e.hash = c.hash AND e.model = :model
"""


class SqliteEmbeddings:
    """Fulfils the part of `graph.protocols.records.Records` that keeps embeddings."""

    _database: Database

    def cached_vectors(self, model: str, hashes: Sequence[str]) -> dict[str, Vectors]:
        with self._database.reading() as connection:
            rows = connection.execute(_CACHED, {"model": model, "hashes": id_list(hashes)}).fetchall()
        return {hash_: _unpacked([vector]) for hash_, vector in rows}

    def cache_vectors(self, model: str, vectors: Mapping[str, Vectors]) -> None:
        rows = [
            {"model": model, "hash": hash_, "vector": np.asarray(vector, dtype="<f4").tobytes()}
            for hash_, vector in vectors.items()
        ]
        with self._database.writing() as connection:
            connection.executemany(_KEEP, rows)

    def drop_cached_vectors(self, model: str) -> int:
        with self._database.writing() as connection:
            return connection.execute("DELETE FROM embeddings WHERE model = ?", (model,)).rowcount

    def vectors(self, project_id: str, model: str, filters: Filters) -> tuple[list[tuple[str, int]], Vectors]:
        condition, parameters = filter_condition(project_id, filters)
        sql = f"{_OF_CHUNKS} WHERE {condition}"
        with self._database.reading() as connection:
            rows = connection.execute(sql, parameters | {"model": model}).fetchall()
        places = [(row[0], row[1]) for row in rows]
        if not rows:
            return places, np.empty((0, 0), dtype=np.float32)
        return places, _unpacked([row[2] for row in rows]).reshape(len(rows), -1)


def _unpacked(blobs: Sequence[bytes]) -> Vectors:
    # A bytearray, because arrays over `bytes` can't be written to.
    return np.frombuffer(bytearray(b"").join(blobs), dtype="<f4")
