"""The embeddings of `Records` on Neo4j: float32 rows by model and the hash of their text.

All writes to them take one lock: a text that is being forgotten and its embedding on the way here must see each other.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from core.embedding import Vectors
from core.filters import Filters
from graph.neo4j_store.cypher import record_cypher, schema_cypher
from graph.neo4j_store.database.connection import Database, Transaction
from graph.neo4j_store.database.filters import among, condition_of
from graph.neo4j_store.database.rows import has_required_fields, slices

_LOCK: Final = "embeddings"


def drop_unused(transaction: Transaction, hashes: Sequence[str]) -> None:
    """Remove the embeddings of those texts that no chunk has any more; last of all a transaction locks."""
    if hashes:
        transaction.run(schema_cypher.LOCK, name=_LOCK)
        transaction.run(record_cypher.DROP_UNUSED, hashes=list(dict.fromkeys(hashes)))


class Neo4jEmbeddings:
    """Fulfils the part of `graph.protocols.records.Records` that keeps embeddings."""

    _database: Database

    def cached_vectors(self, model: str, hashes: Sequence[str]) -> dict[str, Vectors]:
        rows = self._database.rows(record_cypher.CACHED, model=model, hashes=list(hashes))
        return {row["hash"]: _unpacked([row["vector"]]) for row in rows if has_required_fields(row)}

    def cache_vectors(self, model: str, vectors: Mapping[str, Vectors]) -> None:
        rows = [
            {"hash": hash_, "vector": np.asarray(vector, dtype="<f4").tobytes()} for hash_, vector in vectors.items()
        ]

        def work(transaction: Transaction) -> None:
            transaction.run(schema_cypher.LOCK, name=_LOCK)
            for part in slices(rows):
                transaction.run(record_cypher.CACHE, model=model, rows=part)

        if rows:
            self._database.write(work)

    def drop_cached_vectors(self, model: str) -> int:
        def work(transaction: Transaction) -> int:
            transaction.run(schema_cypher.LOCK, name=_LOCK)
            row = transaction.row(record_cypher.DROP_MODEL, model=model)
            return 0 if row is None else int(row["dropped"])

        return self._database.write(work)

    def vectors(self, project_id: str, model: str, filters: Filters) -> tuple[list[tuple[str, int]], Vectors]:
        condition, parameters = condition_of(project_id, filters)
        statement = among(record_cypher.VECTORS, condition)
        found = self._database.rows(statement, model=model, **parameters)
        rows = [row for row in found if has_required_fields(row)]
        places = [(row["artifact_id"], row["index"]) for row in rows]
        return places, matrix([row["vector"] for row in rows])


def matrix(blobs: Sequence[bytes]) -> Vectors:
    """Return stored embeddings row by row; of shape (0, 0) if there are none."""
    return _unpacked(blobs).reshape(len(blobs), -1) if blobs else np.empty((0, 0), dtype=np.float32)


def _unpacked(blobs: Sequence[bytes]) -> Vectors:
    # A bytearray, because arrays over `bytes` can't be written to.
    return np.frombuffer(bytearray(b"").join(blobs), dtype="<f4")
