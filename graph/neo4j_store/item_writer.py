"""Writing and removing items with their chunks, passages and embeddings on Neo4j.

Passages are the substring index over stashed items: their folded text in pieces that overlap. The index holds no value
of more than about 32 kB, and what it finds may lie anywhere in a long text.

Embeddings are rows by model and the hash of their text. All writes to them take one lock: a text that is being
forgotten and its embedding on the way here must see each other.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from core.filters import Filters
from core.interface.memory import Memory
from core.records import Artifact, Chunk
from core.search import Vectors
from core.vector_format import pack_vector, unpack_vectors
from graph.neo4j_store.artifact_knowledge import Neo4jDuplicateSentenceWriter, connect_mentions, remove_knowledge
from graph.neo4j_store.cypher import knowledge_cypher, ledger_cypher, record_cypher, schema_cypher
from graph.neo4j_store.cypher import record_cypher as cypher
from graph.neo4j_store.database.connection import Database, Transaction
from graph.neo4j_store.database.rows import (
    Parameters,
    among,
    artifact_node,
    chunk_id,
    condition_of,
    current,
    has_required_fields,
    indexed_words,
    memory_properties,
    native_time,
    slices,
    tagged,
    valid_utf8,
)
from graph.neo4j_store.database.term_counts import counted, discount_terms
from graph.neo4j_store.identities import Neo4jMergeDecisionWriter
from graph.neo4j_store.runs import Neo4jAnnotationWriter
from graph.writers.indexed_chunks import IndexedChunk, index_chunks
from graph.writers.item_writer import ItemWriter, Matches, StoredItem

_LOCK: Final = "embeddings"
#: Items with a tag that are looked at all; of a tag that more have, all items of the project are.
_MOST_TAGGED: Final = 10_000


def drop_unused(transaction: Transaction, hashes: Sequence[str]) -> None:
    """Remove the embeddings of those texts that no chunk has any more; last of all a transaction locks."""
    if hashes:
        transaction.run(schema_cypher.LOCK, name=_LOCK)
        transaction.run(record_cypher.DROP_UNUSED, hashes=list(dict.fromkeys(hashes)))


def by_tags(database: Database, project_id: str, filters: Filters, most: int = _MOST_TAGGED) -> Parameters:
    """Return the parameter by which the index of tags finds what passes; none where it finds `most`, or is not asked.

    What a conversation, file or task leaves is fewer.
    """
    query = tagged(project_id, filters)
    if not query or filters.conversation_id or filters.file_path or filters.task_id:
        return {}
    [row] = database.rows(record_cypher.COUNT_TAGGED, tag_query=query, most=most)
    return {"tag_query": query} if row["number"] < most else {}


class Neo4jEmbeddings:
    """Fulfils the part of `graph.protocols.records.Records` that keeps embeddings."""

    _database: Database

    def cached_vectors(self, model: str, hashes: Sequence[str]) -> dict[str, Vectors]:
        rows = self._database.rows(record_cypher.CACHED, model=model, hashes=list(hashes))
        return {row["hash"]: unpack_vectors([row["vector"]])[0] for row in rows if has_required_fields(row)}

    def cache_vectors(self, model: str, vectors: Mapping[str, Vectors]) -> None:
        self._cache(model, {hash_: pack_vector(vector) for hash_, vector in vectors.items()})

    def _cache(self, model: str, packed: Mapping[str, bytes], any_projection: str | None = None) -> None:
        rows = [{"hash": hash_, "vector": each} for hash_, each in packed.items()]

        def work(transaction: Transaction) -> None:
            transaction.run(schema_cypher.LOCK, name=_LOCK)
            if any_projection is not None:
                transaction.run(record_cypher.DROP_FORMER_STATES, hashes=list(packed), model=model, any=any_projection)
            for part in slices(rows):
                transaction.run(record_cypher.CACHE, model=model, rows=part)

        if rows:
            self._database.write(work)

    def cache_states(self, states_model: str, states: Mapping[str, bytes]) -> None:
        self._cache(states_model, states, states_model.rpartition("/")[0] + "/")

    def keys_with_states(self, states_model: str, hashes: Sequence[str]) -> set[str]:
        rows = self._database.rows(record_cypher.WITH_STATES, model=states_model, hashes=list(hashes))
        return {row["hash"] for row in rows}

    def count_without_states(self, model: str, states_model: str) -> int:
        [row] = self._database.rows(record_cypher.WITHOUT_STATES, model=model, states_model=states_model)
        return int(row["number"])

    def drop_cached_vectors(self, model: str) -> int:
        def work(transaction: Transaction) -> int:
            transaction.run(schema_cypher.LOCK, name=_LOCK)
            row = transaction.row(record_cypher.DROP_MODEL, model=model)
            return 0 if row is None else int(row["dropped"])

        return self._database.write(work)

    def vectors(self, project_id: str, model: str, filters: Filters) -> tuple[list[tuple[str, int]], Vectors]:
        condition, parameters = condition_of(project_id, filters)
        by_tag = by_tags(self._database, project_id, filters)
        statement = among(record_cypher.VECTORS, condition, by_tags=bool(by_tag), stashes=filters.stashes)
        found = self._database.rows(statement, model=model, **parameters, **by_tag)
        rows = [row for row in found if has_required_fields(row)]
        places = [(row["artifact_id"], row["index"]) for row in rows]
        return places, unpack_vectors([row["vector"] for row in rows])


#: Characters of one passage, at most 16 kB.
PASSAGE: Final = 4_000
#: Characters that two neighbouring passages share: a fragment that is no longer lies in one of them as a whole.
OVERLAP: Final = 500


def folded(text: str) -> str:
    """Return `text` with its case folded, as the substring index holds it."""
    return text.casefold()


def write_passages(transaction: Transaction, project_id: str, artifact_id: str, content: str | None = None) -> None:
    """Enter an item that is not in the index: with this content, or the stored one if it is stashed."""
    if content is None:
        row = transaction.row(record_cypher.STASHED_CONTENT, project_id=project_id, id=artifact_id)
        content = None if row is None else row["content"]
    for part in slices([] if content is None else passages(project_id, artifact_id, content)):
        transaction.run(record_cypher.WRITE_PASSAGES, project_id=project_id, id=artifact_id, passages=part)


def drop_passages(transaction: Transaction, project_id: str, artifact_ids: Sequence[str]) -> None:
    """Take items out of the index; those that are not in it are no error."""
    transaction.run(record_cypher.DROP_PASSAGES, project_id=project_id, ids=artifact_ids)


def passages(project_id: str, artifact_id: str, content: str) -> Sequence[Mapping[str, Any]]:
    """Return the properties of the nodes that an item has in the index."""
    text = folded(content)
    starts = range(0, max(1, len(text) - OVERLAP), PASSAGE - OVERLAP)
    return [
        {"project_id": project_id, "id": f"{artifact_id}/{number}", "folded": text[start : start + PASSAGE]}
        for number, start in enumerate(starts)
    ]


def index(project_id: str, chunks: Sequence[Chunk]) -> list[IndexedChunk]:
    """Return chunks with their words."""
    return index_chunks(project_id, chunks, lambda chunk, _: (indexed_words(chunk.indexed_text),))


class Neo4jItemWriter(Neo4jAnnotationWriter, Neo4jDuplicateSentenceWriter, Neo4jMergeDecisionWriter, ItemWriter):
    """Fulfils `graph.writers.item_writer.ItemWriter`."""

    def __init__(self, transaction: Transaction, project_id: str) -> None:
        super().__init__(transaction, project_id)
        self.dropped_texts = []

    def _matches(self, artifact: Artifact) -> Matches:
        memory = artifact.memory
        asked = {"fingerprint": artifact.fingerprint, "key": memory.key, "context": memory.context, "id": artifact.id}
        [row] = self.rows(cypher.LOCK_AND_FIND, **asked)
        return Matches(_stored(row["known"]), _stored(row["former"]), row["is_id_taken"])

    def _is_taken(self, artifact_id: str) -> bool:
        return bool(self.rows(cypher.IS_ID_TAKEN, id=artifact_id))

    def _create(self, artifact: Artifact) -> None:
        self.run(cypher.CREATE_ARTIFACT, artifact=artifact_node(artifact))
        memory = artifact.memory
        if memory.conversation_id is not None and memory.turn_index is not None:
            self.run(cypher.JOIN_CONVERSATION, id=artifact.id, conversation_id=memory.conversation_id)

    def _update(
        self, artifact_id: str, memory: Memory, frequency: int, last_occurred: datetime, updated_at: datetime
    ) -> None:
        counts = {"frequency": frequency, "last_occurred": last_occurred, "updated_at": updated_at}
        self.run(cypher.UPDATE, id=artifact_id, properties=memory_properties(memory) | counts)

    def _set_current(self, artifact: Artifact) -> None:
        names = ("updated_at", "stashed", "token_count", "num_chunks")
        properties = {name: getattr(artifact, name) for name in names} | {"content": artifact.memory.content}
        self.run(cypher.BRING_BACK, id=artifact.id, properties=properties)

    def _set_replaced(self, artifact_id: str, successor: str) -> None:
        self.run(cypher.RETIRE, id=artifact_id, successor=successor)

    def _set_num_chunks(self, artifact_id: str, num_chunks: int) -> None:
        self.run(cypher.UPDATE, id=artifact_id, properties={"num_chunks": num_chunks})

    def _write_chunks(self, artifact_id: str, chunks: Sequence[Chunk]) -> None:
        for part in slices(index(self.project_id, chunks)):
            nodes = [self._chunk_node(artifact_id, piece) for piece in part]
            counts = counted([piece.terms for piece in part], [piece.words for piece in part])
            self.run(cypher.WRITE_CHUNKS, id=artifact_id, chunks=nodes, **counts)

    def _chunk_node(self, artifact_id: str, piece: IndexedChunk) -> dict[str, Any]:
        id_ = chunk_id(artifact_id, piece.index)
        return {name: getattr(piece, name) for name in Chunk.__slots__} | {
            "project_id": self.project_id,
            "id": id_,
            "name": id_,
            "artifact_id": artifact_id,
            "hash": piece.embedding_key,
            "words": " ".join(piece.full_text),
            "terms": piece.terms,
        }

    def _drop_chunks(self, artifact_ids: Sequence[str]) -> list[str]:
        rows = self.rows(cypher.DROP_CHUNKS, ids=artifact_ids)
        vectors = [row["terms"] for row in rows if row["terms"] is not None]
        discount_terms(self._transaction, self.project_id, vectors)
        return [row["hash"] for row in rows]

    def _drop_unused_embeddings(self) -> None:
        drop_unused(self._transaction, self.dropped_texts)

    def _tiers(self, artifact_ids: Sequence[str]) -> dict[str, tuple[int, bool]]:
        rows = self._transaction.rows(cypher.TIERS, **current(self.project_id), ids=valid_utf8(artifact_ids))
        return {row["id"]: (row["num_chunks"], row["stashed"]) for row in rows}

    def _set_stashed(self, artifact_ids: Sequence[str], *, stashed: bool, at: datetime | None = None) -> None:
        moment = {} if at is None else {"updated_at": at}
        if not stashed:
            self._unindex_stashed(artifact_ids)
        for id_ in artifact_ids:
            self.run(cypher.UPDATE, id=id_, properties={"stashed": stashed} | moment)
            if not stashed:
                continue
            write_passages(self._transaction, self.project_id, id_)

    def _index_stashed(self, artifact_id: str, content: str) -> None:
        write_passages(self._transaction, self.project_id, artifact_id, content)

    def _unindex_stashed(self, artifact_ids: Sequence[str]) -> None:
        drop_passages(self._transaction, self.project_id, artifact_ids)

    def _count_mentions(self, artifact_id: str, *, sign: int) -> None:
        self.run(knowledge_cypher.COUNT_MENTIONS, id=artifact_id, sign=sign)

    def _connect_events(self, artifact_id: str) -> None:
        self.run(knowledge_cypher.CONNECT_EVENTS_OF, id=artifact_id)
        self.run(ledger_cypher.REFRESH_LINKED_FROM, id=artifact_id)

    def _connect_mentions(self, artifact_id: str) -> None:
        connect_mentions(self._transaction, self.project_id, artifact_id)

    def _going(self, artifact_ids: Sequence[str]) -> dict[str, StoredItem]:
        named = self._items(artifact_ids)
        are_current = [id_ for id_, one in named.items() if one.replaced_by is None]
        return self._items(self.replaced(are_current)) | named

    def _items(self, artifact_ids: Iterable[str]) -> dict[str, StoredItem]:
        found = (_stored(row["item"]) for row in self.rows(cypher.GOING, ids=list(artifact_ids)))
        return {one.id: one for one in found if one is not None}

    def _remove_knowledge(self, artifact_ids: Sequence[str]) -> tuple[int, int]:
        return remove_knowledge(self._transaction, self.project_id, artifact_ids)

    def _relink(self, successors: Mapping[str, str]) -> None:
        links = [{"removed": id_, "successor": successor} for id_, successor in successors.items()]
        self.run(cypher.RELINK, links=links)

    def _delete(self, artifact_ids: Sequence[str]) -> None:
        self.run(cypher.DELETE_ARTIFACTS, ids=artifact_ids)


def _stored(node: Mapping[str, Any] | None) -> StoredItem | None:
    return None if node is None else StoredItem(**{**node, "updated_at": native_time(node["updated_at"])})
